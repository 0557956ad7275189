#include "sampling/reciprocal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace Atoll::sampling {
namespace {

// As sampling/texels.h has it: every whole number that fits into a float, for texels (scale 1) and for sums of weighted ones.
TEST(Reciprocal, IsTheQuotientRoundedOnce) {
  for (float scale : {1.0f, 65536.0f}) {
    const float high = reciprocal_255_high / scale, low = reciprocal_255_low / scale;
    uint32_t wrong = 0, first = 0;
    for (uint32_t n = 0; n < 1u << 24; n++) {
      const float x = float(n), quotient = float((long double)n / (255.0L * (long double)scale));
      if (std::fma(x, high, x * low) != quotient && wrong++ == 0) first = n;
    }
    EXPECT_EQ(wrong, 0u) << "first " << first << ", scale " << scale;
  }
}

}  // namespace
}  // namespace Atoll::sampling
