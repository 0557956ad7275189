#include "fragments.h"

#include <algorithm>
#include <bit>

#include "base/half.h"
#include "surface/number.h"

namespace Atoll::pipeline::oracle {

namespace {

class Merge {
public:
  Merge(const Draw& draw, Buffers& buffers)
      : draw_(draw), buffers_(buffers), depth_(draw.targets.depth, buffers), samples_(std::max(draw.targets.samples, 1u)) {
    const Rasterization& raster = draw.rasterization;
    places_ = samples_ == 1 && raster.over_rasterize && raster.samples > 1 ? std::min(raster.samples, 16u) : samples_;
    const unsigned apart = std::min(std::max(raster.samples, 1u), places_);
    shades_samples_ = raster.sample_shading && samples_ > 1 && apart > 1;
    early_ = draw.depth_stencil.early || !draw.pixel_stage;
    for (unsigned n = 0; n < 8; n++)
      writes_[n] = draw.pixel_stage && draw.targets.colour[n].target && writes_colour(draw.colour, n, draw.targets.colour[n]);
    const DepthStencil& state = draw.depth_stencil;
    copies_ = writes_[0] && ((depth_.has_depth() && state.copy_depth) || (depth_.has_stencil() && state.copy_stencil));
  }

  void fragment(size_t index, const Fragment& f, const Shader& shader) {
    uint32_t coverage = f.coverage;
    if (places_ > samples_) coverage = coverage != 0;
    if (early_) coverage = tested(f, coverage, nullptr);
    if (!coverage || !draw_.pixel_stage) return;
    if (!shades_samples_) {
      counts.pixel_invocations++;
      merge(f, shader(index, f, 0), places_ > samples_ ? f.coverage : coverage);
      return;
    }
    for (unsigned s = 0; s < samples_; s++) {
      if (!(coverage >> s & 1)) continue;
      counts.pixel_invocations++;
      merge(f, shader(index, f, s), 1u << s);
    }
  }

  Counts counts;

private:
  // The samples that pass, early or late; `outputs` are those of the pixel stage, or null.
  uint32_t tested(const Fragment& f, uint32_t coverage, const Outputs* outputs) {
    const DepthStencil& state = draw_.depth_stencil;
    uint32_t passed = 0;
    for (unsigned s = 0; s < samples_; s++) {
      if (!(coverage >> s & 1)) continue;
      float z = f.z[s];
      if (outputs && outputs->has_depth) {
        const Viewport& viewport = draw_.viewports[std::min(f.viewport, 15u)];
        const float low = std::min(viewport.depth_low, viewport.depth_high),
                    high = std::max(viewport.depth_low, viewport.depth_high);
        z = outputs->depth > low ? outputs->depth : low;
        z = z < high ? z : high;
      }
      const uint32_t* reference = outputs && outputs->has_stencil ? &outputs->stencil : nullptr;
      if (!tests(state, depth_) || passes(state, depth_, {f.x, f.y, s, f.front, z, reference})) passed |= 1u << s;
    }
    if (state.count_samples) counts.samples_passed += unsigned(std::popcount(passed));
    return passed;
  }

  // Alpha's share of the samples. Each pixel of a quad rounds in its own way, and takes others of them.
  uint32_t alpha_coverage(float alpha, const Fragment& f) const {
    const ColourOutput& output = draw_.colour;
    const unsigned counted = output.alpha_samples ? std::min(output.alpha_samples, samples_) : samples_;
    const unsigned rounding = output.alpha_rounding[f.y % 2 * 2 + f.x % 2];
    const float share = alpha > 0 ? std::min(alpha, 1.0f) : 0;
    const unsigned count = unsigned(share * float(counted) + float(rounding) / 8);
    const unsigned turn = output.alpha_in_order ? 0 : (rounding / 2 + 2) % 4 * counted / 4;
    uint32_t mask = 0;
    for (unsigned s = 0; s < samples_; s++)
      if ((s % counted + counted - turn) % counted < count) mask |= 1u << s;
    return mask;
  }

  void merge(const Fragment& f, Outputs outputs, uint32_t coverage) {
    if (outputs.killed) return;
    const ColourOutput& output = draw_.colour;
    for (unsigned n = 0; n < 8; n++) {
      if (!(outputs.halves >> n & outputs.written >> n & 1)) continue;
      const Colour packed = outputs.colour[n];
      for (unsigned c = 0; c < 4; c++)
        outputs.colour[n][c] = std::bit_cast<uint32_t>(float_from_half(uint16_t(packed[c / 2] >> c % 2 * 16)));
    }
    const bool has_alpha = outputs.written & 1;
    const float alpha = std::bit_cast<float>(outputs.colour[0][3]);
    if (output.alpha_test && has_alpha && !compare(output.alpha_compare, alpha, output.alpha_reference)) return;
    if (outputs.has_coverage) coverage &= outputs.coverage;
    if (places_ > samples_) coverage = coverage != 0;
    if (output.alpha_to_coverage && has_alpha) coverage &= alpha_coverage(alpha, f);
    if (output.alpha_to_one && has_alpha) outputs.colour[0][3] = std::bit_cast<uint32_t>(1.0f);
    if (!early_) coverage = tested(f, coverage, &outputs);
    if (!coverage) return;
    if (copies_) copy_depth(f, coverage, outputs.colour[0]);
    for (unsigned n = 0; n < 8; n++) {
      if (!writes_[n] || !(outputs.written >> n & 1)) continue;
      const Colour* second = n == 0 && outputs.has_second_source ? &outputs.colour[1] : nullptr;
      for (unsigned s = 0; s < samples_; s++)
        if (coverage >> s & 1)
          write_colour(output, n, draw_.targets.colour[n], outputs.colour[n], second, buffers_.colour[n].at(f.x, f.y, s));
    }
  }

  void copy_depth(const Fragment& f, uint32_t drawn, Colour& colour) const {
    const DepthStencil& state = draw_.depth_stencil;
    unsigned sample = state.copied_sample % samples_;
    if (state.copy_first_drawn)
      for (unsigned tried = 0; !(drawn >> sample & 1) && tried < samples_; tried++) sample = (sample + 1) % samples_;
    if (state.copy_depth && depth_.has_depth()) {
      colour[0] = depth_.depth(f.x, f.y, sample);
      if (depth_.bits() < 32) colour[0] = std::bit_cast<uint32_t>(surface::from_unorm(colour[0], depth_.bits()));
    }
    if (state.copy_stencil && depth_.has_stencil()) colour[1] = depth_.stencil(f.x, f.y, sample);
  }

  const Draw& draw_;
  Buffers& buffers_;
  DepthBuffer depth_;
  unsigned samples_, places_;
  bool shades_samples_, early_, copies_;
  bool writes_[8];
};

}  // namespace

Counts draw_fragments(const Draw& draw, std::span<const Fragment> fragments, const Shader& shader, Buffers& buffers) {
  Merge merge(draw, buffers);
  for (size_t n = 0; n < fragments.size(); n++) merge.fragment(n, fragments[n], shader);
  return merge.counts;
}

}  // namespace Atoll::pipeline::oracle
