// Half precision against the compiler's _Float16, which is the host's F16C or the run-time library.
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace Atoll {
namespace {

uint32_t bits_of(float f) { return std::bit_cast<uint32_t>(f); }
uint16_t bits_of(_Float16 f) { return std::bit_cast<uint16_t>(f); }

typedef float Floats __attribute__((vector_size(16)));
typedef int32_t Integers __attribute__((vector_size(16)));
typedef uint32_t Words __attribute__((vector_size(16)));

// All that lies at or beside what a half can hold or rounds at, of both signs, and a sample of everything.
std::vector<float> floats() {
  std::vector<float> all;
  for (uint32_t half = 0; half < 0x10000; half++) {
    uint32_t at = bits_of(float_from_half(uint16_t(half)));
    for (uint32_t offset : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu, ~0u}) all.push_back(std::bit_cast<float>(at + offset));
  }
  for (uint64_t word = 0; word < uint64_t(1) << 32; word += 65519) all.push_back(std::bit_cast<float>(uint32_t(word)));
  return all;
}

TEST(Half, EveryHalfAsAFloat) {
  for (uint32_t half = 0; half < 0x10000; half++) {
    uint32_t expected = bits_of(float(std::bit_cast<_Float16>(uint16_t(half))));
    if ((half & 0x7fff) > 0x7c00) expected |= 0x400000;  // a NaN becomes quiet
    ASSERT_EQ(bits_of(float_from_half(uint16_t(half))), expected) << half;
    ASSERT_EQ(bits_of(floats_from_halves<Floats>(Words{} + half)[3]), expected) << half;
  }
}

TEST(Half, FloatsToTheNearestHalf) {
  for (float f : floats()) {
    uint16_t expected = bits_of(_Float16(f));
    if (f != f) expected = uint16_t(bits_of(f) >> 16 & 0x8000) | 0x7e00 | uint16_t(bits_of(f) >> 13 & 0x3ff);
    ASSERT_EQ(half_from_float(f), expected) << f;
    ASSERT_EQ((halves_from_floats<Words, Integers>(Floats{f, f, f, f})[2]), expected) << f;
  }
}

// By what a direction means: the neighbour on the other side is on the other side of the value.
TEST(Half, FloatsInOneDirection) {
  auto neighbour = [](uint16_t half, bool upwards) {
    if ((half & 0x7fff) == 0) return uint16_t(upwards ? 0x0001 : 0x8001);
    return uint16_t(half + (upwards == !(half & 0x8000) ? 1 : -1));
  };
  for (float f : floats()) {
    if (f != f || std::isinf(f)) continue;
    uint16_t up = half_from_float(f, HalfRounding::up), down = half_from_float(f, HalfRounding::down);
    ASSERT_GE(float_from_half(up), f);
    ASSERT_LE(float_from_half(down), f);
    if (float_from_half(up) != f) {
      ASSERT_LT(float_from_half(neighbour(up, false)), f) << f;
      ASSERT_GT(float_from_half(neighbour(down, true)), f) << f;
    }
    ASSERT_EQ(half_from_float(f, HalfRounding::toward_zero), std::signbit(f) ? up : down) << f;
  }
}

}  // namespace
}  // namespace Atoll
