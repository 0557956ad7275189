// Moves between lanes, of 32 and of the whole wave.
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "wave/interpreter/interpreter.h"

namespace Atoll::wave::ATOLL_LEVEL {
namespace {

// The lanes of up to four tables of 16 that `lane` names, modulo their number.
#ifdef __AVX512F__
__m512i of_32(const __m512i* table, __m512i lane) { return _mm512_permutex2var_epi32(table[0], lane, table[1]); }
__m512i of_64(const __m512i* table, __m512i lane) {
  return _mm512_mask_mov_epi32(of_32(table, lane), _mm512_test_epi32_mask(lane, _mm512_set1_epi32(32)), of_32(table + 2, lane));
}
#endif

}  // namespace

U32 Interpreter::moved(const U32& value, const LaneMap& map) {
  U32 out;
#ifdef __AVX512F__
  __m512i table[2], result[2];
  std::memcpy(table, &value.v, sizeof table);
  for (int h = 0; h < 2; h++) {
    __m512i from = _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(map.from.data() + h * 16)));
    result[h] = _mm512_maskz_permutex2var_epi32(_mm512_cmpge_epi32_mask(from, _mm512_setzero_si512()), table[0], from, table[1]);
  }
  std::memcpy(&out.v, result, sizeof result);
#else
  for (int l = 0; l < kLanes; l++) out.v[l] = map.from[size_t(l)] < 0 ? 0 : value.v[map.from[size_t(l)]];
#endif
  return out;
}

Interpreter::Whole Interpreter::lane_numbers() {
  static constexpr auto numbers = [] {
    std::array<uint32_t, 64> all{};
    for (uint32_t n = 0; n < 64; n++) all[n] = n;
    return all;
  }();
  Whole out;
  std::memcpy(&out, numbers.data(), sizeof out);
  return out;
}

Interpreter::Whole Interpreter::pick(const Whole& values, const Whole& lane) {
  Whole out{{u32(0), u32(0)}};
#ifdef __AVX512F__
  __m512i table[4], from[4], result[4];
  std::memcpy(table, &values, sizeof table);
  std::memcpy(from, &lane, sizeof from);
  for (int q = 0; q < 4; q++) result[q] = wide ? of_64(table, from[q]) : q < 2 ? of_32(table, from[q]) : _mm512_setzero_si512();
  std::memcpy(&out, result, sizeof out);
#else
  uint32_t table[64], from[64], result[64] = {};
  std::memcpy(table, &values, sizeof table);
  std::memcpy(from, &lane, sizeof from);
  for (uint32_t l = 0; l < wave.lanes; l++) result[l] = table[from[l] & (wave.lanes - 1)];
  std::memcpy(&out, result, sizeof out);
#endif
  return out;
}

}  // namespace Atoll::wave::ATOLL_LEVEL
