// Products of dense matrices of f16 and bf16 as the card forms them (aligned_dot.h): four steps of four k, in the order of K, with C
// running through; packed results are narrowed after every step. Part of matrix_lanes.cpp, compiled once for each host level.
#pragma once
#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "isa/rdna4/semantics/aligned_dot.h"
#include "isa/rdna4/semantics/matrix_vectors.h"
#include "wave/interpreter/lanes.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
namespace {

constexpr uint32_t matrix_size = 16, products_a_step = 4;

// The elements of a product: of A by k and row, of B by k and column, as halves; of C and D by row and column, as f32.
struct HalfMatrices {
  alignas(64) uint32_t a[matrix_size][matrix_size], b[matrix_size][matrix_size], c[matrix_size][matrix_size];
};

// All that may be in them, NaNs too: two rows at once.
template <bool bf16, DotResult result>
void multiply_any(HalfMatrices& m, bool largest_for_infinity) {
  using wave::ATOLL_LEVEL::U32;
  for (uint32_t k = 0; k < matrix_size; k += products_a_step)
    for (uint32_t row = 0; row < matrix_size; row += 2) {
      U32 a[products_a_step], b[products_a_step], c;
      for (uint32_t n = 0; n < products_a_step; n++)
        for (uint32_t lane = 0; lane < 2 * matrix_size; lane++) {
          a[n].v[lane] = m.a[k + n][row + lane / matrix_size];
          b[n].v[lane] = m.b[k + n][lane % matrix_size];
        }
      std::memcpy(&c.v, m.c[row], sizeof c.v);
      U32 d = aligned_dot<bf16, result>(a, b, c, largest_for_infinity);
      if (result == DotResult::f16) d = as_u32(cvt_f32_f16(d));
      if (result == DotResult::bf16) d = d << 16;
      std::memcpy(m.c[row], &d.v, sizeof d.v);
    }
}

#ifdef __FMA__
// The same in f64, where the card's grid is the last bit of a number M = 1.5 * 2^(g + 52): adding to it toward minus infinity cuts a sum
// to the grid. An f64 holds the sum of two products as exactly as that needs.
typedef double Doubles __attribute__((ext_vector_type(8)));
typedef int64_t Longs __attribute__((ext_vector_type(8)));
typedef float Singles __attribute__((ext_vector_type(8)));

constexpr int to_grid = 26;                             // from the exponent of C's leading bit down to its grid
constexpr int64_t one_half = int64_t(1) << 51;          // below the leading one
constexpr uint32_t no_grid = uint32_t(-8000) & 0xffff;  // of a factor 0: below any other, with whatever other factor
constexpr int64_t exponent_of_f64 = int64_t(0x7ff) << 52;
template <DotResult result>
constexpr int least_exponent = result == DotResult::f16 ? 1023 - 14 : 1023 - 126;  // where C's is less, its grid is no finer

// Operands in the forms that a step reads. A grid is kept as twice the exponent field of M / 2^26, and one: moved to the top of an f64
// it is that number.
struct WideMatrices {
  alignas(64) double a[matrix_size][matrix_size], b[matrix_size][matrix_size], c[matrix_size][matrix_size];
  alignas(64) uint32_t a_grid[matrix_size][matrix_size];  // in both halves of a word
  alignas(64) uint16_t b_grid[matrix_size][matrix_size];
  alignas(64) uint16_t grid[matrix_size][matrix_size];  // of a step's products
};
[[gnu::always_inline]] inline void put_wide(double* to, Floats x) {
  put(to, __builtin_convertvector(x.lo, Doubles));
  put(to + 8, __builtin_convertvector(x.hi, Doubles));
}
// The numbers, and of each the share in a product's grid.
template <bool bf16>
[[gnu::always_inline]] inline Words widen(const uint32_t* halves, double* numbers) {
  const Words x = at<Words>(halves), magnitude = x & 0x7fff;
  put_wide(numbers, bf16 ? std::bit_cast<Floats>(x << 16) : from_halves(x));
  const Words exponent = magnitude >> (bf16 ? 7 : 10);
  return magnitude == 0 ? Words(no_grid) : __builtin_elementwise_max(exponent, Words(1)) << 1;
}
template <bool bf16>
void widen(const HalfMatrices& m, WideMatrices& w) {
  // of the exponent fields' sum: biases, the 24 of a product's grid, and the 26
  constexpr int field_of_sum = 1023 + to_grid - 24 - 2 * (bf16 ? 127 : 15);
  for (uint32_t k = 0; k < matrix_size; k++) {
    const Words a = widen<bf16>(m.a[k], w.a[k]), b = widen<bf16>(m.b[k], w.b[k]);
    put(w.a_grid[k], a | a << 16);
    put(w.b_grid[k], __builtin_convertvector(b + uint32_t(2 * field_of_sum + 1), Halves));
    put_wide(w.c[k], at<Floats>(m.c[k]));
  }
}
// The coarsest of the grids of a step's products.
template <DotResult result>
[[gnu::always_inline]] inline void find_grids(WideMatrices& w, uint32_t k) {
  __m256i b_grid[products_a_step];
  for (uint32_t n = 0; n < products_a_step; n++) b_grid[n] = at<__m256i>(w.b_grid[k + n]);
  for (uint32_t row = 0; row < matrix_size; row++) {
    __m256i grid = _mm256_set1_epi16(2 * least_exponent<result> + 1);
    for (uint32_t n = 0; n < products_a_step; n++)
      grid = _mm256_max_epi16(grid, _mm256_add_epi16(_mm256_set1_epi32(int(w.a_grid[k + n][row])), b_grid[n]));
    put(w.grid[row], grid);
  }
}

// A sum as C of the next step.
template <DotResult result>
[[gnu::always_inline]] inline Doubles narrowed(Doubles sum) {
  if constexpr (result == DotResult::f16) {  // by way of f32, to odd: what is lost stays in the last bit
    constexpr int64_t lost = 0x1fffffff;
    const Longs bits = std::bit_cast<Longs>(sum), odd = (bits & lost) == 0 ? bits : (bits & ~lost) | (lost + 1);
    const auto single = std::bit_cast<__m256>(__builtin_convertvector(std::bit_cast<Doubles>(odd), Singles));
    return __builtin_convertvector(std::bit_cast<Singles>(_mm256_cvtph_ps(_mm256_cvtps_ph(single, _MM_FROUND_TO_NEAREST_INT))),
                                   Doubles);
  }
  Singles single = __builtin_convertvector(sum, Singles);
  if constexpr (result == DotResult::bf16)  // cut; what underflows is +0, what is cut to 0 keeps its sign
    single = std::bit_cast<Singles>(
        _mm256_and_ps(std::bit_cast<__m256>(single + 0.0f), _mm256_castsi256_ps(_mm256_set1_epi32(-0x10000))));
  return __builtin_convertvector(single, Doubles);
}

#ifdef __AVX512F__
constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
template <bool bf16, DotResult result>
[[gnu::always_inline]] inline void step(WideMatrices& w, uint32_t k) {
  const __m512d up = _mm512_set1_pd(0x1p26);
  for (uint32_t half = 0; half < matrix_size; half += 8) {
    __m512d b[products_a_step];
    for (uint32_t n = 0; n < products_a_step; n++) b[n] = _mm512_load_pd(w.b[k + n] + half);
#pragma clang loop unroll_count(4)
    for (uint32_t row = 0; row < matrix_size; row++) {
      auto a = [&](uint32_t n) { return _mm512_set1_pd(w.a[k + n][row]); };
      const __m512d c = _mm512_load_pd(w.c[row] + half);
      // M / 2^26: of the products' grid, or of C's, which lies 26 below its leading bit
      const __m512i of_products = _mm512_slli_epi64(_mm512_cvtepu16_epi64(at<__m128i>(w.grid[row] + half)), 51);
      const __m512i of_c = _mm512_ternarylogic_epi64(_mm512_castpd_si512(c), _mm512_set1_epi64(exponent_of_f64),
                                                     _mm512_set1_epi64(one_half), 0xea);  // (c & exponent) | half
      const __m512i m26 = _mm512_max_epi64(of_products, of_c);
      const __m512d first = _mm512_fmadd_round_pd(a(1), b[1], _mm512_mul_pd(a(0), b[0]), down);
      const __m512d second = _mm512_fmadd_round_pd(a(3), b[3], _mm512_mul_pd(a(2), b[2]), down);
      __m512d sum = _mm512_fmadd_round_pd(_mm512_castsi512_pd(m26), up, first, down);
      sum = _mm512_add_round_pd(sum, second, down);
      // A negative number that keeps no bit on a grid above C's least exponent adds nothing.
      const __m512i kept_from = _mm512_add_epi64(of_c, _mm512_set1_epi64(int64_t(to_grid) << 52));
      __mmask8 lost = _mm512_mask_cmpgt_epi64_mask(_mm512_movepi64_mask(_mm512_castpd_si512(c)), m26, kept_from);
      if (bf16 || result == DotResult::f16)
        lost = _mm512_mask_cmpgt_epi64_mask(lost, m26,
                                            _mm512_set1_epi64((int64_t(least_exponent<result> + to_grid) << 52) | one_half));
      sum = _mm512_mask_add_round_pd(sum, __mmask8(~lost), sum, c, down);
      sum = _mm512_fnmadd_pd(_mm512_castsi512_pd(m26), up, sum);
      put(w.c[row] + half, narrowed<result>(std::bit_cast<Doubles>(sum)));
    }
  }
}
#else
// Without a rounding in each instruction, MXCSR has one for a part of a step at a time.
struct CutSums {
  alignas(64) double m26[matrix_size][matrix_size], sum[matrix_size][matrix_size];
};
template <bool bf16, DotResult result>
[[gnu::noinline]] void cut(const WideMatrices& w, uint32_t k, CutSums& s) {  // toward minus infinity
  for (uint32_t half = 0; half < matrix_size; half += 8)
    for (uint32_t row = 0; row < matrix_size; row++) {
      auto product = [&](uint32_t n) { return std::pair{Doubles(w.a[k + n][row]), at<Doubles>(w.b[k + n] + half)}; };
      auto pair = [&](uint32_t n) {
        auto [a0, b0] = product(n);
        auto [a1, b1] = product(n + 1);
        return __builtin_elementwise_fma(a1, b1, a0 * b0);
      };
      const Longs c = at<Longs>(w.c[row] + half);
      typedef uint16_t Shorts __attribute__((ext_vector_type(8)));
      const Longs of_products = __builtin_convertvector(at<Shorts>(w.grid[row] + half), Longs) << 51;
      const Longs of_c = (c & exponent_of_f64) | one_half, m26 = of_products > of_c ? of_products : of_c;
      Longs lost = (c < 0) & (m26 > of_c + (int64_t(to_grid) << 52));
      if (bf16 || result == DotResult::f16) lost &= m26 > ((int64_t(least_exponent<result> + to_grid) << 52) | one_half);
      Doubles sum = __builtin_elementwise_fma(std::bit_cast<Doubles>(m26), Doubles(0x1p26), pair(0));
      sum = sum + pair(2);
      sum = sum + std::bit_cast<Doubles>(c & ~lost);
      put(s.m26[row] + half, m26);
      put(s.sum[row] + half, sum);
    }
}
template <DotResult result>
[[gnu::noinline]] void round(WideMatrices& w, const CutSums& s) {  // to the nearest even
  for (uint32_t row = 0; row < matrix_size; row++)
    for (uint32_t half = 0; half < matrix_size; half += 8) {
      const Doubles m26 = at<Doubles>(s.m26[row] + half);
      put(w.c[row] + half, narrowed<result>(__builtin_elementwise_fma(-m26, Doubles(0x1p26), at<Doubles>(s.sum[row] + half))));
    }
}
template <bool bf16, DotResult result>
void step(WideMatrices& w, uint32_t k) {
  CutSums s;
  const uint32_t nearest = _mm_getcsr();
  _mm_setcsr((nearest & ~uint32_t(_MM_ROUND_MASK)) | _MM_ROUND_DOWN);
  cut<bf16, result>(w, k, s);
  _mm_setcsr(nearest);
  round<result>(w, s);
}
#endif

// False where a result is no number: nothing of what is in m.c then counts.
template <bool bf16, DotResult result>
bool multiply_numbers(HalfMatrices& m) {
  WideMatrices w;
  widen<bf16>(m, w);
  for (uint32_t k = 0; k < matrix_size; k += products_a_step) {
    find_grids<result>(w, k);
    step<bf16, result>(w, k);
  }
  Ints strange = 0;
  Floats d[matrix_size];
  for (uint32_t row = 0; row < matrix_size; row++) {
    d[row].lo = __builtin_convertvector(at<Doubles>(w.c[row]), Singles);
    d[row].hi = __builtin_convertvector(at<Doubles>(w.c[row] + 8), Singles);
    if (result != DotResult::bf16) d[row] += 0.0f;  // what underflows is +0
    strange |= (std::bit_cast<Ints>(d[row]) & 0x7f800000) == 0x7f800000;
  }
  if (__builtin_reduce_or(strange)) return false;
  for (uint32_t row = 0; row < matrix_size; row++) put(m.c[row], d[row]);
  return true;
}
#else
template <bool bf16, DotResult result>
bool multiply_numbers(HalfMatrices&) {
  return false;
}
#endif

}  // namespace
}  // namespace Atoll::rdna4::ATOLL_LEVEL
