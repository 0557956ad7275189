// Products of dense matrices of f16 and bf16 into f32 where no sum loses a bit, as with small whole numbers: what the card's rule
// (aligned_dot.h) makes of them is the exact sum then, in whatever order it is formed. Part of matrix_lanes.cpp, compiled once for each
// host level.
//
// With x and y the exponents of the largest elements of A and B, their elements must be multiples of 2^s and 2^t, s >= x - 8 and
// t >= y - 8, and C of 2^q, q = s + t, and at most 2^(q + 23). All terms and sums are multiples of 2^q and at most 2^(q + 24) then: a
// product's grid, at most x + y - 24, and that of such a sum, at most q + 24 - 26, cut nothing, and f32 holds each.
#pragma once
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/rdna4/semantics/matrix_vectors.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
namespace {

// The operands of a product as they are in the lanes: elements k and k + 1 of a row of A or a column of B in a dword; C as f32 by row.
struct PairMatrices {
  alignas(64) uint32_t a[8][16], b[8][16], c[16][16];
};

#ifdef __AVX512F__
constexpr int whole_bits = 9;  // of an element, without its sign
using PairRows = uint32_t[8][16];

inline int largest_exponent(const PairRows& pairs, int fraction_bits) {  // its field
  __m512i largest = _mm512_setzero_si512();
  for (uint32_t k = 0; k < 8; k++)
    largest = _mm512_max_epu16(largest, _mm512_and_si512(_mm512_load_si512(pairs[k]), _mm512_set1_epi16(0x7fff)));
  largest = _mm512_max_epu16(largest, _mm512_srli_epi32(largest, 16));
  return std::max(int(_mm512_reduce_max_epu32(_mm512_and_si512(largest, _mm512_set1_epi32(0xffff)))) >> fraction_bits, 1);
}
// Elements in units of 2^(x - 8); false where one is no multiple of it. `all` gets the bits of all.
template <bool bf16>
[[gnu::always_inline]] inline bool in_units(const PairRows& pairs, int largest, __m512i (&units)[8], uint32_t& all) {
  constexpr int fraction_bits = bf16 ? 7 : 10;
  const __m512i one = _mm512_set1_epi16(1), hidden = _mm512_set1_epi16(1 << fraction_bits);
  // Digits stand so that those of the largest elements have whole_bits above the point.
  constexpr int up = 15 - fraction_bits;
  const __m512i of_largest = _mm512_set1_epi16(int16_t(largest + 16 - whole_bits));
  __m512i rest = _mm512_setzero_si512(), any = rest;
#pragma clang loop unroll(full)
  for (uint32_t k = 0; k < 8; k++) {
    const __m512i x = _mm512_load_si512(pairs[k]), size = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
    const __mmask32 normal = _mm512_cmpge_epu16_mask(size, hidden);
    const __m512i field = _mm512_max_epu16(_mm512_srli_epi16(size, fraction_bits), one);
    const __m512i fraction = _mm512_and_si512(x, _mm512_set1_epi16((1 << fraction_bits) - 1));
    const __m512i digits = _mm512_slli_epi16(_mm512_mask_add_epi16(fraction, normal, fraction, hidden), up);
    const __m512i below = _mm512_sub_epi16(of_largest, field);  // how many of them are below the point
    const __m512i whole = _mm512_srlv_epi16(digits, below);
    rest = _mm512_or_si512(rest, _mm512_xor_si512(digits, _mm512_sllv_epi16(whole, below)));
    any = _mm512_or_si512(any, whole);
    units[k] = _mm512_mask_sub_epi16(whole, _mm512_movepi16_mask(x), _mm512_setzero_si512(), whole);
  }
  all = uint32_t(_mm512_reduce_or_epi32(any));
  all |= all >> 16;
  return !_mm512_test_epi16_mask(rest, rest);
}

// False where a sum might lose a bit: nothing is done then.
template <bool bf16>
bool multiply_exact(PairMatrices& m) {
  constexpr int fraction_bits = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
  // Mostly the last bits of the significands tell.
  __m512i any = _mm512_setzero_si512();
  for (uint32_t k = 0; k < 8; k++)
    any = _mm512_ternarylogic_epi32(any, _mm512_load_si512(m.a[k]), _mm512_load_si512(m.b[k]), 0xfe);
  if (_mm512_test_epi16_mask(any, _mm512_set1_epi16(bf16 ? 3 : 7))) return false;
  const int largest_a = largest_exponent(m.a, fraction_bits), largest_b = largest_exponent(m.b, fraction_bits);
  const int finest = largest_a + largest_b - 2 * bias - 2 * (whole_bits - 1);  // s + t at least
  if (std::max(largest_a, largest_b) > 2 * bias || finest < -126 || finest > 80) return false;
  __m512i a[8], b[8];
  uint32_t bits_of_a, bits_of_b;
  if (!in_units<bf16>(m.a, largest_a, a, bits_of_a) || !in_units<bf16>(m.b, largest_b, b, bits_of_b)) return false;
  const int coarser = std::countr_zero(bits_of_a | 1 << whole_bits) + std::countr_zero(bits_of_b | 1 << whole_bits);
  const int unit = finest + coarser;
  const __m512 up = _mm512_castsi512_ps(_mm512_set1_epi32((127 - unit) << 23)),
               down = _mm512_castsi512_ps(_mm512_set1_epi32((127 + unit) << 23));
  alignas(64) int32_t sums[16][16], rows[8][16];
  __mmask16 other = 0;
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < 16; row++) {
    const __m512 c = _mm512_load_ps(m.c[row]);
    const __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(c, up));
    other |= _mm512_cmp_ps_mask(_mm512_mul_ps(_mm512_cvtepi32_ps(whole), down), c, _CMP_NEQ_UQ);
    other |= _mm512_cmpge_epu32_mask(_mm512_add_epi32(whole, _mm512_set1_epi32(1 << 23)), _mm512_set1_epi32(1 << 24));
    _mm512_store_si512(sums[row], whole);
  }
  if (other) return false;
  for (uint32_t k = 0; k < 8; k++) _mm512_store_si512(rows[k], a[k]);
#pragma clang loop unroll_count(2)
  for (uint32_t row = 0; row < 16; row++) {
    __m512i sum = _mm512_setzero_si512(), second = sum;
#pragma clang loop unroll(full)
    for (uint32_t k = 0; k < 8; k += 2) {
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_set1_epi32(rows[k][row]), b[k]));
      second = _mm512_add_epi32(second, _mm512_madd_epi16(_mm512_set1_epi32(rows[k + 1][row]), b[k + 1]));
    }
    sum = _mm512_add_epi32(_mm512_load_si512(sums[row]), _mm512_srai_epi32(_mm512_add_epi32(sum, second), unsigned(coarser)));
    _mm512_store_ps(m.c[row], _mm512_mul_ps(_mm512_cvtepi32_ps(sum), down));
  }
  return true;
}
#else
template <bool bf16>
bool multiply_exact(PairMatrices&) {
  return false;
}
#endif

}  // namespace
}  // namespace Atoll::rdna4::ATOLL_LEVEL
