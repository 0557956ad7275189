// Coverage of antialiased lines' pixels (Rasterization::SmoothLines), which their alphas are multiplied by before anything else is done
// with them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "pipeline/pixels/pixel_work.h"
#include "surface/format.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

// 8 bits of it.
float coverage_of(const Rasterization::SmoothLines& smooth, const double* distance) {
  auto ramp = [](const Rasterization::SmoothLines::Ramp& r, double from_edge) {
    return std::clamp(float(from_edge) * r.slope + r.bias, 0.0f, 1.0f);
  };
  const float sides = smooth.nearest_side ? ramp(smooth.side, std::min(distance[0], distance[2]))
                                          : ramp(smooth.side, distance[0]) * ramp(smooth.side, distance[2]);
  return std::nearbyint(sides * ramp(smooth.end, distance[1]) * ramp(smooth.end, distance[3]) * 255) / 255;
}

}  // namespace

void soften_lines(Tile& tile) {
  const DrawConstants& constants = *tile.constants;
  const PixelBatch& batch = tile.batch;
  PixelResults& results = tile.results;
  const double d = double(constants.denominator);
  for (unsigned q = 0; q < batch.quads; q++) {
    const Primitive& p = *tile.primitive[q];
    if (p.attributes.kind != PrimitiveKind::line || p.edges != 4) continue;
    double at[4], x[4], y[4];  // the distance from each edge, in pixels: sides are 0 and 2 (lines.cpp)
    for (unsigned e = 0; e < 4; e++) {
      const double a = p.a[e], b = p.b[e], length = std::hypot(a, b);
      at[e] = (double(p.c[e]) + a * double(constants.sample_x[0]) + b * double(constants.sample_y[0])) / d / length;
      x[e] = a / length, y[e] = b / length;
    }
    for (unsigned lane = 4 * q; lane < 4 * q + 4; lane++) {
      double distance[4];
      for (unsigned e = 0; e < 4; e++) distance[e] = at[e] + x[e] * batch.x[lane] + y[e] * batch.y[lane];
      const float coverage = coverage_of(*constants.draw->rasterization.smooth_lines, distance);
      for (unsigned n = 0; n < 8; n++) {
        if (!(results.outputs >> n & 1) || surface::is_integer(constants.draw->targets.colour[n].format.number)) continue;
        uint32_t& alpha = results.colour[n][3][lane];
        alpha = std::bit_cast<uint32_t>(std::bit_cast<float>(alpha) * coverage);
      }
    }
  }
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
