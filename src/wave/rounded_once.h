// A fused multiply-add of f32 in the arithmetic of f64, for hosts without an instruction for it.
#pragma once
#include <bit>
#include <cstdint>

namespace Atoll::wave {

// Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008: the sum's error
// is what Knuth's TwoSum gives, and a sum in f64 that is rounded to odd by it has the 2 bits more than f32 that make a second rounding
// harmless.
inline float rounded_once(float x, float y, float z) {
  const double product = double(x) * double(y), addend = z, sum = product + addend, of_addend = sum - product;
  const double off = (product - (sum - of_addend)) + (addend - of_addend);  // (of infinities a NaN)
  auto bits = std::bit_cast<uint64_t>(sum);
  if ((off > 0 || off < 0) && !(bits & 1)) bits += (off > 0) == (sum > 0) ? 1 : ~uint64_t(0);
  return float(std::bit_cast<double>(bits));
}

}  // namespace Atoll::wave
