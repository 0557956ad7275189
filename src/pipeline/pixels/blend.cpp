// Blending (Vulkan 1.3 28.1; OpenGL 4.6 17.3.6): factors and operations of one target, over 16 pixels at a time.
#include "pipeline/pixels/pixel_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

struct Operands {
  f32x16 source[4], second[4], target[4];
  const float* constant;
};

// `value` (component c of source or target) times its factor.
f32x16 weighted(const Blend& blend, BlendFactor factor, const f32x16& value, const Operands& o, unsigned c) {
  f32x16 term{};
  switch (term_of(factor)) {
    case BlendTerm::zero:
      if (is_one_minus(factor)) return value;
      return blend.multiply_by_zero ? value * 0 : f32x16{};  // not times 0: infinities vanish as well
    case BlendTerm::source: term = o.source[c]; break;
    case BlendTerm::source_alpha: term = o.source[3]; break;
    case BlendTerm::target: term = o.target[c]; break;
    case BlendTerm::target_alpha: term = o.target[3]; break;
    case BlendTerm::saturate: {
      f32x16 room = 1 - o.target[3];
      term = c == 3 ? f32x16{} + 1 : o.source[3] < room ? o.source[3] : room;
      break;
    }
    case BlendTerm::constant: term = f32x16{} + o.constant[c]; break;
    case BlendTerm::constant_alpha: term = f32x16{} + o.constant[3]; break;
    case BlendTerm::second_source: term = o.second[c]; break;
    case BlendTerm::second_source_alpha: term = o.second[3]; break;
  }
  if (is_one_minus(factor)) term = 1 - term;
  return value * term;
}

f32x16 combine(const Blend& blend, BlendOp op, BlendFactor source_factor, BlendFactor target_factor, const Operands& o,
               unsigned c) {
  const f32x16 &source = o.source[c], &target = o.target[c];
  if (op == BlendOp::min) return source < target ? source : target;
  if (op == BlendOp::max) return source > target ? source : target;
  f32x16 s = weighted(blend, source_factor, source, o, c), t = weighted(blend, target_factor, target, o, c);
  return op == BlendOp::subtract ? s - t : op == BlendOp::reverse_subtract ? t - s : s + t;
}

}  // namespace

void blend_lanes(const Blend& blend, const ColourPath& path, const float (*source)[max_pixels], const float (*second)[max_pixels],
                 const float (*target)[max_pixels], float (*result)[max_pixels], unsigned lane) {
  Operands o;
  o.constant = path.constant;
  bool clamp = path.clamp_low_zero || path.clamp_low_minus_one;
  float low = path.clamp_low_zero ? 0.0f : -1.0f;
  auto fetch = [&](const float* from) {
    f32x16 v = load<f32x16>(from);
    if (!clamp) return v;
    v = v > low ? v : f32x16{} + low;
    return v < 1 ? v : f32x16{} + 1;
  };
  for (unsigned c = 0; c < 4; c++) {
    o.source[c] = fetch(source[c] + lane);
    o.second[c] = second ? fetch(second[c] + lane) : f32x16{};
    o.target[c] = load<f32x16>(target[c] + lane);
  }
  if (path.target_alpha_is_one) o.target[3] = f32x16{} + 1;
  auto cut = [](f32x16 v, bool wanted) {
    if (!wanted) return v;
    v = v > 0 ? v : f32x16{};
    return v < 1 ? v : f32x16{} + 1;
  };
  for (unsigned c = 0; c < 3; c++)
    store(result[c] + lane,
          cut(combine(blend, blend.colour, blend.source_colour, blend.target_colour, o, c), blend.clamp_colour));
  store(result[3] + lane, cut(combine(blend, blend.alpha, blend.source_alpha, blend.target_alpha, o, 3), blend.clamp_alpha));
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
