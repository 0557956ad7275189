// Products of dense matrices of f16 and bf16 into f32 as the card forms them (aligned_dot.h), 16 lanes at once: for operands of common
// sizes, on hosts where each instruction can round as it likes (AVX-512). Part of matrix_lanes.cpp, compiled once for each host level.
//
// A step's four products are added in pairs as f64, which is exact enough, and cut to the sum's grid as matrix_halves.h has it; their
// value in units of the grid, below 2^28, is in the low half of an f64 then. C is cut to such units by its conversion
// toward minus infinity, and the sum is rounded by its conversion back to f32.
//
// Grids are kept as exponent fields of f32, so that powers of two come without a conversion: a sum with units of 2^g has the field of
// 2^(g + 26), the leading bit of a C that is on its own grid. Since a sum is multiplied by that number and not by 2^g, C grows by 2^26 in
// each step; it starts with 2^-20 of its value, and no operand of common size leaves f32's range.
#pragma once
#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "isa/rdna4/semantics/matrix_halves_exact.h"
#include "isa/rdna4/semantics/matrix_vectors.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
namespace {

#ifdef __AVX512F__
// The constants of the formats. A product whose factors have the exponent fields x and y has the grid's field x + y + grid_field in
// the first step. Factors other than 0 have fields of `least` to `largest`.
template <bool bf16>
struct CommonSizes {
  static constexpr int fraction_bits = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
  static constexpr int least = bf16 ? 86 : 1, largest = bf16 ? 143 : 30;
  static constexpr int grid_field = -2 * bias - 24 + 26 - 20 + 127;
  static constexpr int of_b = bf16 ? 172 : 34, of_a = of_b + grid_field;  // the field is (x + of_a) - (of_b - y)
  static_assert(of_b >= largest && 2 * least + grid_field >= 26 && largest + of_a + 3 * 26 < 255);
};
constexpr int grown = 26;                                                       // what C grows by in a step
constexpr float before = 0x1p-20f, after = 0x1p-84f;                            // of C in the first step and after the last
constexpr uint32_t least_c = (127u - 80) << 23, largest_c = (127u + 40) << 23;  // but for 0

// A by k: rows in the order of `place_in`, and their shares in the grids.
struct WideRows {
  alignas(64) double number[16][16];
  alignas(64) uint8_t grid[16][16];
};
// The first two and the last two of each four elements are in vectors of their own, in the lower and the upper half of the 16.
constexpr uint32_t place_in(uint32_t n) { return (n & 2) * 4 | (n >> 2) * 2 | (n & 1); }
template <int exponent>
constexpr double power_of_two = std::bit_cast<double>(int64_t(1023 + exponent) << 52);

// The elements in the upper halves of dwords as f64s.
struct WideElements {
  __m512d lower, upper;
};
template <bool bf16, int scale>
[[gnu::always_inline]] inline WideElements widened(__m512i x) {
  constexpr int down = bf16 ? 3 : 6;  // from the format's exponent to that of the upper half of an f64
  const __m512i bits = _mm512_and_si512(_mm512_srai_epi32(x, down), _mm512_set1_epi32(int(0x80000000u | (0x7fff0000u >> down))));
  const __m512d bias = _mm512_set1_pd(power_of_two<1023 - CommonSizes<bf16>::bias + scale>);
  return {_mm512_mul_pd(_mm512_castsi512_pd(_mm512_unpacklo_epi32(_mm512_setzero_si512(), bits)), bias),
          _mm512_mul_pd(_mm512_castsi512_pd(_mm512_unpackhi_epi32(_mm512_setzero_si512(), bits)), bias)};
}
// The exponent fields of all elements in dwords; those of 0 do not count.
template <bool bf16>
[[gnu::always_inline]] inline __m512i exponent_fields(__m512i x) {
  const __m512i field = _mm512_srli_epi16(_mm512_and_si512(x, _mm512_set1_epi16(0x7fff)), CommonSizes<bf16>::fraction_bits);
  return bf16 ? field : _mm512_max_epu16(field, _mm512_set1_epi16(1));
}
[[gnu::always_inline]] inline __mmask32 not_zero(__m512i x) { return _mm512_test_epi16_mask(x, _mm512_set1_epi16(0x7fff)); }

template <bool bf16>
[[gnu::always_inline]] inline void widen_rows(const PairMatrices& m, WideRows& rows) {
  using S = CommonSizes<bf16>;
#pragma clang loop unroll(full)
  for (uint32_t k = 0; k < 16; k += 2) {
    const __m512i a = _mm512_load_si512(m.a[k / 2]);
    const WideElements first = widened<bf16, 0>(_mm512_slli_epi32(a, 16)), second = widened<bf16, 0>(a);
    _mm512_store_pd(rows.number[k], first.lower);
    _mm512_store_pd(rows.number[k] + 8, first.upper);
    _mm512_store_pd(rows.number[k + 1], second.lower);
    _mm512_store_pd(rows.number[k + 1] + 8, second.upper);
    const __m512i grid =
        _mm512_maskz_add_epi16(not_zero(a), exponent_fields<bf16>(a), _mm512_set1_epi16(int16_t(S::of_a + int(k / 4) * grown)));
    _mm_store_si128(reinterpret_cast<__m128i*>(rows.grid[k]), _mm512_cvtepi32_epi8(grid));
    _mm_store_si128(reinterpret_cast<__m128i*>(rows.grid[k + 1]), _mm512_cvtepi32_epi8(_mm512_srli_epi32(grid, 16)));
  }
}
// True if all operands are of common sizes.
template <bool bf16>
[[gnu::always_inline]] inline bool all_common(const PairMatrices& m) {
  using S = CommonSizes<bf16>;
  __m512i largest = _mm512_setzero_si512(), least = _mm512_set1_epi16(-1);
  auto look = [&](const uint32_t(&pairs)[8][16]) {
#pragma clang loop unroll(full)
    for (uint32_t k = 0; k < 8; k++) {
      const __m512i size = _mm512_and_si512(_mm512_load_si512(pairs[k]), _mm512_set1_epi16(0x7fff));
      largest = _mm512_max_epu16(largest, size);
      if (bf16) least = _mm512_min_epu16(least, _mm512_sub_epi16(size, _mm512_set1_epi16(1)));  // of 0 the largest
    }
  };
  look(m.a);
  look(m.b);
  __mmask32 other = _mm512_cmpge_epu16_mask(largest, _mm512_set1_epi16(int16_t((S::largest + 1) << S::fraction_bits)));
  if (bf16) other |= _mm512_cmplt_epu16_mask(least, _mm512_set1_epi16(int16_t((S::least << S::fraction_bits) - 1)));
  largest = _mm512_setzero_si512(), least = _mm512_set1_epi32(-1);
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < 16; row++) {
    const __m512i size = _mm512_and_si512(_mm512_load_si512(m.c[row]), _mm512_set1_epi32(0x7fffffff));
    largest = _mm512_max_epu32(largest, size);
    least = _mm512_min_epu32(least, _mm512_sub_epi32(size, _mm512_set1_epi32(1)));
  }
  const __mmask16 other_c = _mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32(int(largest_c))) |
                            _mm512_cmplt_epu32_mask(least, _mm512_set1_epi32(int(least_c - 1)));
  return !(other | other_c);
}
// The step of k to k + 3: C is there, and the sums are left there.
template <bool bf16, uint32_t step>
[[gnu::always_inline]] inline void add_products(const WideRows& a, PairMatrices& m) {
  using S = CommonSizes<bf16>;
  constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  constexpr uint32_t k = step * 4;
  // B is scaled so that 2^(g + 52) has the grid's field as an f64.
  constexpr int to_grid = 52 + 1023 - 127 - 26 + 20 - int(step) * grown;
  WideElements b[4];
  __m512i b_grid[4];  // of a column four times
#pragma clang loop unroll(full)
  for (uint32_t n = 0; n < 4; n += 2) {
    const __m512i pair = _mm512_load_si512(m.b[(k + n) / 2]);
    b[n] = widened<bf16, -to_grid>(_mm512_slli_epi32(pair, 16)), b[n + 1] = widened<bf16, -to_grid>(pair);
    const __m512i grid =
        _mm512_mask_sub_epi16(_mm512_set1_epi16(0xff), not_zero(pair), _mm512_set1_epi16(S::of_b), exponent_fields<bf16>(pair));
    const __m512i four_times = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    b_grid[n] = _mm512_shuffle_epi8(grid, four_times);
    b_grid[n + 1] = _mm512_shuffle_epi8(grid, _mm512_set4_epi32(0x0e0e0e0e, 0x0a0a0a0a, 0x06060606, 0x02020202));
  }
#pragma clang loop unroll(disable)
  for (uint32_t rows = 0; rows < 16; rows += 4) {
    __m512i grids = _mm512_setzero_si512();  // of four rows
#pragma clang loop unroll(full)
    for (uint32_t n = 0; n < 4; n++) {
      const __m512i grid = _mm512_subs_epu8(_mm512_set1_epi32(at<int>(&a.grid[k + n][rows])), b_grid[n]);
      grids = n ? _mm512_max_epu8(grids, grid) : grid;
    }
#pragma clang loop unroll(full)
    for (uint32_t r = 0; r < 4; r++) {
      __m512 c = _mm512_load_ps(m.c[rows + r]);
      if (step == 0) c = _mm512_mul_ps(c, _mm512_set1_ps(before));
      // The coarser grid, with whatever is below an exponent field left out.
      const __m512i products_grid = r < 3 ? _mm512_slli_epi32(grids, 23 - 8 * r) : _mm512_srli_epi32(grids, 1);
      const __m512i field = _mm512_and_si512(_mm512_castps_si512(_mm512_range_ps(_mm512_castsi512_ps(products_grid), c, 0xb)),
                                             _mm512_set1_epi32(0x7f800000));
      const double* numbers = &a.number[k][place_in(r) + rows / 4 * 2];
      auto in_units = [&](__m512i power, auto of) {
        auto row = [&](uint32_t n) { return _mm512_set1_pd(numbers[n * 16]); };
        const __m512d first = _mm512_fmadd_round_pd(row(1), b[1].*of, _mm512_mul_pd(row(0), b[0].*of), down);
        const __m512d second = _mm512_fmadd_round_pd(row(3), b[3].*of, _mm512_mul_pd(row(2), b[2].*of), down);
        return _mm512_castpd_ps(_mm512_add_round_pd(_mm512_add_round_pd(_mm512_castsi512_pd(power), first, down), second, down));
      };
      const __m512i wide =  // 1.5 * 2^(g + 52), the upper half
          _mm512_or_si512(_mm512_srli_epi32(field, 3), _mm512_set1_epi32(1 << 19));
      const __m512 lower = in_units(_mm512_unpacklo_epi32(_mm512_setzero_si512(), wide), &WideElements::lower);
      const __m512 upper = in_units(_mm512_unpackhi_epi32(_mm512_setzero_si512(), wide), &WideElements::upper);
      const __m512i products = _mm512_castps_si512(_mm512_shuffle_ps(lower, upper, 0x88));
      const __m512 scaled =
          _mm512_mul_ps(c, _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(int((2u * 127 + 26) << 23)), field)));
      // A negative number above -1, the least of all words, adds nothing.
      const __mmask16 kept = _mm512_cmple_epi32_mask(_mm512_set1_epi32(int(0xbf800000u)), _mm512_castps_si512(scaled));
      const __m512i sum = _mm512_mask_add_epi32(products, kept, products, _mm512_cvt_roundps_epi32(scaled, down));
      __m512 d = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_castsi512_ps(field));
      if (step == 3) d = _mm512_mul_ps(d, _mm512_set1_ps(after));
      _mm512_store_ps(m.c[rows + r], d);
    }
  }
}

// False where an operand is of another size: nothing is done then.
template <bool bf16>
bool multiply_common(PairMatrices& m) {
  if (!all_common<bf16>(m)) return false;
  WideRows a;
  widen_rows<bf16>(m, a);
  add_products<bf16, 0>(a, m);
  add_products<bf16, 1>(a, m);
  add_products<bf16, 2>(a, m);
  add_products<bf16, 3>(a, m);
  return true;
}
#else
template <bool bf16>
bool multiply_common(PairMatrices&) {
  return false;
}
#endif

}  // namespace
}  // namespace Atoll::rdna4::ATOLL_LEVEL
