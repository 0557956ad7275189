// Blending (Vulkan 1.3 28.1; OpenGL 4.6 17.3.6): factors and operations of one target, over 16 pixels at a time.
#include <iterator>

#include "pipeline/tile_work.h"

namespace Atoll::pipeline::ATOLL_LEVEL {

namespace {

enum class Term : uint8_t {
  zero,
  source,
  source_alpha,
  target,
  target_alpha,
  saturate,
  constant,
  constant_alpha,
  second,
  second_alpha
};

// One row a factor: what it is taken from, and whether it is one minus that.
struct FactorRow {
  BlendFactor factor;
  Term term;
  bool one_minus;
};
constexpr FactorRow factors[] = {
    {BlendFactor::zero, Term::zero, false},
    {BlendFactor::one, Term::zero, true},
    {BlendFactor::source_colour, Term::source, false},
    {BlendFactor::one_minus_source_colour, Term::source, true},
    {BlendFactor::source_alpha, Term::source_alpha, false},
    {BlendFactor::one_minus_source_alpha, Term::source_alpha, true},
    {BlendFactor::target_colour, Term::target, false},
    {BlendFactor::one_minus_target_colour, Term::target, true},
    {BlendFactor::target_alpha, Term::target_alpha, false},
    {BlendFactor::one_minus_target_alpha, Term::target_alpha, true},
    {BlendFactor::source_alpha_saturate, Term::saturate, false},
    {BlendFactor::constant_colour, Term::constant, false},
    {BlendFactor::one_minus_constant_colour, Term::constant, true},
    {BlendFactor::constant_alpha, Term::constant_alpha, false},
    {BlendFactor::one_minus_constant_alpha, Term::constant_alpha, true},
    {BlendFactor::second_source_colour, Term::second, false},
    {BlendFactor::one_minus_second_source_colour, Term::second, true},
    {BlendFactor::second_source_alpha, Term::second_alpha, false},
    {BlendFactor::one_minus_second_source_alpha, Term::second_alpha, true},
};
static_assert([] {
  for (unsigned n = 0; n < std::size(factors); n++)
    if (unsigned(factors[n].factor) != n) return false;
  return true;
}());

struct Operands {
  f32x16 source[4], second[4], target[4];
  const float* constant;
};

// `value` (component c of source or target) times its factor.
f32x16 weighted(BlendFactor factor, const f32x16& value, const Operands& o, unsigned c) {
  const FactorRow& row = factors[unsigned(factor) < std::size(factors) ? unsigned(factor) : 1];
  f32x16 term;
  switch (row.term) {
    case Term::zero: return row.one_minus ? value : f32x16{};  // not times 0: infinities vanish as well
    case Term::source: term = o.source[c]; break;
    case Term::source_alpha: term = o.source[3]; break;
    case Term::target: term = o.target[c]; break;
    case Term::target_alpha: term = o.target[3]; break;
    case Term::saturate: {
      f32x16 room = 1 - o.target[3];
      term = c == 3 ? f32x16{} + 1 : o.source[3] < room ? o.source[3] : room;
      break;
    }
    case Term::constant: term = f32x16{} + o.constant[c]; break;
    case Term::constant_alpha: term = f32x16{} + o.constant[3]; break;
    case Term::second: term = o.second[c]; break;
    case Term::second_alpha: term = o.second[3]; break;
  }
  if (row.one_minus) term = 1 - term;
  return value * term;
}

f32x16 combine(BlendOp op, BlendFactor source_factor, BlendFactor target_factor, const Operands& o, unsigned c) {
  const f32x16 &source = o.source[c], &target = o.target[c];
  if (op == BlendOp::min) return source < target ? source : target;
  if (op == BlendOp::max) return source > target ? source : target;
  f32x16 s = weighted(source_factor, source, o, c), t = weighted(target_factor, target, o, c);
  return op == BlendOp::subtract ? s - t : op == BlendOp::reverse_subtract ? t - s : s + t;
}

}  // namespace

void blend_lanes(const Blend& blend, const ColourPath& path, const float (*source)[most_pixels],
                 const float (*second)[most_pixels], const float (*target)[most_pixels], float (*result)[most_pixels],
                 unsigned lane) {
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
    store(result[c] + lane, cut(combine(blend.colour, blend.source_colour, blend.target_colour, o, c), blend.clamp_colour));
  store(result[3] + lane, cut(combine(blend.alpha, blend.source_alpha, blend.target_alpha, o, 3), blend.clamp_alpha));
}

}  // namespace Atoll::pipeline::ATOLL_LEVEL
