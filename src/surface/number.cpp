#include "surface/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/half.h"
#include "surface/float_environment.h"

namespace Atoll::surface {

namespace {

constexpr uint32_t mask(unsigned bits) { return bits >= 32 ? ~uint32_t(0) : (uint32_t(1) << bits) - 1; }

constexpr int32_t sign_extend(uint32_t c, unsigned bits) { return int32_t(c << (32 - bits)) >> (32 - bits); }

// |value| < 2^31, rounded to an integer with halves away from zero. The double product before was exact.
int64_t round_half_away(double value) { return int64_t(value < 0 ? value - 0.5 : value + 0.5); }

double srgb_to_linear(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }

// The thresholds at which the code of an 8-bit sRGB component goes from k to k + 1, and the value that each code decodes to.
struct SrgbTables {
  std::array<float, 256> decoded;
  std::array<float, 255> bound;  // the smallest float that encodes to k + 1

  SrgbTables() {
    for (int k = 0; k < 256; k++) decoded[k] = float(srgb_to_linear(k / 255.0));
    for (int k = 0; k < 255; k++) {
      double exact = srgb_to_linear((k + 0.5) / 255.0);
      float f = float(exact);
      bound[k] = double(f) < exact ? std::nextafter(f, 2.0f) : f;
    }
  }
};

const SrgbTables& srgb_tables() {
  static const SrgbTables tables;
  return tables;
}

// A positive finite float as an unsigned float of 5 exponent bits (bias 15): its bits as an integer, rounded; a carry runs
// from the mantissa into the exponent as it should. May exceed the largest finite code.
uint32_t shrink_positive(uint32_t magnitude, unsigned mantissa_bits, Rounding rounding) {
  int exponent = int(magnitude >> 23) - 127 + 15;
  uint32_t mantissa = magnitude & 0x7fffff;
  unsigned drop = 23 - mantissa_bits;
  if (magnitude >> 23) mantissa |= 0x800000;
  if (exponent <= 0) {  // a denormal of the small format: shifted so far that its exponent reads as 1
    drop += unsigned(1 - exponent);
    if (drop > 24 + 1) return 0;
    exponent = 1;
  }
  uint32_t kept = mantissa >> drop;
  if (rounding == Rounding::nearest_even) {
    uint32_t rest = mantissa & mask(drop), half = uint32_t(1) << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
  }
  return (uint32_t(exponent - 1) << mantissa_bits) + kept;
}

float grow_positive(uint32_t c, unsigned mantissa_bits) {
  uint32_t exponent = c >> mantissa_bits, mantissa = c & mask(mantissa_bits);
  if (exponent == 31) return std::bit_cast<float>(0x7f800000u | mantissa << (23 - mantissa_bits) | (mantissa ? 0x400000u : 0));
  if (exponent == 0) return std::ldexp(float(mantissa), -14 - int(mantissa_bits));
  return std::bit_cast<float>((exponent + 112) << 23 | mantissa << (23 - mantissa_bits));
}

}  // namespace

// Up to 24 bits both operands are exact in a float, so that the division rounds once.
float from_unorm(uint32_t c, unsigned bits) {
  if (bits <= 24) return float(c) / float(mask(bits));
  return float(double(c) / double(mask(bits)));
}

float from_snorm(int32_t c, unsigned bits) {
  if (bits <= 1) return 0;  // a sign and nothing else
  if (bits <= 24) return std::max(float(c) / float(mask(bits - 1)), -1.0f);
  return float(std::max(double(c) / double(mask(bits - 1)), -1.0));
}

uint32_t to_unorm(float value, unsigned bits) {
  if (!(value > 0)) return 0;  // NaN as well
  if (value >= 1) return mask(bits);
  return uint32_t(std::min<int64_t>(round_half_away(double(value) * mask(bits)), mask(bits)));
}

int32_t to_snorm(float value, unsigned bits) {
  if (std::isnan(value) || bits <= 1) return 0;
  return int32_t(round_half_away(double(std::clamp(value, -1.0f, 1.0f)) * mask(bits - 1)));
}

float from_half(uint16_t half) { return float_from_half(half); }

uint16_t to_half(float value, Rounding rounding) {
  return half_from_float(value, rounding == Rounding::toward_zero ? HalfRounding::toward_zero : HalfRounding::nearest_even);
}

float from_unsigned_float(uint32_t c, unsigned mantissa_bits) {
  return grow_positive(c & mask(mantissa_bits + 5), mantissa_bits);
}

uint32_t to_unsigned_float(float value, unsigned mantissa_bits, Rounding rounding) {
  uint32_t infinity = uint32_t(31) << mantissa_bits;
  if (std::isnan(value)) return infinity | mask(mantissa_bits);
  if (!(value > 0)) return 0;
  uint32_t magnitude = std::bit_cast<uint32_t>(value);
  if (magnitude == 0x7f800000) return infinity;
  return std::min(shrink_positive(magnitude, mantissa_bits, rounding), infinity - 1);
}

// N = 9 mantissa bits without a hidden one, bias 15.
float from_6e4(uint32_t c) {
  const int exponent = int(c >> 6), mantissa = int(c & 63);
  return exponent ? std::ldexp(float(64 + mantissa), exponent - 12) : std::ldexp(float(mantissa), -11);
}

uint32_t to_6e4(float value) {
  constexpr uint32_t most = 0x3ff;
  if (!(value > 0)) return 0;
  if (value >= from_6e4(most)) return most;
  const int exponent = std::max(std::ilogb(value), -5);  // the least of those that are normal
  return uint32_t((exponent + 5) * 64 + std::lrint(std::ldexp(double(value), 6 - exponent)));  // (a carry runs into the exponent)
}

Rgb from_shared_exponent(uint32_t texel) {
  int exponent = int(texel >> 27) - 15 - 9;
  auto component = [&](unsigned first) { return std::ldexp(float(texel >> first & 0x1ff), exponent); };
  return {component(0), component(9), component(18)};
}

uint32_t to_shared_exponent(const Rgb& value) {
  constexpr float largest = 511.0f / 512.0f * 65536.0f;
  auto clamped = [&](float f) { return f > 0 ? std::min(f, largest) : 0.0f; };  // NaN becomes 0
  float component[3] = {clamped(value.red), clamped(value.green), clamped(value.blue)};
  float most = std::max({component[0], component[1], component[2]});
  int exponent = most > 0 ? std::max(-16, std::ilogb(most)) + 16 : 0;
  auto rounded = [&](float f, int e) { return uint32_t(std::floor(std::ldexp(double(f), 9 + 15 - e) + 0.5)); };
  if (rounded(most, exponent) == 512) exponent++;
  uint32_t texel = uint32_t(exponent) << 27;
  for (int i = 0; i < 3; i++) texel |= rounded(component[i], exponent) << 9 * i;
  return texel;
}

float from_srgb8(uint8_t c) { return srgb_tables().decoded[c]; }

uint8_t to_srgb8(float value) {
  if (!(value > 0)) return 0;
  const auto& bound = srgb_tables().bound;
  return uint8_t(std::upper_bound(bound.begin(), bound.end(), value) - bound.begin());
}

const std::array<uint32_t, 256>& srgb_fields(unsigned bits) {
  ATOLL_ASSERT(bits >= 1 && bits <= 8);
  [[clang::no_destroy]] static const auto tables = [] {
    FloatEnvironment environment;
    std::array<std::array<uint32_t, 256>, 9> all{};
    for (unsigned n = 1; n <= 8; n++)
      for (uint32_t c = 0; c <= mask(n); c++) all[n][c] = std::bit_cast<uint32_t>(float(srgb_to_linear(double(c) / mask(n))));
    return all;
  }();
  return tables[bits];
}

const std::array<uint32_t, 256>& srgb_ratios(unsigned most) {
  ATOLL_ASSERT(most == 62 || most == 93 || most == 126 || most == 189 || most == 255);
  static constexpr unsigned all_most[] = {62, 93, 126, 189, 255};
  [[clang::no_destroy]] static const auto tables = [] {
    FloatEnvironment environment;
    std::array<std::array<uint32_t, 256>, 5> all{};
    for (unsigned n = 0; n < 5; n++)
      for (uint32_t c = 0; c <= all_most[n]; c++)
        all[n][c] = std::bit_cast<uint32_t>(linear_from_srgb(float(c) / float(all_most[n])));
    return all;
  }();
  return tables[size_t(std::find(all_most, std::end(all_most), most) - all_most)];
}

float from_srgb(uint32_t c, unsigned bits) {
  if (bits <= 8) return std::bit_cast<float>(srgb_fields(bits)[c]);
  return float(srgb_to_linear(double(c) / mask(bits)));
}

float linear_from_srgb(float encoded) { return float(srgb_to_linear(encoded)); }

uint32_t to_srgb(float value, unsigned bits) {
  if (bits == 8) return to_srgb8(value);
  if (!(value > 0)) return 0;
  double linear = std::min(double(value), 1.0);
  double encoded = linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return uint32_t(round_half_away(encoded * mask(bits)));
}

float within_one(float value) { return value > 0 ? std::min(value, 1.0f) : 0; }

uint32_t decode_field(uint32_t c, unsigned bits, Number number) {
  auto as_bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  switch (number) {
    case Number::unorm: return as_bits(from_unorm(c, bits));
    case Number::snorm: return as_bits(from_snorm(sign_extend(c, bits), bits));
    case Number::uint: return c;
    case Number::sint: return uint32_t(sign_extend(c, bits));
    case Number::uscaled: return as_bits(float(c));
    case Number::sscaled: return as_bits(float(sign_extend(c, bits)));
    case Number::srgb: return as_bits(from_srgb(c, bits));
    case Number::floating:
      if (bits == 32) return c;
      return as_bits(bits == 16 ? from_half(uint16_t(c)) : from_unsigned_float(c, bits - 5));
    case Number::depth_stencil: return bits == 8 ? c : bits == 32 ? c : as_bits(from_unorm(c, bits));
    case Number::floats_6e4_first: return as_bits(from_6e4(c));
    case Number::floats_clamped: return as_bits(within_one(std::bit_cast<float>(c)));
    case Number::signed_first:
    case Number::floats_first: break;  // a format's, not a field's
  }
  return 0;
}

uint32_t encode_field(uint32_t value, unsigned bits, Number number, Rounding rounding) {
  float f = std::bit_cast<float>(value);
  auto signed_bounds = [&](double v) {
    double low = -double(uint64_t(1) << (bits - 1)), high = -low - 1;
    return uint32_t(int64_t(std::clamp(v, low, high))) & mask(bits);
  };
  switch (number) {
    case Number::unorm: return to_unorm(f, bits);
    case Number::snorm: return uint32_t(to_snorm(f, bits)) & mask(bits);
    case Number::uint: return std::min(value, mask(bits));
    case Number::sint: return signed_bounds(int32_t(value));
    case Number::uscaled: return f > 0 ? uint32_t(std::min(double(f), double(mask(bits)))) : 0;
    case Number::sscaled: return std::isnan(f) ? 0 : signed_bounds(std::trunc(double(f)));
    case Number::srgb: return to_srgb(f, bits);
    case Number::floating:
      if (bits == 32) return value;
      return bits == 16 ? to_half(f, rounding) : to_unsigned_float(f, bits - 5, rounding);
    case Number::depth_stencil: return bits == 8 ? std::min(value, uint32_t(255)) : bits == 32 ? value : to_unorm(f, bits);
    case Number::floats_6e4_first: return to_6e4(f);
    case Number::floats_clamped: return std::bit_cast<uint32_t>(within_one(f));
    case Number::signed_first:
    case Number::floats_first: break;
  }
  return 0;
}

}  // namespace Atoll::surface
