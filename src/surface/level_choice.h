// The choice of the levels that a lane samples: OpenGL 4.6 8.14.1 (biases and clamps), 8.14.3 (mipmap filters).
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "surface/footprint.h"

namespace Atoll::surface {

inline float word_as_float(const uint32_t* lanes, unsigned lane) { return lanes ? std::bit_cast<float>(lanes[lane]) : 0.0f; }

inline bool needs_footprint(LodMode mode) {
  return mode == LodMode::implicit || mode == LodMode::bias || mode == LodMode::derivatives;
}

// The level of detail with biases, before and after its clamps; and after them with the half that nearest levels are rounded by, where
// the sampler adds that before.
struct LevelOfDetail {
  float computed, clamped, rounded;
};
inline LevelOfDetail level_of_detail(const Sampler& sampler, const SampleLanes& call, unsigned lane,
                                     const Footprints& footprints) {
  float lod = 0;
  switch (call.lod_mode) {
    case LodMode::implicit:
    case LodMode::derivatives: lod = footprints.level[lane]; break;
    case LodMode::bias: lod = footprints.level[lane] + word_as_float(call.lod, lane); break;
    case LodMode::level: lod = word_as_float(call.lod, lane); break;
    case LodMode::zero: break;
  }
  lod += sampler.lod_bias;
  float low = sampler.lod_min;
  if (call.lod_clamp) low = std::max(low, word_as_float(call.lod_clamp, lane));
  // NaN takes the finest level.
  auto clamped = [&](float level) {
    level = level > low ? level : low;
    return level > sampler.lod_max ? sampler.lod_max : level;
  };
  return {lod, clamped(lod), sampler.half_before_clamps ? clamped(lod + 0.5f) : 0};
}

// The levels that a level of detail selects, and the weight of the second.
struct Levels {
  unsigned first, second;
  int fraction;
};
inline Levels levels_of(const Sampler& s, unsigned last_level, const LevelOfDetail& detail) {
  if (s.mip_filter == MipFilter::none || !(detail.clamped > 0)) return {0, 0, 0};
  const float lod = std::min(detail.clamped, float(last_level));
  if (s.mip_filter == MipFilter::nearest) {
    const float rounded = s.half_before_clamps ? std::min(detail.rounded, float(last_level)) : std::ceil(lod + 0.5f) - 1;
    unsigned level = unsigned(std::max(0.0f, rounded));
    return {level, level, 0};
  }
  int fixed = int(std::nearbyint(lod * fixed_one));
  unsigned level = unsigned(fixed) >> fraction_bits;
  int fraction = fixed & (fixed_one - 1);
  if (s.mip_slope != 1 || s.mip_cut != 0) {
    float stretched = std::clamp(float(fraction) / fixed_one * s.mip_slope - s.mip_cut, 0.0f, 1.0f);
    fraction = int(std::nearbyint(stretched * fixed_one));
    if (fraction == fixed_one) level++, fraction = 0;
  }
  return {std::min(level, last_level), std::min(level + 1, last_level), fraction};
}

}  // namespace Atoll::surface
