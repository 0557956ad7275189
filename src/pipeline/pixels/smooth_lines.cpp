// Coverage of pixels of antialiased lines and points (Rasterization::SmoothLines, round_points): their alphas are multiplied by it before
// anything else is done with them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "pipeline/pixels/pixel_work.h"
#include "surface/format.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

float ramp(const Rasterization::SmoothLines::Ramp& r, double from_edge) {
  return std::clamp(float(from_edge) * r.slope + r.bias, 0.0f, 1.0f);
}
// 8 bits of it.
float coverage_of(const Rasterization::SmoothLines& smooth, const double* distance) {
  const float sides = smooth.nearest_side ? ramp(smooth.side, std::min(distance[0], distance[2]))
                                          : ramp(smooth.side, distance[0]) * ramp(smooth.side, distance[2]);
  return std::nearbyint(sides * ramp(smooth.end, distance[1]) * ramp(smooth.end, distance[3]) * 255) / 255;
}

}  // namespace

void soften(Tile& tile) {
  const DrawConstants& constants = *tile.constants;
  const Rasterization& raster = constants.draw->rasterization;
  const PixelBatch& batch = tile.batch;
  PixelResults& results = tile.results;
  for (unsigned q = 0; q < batch.quads; q++) {
    const Primitive& p = *tile.primitive[q];
    const bool line = raster.smooth_lines && p.attributes.kind == PrimitiveKind::line && p.edges == 4,
               point = raster.round_points && p.attributes.kind == PrimitiveKind::point;
    if (!line && !point) continue;
    double at[4], x[4], y[4];  // the distance from each edge, in pixels: sides are 0 and 2 (lines.cpp)
    for (unsigned e = 0; e < 4 && line; e++) {
      const double a = p.a[e], b = p.b[e], length = std::hypot(a, b);
      at[e] = (double(p.c[e]) + a * double(constants.sample_x[0]) + b * double(constants.sample_y[0])) /
              double(constants.denominator) / length;
      x[e] = a / length, y[e] = b / length;
    }
    for (unsigned lane = 4 * q; lane < 4 * q + 4; lane++) {
      float coverage;
      if (line) {
        double distance[4];
        for (unsigned e = 0; e < 4; e++) distance[e] = at[e] + x[e] * batch.x[lane] + y[e] * batch.y[lane];
        coverage = coverage_of(*raster.smooth_lines, distance);
      } else {
        const double diameter = 1 / std::abs(p.linear[0].x), radius = diameter / 2;
        const double s = p.linear[0].at + p.linear[0].x * (batch.x[lane] + constants.sample_dx[0] - p.x) - 0.5,
                     t = p.linear[1].at + p.linear[1].y * (batch.y[lane] + constants.sample_dy[0] - p.y) - 0.5;
        coverage = std::nearbyint(ramp(*raster.round_points, radius - std::hypot(s, t) * diameter) * 255) / 255;
      }
      for (unsigned n = 0; n < 8; n++) {
        if (!(results.outputs >> n & 1) || surface::is_integer(constants.draw->targets.colour[n].format.number)) continue;
        uint32_t& alpha = results.colour[n][3][lane];
        alpha = std::bit_cast<uint32_t>(std::bit_cast<float>(alpha) * coverage);
      }
    }
  }
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
