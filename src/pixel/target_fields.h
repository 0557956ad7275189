// Texels to colours and back in the words of the engine: the fields of any format whose row in the table of formats
// (surface/format.h) has them inside of words. Bit for bit what surface/number.h says of one number; where pipeline/pixels/colour_write.cpp
// has a rounding of its own (8_8_8_8 unorm), that one. A texel's words and a colour's components are constants of compiled code.
#pragma once
#include <array>

#include "pipeline/colour_path.h"
#include "surface/field_codes.h"

namespace Atoll::pixel {

template <class E>
class TargetFields {
public:
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using M = typename E::M;
  using Words = std::array<U32, 4>;   // of a texel
  using Bits = std::array<U32, 4>;    // of a colour, as the format takes them: floats' bits, or integers
  using Colour = std::array<F32, 4>;  // what is blended

  TargetFields(E& e, const pipeline::ColourPath& path)
      : e_(e), path_(path), codes_(e), plain_bytes_(path.kind == pipeline::ColourPath::Kind::bytes) {}

  Colour decoded(const Words& texel) {
    auto component = [&](unsigned c) -> F32 {
      const pipeline::ColourField& field = path_.field[c];
      if (!field.bits) return number(field.otherwise);
      U32 code = texel[field.word] >> int(field.shift);
      if (field.bits < 32) code = code & most(field);
      if (plain_bytes_) return cvt_f32_s32(code) * (1.0f / 255.0f);
      return codes_.decoded(field.number, field.bits, code);
    };
    return {component(0), component(1), component(2), component(3)};
  }

  Words encoded(const Bits& colour) {
    Words texel = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)};
    for (unsigned c = 0; c < 4; c++) {
      const pipeline::ColourField& field = path_.field[c];
      if (!field.encoded) continue;
      U32 code = plain_bytes_     ? cvt_s32_f32_nearest(saturate(as_f32(colour[c])) * 255.0f)
                 : field.cut.from ? cut(field, colour[c])
                                  : codes_.encoded(field.number, field.bits, path_.rounding, colour[c]);
      U32& word = texel[field.word];
      word = field.bits == 32 ? code : word | code << int(field.shift);
    }
    return texel;
  }

private:
  E& e_;
  const pipeline::ColourPath& path_;
  surface::FieldCodes<E> codes_;
  const bool plain_bytes_;

  // The component's code: of field.cut.from bits first, then reduced to the field's (pipeline::BitCut).
  U32 cut(const pipeline::ColourField& field, U32 component) {
    const uint32_t all = (1u << field.cut.from) - 1;
    const int lost = field.cut.from - field.bits;
    U32 code = codes_.encoded(field.number, field.cut.from, path_.rounding, component);
    if (field.cut.rounds) {
      code = code + (1u << (lost - 1));
      code = select(code < all, code, e_.u32(all));
    }
    return code >> lost;
  }

  F32 number(float x) { return e_.f32(x); }
  static uint32_t most(const pipeline::ColourField& field) { return field.bits == 32 ? ~0u : (1u << field.bits) - 1; }
};

}  // namespace Atoll::pixel
