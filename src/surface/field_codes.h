// Fields of texels to numbers and back in the words of the engine (wave/engine.h), bit for bit as decode_field() and encode_field() of
// number.h, whatever denormals the wave's mode flushes; its rounding must be to the nearest even. Fields of 32 bits of unorm and snorm,
// sRGB of other than 8 bits, depths with stencils and shared exponents have no words here.
#pragma once
#include <bit>

#include "surface/number.h"
#include "surface/srgb_codes.h"

namespace Atoll::surface {

template <class E>
class FieldCodes {
public:
  using U32 = typename E::U32;
  using F32 = typename E::F32;

  explicit FieldCodes(E& e) : e_(e) {}

  // `code` is 0 above its `bits`.
  F32 decoded(Number number, unsigned bits, U32 code) {
    switch (number) {
      case Number::unorm: return cvt_f32_s32(code) / float(most(bits));
      case Number::snorm: {
        const int left = int(32 - bits);
        F32 v = cvt_f32_s32(ashr(code << left, left)) / float(most(bits) >> 1);
        return select(v > -1.0f, v, constant(-1));
      }
      case Number::floating:
        if (bits == 32) return as_f32(code);
        return bits == 16 ? cvt_f32_f16(code) : small_float(code, bits - 5u);
      case Number::srgb: return as_f32(e_.constant_word(srgb_codes().decoded, 8, code));
      default: return as_f32(code);
    }
  }

  // `value`: a float's bits, or an integer.
  U32 encoded(Number number, unsigned bits, Rounding rounding, U32 value) {
    const bool toward_zero = rounding == Rounding::toward_zero;
    switch (number) {
      case Number::unorm:
        return cvt_s32_f64(cvt_f64_f32(saturate(as_f32(value))) * double(most(bits)) + 0.5);  // (the product is exact)
      case Number::snorm: {
        F32 v = as_f32(value);
        v = select(isnan(v), constant(0), v);
        v = select(v > -1.0f, v, constant(-1));
        v = select(v < 1.0f, v, constant(1));
        auto half = cvt_f64_f32(select(v < 0.0f, constant(-0.5f), constant(0.5f)));
        return cvt_s32_f64(cvt_f64_f32(v) * double(most(bits) >> 1) + half) & most(bits);
      }
      case Number::floating:
        if (bits == 32) return value;
        if (bits != 16) return small_code(value, bits - 5u, toward_zero);
        return toward_zero ? cvt_f16_f32_toward_zero(as_f32(value)) : cvt_f16_f32(as_f32(value));
      case Number::srgb: return srgb_code(as_f32(value));
      case Number::sint:
      case Number::sscaled: {
        U32 v = number == Number::sint ? value : cvt_s32_f32(as_f32(value));
        if (bits == 32) return v;
        return smin(smax(v, e_.u32(~(most(bits) >> 1))), e_.u32(most(bits) >> 1)) & most(bits);
      }
      default: {
        U32 v = number == Number::uscaled ? cvt_u32_f32(as_f32(value)) : value;
        return bits == 32 ? v : umin(v, e_.u32(most(bits)));
      }
    }
  }

private:
  E& e_;

  F32 constant(float x) { return e_.f32(x); }
  static uint32_t most(unsigned bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

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
    const SrgbCodes& tables = srgb_codes();
    U32 bits = as_u32(value);
    U32 low = e_.constant_word(tables.code, SrgbCodes::log_codes, (bits - SrgbCodes::first) >> int(SrgbCodes::shift));
    low = select(bits < SrgbCodes::first, e_.u32(0), low);
    F32 bound = as_f32(e_.constant_word(tables.bound, 8, low));
    U32 code = select(value >= bound, low + 1, low);
    return select(value > 0.0f, select(value >= 1.0f, e_.u32(255), code), e_.u32(0));
  }
};

}  // namespace Atoll::surface
