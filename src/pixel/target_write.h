// A wave's colours into a target, in the words of the engine (wave/engine.h): decoded, blended, encoded and written under a mask, as
// pipeline/blend.cpp and colour_write.cpp do it, in every bit. The state is a constant of compiled code.
#pragma once
#include <array>

#include "pipeline/stages.h"
#include "wave/engine.h"

namespace Atoll::pixel {

// What is done to a target; blend constants are data (QuadFeed::constant).
struct TargetState {
  pipeline::ColourPath path;
  pipeline::Blend blend;
  bool operator==(const TargetState&) const = default;
};

// `feed`: the cell of the wave's QuadFeed.
template <class E>
class TargetWrite {
public:
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;
  using Colour = std::array<F32, 4>;

  TargetWrite(E& e, uint32_t feed, unsigned target, const TargetState& state)
      : e_(e), feed_(feed), target_(target), path_(state.path), blend_(state.blend) {}

  // 8_8_8_8 unorm.
  void write(const Colour& source, M lanes) {
    const uint32_t place = feed_ + uint32_t(offsetof(pipeline::QuadFeed, place)) + target_ * pipeline::max_quads * 4;
    U32 old = path_.reads_target ? e_.pixels(target_, place) : e_.u32(0);
    Colour result = path_.blends ? blended(source, decoded(old)) : source;
    U32 word = encoded(result);
    const uint32_t mask = path_.word_mask[0];
    if (path_.reads_target && mask != ~0u) word = (word & mask) | (old & ~mask);
    e_.set_pixels(lanes, target_, place, word);
  }

private:
  E& e_;
  const uint32_t feed_;
  const unsigned target_;
  const pipeline::ColourPath& path_;
  const pipeline::Blend& blend_;

  F32 number(float x) { return e_.f32(x); }
  // NaN becomes `low`.
  F32 clamped(F32 v, float low, float high) {
    v = select(v > low, v, number(low));
    return select(v < high, v, number(high));
  }

  Colour decoded(U32 word) {
    auto component = [&](unsigned c) {
      const pipeline::ColourField& field = path_.field[c];
      if (!field.bits) return number(field.otherwise);
      return cvt_f32_s32(word >> int(field.shift) & 0xff) * (1.0f / 255.0f);
    };
    return {component(0), component(1), component(2), component(3)};
  }
  U32 encoded(const Colour& colour) {
    U32 word = e_.u32(0);
    for (unsigned c = 0; c < 4; c++) {
      if (!path_.field[c].encoded) continue;
      U32 code = cvt_s32_f32_nearest(saturate(colour[c]) * 255.0f);
      word = word | code << int(path_.field[c].shift);
    }
    return word;
  }

  F32 constant(unsigned c) {
    return as_f32(e_.splat(e_.scalar(feed_ + uint32_t(offsetof(pipeline::QuadFeed, constant)) + (target_ * 4 + c) * 4)));
  }
  // `value` (component c of source or target) times its factor.
  F32 weighted(pipeline::BlendFactor factor, F32 value, const Colour& source, const Colour& target, unsigned c) {
    using Term = pipeline::BlendTerm;
    const bool one_minus = pipeline::is_one_minus(factor);
    auto with = [&](F32 term) { return value * (one_minus ? number(1) - term : term); };
    switch (pipeline::term_of(factor)) {
      case Term::zero: return one_minus ? value : number(0);  // not times 0: infinities vanish as well
      case Term::source: return with(source[c]);
      case Term::source_alpha: return with(source[3]);
      case Term::target: return with(target[c]);
      case Term::target_alpha: return with(target[3]);
      case Term::saturate: {
        F32 room = number(1) - target[3];
        return with(c == 3 ? number(1) : select(source[3] < room, source[3], room));
      }
      case Term::constant: return with(constant(c));
      case Term::constant_alpha: return with(constant(3));
      case Term::second_source:
      case Term::second_source_alpha: break;  // (no state of a wave that writes its own pixels)
    }
    return number(0);
  }
  F32 combined(pipeline::BlendOp op, pipeline::BlendFactor source_factor, pipeline::BlendFactor target_factor,
               const Colour& source, const Colour& target, unsigned c) {
    if (op == pipeline::BlendOp::min) return select(source[c] < target[c], source[c], target[c]);
    if (op == pipeline::BlendOp::max) return select(source[c] > target[c], source[c], target[c]);
    F32 s = weighted(source_factor, source[c], source, target, c), t = weighted(target_factor, target[c], source, target, c);
    return op == pipeline::BlendOp::subtract ? s - t : op == pipeline::BlendOp::reverse_subtract ? t - s : s + t;
  }
  Colour blended(Colour source, Colour target) {
    if (path_.clamp_low_zero || path_.clamp_low_minus_one)
      for (F32& v : source) v = path_.clamp_low_zero ? saturate(v) : clamped(v, -1, 1);
    if (path_.target_alpha_is_one) target[3] = number(1);
    auto cut = [&](F32 v, bool wanted) { return wanted ? saturate(v) : v; };
    auto colour = [&](unsigned c) {
      return cut(combined(blend_.colour, blend_.source_colour, blend_.target_colour, source, target, c), blend_.clamp_colour);
    };
    return {colour(0), colour(1), colour(2),
            cut(combined(blend_.alpha, blend_.source_alpha, blend_.target_alpha, source, target, 3), blend_.clamp_alpha)};
  }
};

}  // namespace Atoll::pixel
