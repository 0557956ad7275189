// Barycentrics of a wave of pixels, from the planes of each quad's primitive (Vulkan 1.3 "Polygon Rasterization": perspective
// and linear interpolation). Planes are followed in doubles from the primitive's own reference point, so that a pixel's values do
// not depend on the tile.
#include <algorithm>
#include <bit>

#include "pipeline/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

inline f64x4 follow(const Plane& plane, const f64x4& dx, const f64x4& dy) { return plane.at + plane.y * dy + plane.x * dx; }
inline f32x4 narrow(const f64x4& v) { return __builtin_convertvector(v, f32x4); }

// Sets `set` and `set + 3` (the same place, perspective and linear) where wanted.
inline void interpolate_at(PixelBatch& batch, const Primitive& p, unsigned q, const f64x4& dx, const f64x4& dy, unsigned wanted,
                           unsigned set) {
  if (wanted >> set & 1) {
    f64x4 w = 1 / follow(p.one_over_w, dx, dy);
    for (int n = 0; n < 2; n++) store(&batch.barycentric[set][n][4 * q], narrow(follow(p.perspective[n], dx, dy) * w));
  }
  if (wanted >> (set + 3) & 1)
    for (int n = 0; n < 2; n++) store(&batch.barycentric[set + 3][n][4 * q], narrow(follow(p.linear[n], dx, dy)));
}

constexpr unsigned both(BarycentricSet perspective) { return 1u << perspective | 1u << (perspective + 3); }
static_assert(LINEAR_SAMPLE == PERSPECTIVE_SAMPLE + 3 && LINEAR_CENTRE == PERSPECTIVE_CENTRE + 3 &&
              LINEAR_CENTROID == PERSPECTIVE_CENTROID + 3);

}  // namespace

void interpolate(Tile& tile, unsigned sample) {
  const DrawConstants& constants = *tile.constants;
  PixelBatch& batch = tile.batch;
  unsigned wanted = constants.draw->pixel_stage->barycentrics();
  bool sample_shading = constants.draw->rasterization.sample_shading;
  bool multisample = constants.samples > 1;
  double centre = multisample ? constants.centre : constants.sample_dx[0],
         centre_y = multisample ? constants.centre : constants.sample_dy[0];
  uint32_t all_samples = (1u << constants.samples) - 1;
  for (unsigned q = 0; q < batch.quads; q++) {
    const Primitive& p = *tile.primitive[q];
    batch.primitive[q] = p.attributes;
    f64x4 px = {0, 1, 0, 1}, py = {0, 0, 1, 1};
    px += double(batch.x[4 * q]) - p.x;
    py += double(batch.y[4 * q]) - p.y;
    f64x4 dx = px + centre, dy = py + centre_y;
    if (!multisample) {
      // One place for all three.
      for (unsigned set : {PERSPECTIVE_SAMPLE, PERSPECTIVE_CENTRE, PERSPECTIVE_CENTROID})
        interpolate_at(batch, p, q, dx, dy, wanted, set);
    } else {
      if (wanted & both(PERSPECTIVE_CENTRE)) interpolate_at(batch, p, q, dx, dy, wanted, PERSPECTIVE_CENTRE);
      if (wanted & both(PERSPECTIVE_SAMPLE))
        interpolate_at(batch, p, q, px + constants.sample_dx[sample], py + constants.sample_dy[sample], wanted,
                       PERSPECTIVE_SAMPLE);
      if (wanted & both(PERSPECTIVE_CENTROID)) {
        f64x4 cx = dx, cy = dy;
        for (unsigned lane = 0; lane < 4; lane++) {
          uint32_t coverage = batch.coverage[4 * q + lane] & all_samples;
          if (!coverage || coverage == all_samples) continue;
          unsigned s = unsigned(std::countr_zero(coverage));
          cx[lane] = px[lane] + constants.sample_dx[s];
          cy[lane] = py[lane] + constants.sample_dy[s];
        }
        interpolate_at(batch, p, q, cx, cy, wanted, PERSPECTIVE_CENTROID);
      }
      if (sample_shading) dx = px + constants.sample_dx[sample], dy = py + constants.sample_dy[sample];
    }
    f32x4 z = narrow(follow(p.z, dx, dy));
    z = z > p.depth_low ? z : f32x4{} + p.depth_low;
    z = z < p.depth_high ? z : f32x4{} + p.depth_high;
    store(&batch.z[4 * q], z);
    store(&batch.one_over_w[4 * q], narrow(follow(p.one_over_w, dx, dy)));
  }
}

bool flush(Tile& tile) {
  PixelBatch& batch = tile.batch;
  if (!batch.quads) return true;
  const DrawConstants& constants = *tile.constants;
  PixelStage& stage = *constants.draw->pixel_stage;
  PixelResults& results = tile.results;
  bool good = true;
  auto shade = [&] {
    results.killed = 0;
    results.outputs = 0;
    results.has_second_source = results.has_depth = results.has_stencil = results.has_coverage = false;
    tile.pixel_invocations += unsigned(std::popcount(batch.covered));
    return stage.shade(tile.worker, batch, results);
  };
  if (!constants.draw->rasterization.sample_shading || constants.samples == 1) {
    batch.sample = 0;
    interpolate(tile, 0);
    good = shade();
    if (good) merge(tile, -1);
  } else {
    alignas(64) uint32_t coverage[most_pixels];
    std::memcpy(coverage, batch.coverage.data(), sizeof coverage);
    for (unsigned s = 0; s < constants.samples && good; s++) {
      batch.covered = 0;
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        batch.coverage[lane] = coverage[lane] & 1u << s;
        batch.covered |= uint64_t(coverage[lane] >> s & 1) << lane;
      }
      if (!batch.covered) continue;
      batch.sample = s;
      interpolate(tile, s);
      good = shade();
      if (good) merge(tile, int(s));
    }
  }
  batch.quads = 0;
  tile.runs = 0;
  return good;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
