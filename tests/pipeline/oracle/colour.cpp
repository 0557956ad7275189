// Blending: Vulkan 1.3 28.1. Every operation is one rounded float operation, so that all bits are decided.
#include "colour.h"

#include <bit>
#include <cstring>
#include <optional>

namespace Atoll::pipeline::oracle {

namespace {

using Floats = std::array<float, 4>;

Floats floats_of(const Colour& colour) { return std::bit_cast<Floats>(colour); }

// NaN becomes `low`.
float clamped(float value, float low, float high) {
  value = value > low ? value : low;
  return value < high ? value : high;
}

bool does_logic(const ColourOutput& output, unsigned number, const ColourTarget& target) {
  return output.logic_op_enable && output.blend[number].logic_op && target.format.number != surface::Number::floating &&
         target.format.number != surface::Number::srgb;
}

bool blends(const ColourOutput& output, unsigned number, const ColourTarget& target) {
  switch (target.format.number) {
    case surface::Number::uint:
    case surface::Number::sint:
    case surface::Number::uscaled:
    case surface::Number::sscaled: return false;
    default: return output.blend[number].enable && !does_logic(output, number, target);
  }
}

struct Operands {
  Floats source, second, target, constant;
};

float weighted(float value, BlendFactor factor, const Operands& o, unsigned c) {
  const float room = 1 - o.target[3];
  switch (factor) {
    case BlendFactor::zero: return 0;  // also of infinities
    case BlendFactor::one: return value;
    case BlendFactor::source_colour: return value * o.source[c];
    case BlendFactor::one_minus_source_colour: return value * (1 - o.source[c]);
    case BlendFactor::source_alpha: return value * o.source[3];
    case BlendFactor::one_minus_source_alpha: return value * (1 - o.source[3]);
    case BlendFactor::target_colour: return value * o.target[c];
    case BlendFactor::one_minus_target_colour: return value * (1 - o.target[c]);
    case BlendFactor::target_alpha: return value * o.target[3];
    case BlendFactor::one_minus_target_alpha: return value * (1 - o.target[3]);
    case BlendFactor::source_alpha_saturate: return value * (c == 3 ? 1 : o.source[3] < room ? o.source[3] : room);
    case BlendFactor::constant_colour: return value * o.constant[c];
    case BlendFactor::one_minus_constant_colour: return value * (1 - o.constant[c]);
    case BlendFactor::constant_alpha: return value * o.constant[3];
    case BlendFactor::one_minus_constant_alpha: return value * (1 - o.constant[3]);
    case BlendFactor::second_source_colour: return value * o.second[c];
    case BlendFactor::one_minus_second_source_colour: return value * (1 - o.second[c]);
    case BlendFactor::second_source_alpha: return value * o.second[3];
    case BlendFactor::one_minus_second_source_alpha: return value * (1 - o.second[3]);
  }
  return 0;
}

float combined(BlendOp op, BlendFactor source_factor, BlendFactor target_factor, const Operands& o, unsigned c) {
  const float s = weighted(o.source[c], source_factor, o, c), t = weighted(o.target[c], target_factor, o, c);
  switch (op) {
    case BlendOp::add: return s + t;
    case BlendOp::subtract: return s - t;
    case BlendOp::reverse_subtract: return t - s;
    case BlendOp::min: return o.source[c] < o.target[c] ? o.source[c] : o.target[c];  // without factors
    case BlendOp::max: return o.source[c] > o.target[c] ? o.source[c] : o.target[c];
  }
  return 0;
}

Colour blended(const ColourOutput& output, const Blend& blend, const ColourTarget& target, const Colour& source,
               const Colour* second, const Colour& old) {
  Operands o{floats_of(source), second ? floats_of(*second) : Floats{}, floats_of(old), output.constant};
  if (output.clamp_before_blending && blend.clamp_source) {
    using Range = Blend::SourceRange;
    using surface::Number;
    const Number number = target.format.number;
    std::optional<float> low;
    switch (blend.source_range) {
      case Range::unorm: low = 0; break;
      case Range::snorm: low = -1; break;
      case Range::of_format:
        if (number == Number::unorm || number == Number::srgb) low = 0;
        if (number == Number::snorm) low = -1;
    }
    if (low)
      for (Floats* values : {&o.source, &o.second, &o.constant})
        if (values != &o.constant || blend.clamp_constant)
          for (float& value : *values) value = clamped(value, *low, 1);
  }
  if (target.alpha_reads_as_one) o.target[3] = 1;
  Floats result;
  for (unsigned c = 0; c < 3; c++) {
    result[c] = combined(blend.colour, blend.source_colour, blend.target_colour, o, c);
    if (blend.clamp_colour) result[c] = clamped(result[c], 0, 1);
  }
  result[3] = combined(blend.alpha, blend.source_alpha, blend.target_alpha, o, 3);
  if (blend.clamp_alpha) result[3] = clamped(result[3], 0, 1);
  return std::bit_cast<Colour>(result);
}

}  // namespace

// True if the target keeps what it holds because of the source's colours.
static bool discards(const Blend& blend, const Colour& source) {
  const SourceDiscard& discard = blend.discard;
  if (!blend.enable || discard.when == SourceDiscard::When::never) return false;
  for (unsigned c = 0; c < 4; c++) {
    const float value = std::bit_cast<float>(source[c]);
    const bool beyond = discard.when == SourceDiscard::When::below ? value < discard.bound[c] : value >= discard.bound[c];
    if (discard.components >> c & 1 && !beyond) return false;
  }
  return true;
}

bool writes_colour(const ColourOutput& output, unsigned number, const ColourTarget& target) {
  return Texel(target, output.blend[number], does_logic(output, number, target)).written();
}

void write_colour(const ColourOutput& output, unsigned number, const ColourTarget& target, const Colour& source,
                  const Colour* second, uint8_t* texel) {
  const Blend& blend = output.blend[number];
  const bool logic = does_logic(output, number, target);
  const Texel format(target, blend, logic);
  if (!format.written() || discards(blend, source)) return;
  Colour colour = source;
  if (blends(output, number, target)) colour = blended(output, blend, target, source, second, format.decode(texel));
  uint8_t fresh[16];
  format.encode(colour, fresh);
  for (unsigned byte = 0; byte < target.texel_bytes; byte++) {
    const uint8_t old = texel[byte], mask = format.mask()[byte];
    uint8_t value = fresh[byte];
    if (logic) {
      value = 0;
      for (unsigned bit = 0; bit < 8; bit++) {
        const unsigned row = (fresh[byte] >> bit & 1) * 2u + (old >> bit & 1);
        value |= uint8_t((output.logic_op >> row & 1) << bit);
      }
    }
    texel[byte] = uint8_t((value & mask) | (old & ~mask));
  }
}

}  // namespace Atoll::pipeline::oracle
