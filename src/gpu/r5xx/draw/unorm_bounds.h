// Bounds of floats that become integers: what is compared as an integer can be compared as it comes.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "surface/number.h"

namespace Atoll::r5xx {

// The least number above 0 that is `integer` or more in so many bits: what they are grows with it. NaN: none is.
inline float least_of(uint32_t integer, unsigned bits) {
  if (integer >> bits) return NAN;
  uint32_t below = 0, found = std::bit_cast<uint32_t>(1.0f);
  while (found - below > 1) {
    const uint32_t middle = below + (found - below) / 2;
    (surface::to_unorm(std::bit_cast<float>(middle), bits) >= integer ? found : below) = middle;
  }
  return std::bit_cast<float>(found);
}

}  // namespace Atoll::r5xx
