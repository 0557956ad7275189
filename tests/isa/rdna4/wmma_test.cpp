// Matrix products: matrices are laid into the lanes by the manual's tables (RDNA4 ISA 7.12.2, 7.12.3), multiplied plainly,
// compared.
#include <algorithm>
#include <bit>
#include <cmath>

#include "half_reference.h"
#include "single_step.h"

namespace Atoll::rdna4::test {
namespace {

enum Type { f16, bf16, fp8, bf8, iu8, iu4, f32, i32 };
struct Product {
  const char* name;
  Type a, b, c;
  int k;
  bool sparse;
};
constexpr Product products[] = {
    {"v_wmma_f32_16x16x16_f16", f16, f16, f32, 16, false},       {"v_wmma_f32_16x16x16_bf16", bf16, bf16, f32, 16, false},
    {"v_wmma_f16_16x16x16_f16", f16, f16, f16, 16, false},       {"v_wmma_bf16_16x16x16_bf16", bf16, bf16, bf16, 16, false},
    {"v_wmma_i32_16x16x16_iu8", iu8, iu8, i32, 16, false},       {"v_wmma_i32_16x16x16_iu4", iu4, iu4, i32, 16, false},
    {"v_wmma_f32_16x16x16_fp8_fp8", fp8, fp8, f32, 16, false},   {"v_wmma_f32_16x16x16_fp8_bf8", fp8, bf8, f32, 16, false},
    {"v_wmma_f32_16x16x16_bf8_fp8", bf8, fp8, f32, 16, false},   {"v_wmma_f32_16x16x16_bf8_bf8", bf8, bf8, f32, 16, false},
    {"v_wmma_i32_16x16x32_iu4", iu4, iu4, i32, 32, false},       {"v_swmmac_f32_16x16x32_f16", f16, f16, f32, 32, true},
    {"v_swmmac_f32_16x16x32_bf16", bf16, bf16, f32, 32, true},   {"v_swmmac_f16_16x16x32_f16", f16, f16, f16, 32, true},
    {"v_swmmac_bf16_16x16x32_bf16", bf16, bf16, bf16, 32, true}, {"v_swmmac_i32_16x16x32_iu8", iu8, iu8, i32, 32, true},
    {"v_swmmac_i32_16x16x32_iu4", iu4, iu4, i32, 32, true},      {"v_swmmac_i32_16x16x64_iu4", iu4, iu4, i32, 64, true},
    {"v_swmmac_f32_16x16x32_fp8_fp8", fp8, fp8, f32, 32, true},  {"v_swmmac_f32_16x16x32_fp8_bf8", fp8, bf8, f32, 32, true},
    {"v_swmmac_f32_16x16x32_bf8_fp8", bf8, fp8, f32, 32, true},  {"v_swmmac_f32_16x16x32_bf8_bf8", bf8, bf8, f32, 32, true},
};
int size_of(Type t) { return t == iu4 ? 4 : t == fp8 || t == bf8 || t == iu8 ? 8 : t == f16 || t == bf16 ? 16 : 32; }

double value_of(Type t, uint32_t x, bool is_signed) {
  switch (t) {
    case f16: return half_value(uint16_t(x));
    case bf16: return std::bit_cast<float>(x << 16);
    case bf8: return half_value(uint16_t(x << 8));
    case fp8: {
      int e = x >> 3 & 15, m = x & 7;
      if ((x & 0x7f) == 0x7f) return std::nan("");
      double v = e ? std::ldexp(8 + m, e - 10) : std::ldexp(m, -9);
      return x & 0x80 ? -v : v;
    }
    case iu8: return is_signed ? int8_t(x) : int(x & 255);
    case iu4: return is_signed ? int(x & 15) - (x & 8 ? 16 : 0) : int(x & 15);
    case f32: return std::bit_cast<float>(x);
    case i32: return int32_t(x);
  }
  return 0;
}

// Registers: A from v0, B from v32, C or the indices from v64, D in v96.
constexpr uint32_t va = 0, vb = 32, vc = 64, vd = 96;

struct Layout {
  SingleStep& wave;
  bool w64;
  void put(uint32_t vgpr, uint32_t lane, int size, int position, uint32_t x) {
    uint32_t& word = wave.v(vgpr, lane);
    uint64_t mask = ((uint64_t(1) << size) - 1) << size * position;
    word = uint32_t((word & ~mask) | (uint64_t(x) << size * position & mask));
  }
  // Row n of A or column n of B.
  void put_ab(uint32_t base, Type t, int depth, int k, int n, uint32_t x) {
    uint32_t vgpr = base;
    int size = size_of(t);
    bool deep = t == iu4 && depth >= 32;
    int block = deep ? 32 : 16, per_block = w64 ? (size == 16 ? 2 : 1) : size == 16 ? 4 : size == 8 || deep ? 2 : 1;
    vgpr += uint32_t(k / block * per_block), k %= block;
    int lane = n, position;
    if (size == 16) {
      position = k % 2;
      if (w64)
        lane += k / 4 * 16, vgpr += uint32_t(k / 2 % 2);
      else
        lane += k / 4 % 2 * 16, vgpr += uint32_t(k / 8 * 2 + k / 2 % 2);
    } else if (size == 8) {
      position = k % 4;
      if (w64)
        lane += k / 8 * 16 + k / 4 % 2 * 32;
      else
        lane += k / 8 * 16, vgpr += uint32_t(k / 4 % 2);
    } else if (!deep) {
      position = k % 8, lane += k / 8 * 16;
    } else {
      position = k % 8, lane += k / 16 * 16;
      if (w64)
        lane += k / 8 % 2 * 32;
      else
        vgpr += uint32_t(k / 8 % 2);
    }
    put(vgpr, uint32_t(lane), size, position, x);
  }
  // The maps of 7.12.2 "Register format for dense matrix results".
  uint32_t result_lane(int row, int column) {
    return uint32_t(w64 ? row / 4 % 2 * 32 + row / 8 * 16 + column : row / 8 * 16 + column);
  }
  void put_c(uint32_t base, Type t, int row, int column, uint32_t x) {
    int n = w64 ? row % 4 : row % 8;
    if (size_of(t) == 32)
      put(base + uint32_t(n), result_lane(row, column), 32, 0, x);
    else
      put(base + uint32_t(n / 2), result_lane(row, column), 16, row % 2, x);
  }
  uint32_t get_c(uint32_t base, Type t, int row, int column) {
    int n = w64 ? row % 4 : row % 8;
    if (size_of(t) == 32) return wave.v(base + uint32_t(n), result_lane(row, column));
    return wave.v(base + uint32_t(n / 2), result_lane(row, column)) >> 16 * (row % 2) & 0xffff;
  }
};

class Wmma : public ::testing::TestWithParam<bool> {
protected:
  SingleStep wave{GetParam()};
  Layout layout{wave, GetParam()};
  Words words{GetParam() ? 21u : 20u};
  uint32_t a[16][64], b[64][16], c[16][16], packed_a[16][32];  // bits
  bool present[16][64];                                        // elements of A that are not a sparse matrix's zeros

  // A value: small whole numbers when `exact` (sums are then exact in every format), any finite one otherwise.
  uint32_t pick(Type t, bool exact) {
    uint32_t r = words.next();
    int small = int(r % 5) - 2;
    switch (t) {
      case f16:
        return exact         ? half_from_float(std::bit_cast<uint32_t>(float(small)), 0)
               : r & 0x8000u ? (r & 0x83ff) | (9 + r % 13) << 10
                             : (r >> 16 & 0xbbff);
      case bf16: return exact ? std::bit_cast<uint32_t>(float(small)) >> 16 : (r & 0x807f) | (120 + r / 65536 % 15) << 7;
      case fp8:
        return exact                ? uint32_t(small < 0 ? 0x80 : 0) | uint32_t(std::abs(small) == 2   ? 0x40
                                                                                : std::abs(small) == 1 ? 0x38
                                                                                                       : 0)
               : (r & 0x7f) == 0x7f ? 0
                                    : r & 0xff;
      case bf8:
        return exact                ? uint32_t(small < 0 ? 0x80 : 0) | uint32_t(std::abs(small) == 2   ? 0x40
                                                                                : std::abs(small) == 1 ? 0x3c
                                                                                                       : 0)
               : (r & 0x7c) == 0x7c ? 0
                                    : r & 0xff;
      case iu8: return r & 255;
      case iu4: return r & 15;
      case f32: return exact ? std::bit_cast<uint32_t>(float(small * 3)) : (r & 0x807fffff) | (120 + r / 16 % 15) << 23;
      case i32: return r;
    }
    return 0;
  }

  // Puts random matrices into the registers; of a sparse A, two elements of each four.
  void lay_out(const Product& p, bool exact, uint32_t set) {
    for (uint32_t vgpr = 0; vgpr < 128; vgpr++)
      for (uint32_t lane = 0; lane < wave.lanes(); lane++) wave.v(vgpr, lane) = words.next();
    for (int k = 0; k < p.k; k++)
      for (int n = 0; n < 16; n++) layout.put_ab(vb, p.b, p.k, k, n, b[k][n] = pick(p.b, exact));
    int packed = p.sparse ? p.k / 2 : p.k;
    for (int row = 0; row < 16; row++) {
      for (int k = 0; k < p.k; k++) a[row][k] = 0, present[row][k] = !p.sparse;
      for (int k = 0; k < packed; k++) {
        uint32_t x = pick(p.a, exact);
        layout.put_ab(va, p.a, packed, k, row, x);
        packed_a[row][k] = x;
        if (!p.sparse) a[row][k] = x;
      }
      if (p.sparse) scatter(p, row, packed, set);
      for (int column = 0; column < 16; column++)
        layout.put_c(p.sparse ? vd : vc, p.c, row, column, c[row][column] = pick(p.c, exact));
    }
  }
  // Picks indices for one row, writes them where 7.12.3 puts them, and notes the expanded row.
  void scatter(const Product& p, int row, int packed, uint32_t set) {
    constexpr uint8_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    int size = size_of(p.a), per_lane = wave.wave64 && !(size == 4 && packed == 16) ? packed / 4 : packed / 2;
    uint32_t count[4] = {};
    for (int k = 0; k < packed; k += 2) {
      auto& chosen = pairs[words.next() % 6];
      // The lane that holds packed element k of the row.
      int part = 0;
      if (size == 16)
        part = wave.wave64 ? k / 4 : k / 4 % 2;
      else if (size == 8)
        part = wave.wave64 ? k / 8 + k / 4 % 2 * 2 : k / 8;
      else if (packed == 16)
        part = k / 8;
      else
        part = wave.wave64 ? k / 16 + k / 8 % 2 * 2 : k / 16;
      uint32_t first_bit = set * uint32_t(per_lane * 2) + count[part]++ * 4;
      uint32_t& word = wave.v(vc, uint32_t(part * 16 + row));
      word = (word & ~(15u << first_bit)) | uint32_t(chosen[0] | chosen[1] << 2) << first_bit;
      for (int n = 0; n < 2; n++) a[row][k * 2 + chosen[n]] = packed_a[row][k + n], present[row][k * 2 + chosen[n]] = true;
    }
  }
  Instruction instruction(const Product& p) {
    Instruction i;
    i.src[0] = VGPR0 + va, i.src[1] = VGPR0 + vb, i.src[2] = VGPR0 + vc, i.dst = vd;
    return i;
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Wmma, ::testing::Bool(), [](auto& info) { return info.param ? "wave64" : "wave32"; });

uint32_t rounded(Type t, float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  if (t == f16) return half_from_float(bits, 0);
  if (t == bf16) return x != x ? bits >> 16 | 0x40 : uint32_t((uint64_t(bits) + 0x7fff + (bits >> 16 & 1)) >> 16);
  return bits;
}

TEST_P(Wmma, Floats) {
  for (const Product& p : products)
    for (int n = 0; n < 12; n++) {
      if (p.c == i32) continue;
      bool exact = n % 2;
      uint32_t sets = p.sparse ? wave.wave64 ? 4 : 2 : 1, set = words.next() % sets;
      lay_out(p, exact, set);
      wave.set_exec(words.next64());  // EXEC does not count
      wave.cell(mode_cell) = words.next() & 0xff;
      Instruction i = instruction(p);
      i.op_sel = uint8_t(set);
      bool halves = size_of(p.a) == 16;
      if (n % 3 == 1 && halves) i.neg = words.next() & 3, i.neg_hi = words.next() & 3;
      if (n % 3 == 1 && !p.sparse) i.neg |= (words.next() & 1) << 2, i.neg_hi |= (words.next() & 1) << 2;
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          auto signed_value = [&](Type t, uint32_t x, int k, int source) {
            float v = float(value_of(t, x, false));
            // The halves of a dword hold even and odd k.
            return size_of(t) == 16 && ((k % 2 ? i.neg_hi : i.neg) >> source & 1) ? -v : v;
          };
          float sum = float(value_of(p.c, c[row][column], false));
          if (i.neg_hi & 4) sum = std::fabs(sum);
          if (i.neg & 4) sum = -sum;
          int seen = 0;  // a sparse A is negated by its packed place
          for (int k = 0; k < p.k; k++)
            if (present[row][k]) {
              int place = p.sparse ? seen++ : k;
              sum = std::fma(signed_value(p.a, a[row][k], place, 0), signed_value(p.b, b[k][column], k, 1), sum);
            }
          ASSERT_EQ(layout.get_c(vd, p.c, row, column), rounded(p.c, sum))
              << p.name << " row " << row << " column " << column << " exact " << exact << " set " << set;
        }
    }
}

TEST_P(Wmma, Integers) {
  for (const Product& p : products)
    for (int n = 0; n < 8; n++) {
      if (p.c != i32) continue;
      int packed = p.k / 2,
          in_lane = wave.wave64 && !(size_of(p.a) == 4 && packed == 16) ? packed / 4 : packed / 2;  // elements, 2 bits each
      uint32_t sets = p.sparse ? uint32_t(32 / (in_lane * 2)) : 1, set = words.next() % sets;
      lay_out(p, false, set);
      Instruction i = instruction(p);
      i.op_sel = uint8_t(set), i.neg = uint8_t(n & 3), i.clamp = n & 4;
      wave.run(p.name, i);
      for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
          int64_t sum = int32_t(c[row][column]);
          for (int k = 0; k < p.k; k++)
            if (present[row][k]) sum += int64_t(value_of(p.a, a[row][k], n & 1)) * int64_t(value_of(p.b, b[k][column], n & 2));
          if (i.clamp) sum = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, sum));
          ASSERT_EQ(layout.get_c(vd, p.c, row, column), uint32_t(sum))
              << p.name << " row " << row << " column " << column << " set " << set;
        }
    }
}

TEST_P(Wmma, ClampSaturates) {
  const Product& p = products[4];
  for (uint32_t lane = 0; lane < wave.lanes(); lane++)
    for (uint32_t n = 0; n < 8; n++) wave.v(va + n, lane) = wave.v(vb + n, lane) = 0x7f7f7f7f, wave.v(vc + n, lane) = 0x7ffffff0;
  Instruction i = instruction(p);
  i.neg = 3;
  wave.run(p.name, i);
  EXPECT_EQ(wave.v(vd, 0), 0x7ffffff0u + 16 * 127 * 127);
  i.clamp = true;
  wave.run(p.name, i);
  EXPECT_EQ(wave.v(vd, 0), 0x7fffffffu);
}

TEST_P(Wmma, InlineConstantsAndOverlap) {
  for (const Product& p : products) {
    if (p.sparse || p.c == i32) continue;
    lay_out(p, true, 0);
    Instruction i = instruction(p);
    i.src[2] = FLOAT_HALF + 4, i.dst = va;  // 2.0; D over A
    wave.run(p.name, i);
    for (int row = 0; row < 16; row++)
      for (int column = 0; column < 16; column++) {
        float sum = 2;
        for (int k = 0; k < p.k; k++) sum += float(value_of(p.a, a[row][k], false) * value_of(p.b, b[k][column], false));
        ASSERT_EQ(layout.get_c(va, p.c, row, column), rounded(p.c, sum)) << p.name;
      }
  }
  const Product& integers = products[4];
  lay_out(integers, true, 0);
  Instruction i = instruction(integers);
  i.src[2] = INTEGER_MINUS_1;
  wave.run(integers.name, i);
  int64_t sum = -1;
  for (int k = 0; k < 16; k++) sum += a[3][k] * b[k][5];
  EXPECT_EQ(layout.get_c(vd, i32, 3, 5), uint32_t(sum));
}

// NaNs by wave/nan.h: an operand's, quieted, else the default one.
TEST_P(Wmma, NanAndInfinity) {
  const Product& p = products[0];
  lay_out(p, true, 0);
  layout.put_ab(va, f16, 16, 5, 2, 0x7d23);                                       // signalling, in row 2
  layout.put_ab(va, f16, 16, 6, 4, 0x7c00), layout.put_ab(vb, f16, 16, 6, 7, 0);  // infinity times 0
  layout.put_ab(va, f16, 16, 9, 5, 0x7c00), layout.put_ab(vb, f16, 16, 9, 1, 0x3c00);
  wave.run(p.name, instruction(p));
  EXPECT_EQ(layout.get_c(vd, f32, 2, 3), 0x7fc00000u | 0x123 << 13);
  EXPECT_EQ(layout.get_c(vd, f32, 4, 7), 0xffc00000u);
  EXPECT_EQ(layout.get_c(vd, f32, 5, 1), 0x7f800000u);
}

}  // namespace
}  // namespace Atoll::rdna4::test
