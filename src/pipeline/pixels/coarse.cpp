// Coarse pixels (Rasterization::coarse): the stage is given blocks of pixels as one, with what is interpolated at their middles, and what
// it makes of one goes to all pixels of it that are covered. Tests and coverage stay those of pixels. Vulkan 1.3, "Fragment Shading
// Rates"; Direct3D 11.3, "Variable Rate Shading".
#include <algorithm>
#include <bit>

#include "pipeline/pixels/pixel_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

// A coarse quad, in coarse quads from the framebuffer's corner.
struct QuadPlace {
  int32_t x, y;
  bool operator==(const QuadPlace&) const = default;
};

float at(const Plane& plane, double dx, double dy) { return float(plane.at + plane.y * dy + plane.x * dx); }

// Both barycentrics of one lane, `dx` and `dy` from the primitive's reference point.
void put(PixelBatch& batch, const Primitive& p, unsigned lane, double dx, double dy, unsigned wanted, unsigned set) {
  if (wanted >> set & 1) {
    const float w = 1 / at(p.one_over_w, dx, dy);
    for (unsigned n = 0; n < 2; n++) batch.barycentric[set][n][lane] = at(p.perspective[n], dx, dy) * w;
  }
  if (wanted >> (set + 3) & 1)
    for (unsigned n = 0; n < 2; n++) batch.barycentric[set + 3][n][lane] = at(p.linear[n], dx, dy);
}

// Moves the stage's inputs of `count` lanes from `from` on down to the batch's first lanes.
void move_down(PixelBatch& batch, unsigned from, unsigned count, unsigned wanted) {
  auto move = [&](auto& lanes) { std::copy_n(lanes.begin() + from, count, lanes.begin()); };
  for (unsigned set = 0; set < kBarycentricSets; set++)
    if (wanted >> set & 1) move(batch.barycentric[set][0]), move(batch.barycentric[set][1]);
  move(batch.x), move(batch.y), move(batch.z), move(batch.one_over_w), move(batch.coverage);
  move(batch.centroid[0]), move(batch.centroid[1]), move(batch.line_coordinate);
}

void clear(PixelResults& results) {
  results.killed = 0, results.outputs = 0;
  results.unwritten.fill(0);
  results.halves.fill(nullptr);
  results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
  results.has_alpha = false;
}

// A coarse pixel's results to one of its pixels.
void copy_results(const PixelResults& from, unsigned lane, PixelResults& to, unsigned pixel) {
  const uint64_t bit = uint64_t(1) << pixel;
  if (from.killed >> lane & 1) to.killed |= bit;
  const unsigned colours = from.outputs | (from.has_second_source ? 2u : 0u);
  for (unsigned n = 0; n < to.colour.size(); n++) {
    if (!(from.outputs >> n & 1) || from.unwritten[n] >> lane & 1) to.unwritten[n] |= bit;
    for (unsigned c = 0; c < 4 && (colours >> n & 1); c++) to.colour[n][c][pixel] = from.colour[n][c][lane];
  }
  to.depth[pixel] = from.depth[lane], to.alpha[pixel] = from.alpha[lane];
  to.stencil[pixel] = from.stencil[lane], to.stencil_op[pixel] = from.stencil_op[lane];
  to.coverage[pixel] = from.coverage[lane];
}

}  // namespace

CoarsePixel coarse_pixel(const Tile& tile, const Primitive& primitive, unsigned block) {
  const Rasterization& raster = tile.constants->draw->rasterization;
  const unsigned of_primitive = raster.coarse_by_rate ? primitive.attributes.rate : primitive.attributes.viewport;
  unsigned of_place = 0;
  if (raster.coarse_places)
    of_place = raster.coarse_places->at(unsigned(tile.x) / block_size + block % block_row,
                                        unsigned(tile.y) / block_size + block / block_row);
  return raster.coarse[of_place * 16 + of_primitive % 16];
}

bool shade_coarse(Tile& tile) {
  const DrawConstants& constants = *tile.constants;
  const PixelBatch& fine = tile.batch;
  PixelStage& stage = *constants.draw->pixel_stage;
  const Primitive& p = *tile.primitive[0];
  const CoarsePixel size = coarse_pixel(tile, p, tile.place[0] / quads_in_block);
  PixelBatch& batch = tile.coarse->batch;
  PixelResults& results = tile.coarse->results;
  batch.quads = 0, batch.covered = 0, batch.segment = fine.segment;
  batch.sample = 0, batch.pixel = 0;
  batch.one_primitive = true;
  batch.coarse = size;
  batch.coverage.fill(0);

  // A pixel's coarse one, and of each coarse one the first pixel that is covered.
  std::array<uint8_t, max_pixels> lane_of{}, first{};
  std::array<QuadPlace, max_quads> quads;
  const int32_t width = size.width, height = size.height;
  for (uint64_t left = fine.covered; left; left &= left - 1) {
    const unsigned pixel = unsigned(std::countr_zero(left));
    const int32_t column = fine.x[pixel] / width, line = fine.y[pixel] / height;
    const QuadPlace place{column / 2, line / 2};
    const auto known = std::find(quads.begin(), quads.begin() + batch.quads, place);
    if (known == quads.begin() + batch.quads) *known = place, batch.quads++;
    const unsigned lane = unsigned(known - quads.begin()) * 4 + unsigned(column & 1) + 2 * unsigned(line & 1);
    lane_of[pixel] = uint8_t(lane);
    if (!(batch.covered >> lane & 1)) first[lane] = uint8_t(pixel);
    batch.covered |= uint64_t(1) << lane;
    batch.coverage[lane] |= fine.coverage[pixel];
  }

  const unsigned wanted = stage.barycentrics(), lanes = batch.quads * 4, all_samples = (1u << constants.places) - 1;
  std::array<uint8_t, max_pixels> drawn{};  // pixels of each that are covered whole
  for (uint64_t left = fine.covered; left; left &= left - 1) {
    const unsigned pixel = unsigned(std::countr_zero(left));
    drawn[lane_of[pixel]] = uint8_t(drawn[lane_of[pixel]] + ((fine.coverage[pixel] & all_samples) == all_samples));
  }
  const double middle_x = width / 2.0, middle_y = height / 2.0;
  for (unsigned lane = 0; lane < lanes; lane++) {
    const QuadPlace& quad = quads[lane / 4];
    const int32_t x = batch.x[lane] = (quad.x * 2 + int32_t(lane & 1)) * width,
                  y = batch.y[lane] = (quad.y * 2 + int32_t(lane >> 1 & 1)) * height;
    batch.primitive[lane / 4] = p.attributes;
    const double dx = x + middle_x - p.x, dy = y + middle_y - p.y;
    put(batch, p, lane, dx, dy, wanted, PERSPECTIVE_CENTRE);
    put(batch, p, lane, dx, dy, wanted, PERSPECTIVE_SAMPLE);
    batch.z[lane] = std::clamp(at(p.z, dx, dy), p.depth_low, p.depth_high);
    batch.one_over_w[lane] = at(p.one_over_w, dx, dy);
    batch.line_coordinate[lane] = at(p.line_coordinate, dx, dy);
    // The centroid: the middle where all is covered, else the first place that is.
    double from_x = middle_x, from_y = middle_y;
    if ((batch.covered >> lane & 1) && drawn[lane] != width * height) {
      const unsigned pixel = first[lane],
                     sample = unsigned(std::countr_zero(fine.coverage[pixel] & all_samples)) % constants.places;
      from_x = fine.x[pixel] - x + constants.sample_dx[sample], from_y = fine.y[pixel] - y + constants.sample_dy[sample];
    }
    put(batch, p, lane, x + from_x - p.x, y + from_y - p.y, wanted, PERSPECTIVE_CENTROID);
    batch.centroid[0][lane] = float(from_x), batch.centroid[1][lane] = float(from_y);
  }

  tile.pixel_invocations += unsigned(std::popcount(batch.covered));
  tile.pixels_by_path[size_t(tile.pixel_path)] += unsigned(std::popcount(fine.covered));
  PixelResults& to = tile.results;
  clear(to);
  // As many at once as the stage has lanes.
  const unsigned all_quads = batch.quads, room = std::clamp(stage.batch_size() / 4, 1u, max_quads);
  const uint64_t covered = batch.covered;
  for (unsigned first = 0; first < all_quads; first += room) {
    batch.quads = std::min(room, all_quads - first);
    const unsigned begin = first * 4, end = begin + batch.quads * 4;
    batch.covered = covered >> begin & (end - begin == max_pixels ? ~uint64_t(0) : (uint64_t(1) << (end - begin)) - 1);
    if (first) move_down(batch, begin, end - begin, wanted);
    if (!batch.covered) continue;
    clear(results);
    if (!stage.shade(tile.worker, batch, results)) return false;
    expand_halves(results, batch.covered);
    to.outputs |= results.outputs;
    to.has_second_source |= results.has_second_source;
    to.has_depth |= results.has_depth, to.has_stencil |= results.has_stencil, to.has_stencil_op |= results.has_stencil_op;
    to.has_coverage |= results.has_coverage, to.has_alpha |= results.has_alpha;
    for (uint64_t left = fine.covered; left; left &= left - 1) {
      const unsigned pixel = unsigned(std::countr_zero(left)), lane = lane_of[pixel];
      if (lane >= begin && lane < end) copy_results(results, lane - begin, to, pixel);
    }
  }
  merge(tile, ~0u);
  return true;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
