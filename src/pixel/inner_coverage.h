// True if the whole of a pixel lies inside of its triangle.
#pragma once
#include <cmath>

#include "pipeline/stages.h"

namespace Atoll::pixel {

// The set of weights that lies_inside() reads: a bit of PixelStage::barycentrics().
inline constexpr uint8_t inner_coverage_weights = 1u << pipeline::LINEAR_CENTRE;

// True if all of the pixel lies inside its triangle: none of its corners has a negative weight of a vertex
// (INTEL_conservative_rasterization, inner_coverage). Weights are floats: an edge that is nearer than 1/2048 pixel counts as lying
// on the pixel's own. Nothing lies inside of what has no area.
inline bool lies_inside(const pipeline::PixelBatch& batch, unsigned lane) {
  const unsigned quad = lane & ~3u;
  if (batch.primitive[batch.one_primitive ? 0 : lane / 4].kind != pipeline::PrimitiveKind::triangle) return false;
  const auto& [i, j] = batch.barycentric[pipeline::LINEAR_CENTRE];
  bool has_area = false;
  auto reaches = [&](auto&& weight) {
    const float dx = std::abs(weight(quad + 1) - weight(quad)), dy = std::abs(weight(quad + 2) - weight(quad));
    has_area |= dx + dy > 0;
    constexpr float half = 0.5f - 1.0f / 2048;
    return weight(lane) >= (dx + dy) * half;
  };
  return reaches([&](unsigned n) { return i[n]; }) && reaches([&](unsigned n) { return j[n]; }) &&
         reaches([&](unsigned n) { return 1 - i[n] - j[n]; }) && has_area;
}

}  // namespace Atoll::pixel
