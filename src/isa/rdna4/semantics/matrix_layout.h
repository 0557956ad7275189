// The places of the elements of WMMA's and SWMMAC's matrices in the lanes (RDNA4 ISA 7.12.2, 7.12.3), for both ways of multiplying
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

// Element `k` of row `n` of A as it is stored, which is also element k of column n of a dense product's B (table of RDNA4 ISA
// 7.12.2). Rows of A stand in neighbouring lanes.
constexpr Place place(uint32_t bits, uint32_t depth, uint32_t k, uint32_t n, bool wave64) {
  if (bits == 16) {
    if (wave64) return {bit(k, 3) << 5 | bit(k, 2) << 4 | n, bit(k, 1), k & 1};
    return {bit(k, 2) << 4 | n, bit(k, 3) << 1 | bit(k, 1), k & 1};
  }
  if (bits == 8) {
    if (wave64) return {bit(k, 2) << 5 | bit(k, 3) << 4 | n, 0, k & 3};
    return {bit(k, 3) << 4 | n, bit(k, 2), k & 3};
  }
  if (depth == 16) return {bit(k, 3) << 4 | n, 0, k & 7};  // wave64: the first 32 lanes alone
  if (wave64) return {bit(k, 3) << 5 | bit(k, 4) << 4 | n, 0, k & 7};
  return {bit(k, 4) << 4 | n, bit(k, 3), k & 7};
}
// Element `k` of column `n` of a sparse product's B, which has twice the rows that A stores: the four that a stored pair of A chooses
// from are in the block of 16 lanes that holds the pair, at twice its distance from the lane's first element. The manual gives no
// table for 8 and 16 bits; these are the equations of AMD's matrix instruction calculator (ROCm/amd_matrix_instruction_calculator,
// `-a rdna4 -i v_swmmac_... -d`), ck_tile's `layouts:` comments (sparse_gfx12.hpp) and ROCm/hip-fpsan's amdgcn_swmmac_gfx12.hpp, whose
// tests hold on a gfx1201. 4-bit elements, 32 of them: the table of 7.12.2, so that in wave64 B is in all lanes though A is in half.
constexpr Place place_of_sparse_b(uint32_t bits, uint32_t depth, uint32_t k, uint32_t n, bool wave64) {
  if (bits == 4 && depth == 32) return place(bits, depth, k, n, wave64);
  const uint32_t per_dword = 32 / bits;
  Place at = place(bits, depth / 2, k / 4 * 2, n, wave64);
  const uint32_t in_lane = (at.vgpr * per_dword + at.position) * 2 + (k & 3);
  return {at.lane, in_lane / per_dword, in_lane % per_dword};
}
// C and D: columns stand in neighbouring lanes.
constexpr Place place_of_result(uint32_t bits, uint32_t row, uint32_t column, bool wave64) {
  uint32_t lane = wave64 ? bit(row, 2) << 5 | bit(row, 3) << 4 | column : bit(row, 3) << 4 | column;
  uint32_t index = row & (wave64 ? 3 : 7);
  return bits == 32 ? Place{lane, index, 0} : Place{lane, index / 2, index & 1};
}

// The two of four elements of B that a stored pair's elements meet: any of them, in any order, the same one twice too, where both
// products count (ROCm/hip-fpsan; one-hot measurements on a gfx1201: sorasoras/cubbyllm-lite, kernels/swmmac_probe.py). The
// pseudocode of 7.12.3, which knows first < second alone, would leave some of the others out.
struct Chosen {
  uint32_t first, second;
};
constexpr Chosen chosen(uint32_t indices) { return {indices & 3, indices >> 2 & 3}; }
// A lane's indices control the pairs that the lane itself holds, in their order there; OP_SEL picks one of the sets in the dword.
constexpr uint32_t pairs_in_lane(uint32_t bits, uint32_t packed, bool wave64) {
  return packed / 2 / (bits == 4 && packed == 16 ? 2 : wave64 ? 4 : 2);
}

}  // namespace Atoll::rdna4
