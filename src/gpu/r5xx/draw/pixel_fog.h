// Fog: what of it a pixel has, and how much of its colour that takes. R5xx Acceleration v1.3, 10.3 to 10.5: FG_FOG_*, GA_FOG_*,
// GB_SELECT. No driver uses it on R5xx: the pipeline shades such pixels (architecture.md, "From a covered pixel to memory").
#pragma once
#include <array>

#include "gpu/r5xx/shaders/routing.h"
#include "pipeline/stages.h"

namespace Atoll::r5xx {

// The fog's value of a lane.
float fog_value(const pipeline::PixelBatch& batch, const Routing& routing, unsigned lane);

// FG_FOG_BLEND, with what it takes.
struct FogBlend {
  bool enable = false;
  uint32_t function = 0;        // FN
  float constant = 0;           // the amount that FN 3 gives
  std::array<float, 3> colour;  // red, green, blue
  // 0 (none) to 1 (nothing else) by a pixel's value.
  float amount(float value) const;
};
FogBlend fog_blend_of(const RegisterFile& registers);

}  // namespace Atoll::r5xx
