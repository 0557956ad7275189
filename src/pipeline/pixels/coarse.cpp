// Coarse pixels (Rasterization::coarse): the stage is given blocks of pixels as one, with what is interpolated at their middles, and what
// it makes of one goes to all pixels of it that are covered. Tests and coverage stay those of pixels. (Such a stage gives whole words, no
// PixelResults::halves.) Vulkan 1.3, "Fragment Shading
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

}  // namespace

bool shade_coarse(Tile& tile) {
  const DrawConstants& constants = *tile.constants;
  const PixelBatch& fine = tile.batch;
  PixelStage& stage = *constants.draw->pixel_stage;
  const Primitive& p = *tile.primitive[0];
  const CoarsePixel size =
      constants.draw->rasterization.coarse[p.attributes.viewport % constants.draw->rasterization.coarse.size()];
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

  results.killed = 0, results.outputs = 0;
  results.unwritten.fill(0);
  results.halves.fill(nullptr);
  results.has_second_source = results.has_depth = results.has_stencil = results.has_stencil_op = results.has_coverage = false;
  results.has_alpha = false;
  tile.pixel_invocations += unsigned(std::popcount(batch.covered));
  tile.pixels_by_way[size_t(tile.way)] += unsigned(std::popcount(fine.covered));
  if (!stage.shade(tile.worker, batch, results)) return false;

  PixelResults& to = tile.results;
  to.killed = 0, to.outputs = results.outputs;
  to.unwritten.fill(0);
  to.halves.fill(nullptr);
  to.has_second_source = results.has_second_source;
  to.has_depth = results.has_depth, to.has_stencil = results.has_stencil, to.has_stencil_op = results.has_stencil_op;
  to.has_coverage = results.has_coverage, to.has_alpha = results.has_alpha;
  const uint8_t colours = uint8_t(results.outputs | (results.has_second_source ? 2 : 0));
  for (uint64_t left = fine.covered; left; left &= left - 1) {
    const unsigned pixel = unsigned(std::countr_zero(left)), lane = lane_of[pixel];
    to.killed |= (results.killed >> lane & 1) << pixel;
    for (unsigned n = 0; n < to.unwritten.size(); n++) to.unwritten[n] |= (results.unwritten[n] >> lane & 1) << pixel;
    for (unsigned n = 0; n < to.colour.size(); n++)
      for (unsigned c = 0; c < 4 && (colours >> n & 1); c++) to.colour[n][c][pixel] = results.colour[n][c][lane];
    to.depth[pixel] = results.depth[lane], to.alpha[pixel] = results.alpha[lane];
    to.stencil[pixel] = results.stencil[lane], to.stencil_op[pixel] = results.stencil_op[lane];
    to.coverage[pixel] = results.coverage[lane];
  }
  merge(tile, ~0u);
  return true;
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
