// Where the elements of WMMA's and SWMMAC's matrices stand in the lanes (RDNA4 ISA 7.12.2, 7.12.3), for both ways of multiplying
// them: in vectors of lanes (matrix_lanes.cpp) and one by one (wmma_whole.cpp).
#pragma once
#include <cstdint>

namespace Atoll::rdna4 {

enum class Element : uint8_t { F16, Bf16, Fp8, Bf8, Int8, Int4, F32, Int32 };
struct Product {
  Element a, b, c;
  uint32_t k;
  bool sparse;
};
constexpr uint32_t bits_of(Element e) {
  switch (e) {
    case Element::Int4: return 4;
    case Element::Fp8:
    case Element::Bf8:
    case Element::Int8: return 8;
    case Element::F16:
    case Element::Bf16: return 16;
    default: return 32;
  }
}

struct Place {
  uint32_t lane, vgpr, position;  // position in units of the element within the dword
};
constexpr uint32_t bit(uint32_t x, int n) { return x >> n & 1; }

// Element `k` of row `n` of A, which is also element k of column n of B (table of RDNA4 ISA 7.12.2). K beyond one block of 16 (of
// 32, where 4-bit elements fill such) goes on in the next VGPRs (7.12.3). Rows stand in neighbouring lanes.
constexpr Place place(uint32_t bits, uint32_t depth, uint32_t k, uint32_t n, bool wave64) {
  uint32_t block_depth = bits == 4 && depth >= 32 ? 32 : 16;
  uint32_t block = k / block_depth;
  k %= block_depth;
  Place at{};
  uint32_t block_vgprs = 0;
  if (bits == 16) {
    if (wave64)
      at = {bit(k, 3) << 5 | bit(k, 2) << 4 | n, bit(k, 1), k & 1}, block_vgprs = 2;
    else
      at = {bit(k, 2) << 4 | n, bit(k, 3) << 1 | bit(k, 1), k & 1}, block_vgprs = 4;
  } else if (bits == 8) {
    if (wave64)
      at = {bit(k, 2) << 5 | bit(k, 3) << 4 | n, 0, k & 3}, block_vgprs = 1;
    else
      at = {bit(k, 3) << 4 | n, bit(k, 2), k & 3}, block_vgprs = 2;
  } else if (block_depth == 16) {
    at = {bit(k, 3) << 4 | n, 0, k & 7}, block_vgprs = 1;  // wave64: the first 32 lanes alone
  } else {
    if (wave64)
      at = {bit(k, 3) << 5 | bit(k, 4) << 4 | n, 0, k & 7}, block_vgprs = 1;
    else
      at = {bit(k, 4) << 4 | n, bit(k, 3), k & 7}, block_vgprs = 2;
  }
  at.vgpr += block * block_vgprs;
  return at;
}
// C and D: columns stand in neighbouring lanes.
constexpr Place place_of_result(uint32_t bits, uint32_t row, uint32_t column, bool wave64) {
  uint32_t lane = wave64 ? bit(row, 2) << 5 | bit(row, 3) << 4 | column : bit(row, 3) << 4 | column;
  uint32_t index = row & (wave64 ? 3 : 7);
  return bits == 32 ? Place{lane, index, 0} : Place{lane, index / 2, index & 1};
}

// Which of the elements of a sparse row's group of four a packed pair stands for: -1 where the indices contradict (RDNA4
// ISA 7.12.3).
struct Expanded {
  int first, second;
};
constexpr Expanded expand(uint32_t indices) {
  int first = int(indices & 3), second = int(indices >> 2 & 3);
  return {first == 3 ? -1 : first, second == 0 || second == first ? -1 : second};
}
// A lane's indices control the pairs that the lane itself holds, in their order there; OP_SEL picks one of the sets in the dword.
constexpr uint32_t pairs_in_lane(uint32_t bits, uint32_t packed, bool wave64) {
  return packed / 2 / (bits == 4 && packed == 16 ? 2 : wave64 ? 4 : 2);
}

}  // namespace Atoll::rdna4
