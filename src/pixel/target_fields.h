// Texels to colours and back in the words of the engine: the fields of any format whose row in the table of formats
// (surface/format.h) has them inside of words. Bit for bit what surface/number.h says of one number; where pipeline/colour_write.cpp
// has a rounding of its own (8_8_8_8 unorm), that one. A texel's words and a colour's components are constants of compiled code.
#pragma once
#include <array>

#include "pipeline/colour_path.h"
#include "pixel/srgb_tables.h"

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
      : e_(e), path_(path), plain_bytes_(path.kind == pipeline::ColourPath::Kind::bytes) {}

  Colour decoded(const Words& texel) {
    auto component = [&](unsigned c) -> F32 {
      const pipeline::ColourField& field = path_.field[c];
      if (!field.bits) return number(field.otherwise);
      U32 code = texel[field.word] >> int(field.shift);
      if (field.bits < 32) code = code & most(field);
      if (plain_bytes_) return cvt_f32_s32(code) * (1.0f / 255.0f);
      return decoded_field(field, code);
    };
    return {component(0), component(1), component(2), component(3)};
  }

  Words encoded(const Bits& colour) {
    Words texel = {e_.u32(0), e_.u32(0), e_.u32(0), e_.u32(0)};
    for (unsigned c = 0; c < 4; c++) {
      const pipeline::ColourField& field = path_.field[c];
      if (!field.encoded) continue;
      U32 code = plain_bytes_ ? cvt_s32_f32_nearest(saturate(as_f32(colour[c])) * 255.0f) : encoded_field(field, colour[c]);
      U32& word = texel[field.word];
      word = field.bits == 32 ? code : word | code << int(field.shift);
    }
    return texel;
  }

private:
  E& e_;
  const pipeline::ColourPath& path_;
  const bool plain_bytes_;

  F32 number(float x) { return e_.f32(x); }
  static uint32_t most(const pipeline::ColourField& field) { return field.bits == 32 ? ~0u : (1u << field.bits) - 1; }

  F32 decoded_field(const pipeline::ColourField& field, U32 code) {
    using surface::Number;
    switch (field.number) {
      case Number::unorm: return cvt_f32_s32(code) / float(most(field));
      case Number::snorm: {
        const int left = 32 - field.bits;
        F32 v = cvt_f32_s32(ashr(code << left, left)) / float(most(field) >> 1);
        return select(v > -1.0f, v, number(-1));
      }
      case Number::floating:
        if (field.bits == 32) return as_f32(code);
        return field.bits == 16 ? cvt_f32_f16(code) : small_float(code, field.bits - 5u);
      case Number::srgb: return as_f32(e_.constant_word(srgb_tables().decoded, 8, code));
      default: return as_f32(code);
    }
  }

  U32 encoded_field(const pipeline::ColourField& field, U32 bits) {
    using surface::Number;
    const bool toward_zero = path_.rounding == surface::Rounding::toward_zero;
    switch (field.number) {
      case Number::unorm:
        return cvt_s32_f64(cvt_f64_f32(saturate(as_f32(bits))) * double(most(field)) + 0.5);  // (the product is exact)
      case Number::snorm: {
        F32 v = as_f32(bits);
        v = select(isnan(v), number(0), v);
        v = select(v > -1.0f, v, number(-1));
        v = select(v < 1.0f, v, number(1));
        auto half = cvt_f64_f32(select(v < 0.0f, number(-0.5f), number(0.5f)));
        return cvt_s32_f64(cvt_f64_f32(v) * double(most(field) >> 1) + half) & most(field);
      }
      case Number::floating:
        if (field.bits == 32) return bits;
        if (field.bits != 16) return small_code(bits, field.bits - 5u, toward_zero);
        return toward_zero ? cvt_f16_f32_toward_zero(as_f32(bits)) : cvt_f16_f32(as_f32(bits));
      case Number::srgb: return srgb_code(as_f32(bits));
      case Number::sint:
      case Number::sscaled: {
        U32 v = field.number == Number::sint ? bits : cvt_s32_f32(as_f32(bits));
        if (field.bits == 32) return v;
        return smin(smax(v, e_.u32(~(most(field) >> 1))), e_.u32(most(field) >> 1)) & most(field);
      }
      default: {
        U32 v = field.number == Number::uscaled ? cvt_u32_f32(as_f32(bits)) : bits;
        return field.bits == 32 ? v : umin(v, e_.u32(most(field)));
      }
    }
  }

  // Floats of 5 bits of exponent and no sign.
  F32 small_float(U32 code, unsigned mantissa_bits) {
    const uint32_t mantissa_mask = (1u << mantissa_bits) - 1;
    U32 mantissa = code & mantissa_mask, exponent = code >> int(mantissa_bits), place = code << int(23 - mantissa_bits);
    const float step = 1.0f / float(1u << (14 + mantissa_bits));  // between denormals
    U32 special = (place & 0x7fffff) | 0x7f800000u;
    special = select(mantissa == 0, special, special | 0x400000u);
    U32 normal = select(exponent == 31, special, place + (112u << 23));
    return select(exponent == 0, cvt_f32_s32(mantissa) * step, as_f32(normal));
  }
  U32 small_code(U32 bits, unsigned mantissa_bits, bool toward_zero) {
    const int drop = int(23 - mantissa_bits);
    const uint32_t infinity = 31u << mantissa_bits;
    F32 value = as_f32(bits);
    U32 normal = bits - 0x38000000u, denormal = bits;
    if (toward_zero) {
      normal = normal >> drop;
      denormal = cvt_u32_f32(value * float(1u << (14 + mantissa_bits)));
    } else {  // to the nearest even; below the smallest normal number a sum does it, whose last bit is a denormal's
      normal = (normal + ((1u << (drop - 1)) - 1) + (bits >> drop & 1)) >> drop;
      const float sum = float(1u << (9 - mantissa_bits));
      denormal = as_u32(value + sum) - std::bit_cast<uint32_t>(sum);
    }
    U32 code = umin(select(bits < 0x38800000u, denormal, normal), e_.u32(infinity - 1));
    code = select(bits == 0x7f800000u, e_.u32(infinity), code);
    code = select(value > 0.0f, code, e_.u32(0));
    return select(isnan(value), e_.u32(infinity | ((1u << mantissa_bits) - 1)), code);
  }

  U32 srgb_code(F32 value) {
    const SrgbTables& tables = srgb_tables();
    U32 bits = as_u32(value);
    U32 low = e_.constant_word(tables.code, SrgbTables::log_codes, (bits - SrgbTables::first) >> int(SrgbTables::shift));
    low = select(bits < SrgbTables::first, e_.u32(0), low);
    F32 bound = as_f32(e_.constant_word(tables.bound, 8, low));
    U32 code = select(value >= bound, low + 1, low);
    return select(value > 0.0f, select(value >= 1.0f, e_.u32(255), code), e_.u32(0));
  }
};

}  // namespace Atoll::pixel
