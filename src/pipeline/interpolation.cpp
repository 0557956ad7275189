// Barycentrics of a wave of pixels, from the planes of each quad's primitive (Vulkan 1.3 "Polygon Rasterization": perspective
// and linear interpolation). Planes are followed in doubles from the primitive's own reference point, so that a pixel's values do
// not depend on the tile.
#include <algorithm>
#include <bit>

#include "pipeline/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

// Doubles, floats and whole numbers of one quad, or of a row of four.
struct Quad {
  typedef f64x4 Doubles;
  typedef f32x4 Floats;
  typedef i32x4 Integers;
};
struct Row {
  typedef f64x16 Doubles;
  typedef f32x16 Floats;
  typedef i32x16 Integers;
};

template <class Doubles>
inline Doubles follow(const Plane& plane, const Doubles& dx, const Doubles& dy) {
  return plane.at + plane.y * dy + plane.x * dx;
}
template <class Width>
inline typename Width::Floats narrow(const typename Width::Doubles& v) {
  return __builtin_convertvector(v, typename Width::Floats);
}

// Sets `set` and `set + 3` (the same place, perspective and linear) where wanted, from quad q on.
template <class Width>
inline void interpolate_at(PixelBatch& batch, const Primitive& p, unsigned q, const typename Width::Doubles& dx,
                           const typename Width::Doubles& dy, unsigned wanted, unsigned set) {
  if (wanted >> set & 1) {
    typename Width::Floats w = 1 / narrow<Width>(follow(p.one_over_w, dx, dy));
    for (int n = 0; n < 2; n++)
      store(&batch.barycentric[set][n][4 * q], typename Width::Floats(narrow<Width>(follow(p.perspective[n], dx, dy)) * w));
  }
  if (wanted >> (set + 3) & 1)
    for (int n = 0; n < 2; n++) store(&batch.barycentric[set + 3][n][4 * q], narrow<Width>(follow(p.linear[n], dx, dy)));
}

constexpr unsigned both(BarycentricSet perspective) { return 1u << perspective | 1u << (perspective + 3); }
static_assert(LINEAR_SAMPLE == PERSPECTIVE_SAMPLE + 3 && LINEAR_CENTRE == PERSPECTIVE_CENTRE + 3 &&
              LINEAR_CENTROID == PERSPECTIVE_CENTROID + 3);

}  // namespace

namespace {

// One primitive's quads from q on.
template <class Width>
inline void interpolate_quads(const DrawConstants& constants, PixelBatch& batch, const Primitive& p, unsigned q, unsigned sample,
                              unsigned wanted) {
  using Doubles = typename Width::Doubles;
  using Floats = typename Width::Floats;
  bool multisample = constants.samples_apart;
  Doubles px = __builtin_convertvector(load<typename Width::Integers>(&batch.x[4 * q]), Doubles) - p.x;
  Doubles py = __builtin_convertvector(load<typename Width::Integers>(&batch.y[4 * q]), Doubles) - p.y;
  Doubles dx = px + (multisample ? constants.centre : constants.sample_dx[0]);
  Doubles dy = py + (multisample ? constants.centre : constants.sample_dy[0]);
  if (!multisample) {
    // One place for all three.
    for (unsigned set : {PERSPECTIVE_SAMPLE, PERSPECTIVE_CENTRE, PERSPECTIVE_CENTROID})
      if (wanted & both(BarycentricSet(set))) interpolate_at<Width>(batch, p, q, dx, dy, wanted, set);
  } else {
    if (wanted & both(PERSPECTIVE_CENTRE)) interpolate_at<Width>(batch, p, q, dx, dy, wanted, PERSPECTIVE_CENTRE);
    Doubles sx = px + constants.sample_dx[sample], sy = py + constants.sample_dy[sample];
    if (wanted & both(PERSPECTIVE_SAMPLE)) interpolate_at<Width>(batch, p, q, sx, sy, wanted, PERSPECTIVE_SAMPLE);
    if (wanted & both(PERSPECTIVE_CENTROID)) {
      Doubles cx = dx, cy = dy;
      uint32_t all_samples = (1u << constants.places) - 1;
      for (unsigned lane = 0; lane < sizeof(Floats) / sizeof(float); lane++) {
        uint32_t coverage = batch.coverage[4 * q + lane] & all_samples;
        if (!coverage || coverage == all_samples) continue;
        unsigned s = unsigned(std::countr_zero(coverage));
        cx[lane] = px[lane] + constants.sample_dx[s];
        cy[lane] = py[lane] + constants.sample_dy[s];
      }
      interpolate_at<Width>(batch, p, q, cx, cy, wanted, PERSPECTIVE_CENTROID);
    }
    if (constants.draw->rasterization.sample_shading) dx = sx, dy = sy;  // z and 1/w at the sample
  }
  Floats z = narrow<Width>(follow(p.z, dx, dy)), low = Floats{} + p.depth_low, high = Floats{} + p.depth_high;
  z = z > low ? z : low;
  store(&batch.z[4 * q], Floats(z < high ? z : high));
  store(&batch.one_over_w[4 * q], narrow<Width>(follow(p.one_over_w, dx, dy)));
}

}  // namespace

void interpolate(Tile& tile, unsigned sample) {
  const DrawConstants& constants = *tile.constants;
  PixelBatch& batch = tile.batch;
  unsigned wanted = constants.draw->pixel_stage->barycentrics();
  for (unsigned q = 0; q < batch.quads;) {
    const Primitive& p = *tile.primitive[q];
    bool row = q + 4 <= batch.quads && tile.primitive[q + 1] == &p && tile.primitive[q + 2] == &p && tile.primitive[q + 3] == &p;
    if (row)
      interpolate_quads<Row>(constants, batch, p, q, sample, wanted);
    else
      interpolate_quads<Quad>(constants, batch, p, q, sample, wanted);
    for (unsigned end = q + (row ? 4 : 1); q < end; q++) batch.primitive[q] = p.attributes;
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
  if (!constants.draw->rasterization.sample_shading || constants.samples == 1 || !constants.samples_apart) {
    batch.sample = 0;
    interpolate(tile, 0);
    good = shade();
    if (good) merge(tile, -1);
  } else {
    alignas(64) uint32_t coverage[max_pixels];
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
