// Barycentrics of a wave of pixels, from the planes of each quad's primitive (Vulkan 1.3 "Polygon Rasterization": perspective
// and linear interpolation). A quad's first pixel is found in doubles from the primitive's own reference point, so that a pixel's
// values do not depend on the tile; its other three pixels lie a float's slope away. If pixels of a quad are sampled at places of
// their own (centroids), each is found in doubles.
#include <algorithm>
#include <bit>
#include <optional>

#include "pipeline/pixels/pixel_work.h"

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

constexpr unsigned both(BarycentricSet perspective) { return 1u << perspective | 1u << (perspective + 3); }
static_assert(LINEAR_SAMPLE == PERSPECTIVE_SAMPLE + 3 && LINEAR_CENTRE == PERSPECTIVE_CENTRE + 3 &&
              LINEAR_CENTROID == PERSPECTIVE_CENTROID + 3);

// The differences of a quad's pixels from its first.
inline f32x4 slope(const Plane& plane) {
  float x = float(plane.x), y = float(plane.y);
  return f32x4{0, x, y, x + y};
}

// The values of a row of four quads, repeated for each of their pixels.
template <unsigned row, class Vector>
inline Vector by_pixel(const Vector& v) {
  constexpr int q = int(row) * 4;
  return __builtin_shufflevector(v, v, q, q, q, q, q + 1, q + 1, q + 1, q + 1, q + 2, q + 2, q + 2, q + 2, q + 3, q + 3, q + 3,
                                 q + 3);
}
// A row of four quads from their first pixels' values.
template <unsigned row>
inline f32x16 spread(const f32x16& first, const f32x16& slopes) {
  return by_pixel<row>(first) + slopes;
}
inline f32x16 four_times(const f32x4& v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3); }

// A value along the whole wave, whose quads are all of one primitive; dx and dy: from the reference point to each quad's first
// pixel.
inline void follow_wave(const Plane& plane, const f64x16& dx, const f64x16& dy, f32x16* rows) {
  f32x16 first = narrow<Row>(follow(plane, dx, dy)), slopes = four_times(slope(plane));
  rows[0] = spread<0>(first, slopes);
  rows[1] = spread<1>(first, slopes);
  rows[2] = spread<2>(first, slopes);
  rows[3] = spread<3>(first, slopes);
}
inline f32x4 follow_quad(const Plane& plane, double dx, double dy) {
  return f32x4{} + float(plane.at + plane.y * dy + plane.x * dx) + slope(plane);
}

// Sets `set` and `set + 3` (the same place, perspective and linear) where wanted, in one place of all pixels of the wave that
// lies (at_x, at_y) from their corners.
void interpolate_wave(Tile& tile, double at_x, double at_y, unsigned wanted, unsigned set) {
  PixelBatch& batch = tile.batch;
  const Primitive& p = *tile.primitive[0];
  const QuadPixels at = pixels_of(tile);
  const f64x16 dx = __builtin_convertvector(at.x, f64x16) + (at_x - p.x);
  const f64x16 dy = __builtin_convertvector(at.y, f64x16) + (at_y - p.y);
  f32x16 rows[4];
  if (wanted >> set & 1) {
    f32x16 w[4];
    follow_wave(p.one_over_w, dx, dy, w);
    for (f32x16& row : w) row = 1 / row;
    for (unsigned n = 0; n < 2; n++) {
      follow_wave(p.perspective[n], dx, dy, rows);
      for (unsigned row = 0; row < 4; row++) store(&batch.barycentric[set][n][16 * row], f32x16(rows[row] * w[row]));
    }
  }
  if (wanted >> (set + 3) & 1)
    for (unsigned n = 0; n < 2; n++) {
      follow_wave(p.linear[n], dx, dy, rows);
      for (unsigned row = 0; row < 4; row++) store(&batch.barycentric[set + 3][n][16 * row], rows[row]);
    }
}

// The same of quad q.
inline void interpolate_quad(PixelBatch& batch, const Primitive& p, unsigned q, double at_x, double at_y, unsigned wanted,
                             unsigned set) {
  double dx = double(batch.x[4 * q]) + (at_x - p.x), dy = double(batch.y[4 * q]) + (at_y - p.y);
  if (wanted >> set & 1) {
    f32x4 w = 1 / follow_quad(p.one_over_w, dx, dy);
    for (unsigned n = 0; n < 2; n++) store(&batch.barycentric[set][n][4 * q], f32x4(follow_quad(p.perspective[n], dx, dy) * w));
  }
  if (wanted >> (set + 3) & 1)
    for (unsigned n = 0; n < 2; n++) store(&batch.barycentric[set + 3][n][4 * q], follow_quad(p.linear[n], dx, dy));
}

// The primitive's samples of pixel (x, y), whatever the mask says.
uint32_t samples_inside(const DrawConstants& constants, const Primitive& p, int64_t x, int64_t y) {
  uint32_t inside = 0;
  for (unsigned s = 0; s < constants.places; s++) {
    bool in = true;
    for (unsigned e = 0; e < p.edges; e++) {
      const int64_t a = p.a[e], b = p.b[e];
      in &= constants.floor_divide(p.c[e] + a * constants.sample_x[s] + b * constants.sample_y[s]) + a * x + b * y >= 0;
    }
    inside |= uint32_t(in) << s;
  }
  return inside;
}

// The sample that comes first among those that are covered, which are not none.
unsigned first_sample(const Rasterization& raster, uint32_t coverage) {
  if (raster.centroid_order)
    for (uint8_t sample : *raster.centroid_order)
      if (coverage >> sample & 1) return sample;
  return unsigned(std::countr_zero(coverage));
}

// The sample that is a pixel's centroid: the first one covered of a pixel that is not covered whole. None: the centre.
std::optional<unsigned> centroid_sample(const DrawConstants& constants, const PixelBatch& batch, const Primitive& p,
                                        unsigned pixel) {
  const Rasterization& raster = constants.draw->rasterization;
  const uint32_t all_samples = (1u << constants.places) - 1;
  uint32_t coverage = batch.coverage[pixel] & all_samples;
  if (coverage && raster.centroid_before_mask && constants.sample_mask != all_samples)
    coverage = samples_inside(constants, p, batch.x[pixel], batch.y[pixel]);
  if (!coverage || coverage == all_samples) return std::nullopt;
  return first_sample(raster, coverage);
}

// Centroids of quad q.
void interpolate_centroids(const DrawConstants& constants, PixelBatch& batch, const Primitive& p, unsigned q, unsigned wanted) {
  f64x4 px = __builtin_convertvector(load<i32x4>(&batch.x[4 * q]), f64x4) - p.x, cx = px + constants.centre;
  f64x4 py = __builtin_convertvector(load<i32x4>(&batch.y[4 * q]), f64x4) - p.y, cy = py + constants.centre;
  i32x4 off_centre = {};
  for (unsigned lane = 0; lane < 4; lane++) {
    const auto s = centroid_sample(constants, batch, p, 4 * q + lane);
    if (!s) continue;
    cx[lane] = px[lane] + constants.sample_dx[*s];
    cy[lane] = py[lane] + constants.sample_dy[*s];
    off_centre[lane] = -1;
  }
  // (as the centre, in every bit, where it is the centre)
  interpolate_quad(batch, p, q, constants.centre, constants.centre, wanted, PERSPECTIVE_CENTROID);
  if (!(off_centre[0] | off_centre[1] | off_centre[2] | off_centre[3])) return;
  auto put = [&](float* lanes, const f32x4& value) { store(lanes, off_centre ? value : load<f32x4>(lanes)); };
  if (wanted >> PERSPECTIVE_CENTROID & 1) {
    f32x4 w = 1 / narrow<Quad>(follow(p.one_over_w, cx, cy));
    for (unsigned n = 0; n < 2; n++)
      put(&batch.barycentric[PERSPECTIVE_CENTROID][n][4 * q], f32x4(narrow<Quad>(follow(p.perspective[n], cx, cy)) * w));
  }
  if (wanted >> LINEAR_CENTROID & 1)
    for (unsigned n = 0; n < 2; n++)
      put(&batch.barycentric[LINEAR_CENTROID][n][4 * q], narrow<Quad>(follow(p.linear[n], cx, cy)));
}

// z and 1/w of the pixels from quad q on.
template <class Width>
inline void interpolate_depth(PixelBatch& batch, const Primitive& p, unsigned q, double at_x, double at_y) {
  using Doubles = typename Width::Doubles;
  using Floats = typename Width::Floats;
  Doubles dx = __builtin_convertvector(load<typename Width::Integers>(&batch.x[4 * q]), Doubles) - p.x + at_x;
  Doubles dy = __builtin_convertvector(load<typename Width::Integers>(&batch.y[4 * q]), Doubles) - p.y + at_y;
  Floats z = narrow<Width>(follow(p.z, dx, dy)), low = Floats{} + p.depth_low, high = Floats{} + p.depth_high;
  z = z > low ? z : low;
  store(&batch.z[4 * q], Floats(z < high ? z : high));
  store(&batch.one_over_w[4 * q], narrow<Width>(follow(p.one_over_w, dx, dy)));
}

// The positions of the wave's pixels, and their coverage where pixels have one sample (raster.cpp has found that of several).
template <unsigned row>
void place_row(PixelBatch& batch, const QuadPixels& at, bool covers) {
  constexpr i32x16 column = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
                   line = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  store(&batch.x[16 * row], i32x16(by_pixel<row>(at.x) + column));
  store(&batch.y[16 * row], i32x16(by_pixel<row>(at.y) + line));
  if (covers) store(&batch.coverage[16 * row], i32x16(mask_of(uint32_t(batch.covered >> 16 * row & 0xffff)) & 1));
}
void place_pixels(Tile& tile) {
  const QuadPixels at = pixels_of(tile);
  const bool covers = tile.constants->places == 1;
  place_row<0>(tile.batch, at, covers), place_row<1>(tile.batch, at, covers);
  place_row<2>(tile.batch, at, covers), place_row<3>(tile.batch, at, covers);
}

// Floats without denormals, as the shaders have them whose waves interpolate for themselves (src/pixel).
class NoDenormals {
public:
  NoDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON | 0x40); }  // 0x40: denormals are zero
  ~NoDenormals() { _mm_setcsr(before_); }
  NoDenormals(const NoDenormals&) = delete;
  NoDenormals& operator=(const NoDenormals&) = delete;

private:
  const unsigned before_;
};

}  // namespace

void interpolate(Tile& tile, unsigned sample) {
  NoDenormals scope;
  const DrawConstants& constants = *tile.constants;
  PixelBatch& batch = tile.batch;
  const PixelStage& stage = *constants.draw->pixel_stage;
  unsigned wanted = stage.barycentrics(), quads = batch.quads;
  const bool multisample = constants.samples_differ;
  // The pixel's one place, where it has no samples of their own.
  const double at_x = multisample ? constants.centre : constants.sample_dx[0];
  const double at_y = multisample ? constants.centre : constants.sample_dy[0];
  batch.one_primitive = true;
  for (unsigned q = 0; q < quads; q++) {
    batch.primitive[q] = tile.primitive[q]->attributes;
    batch.one_primitive &= tile.primitive[q] == tile.primitive[0];
  }
  const bool whole = batch.one_primitive && quads >= 4;
  auto at_place = [&](double x, double y, BarycentricSet set) {
    if (!(wanted & both(set))) return;
    if (whole) return interpolate_wave(tile, x, y, wanted, set);
    for (unsigned q = 0; q < quads; q++) interpolate_quad(batch, *tile.primitive[q], q, x, y, wanted, set);
  };
  const bool off_centre_sample = constants.draw->rasterization.off_centre_sample;
  const double centre_x = off_centre_sample ? constants.centre : at_x, centre_y = off_centre_sample ? constants.centre : at_y;
  at_place(centre_x, centre_y, PERSPECTIVE_CENTRE);
  if (!multisample) {
    at_place(at_x, at_y, PERSPECTIVE_SAMPLE);
    at_place(at_x, at_y, PERSPECTIVE_CENTROID);
  } else {
    at_place(constants.sample_dx[sample], constants.sample_dy[sample], PERSPECTIVE_SAMPLE);
    if (wanted & both(PERSPECTIVE_CENTROID))
      for (unsigned q = 0; q < quads; q++) interpolate_centroids(constants, batch, *tile.primitive[q], q, wanted);
  }
  if (stage.wants_centroids())
    for (unsigned n = 0; n < quads * 4; n++) {
      const auto s = multisample ? centroid_sample(constants, batch, *tile.primitive[n / 4], n) : std::nullopt;
      batch.centroid[0][n] = float(s ? constants.sample_dx[*s] : at_x);
      batch.centroid[1][n] = float(s ? constants.sample_dy[*s] : at_y);
    }
  if (stage.wants_line_coordinate())
    for (unsigned q = 0; q < quads; q++) {
      const Primitive& p = *tile.primitive[q];
      const double dx = double(batch.x[4 * q]) + (centre_x - p.x), dy = double(batch.y[4 * q]) + (centre_y - p.y);
      const bool line = p.attributes.kind == PrimitiveKind::line;
      store(&batch.line_coordinate[4 * q], line ? follow_quad(p.line_coordinate, dx, dy) : f32x4{});
    }
  if (!stage.wants_depth()) return;
  const bool at_sample = multisample && constants.draw->rasterization.sample_shading;
  const double z_x = at_sample ? constants.sample_dx[sample] : centre_x, z_y = at_sample ? constants.sample_dy[sample] : centre_y;
  for (unsigned q = 0; q < quads;) {
    const Primitive& p = *tile.primitive[q];
    bool row = q + 4 <= quads && tile.primitive[q + 1] == &p && tile.primitive[q + 2] == &p && tile.primitive[q + 3] == &p;
    if (row)
      interpolate_depth<Row>(batch, p, q, z_x, z_y);
    else
      interpolate_depth<Quad>(batch, p, q, z_x, z_y);
    q += row ? 4 : 1;
  }
}

bool flush(Tile& tile) {
  PixelBatch& batch = tile.batch;
  if (!batch.quads) return true;
  if (tile.queues_waves) return queue_wave(tile);
  const DrawConstants& constants = *tile.constants;
  PixelStage& stage = *constants.draw->pixel_stage;
  PixelResults& results = tile.results;
  const std::optional<DirectKind> direct = direct_kind(tile);
  // (A wave that writes its pixels as it shades them is fed quads alone.)
  if (direct != DirectKind::any || tile.direct.second_pass || tile.direct.interpolated) place_pixels(tile);
  auto shade = [&](unsigned sample, uint32_t samples) {
    batch.sample = sample, batch.pixel = tile.pixel;
    tile.count_pixels(direct            ? PixelPath::direct
                      : tile.direct.any ? PixelPath::overlapping
                                        : tile.pixel_path,
                      unsigned(std::popcount(batch.covered)));
    if (direct) return shade_direct(tile, *direct);
    interpolate(tile, sample);
    results.killed = 0;
    results.outputs = 0;
    results.unwritten.fill(0);
    results.halves.fill(nullptr);
    results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
    results.has_alpha = false;
    if (const uint8_t targets = stage.reads_colours()) read_colours(tile, targets, sample);
    const bool good = stage.shade(tile.worker, batch, results);
    if (good) merge(tile, samples);
    return good;
  };
  bool good = true;
  if (tile.has_coarse_pixels) {
    good = shade_coarse(tile);
  } else if (!constants.draw->rasterization.sample_shading || constants.samples == 1 || !constants.samples_differ) {
    good = shade(0, ~0u);
  } else {
    alignas(64) uint32_t coverage[max_pixels];
    std::memcpy(coverage, batch.coverage.data(), sizeof coverage);
    const unsigned runs = std::clamp(constants.draw->rasterization.shaded_samples, 1u, constants.samples);
    for (unsigned s = 0; s < runs && good; s++) {
      uint32_t samples = 0;
      for (unsigned n = s; n < constants.samples; n += runs) samples |= 1u << n;
      batch.covered = 0;
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        batch.coverage[lane] = coverage[lane] & samples;
        batch.covered |= uint64_t(batch.coverage[lane] != 0) << lane;
      }
      if (batch.covered) good = shade(s, samples);
    }
  }
  batch.quads = 0;
  tile.runs = 0;
  return good;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
