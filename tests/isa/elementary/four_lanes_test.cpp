// Quick steps of functions that are called for four lanes (wave/four_lanes.h): a result in f64 that is too near to the middle between two
// f32s is in doubt, and none else is.
#include "wave/four_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace Atoll::wave {
namespace {

// True if the quick steps doubt the rounding of (x + 2^-24 + distance) 2^power in `lane`, x in [1, 2): the middle above x, but for the distance.
template <bool flushes>
bool is_doubted(float x, double distance, int power, int lane) {
  FourLanes<false, flushes> e;
  FourFloats all{1, 1, 1, 1}, moved{};
  all[lane] = x, moved[lane] = 1;
  const auto away = cvt_f64_f32(e.lanes(moved)) * (0x1p-24 + distance);
  cvt_f32_f64((cvt_f64_f32(e.lanes(all)) + away) * std::ldexp(1.0, power));
  return e.in_doubt();
}

TEST(FourLanes, ResultsNearTheMiddleAreInDoubt) {
  std::mt19937 random(5);
  for (int n = 0; n < 100'000; n++) {
    const float x = 1 + float(random() & 0x7fffff) * 0x1p-23f;
    const int power = int(random() % 250) - 125, lane = n & 3;
    const double part = double(random()) * 0x1p-32, sign = n & 4 ? -1 : 1;
    const double near = sign * part * 0x1p-44 * x, far = sign * (0x1p-42 + part * 0x1p-26);
    ASSERT_TRUE(is_doubted<false>(x, near, power, lane) && is_doubted<true>(x, near, power, lane)) << x << " " << near;
    ASSERT_FALSE(is_doubted<false>(x, far, power, lane) || is_doubted<true>(x, far, power, lane)) << x << " " << far;
  }
}

// Denormals of f32 have fewer bits, so that their middles are elsewhere: all are in doubt, unless they are zeros to the host.
TEST(FourLanes, DenormalResultsAreInDoubt) {
  std::mt19937 random(6);
  for (int n = 0; n < 10'000; n++) {
    const float x = 1 + float(random() & 0x7fffff) * 0x1p-23f;
    const double far = 0x1p-42 + double(random()) * 0x1p-58;
    ASSERT_TRUE(is_doubted<false>(x, far, -127 - int(random() % 23), n & 3)) << x;
    ASSERT_FALSE(is_doubted<false>(x, far, -126, n & 3)) << x;
  }
}

}  // namespace
}  // namespace Atoll::wave
