// Vectors of 16 pixels (a row of four quads) and of one quad, for the files that are compiled once a host level.
#pragma once
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#ifndef ATOLL_LEVEL
#error "ATOLL_LEVEL names the host level this file is compiled for"
#endif

namespace Atoll::pipeline::ATOLL_LEVEL {

typedef float f32x16 __attribute__((vector_size(64)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));
typedef double f64x16 __attribute__((vector_size(128)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef double f64x8 __attribute__((vector_size(64)));
typedef int64_t i64x8 __attribute__((vector_size(64)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));

template <class Vector>
inline Vector load(const void* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Vector>
inline void store(void* to, const Vector& v) {
  std::memcpy(to, &v, sizeof v);
}

// Positions of the 16 pixels in the row of quads.
inline constexpr i32x16 lane_x = {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7};
inline constexpr i32x16 lane_y = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
inline constexpr f64x16 lane_dx = {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7};
inline constexpr f64x16 lane_dy = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
inline constexpr u32x16 lane_bit = {1,     2,     4,     8,     0x10,   0x20,   0x40,   0x80,
                                    0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000};

// Bit n: lane n is negative.
inline uint32_t sign_bits(const i32x16& v) {
#if defined(__AVX512F__)
  return _mm512_cmplt_epi32_mask(__m512i(v), _mm512_setzero_si512());
#elif defined(__AVX__)
  __m256 half[2];
  std::memcpy(half, &v, 64);
  return uint32_t(_mm256_movemask_ps(half[0])) | uint32_t(_mm256_movemask_ps(half[1])) << 8;
#else
  __m128 part[4];
  std::memcpy(part, &v, 64);
  return uint32_t(_mm_movemask_ps(part[0])) | uint32_t(_mm_movemask_ps(part[1])) << 4 | uint32_t(_mm_movemask_ps(part[2])) << 8 |
         uint32_t(_mm_movemask_ps(part[3])) << 12;
#endif
}
inline uint32_t sign_bits(const i32x8& v) {
#if defined(__AVX__)
  return uint32_t(_mm256_movemask_ps(__m256(v)));
#else
  __m128 half[2];
  std::memcpy(half, &v, 32);
  return uint32_t(_mm_movemask_ps(half[0])) | uint32_t(_mm_movemask_ps(half[1])) << 4;
#endif
}
inline uint32_t sign_bits(const i64x8& v) {
#if defined(__AVX512F__)
  return _mm512_cmplt_epi64_mask(__m512i(v), _mm512_setzero_si512());
#elif defined(__AVX__)
  __m256d half[2];
  std::memcpy(half, &v, 64);
  return uint32_t(_mm256_movemask_pd(half[0])) | uint32_t(_mm256_movemask_pd(half[1])) << 4;
#else
  __m128d part[4];
  std::memcpy(part, &v, 64);
  return uint32_t(_mm_movemask_pd(part[0])) | uint32_t(_mm_movemask_pd(part[1])) << 2 | uint32_t(_mm_movemask_pd(part[2])) << 4 |
         uint32_t(_mm_movemask_pd(part[3])) << 6;
#endif
}
inline uint32_t sign_bits(const i32x4& v) { return uint32_t(_mm_movemask_ps(__m128(v))); }
inline uint32_t sign_bits(const i8x16& v) { return uint32_t(_mm_movemask_epi8(__m128i(v))); }

// Lanes of all ones where the bit is set.
inline i32x16 mask_of(uint32_t bits) { return (u32x16(lane_bit & bits) != 0); }
inline u8x16 byte_mask_of(uint32_t bits) {
  constexpr u8x16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8_t low = uint8_t(bits), high = uint8_t(bits >> 8);
  u8x16 both = {low, low, low, low, low, low, low, low, high, high, high, high, high, high, high, high};
  return u8x16((both & bit) != 0);
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
