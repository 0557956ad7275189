#include "texel.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace Atoll::pipeline::oracle {

using surface::Layout;
using surface::Number;
using surface::Select;

namespace {

uint32_t bits_at(const uint8_t* texel, surface::Field field) {
  uint64_t value = 0;
  for (unsigned n = 0; n < field.bits; n++) {
    const unsigned bit = field.first_bit + n;
    value |= uint64_t(texel[bit / 8] >> bit % 8 & 1) << n;
  }
  return uint32_t(value);
}
void put_bits(uint8_t* texel, surface::Field field, uint32_t value) {
  for (unsigned n = 0; n < field.bits; n++) {
    const unsigned bit = field.first_bit + n;
    texel[bit / 8] = uint8_t((texel[bit / 8] & ~(1u << bit % 8)) | (value >> n & 1) << bit % 8);
  }
}

}  // namespace

bool Texel::stored(unsigned component) const {
  return format_.order[component] <= Select::field_3 && unsigned(format_.order[component]) < layout_.fields;
}
// A field takes the first component that is drawn from it.
bool Texel::first_of_field(unsigned component) const {
  for (unsigned before = 0; before < component; before++)
    if (format_.order[before] == format_.order[component]) return false;
  return stored(component);
}

// Alpha has no sRGB curve. In formats of whole bytes that is the component alpha; in others it is field 3, or the field that
// nothing but alpha is drawn from (surface/texel.cpp).
Number Texel::number(unsigned component) const {
  if (format_.number != Number::srgb) return format_.number;
  if (alpha_by_component_) return component == 3 ? Number::unorm : Number::srgb;
  const bool only_alpha = layout_.fields < 4 && component == 3 && first_of_field(3);
  return format_.order[component] == Select::field_3 || only_alpha ? Number::unorm : Number::srgb;
}

bool Texel::cut(unsigned component) const {
  const BitCut& cut = component == 3 ? alpha_cut_ : colour_cut_;
  return stored(component) && format_.number == Number::unorm && cut.from > field(component).bits;
}

Texel::Texel(const ColourTarget& target, const Blend& blend, bool by_texel)
    : format_(target.format),
      layout_(surface::row(target.format.layout)),
      colour_cut_(blend.colour_cut),
      alpha_cut_(blend.alpha_cut),
      rounding_(target.round_toward_zero ? surface::Rounding::toward_zero : surface::Rounding::nearest_even) {
  if (layout_.block_width != 1 || layout_.bytes != target.texel_bytes) return;
  unorm_bytes_ = format_.layout == Layout::bits_8_8_8_8 && format_.number == Number::unorm && !by_texel;
  for (unsigned c = 0; c < 4; c++) unorm_bytes_ &= !cut(c);
  alpha_by_component_ = std::has_single_bit(unsigned(layout_.bytes));
  for (unsigned c = 0; c < 3; c++) alpha_by_component_ &= !stored(c) || field(c).bits == 8;

  constexpr std::array<uint8_t, 4> all = {0xff, 0xff, 0xff, 0xff};
  bool whole = true;
  for (unsigned c = 0; c < 4; c++) {
    if (!first_of_field(c)) continue;
    if (blend.write_mask >> c & 1) {
      written_ = true;
      put_bits(mask_.data(), field(c), ~0u);
    } else {
      whole = false;
    }
  }
  // The exponent is that of all three.
  if (written_ && format_.layout == Layout::bits_9_9_9_e5) put_bits(mask_.data(), {27, 5}, ~0u);
  // Bits of no component are written, as 0, where all components are.
  if (written_ && whole)
    for (unsigned n = 0; n < 16; n += 4) std::memcpy(&mask_[n], all.data(), 4);
}

Colour Texel::decode(const uint8_t* texel) const {
  Colour colour;
  const uint32_t one = surface::is_integer(format_.number) ? 1 : std::bit_cast<uint32_t>(1.0f);
  for (unsigned c = 0; c < 4; c++) {
    colour[c] = format_.order[c] == Select::field_3 || format_.order[c] == Select::one ? one : 0;
    if (!stored(c)) continue;
    const uint32_t code = bits_at(texel, field(c));
    if (format_.layout == Layout::bits_9_9_9_e5) {
      const surface::Rgb rgb = surface::from_shared_exponent(bits_at(texel, {0, 32}));
      const float of_field[3] = {rgb.red, rgb.green, rgb.blue};
      colour[c] = std::bit_cast<uint32_t>(of_field[size_t(format_.order[c])]);
    } else if (unorm_bytes_) {
      colour[c] = std::bit_cast<uint32_t>(float(code) * (1.0f / 255.0f));
    } else {
      colour[c] = surface::decode_field(code, field(c).bits, number(c));
    }
  }
  return colour;
}

void Texel::encode(const Colour& colour, uint8_t* texel) const {
  std::memset(texel, 0, layout_.bytes);
  if (format_.layout == Layout::bits_9_9_9_e5) {
    float of_field[3] = {};
    for (unsigned c = 0; c < 4; c++)
      if (first_of_field(c)) of_field[size_t(format_.order[c])] = std::bit_cast<float>(colour[c]);
    return put_bits(texel, {0, 32}, surface::to_shared_exponent({of_field[0], of_field[1], of_field[2]}));
  }
  for (unsigned c = 0; c < 4; c++) {
    if (!first_of_field(c)) continue;
    uint32_t code;
    if (unorm_bytes_) {
      // A float's product; adding 1.5 * 2^23 leaves it in the low bits, rounded to nearest even.
      float value = std::bit_cast<float>(colour[c]);
      value = value > 0 ? value : 0;
      value = value < 1 ? value : 1;
      const float scaled = value * 255.0f;
      code = std::bit_cast<uint32_t>(scaled + 12582912.0f) & 0xff;
    } else if (cut(c)) {
      const BitCut& cut = c == 3 ? alpha_cut_ : colour_cut_;
      const unsigned lost = cut.from - field(c).bits;
      code = surface::encode_field(colour[c], cut.from, number(c), rounding_);
      if (cut.rounds) code = std::min(code + (1u << (lost - 1)), (1u << cut.from) - 1);
      code >>= lost;
    } else {
      code = surface::encode_field(colour[c], field(c).bits, number(c), rounding_);
    }
    put_bits(texel, field(c), code);
  }
}

}  // namespace Atoll::pipeline::oracle
