// A wave's colours into a target, in the words of the engine (wave/engine.h): decoded, blended, encoded and written under a mask, as
// pipeline/pixels/blend.cpp and colour_write.cpp do it, in every bit. The state is a constant of compiled code.
#pragma once
#include <array>

#include "pipeline/stages.h"
#include "pixel/target_fields.h"
#include "wave/engine.h"

namespace Atoll::pixel {

// The operations on a target; blend constants are data (QuadPayload::constant).
struct TargetState {
  pipeline::ColourPath path;
  pipeline::Blend blend;
  bool operator==(const TargetState&) const = default;
};

// `payload`: the cell of the wave's QuadPayload.
template <class E>
class TargetWrite {
public:
  using Fields = TargetFields<E>;
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;
  using Words = typename Fields::Words;
  using Bits = typename Fields::Bits;
  using Colour = typename Fields::Colour;

  TargetWrite(E& e, uint32_t payload, unsigned target, const TargetState& state)
      : e_(e), payload_(payload), target_(target), path_(state.path), blend_(state.blend), fields_(e, state.path) {}

  // Into `samples` samples of each pixel; `lanes(s)`: which pixels, of sample s. `second`: the second source, where blending takes
  // any of it.
  template <class Lanes>
  void write(const Bits& source, const Bits& second, unsigned samples, Lanes lanes) {
    const unsigned words = std::max(1u, path_.texel_bytes / 4u);
    const M left_out = path_.discards ? discarded(floats(source)) : e_.m(false);
    const Words none = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)}, fresh = path_.blends ? none : fields_.encoded(source);
    Words old = none;
    for (unsigned s = 0; s < samples; s++) {
      Words texel = fresh;
      if (path_.reads_target) {
        for (unsigned w = 0; w < words; w++) old[w] = e_.pixels(at(s, w));
        if (path_.blends) texel = fields_.encoded(bits(blended(floats(source), floats(second), fields_.decoded(old))));
        for (unsigned w = 0; w < words; w++) {
          if (path_.logic) texel[w] = combined(texel[w], old[w]);
          if (const uint32_t mask = path_.word_mask[w]; mask != ~0u) texel[w] = (texel[w] & mask) | (old[w] & ~mask);
        }
      }
      M of_sample = lanes(s);
      if (path_.discards) of_sample = of_sample & ~left_out;
      for (unsigned w = 0; w < words; w += 2) {
        if (!path_.word_mask[w] && !(w + 1 < words && path_.word_mask[w + 1])) continue;
        if (w + 1 < words)
          e_.set_pixels(of_sample, at(s, w), texel[w], texel[w + 1]);
        else
          e_.set_pixels(of_sample, at(s, w), texel[w]);
      }
    }
  }

private:
  E& e_;
  const uint32_t payload_;
  const unsigned target_;
  const pipeline::ColourPath& path_;
  const pipeline::Blend& blend_;
  Fields fields_;

  F32 number(float x) { return e_.f32(x); }
  // NaN becomes `low`.
  F32 clamped(F32 v, float low, float high) {
    v = select(v > low, v, number(low));
    return select(v < high, v, number(high));
  }
  static Colour floats(const Bits& c) { return {as_f32(c[0]), as_f32(c[1]), as_f32(c[2]), as_f32(c[3])}; }
  static Bits bits(const Colour& c) { return {as_u32(c[0]), as_u32(c[1]), as_u32(c[2]), as_u32(c[3])}; }

  wave::PixelWords at(unsigned sample, unsigned word) const {
    return {.cell = payload_ + uint32_t(offsetof(pipeline::QuadPayload, place)) + target_ * pipeline::max_quads * 4,
            .target = uint8_t(target_),
            .texel_bytes = path_.texel_bytes,
            .word = uint8_t(word),
            .offset = sample * pipeline::max_pixels * path_.texel_bytes};
  }

  // Pixels that pipeline::SourceDiscard leaves as they are.
  M discarded(const Colour& source) {
    const pipeline::SourceDiscard& discard = blend_.discard;
    M all = e_.m(true);
    for (unsigned c = 0; c < 4; c++) {
      if (!(discard.components >> c & 1)) continue;
      const F32 bound = number(discard.bound[c]);
      all = all & (discard.when == pipeline::SourceDiscard::When::below ? source[c] < bound : source[c] >= bound);
    }
    return all;
  }

  // The logic operation (pipeline::LogicOp).
  U32 combined(U32 source, U32 target) {
    U32 result = e_.u32(0);
    if (path_.logic_op & 1) result = result | (~source & ~target);
    if (path_.logic_op & 2) result = result | (~source & target);
    if (path_.logic_op & 4) result = result | (source & ~target);
    if (path_.logic_op & 8) result = result | (source & target);
    return result;
  }

  struct Operands {
    Colour source, second, target;
  };
  F32 constant(unsigned c) {
    return as_f32(e_.splat(e_.scalar(payload_ + uint32_t(offsetof(pipeline::QuadPayload, constant)) + (target_ * 4 + c) * 4)));
  }
  // `value` (component c of source or target) times its factor.
  F32 weighted(pipeline::BlendFactor factor, F32 value, const Operands& o, unsigned c) {
    using Term = pipeline::BlendTerm;
    const bool one_minus = pipeline::is_one_minus(factor);
    auto with = [&](F32 term) { return value * (one_minus ? number(1) - term : term); };
    switch (pipeline::term_of(factor)) {
      case Term::zero:
        if (one_minus) return value;
        return blend_.multiply_by_zero ? value * number(0) : number(0);  // not times 0: infinities vanish as well
      case Term::source: return with(o.source[c]);
      case Term::source_alpha: return with(o.source[3]);
      case Term::target: return with(o.target[c]);
      case Term::target_alpha: return with(o.target[3]);
      case Term::saturate: {
        F32 room = number(1) - o.target[3];
        return with(c == 3 ? number(1) : select(o.source[3] < room, o.source[3], room));
      }
      case Term::constant: return with(constant(c));
      case Term::constant_alpha: return with(constant(3));
      case Term::second_source: return with(o.second[c]);
      case Term::second_source_alpha: return with(o.second[3]);
    }
    return number(0);
  }
  F32 combined(pipeline::BlendOp op, pipeline::BlendFactor source_factor, pipeline::BlendFactor target_factor, const Operands& o,
               unsigned c) {
    const F32 source = o.source[c], target = o.target[c];
    if (op == pipeline::BlendOp::min) return select(source < target, source, target);
    if (op == pipeline::BlendOp::max) return select(source > target, source, target);
    F32 s = weighted(source_factor, source, o, c), t = weighted(target_factor, target, o, c);
    return op == pipeline::BlendOp::subtract ? s - t : op == pipeline::BlendOp::reverse_subtract ? t - s : s + t;
  }
  Colour blended(const Colour& source, const Colour& second, const Colour& target) {
    Operands o{source, second, target};
    if (path_.clamp_low_zero || path_.clamp_low_minus_one)
      for (Colour* colour : {&o.source, &o.second})
        for (F32& v : *colour) v = path_.clamp_low_zero ? saturate(v) : clamped(v, -1, 1);
    if (path_.target_alpha_is_one) o.target[3] = number(1);
    auto cut = [&](F32 v, bool wanted) { return wanted ? saturate(v) : v; };
    auto colour = [&](unsigned c) {
      return cut(combined(blend_.colour, blend_.source_colour, blend_.target_colour, o, c), blend_.clamp_colour);
    };
    return {colour(0), colour(1), colour(2),
            cut(combined(blend_.alpha, blend_.source_alpha, blend_.target_alpha, o, 3), blend_.clamp_alpha)};
  }
};

}  // namespace Atoll::pixel
