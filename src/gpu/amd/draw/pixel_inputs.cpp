#include "gpu/amd/draw/pixel_inputs.h"

#include <bit>
#include <cstring>

namespace Atoll::gpu::amd {

uint32_t PixelInputs::facing_word(bool front) const {
  if (front_face_all_bits) return front ? ~0u : 0;
  return std::bit_cast<uint32_t>(front ? 1.0f : -1.0f);
}

// DETAIL_TO_EXPOSED_MODE: those beyond are left out, unless that leaves none (0), left out (1), or stand for the others in turn (2).
uint32_t PixelInputs::exposed(uint32_t coverage) const {
  const uint32_t low = coverage & coverage_seen;
  if (detail_to_exposed == 1 || (detail_to_exposed != 2 && low)) return low;
  uint32_t all = 0;
  for (const int seen = std::popcount(coverage_seen); coverage; coverage >>= seen) all |= coverage & coverage_seen;
  return all;
}

std::vector<unsigned> PixelInputs::varying_vgprs() const {
  std::vector<unsigned> varying;
  for (unsigned n = 0; n < kPixelInputs; n++)
    if (barycentric_inputs >> n & 1 && vgpr_of[n] >= 0)
      for (unsigned part = 0; part < input_vgprs[n]; part++) varying.push_back(unsigned(vgpr_of[n]) + part);
  return varying;
}

void load_pixel_inputs(wave::Wave& w, const PixelInputs& s, const pipeline::PixelBatch& batch, bool wide) {
  auto load = [&](PixelInput input, unsigned part, auto value) { load_pixel_input(w, s, batch, wide, input, part, value); };
  for (unsigned n = PERSP_SAMPLE; n <= LINEAR_CENTROID; n++) {
    if (s.vgpr_of[n] < 0) continue;
    const auto& set = batch.barycentric[s.set_of[n]];
    if (n == PERSP_PULL_MODEL) {  // I/W, J/W, 1/W
      load(PERSP_PULL_MODEL, 0, [&](unsigned l) { return set[0][l] * batch.one_over_w[l]; });
      load(PERSP_PULL_MODEL, 1, [&](unsigned l) { return set[1][l] * batch.one_over_w[l]; });
      load(PERSP_PULL_MODEL, 2, [&](unsigned l) { return batch.one_over_w[l]; });
      continue;
    }
    for (unsigned part = 0; part < 2; part++)
      std::memcpy(wave::bytes_of(w, Atoll::amd::vgpr_cell(unsigned(s.vgpr_of[n]) + part, wide)), set[part].data(),
                  batch.quads * 16);
  }
  float at_x = batch.coarse.width * 0.5f, at_y = batch.coarse.height * 0.5f;
  if (s.position_is_corner)
    at_x = at_y = 0;
  else if (s.place == PixelInputs::Place::sample)
    at_x = float(s.samples[batch.pixel][batch.sample].x) / 16, at_y = float(s.samples[batch.pixel][batch.sample].y) / 16;
  const bool centroids = s.place == PixelInputs::Place::centroid;
  load(LINE_STIPPLE_TEX, 0, [&](unsigned l) { return batch.line_coordinate[l]; });
  load(POS_X, 0, [&](unsigned l) { return float(batch.x[l]) + (centroids ? batch.centroid[0][l] : at_x); });
  load(POS_Y, 0, [&](unsigned l) { return float(batch.y[l]) + (centroids ? batch.centroid[1][l] : at_y); });
  load(POS_Z, 0, [&](unsigned l) { return batch.z[l]; });
  load(POS_W, 0, [&](unsigned l) { return 1.0f / batch.one_over_w[l]; });
  load(FRONT_FACE, 0, [&](unsigned l) { return s.facing_word(batch.primitive[l / 4].front); });
  load(POS_FIXED_PT, 0, [&](unsigned l) { return uint32_t((batch.x[l] & 0xffff) | batch.y[l] << 16); });
}

}  // namespace Atoll::gpu::amd
