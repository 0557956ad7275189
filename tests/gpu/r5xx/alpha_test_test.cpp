// The alpha function: alpha as an integer of 8 or 10 bits, or as a half, against the reference.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "gpu/r5xx/draw/pixel_stage.h"
#include "surface/number.h"

namespace Atoll::r5xx {
namespace {

// The functions in the order of their numbers.
bool orders(unsigned function, double a, double b) {
  const bool results[] = {false, a < b, a == b, a <= b, a > b, a != b, a >= b, true};
  return results[function];
}

void try_alphas(const AlphaTest& test, unsigned function, double reference, double (*seen)(float, unsigned), unsigned bits) {
  std::vector<float> alphas = {0, -0.0f, -1, 1, 2, 1e-40f, -1e-40f, INFINITY, -INFINITY, 0.5f};
  // Values about the reference, and in the middle between it and its neighbours.
  const float steps = bits ? float((1u << bits) - 1) : 1024;
  for (double offset : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    const float near = float(bits ? (reference + offset) / steps : reference + offset / steps);
    for (int ulps = -2; ulps <= 2; ulps++) alphas.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(near) + uint32_t(ulps)));
  }
  for (float alpha : alphas)
    if (!std::isnan(alpha))
      EXPECT_EQ(test.passes(alpha), orders(function, seen(alpha, bits), reference))
          << "function " << function << " alpha " << alpha << " reference " << reference << " of " << bits << " bits";
}

TEST(AlphaFunction, Integers) {
  RegisterFile registers{registers_end};
  auto seen = [](float alpha, unsigned bits) { return double(surface::to_unorm(alpha, bits)); };
  for (unsigned function = 0; function < 8; function++) {
    const uint32_t enabled = FG_ALPHA_FUNC::AF_FUNC::of(function) | FG_ALPHA_FUNC::AF_EN::of(1);
    for (uint32_t reference = 0; reference < 256; reference++) {
      registers.set(FG_ALPHA_FUNC::address(), enabled | FG_ALPHA_FUNC::AF_EN_8BIT::of(1) | FG_ALPHA_FUNC::AF_VAL::of(reference));
      AlphaTest test = alpha_test_of(registers);
      try_alphas(test, function, reference, seen, 8);
      EXPECT_EQ(test.passes(NAN), orders(function, 0, reference));
    }
    for (uint32_t reference : {0u, 1u, 511u, 512u, 1000u, 1022u, 1023u}) {
      registers.set(FG_ALPHA_FUNC::address(), enabled);
      registers.set(FG_ALPHA_VALUE::address(), reference);
      AlphaTest test = alpha_test_of(registers);
      try_alphas(test, function, reference, seen, 10);
      EXPECT_EQ(test.passes(NAN), orders(function, 0, reference));
    }
  }
}

TEST(AlphaFunction, Halves) {
  RegisterFile registers{registers_end};
  auto seen = [](float alpha, unsigned) {
    return double(surface::from_half(surface::to_half(alpha, surface::Rounding::nearest_even)));
  };
  for (unsigned function = 0; function < 8; function++)
    for (float reference : {0.0f, 0.25f, 0.5f, 1.0f, 3.0f, -2.0f}) {
      registers.set(FG_ALPHA_FUNC::address(),
                    FG_ALPHA_FUNC::AF_FUNC::of(function) | FG_ALPHA_FUNC::AF_EN::of(1) | FG_ALPHA_FUNC::FP16_ENABLE::of(1));
      registers.set(FG_ALPHA_VALUE::address(), surface::to_half(reference));
      try_alphas(alpha_test_of(registers), function, reference, seen, 0);
    }
}

}  // namespace
}  // namespace Atoll::r5xx
