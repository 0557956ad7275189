// The path of a draw's colours into a target, found from the draw's state and the target's format.
#pragma once
#include <cstdint>

#include "pipeline/state.h"
#include "surface/number.h"

namespace Atoll::pipeline {

// The position of a colour component in a texel; 0 bits: it is not stored.
struct ColourField {
  uint8_t word = 0, shift = 0, bits = 0;
  bool encoded = false;  // (a field that several components are drawn from takes the first)
  float otherwise = 0;   // what it reads as if it is not stored
  surface::Number number = surface::Number::unorm;
  BitCut cut = {};  // of what is encoded
  bool operator==(const ColourField&) const = default;
};

// The way a colour target is written.
struct ColourPath {
  enum class Kind : uint8_t {
    none,    // not at all
    bytes,   // 8_8_8_8 unorm in lanes
    fields,  // others of small fields, in lanes
    texels,  // a texel at a time
  } kind = Kind::none;
  bool reads_target = false;
  bool blends = false;  // (not where a logic operation takes its place)
  bool logic = false;
  bool flips = false;     // ColourOutput::flip
  bool discards = false;  // Blend::discard
  bool target_alpha_is_one = false;
  bool in_words = false;  // waves can write it themselves (src/pixel): every field lies in a word
  uint8_t texel_bytes = 0;
  uint8_t logic_op = 12;                                     // where `logic`: LogicOp
  ColourField field[4];                                      // of red, green, blue, alpha
  uint32_t word_mask[4] = {};                                // bits of a texel that are written
  bool clamp_low_zero = false, clamp_low_minus_one = false;  // of what is blended: unorm, snorm
  float constant[4] = {};
  surface::Rounding rounding = surface::Rounding::nearest_even;
  bool operator==(const ColourPath&) const = default;
};

}  // namespace Atoll::pipeline
