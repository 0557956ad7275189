// Vectors of the 16 lanes that hold a matrix's row or column, and their halves. Part of matrix_lanes.cpp, compiled once for each host
// level.
#pragma once
#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/half.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
namespace {

typedef float Floats __attribute__((ext_vector_type(16)));
typedef uint32_t Words __attribute__((ext_vector_type(16)));
typedef int32_t Ints __attribute__((ext_vector_type(16)));
typedef uint16_t Halves __attribute__((ext_vector_type(16)));

template <class V>
[[gnu::always_inline]] inline V at(const void* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
[[gnu::always_inline]] inline void put(void* p, V v) {
  std::memcpy(p, &v, sizeof v);
}
[[gnu::always_inline]] inline Floats from_halves(Words x) {  // in the low 16 bits
  Halves h = __builtin_convertvector(x, Halves);
#ifdef __AVX512F__
  return std::bit_cast<Floats>(_mm512_cvtph_ps(std::bit_cast<__m256i>(h)));
#elif !defined __F16C__
  Floats f;
  for (uint32_t n = 0; n < 16; n++) f[n] = float_from_half(h[n]);
  return f;
#else
  std::array<__m128i, 2> parts = std::bit_cast<std::array<__m128i, 2> >(h);
  return std::bit_cast<Floats>(std::array{_mm256_cvtph_ps(parts[0]), _mm256_cvtph_ps(parts[1])});
#endif
}
[[gnu::always_inline]] inline Words to_halves(Floats x) {
#ifdef __AVX512F__
  Halves h = std::bit_cast<Halves>(_mm512_cvtps_ph(std::bit_cast<__m512>(x), _MM_FROUND_TO_NEAREST_INT));
#elif !defined __F16C__
  Halves h;
  for (uint32_t n = 0; n < 16; n++) h[n] = half_from_float(x[n]);
#else
  auto parts = std::bit_cast<std::array<__m256, 2> >(x);
  Halves h = std::bit_cast<Halves>(
      std::array{_mm256_cvtps_ph(parts[0], _MM_FROUND_TO_NEAREST_INT), _mm256_cvtps_ph(parts[1], _MM_FROUND_TO_NEAREST_INT)});
#endif
  return __builtin_convertvector(h, Words);
}

}  // namespace
}  // namespace Atoll::rdna4::ATOLL_LEVEL
