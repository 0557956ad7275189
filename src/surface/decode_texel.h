// One texel to four floats (or integers' bits) in the format's order, by a function chosen once for a format.
#pragma once
#include <cstdint>

#include "surface/format.h"

namespace Atoll::surface {

// Red, green, blue, alpha: floats, or integers' bits that are only moved.
using Four = float __attribute__((vector_size(16)));

using DecodeTexel = Four (*)(const Format& format, const uint8_t* texel, unsigned x, unsigned y);
// The same values as read_texel()'s.
DecodeTexel texel_decoder(const Format& format);

// a where both are the same, so that infinities and constants stay what they are. If both are NaNs, the first one, which the
// operations leave to the order in which a compiler puts their operands.
inline Four mixed(Four a, Four b, float weight) {
  Four result = a + (b - a) * Four{weight, weight, weight, weight};
  result = a != a ? a + a : result;
  return a == b ? a : result;
}

}  // namespace Atoll::surface
