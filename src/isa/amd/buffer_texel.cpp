#include "isa/amd/buffer_texel.h"

#include <algorithm>
#include <bit>

namespace Atoll::amd {
namespace {

// A floating-point layout: sign (if any), exponent, mantissa, from the top.
struct Layout {
  int exponent_bits, mantissa_bits;
  bool has_sign;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
};
constexpr Layout kSingle{8, 23, true}, kHalf{5, 10, true}, kEleven{5, 6, false}, kTen{5, 5, false};
const Layout& layout_of(unsigned bits) { return bits == 32 ? kSingle : bits == 16 ? kHalf : bits == 11 ? kEleven : kTen; }

uint64_t nearest(uint64_t quotient, bool above_half, bool half) { return quotient + (above_half || (half && (quotient & 1))); }

// n / d, both positive and below 2^33, rounded to nearest even.
uint32_t float_of_ratio(uint64_t n, uint64_t d, const Layout& to) {
  int exponent = std::bit_width(n) - std::bit_width(d);  // floor(log2(n / d)), or one too high
  if (exponent >= 0 ? n < d << exponent : n << -exponent < d) exponent--;
  int unit = std::max(exponent, 1 - to.bias()) - to.mantissa_bits;  // weight of the last place
  if (unit < 0)
    n <<= -unit;
  else
    d <<= unit;
  uint64_t rest = n % d, mantissa = nearest(n / d, 2 * rest > d, 2 * rest == d);
  // The leading one of a normal number adds 1 to the exponent field; rounding up may carry into it.
  uint64_t bits = (uint64_t(unit + to.mantissa_bits + to.bias() - 1) << to.mantissa_bits) + mantissa;
  return uint32_t(std::min<uint64_t>(bits, to.infinity()));
}

// From one layout to another, cut toward zero; widening is exact. NaNs stay NaNs.
uint32_t float_of_float(uint32_t x, const Layout& from, const Layout& to) {
  int width = from.exponent_bits + from.mantissa_bits;
  bool negative = from.has_sign && x >> width & 1;
  uint32_t magnitude = x & ((1u << width) - 1),
           sign = to.has_sign ? uint32_t(negative) << (to.exponent_bits + to.mantissa_bits) : 0;
  int shift = to.mantissa_bits - from.mantissa_bits;
  auto moved = [shift](uint64_t m) { return shift >= 0 ? m << shift : m >> -shift; };
  if (magnitude > from.infinity()) {
    uint32_t payload = uint32_t(moved(magnitude & ((1u << from.mantissa_bits) - 1)));
    if (!payload) payload = 1;  // what was cut off must not leave an infinity
    return sign | to.infinity() | payload;
  }
  if (negative && !to.has_sign) return 0;
  if (magnitude == from.infinity()) return sign | to.infinity();
  int field = int(magnitude >> from.mantissa_bits);
  uint64_t mantissa = magnitude & ((1u << from.mantissa_bits) - 1);
  if (field) mantissa |= 1u << from.mantissa_bits;
  if (!mantissa) return sign;
  int exponent = std::max(field, 1) - from.bias() - from.mantissa_bits;  // x = mantissa * 2^exponent
  int top = exponent + std::bit_width(mantissa) - 1;                     // of the leading one
  if (top > to.bias()) return sign | (to.infinity() - 1);
  int unit = std::max(top, 1 - to.bias()) - to.mantissa_bits, right = unit - exponent;
  mantissa = right <= 0 ? mantissa << -right : right < 64 ? mantissa >> right : 0;
  return sign | uint32_t((uint64_t(unit + to.mantissa_bits + to.bias() - 1) << to.mantissa_bits) + mantissa);
}

// x * scale to the nearest integer (ties to even), clamped to [low, high]; a NaN is 0. `x` is an f32.
int64_t integer_of_float(uint32_t x, uint64_t scale, int64_t low, int64_t high) {
  uint32_t magnitude = x & 0x7fffffff;
  if (magnitude > kSingle.infinity()) return 0;
  bool negative = x >> 31;
  int64_t limit = negative ? -low : high;
  int field = int(magnitude >> 23), exponent = std::max(field, 1) - 150;
  uint64_t product = ((magnitude & 0x7fffff) | (field ? 0x800000u : 0)) * scale;  // below 2^56
  if (!product) return 0;
  if (exponent >= 8) return negative ? low : high;
  if (exponent >= 0) {
    product <<= exponent;
  } else if (-exponent > 62) {
    product = 0;
  } else {
    uint64_t rest = product & ((uint64_t(1) << -exponent) - 1), half = uint64_t(1) << (-exponent - 1);
    product = nearest(product >> -exponent, rest > half, rest == half);
  }
  int64_t clamped = int64_t(std::min<uint64_t>(product, uint64_t(limit)));
  return negative ? -clamped : clamped;
}

// c for which (2c + 1) / all comes nearest to x (ties to even), clamped; a NaN is 0. `x` is an f32, `most` the greatest c.
int64_t snorm_ogl_of_float(uint32_t x, int64_t all, int64_t most) {
  uint32_t magnitude = x & 0x7fffffff;
  if (magnitude > kSingle.infinity()) return 0;
  if (magnitude >= 0x3f800000) return x >> 31 ? -most - 1 : most;
  // x * all with 64 binary places: below 2^96. Smaller bits only decide ties.
  int field = int(magnitude >> 23), shift = 64 + std::max(field, 1) - 150;
  __int128 product = __int128((magnitude & 0x7fffff) | (field ? 0x800000u : 0)) * all;
  __int128 fixed = shift >= 0 ? product << shift : (product >> -shift) | (product != 0);
  // (x * all - 1) / 2 with 65 places.
  __int128 wanted = (x >> 31 ? -fixed : fixed) - (__int128(1) << 64), half = __int128(1) << 64;
  __int128 rest = wanted & (2 * half - 1), whole = wanted >> 65;
  int64_t c = int64_t(whole) + (rest > half || (rest == half && (whole & 1)));
  return std::clamp<int64_t>(c, -most - 1, most);
}

int64_t sign_extended(uint32_t x, unsigned bits) { return int64_t(int32_t(x << (32 - bits)) >> (32 - bits)); }

uint32_t component_of(uint32_t x, unsigned bits, Number number, Width width) {
  const Layout& to = width == Width::Bits32 ? kSingle : kHalf;
  uint32_t sign = 1u << (to.exponent_bits + to.mantissa_bits);
  auto signed_ratio = [&](int64_t n, int64_t d) {
    return n == 0  ? 0
           : n < 0 ? sign | float_of_ratio(uint64_t(-n), uint64_t(d), to)
                   : float_of_ratio(uint64_t(n), uint64_t(d), to);
  };
  int64_t most = (int64_t(1) << (bits - 1)) - 1;
  switch (number) {
    case Number::Unorm: return signed_ratio(x, 2 * most + 1);
    case Number::Snorm: return most ? signed_ratio(std::max(sign_extended(x, bits), -most), most) : 0;
    case Number::SnormOgl: return signed_ratio(2 * sign_extended(x, bits) + 1, 2 * most + 1);
    case Number::Uscaled: return signed_ratio(x, 1);
    case Number::Sscaled: return signed_ratio(sign_extended(x, bits), 1);
    case Number::Float: return float_of_float(x, layout_of(bits), to);
    case Number::Sint: x = uint32_t(sign_extended(x, bits)); break;
    case Number::Uint: break;
  }
  return width == Width::Bits32 ? x : x & 0xffff;
}

uint32_t bits_of(uint32_t x, unsigned bits, Number number, Width width) {
  int64_t most = (int64_t(1) << (bits - 1)) - 1, all = 2 * most + 1;
  bool integer = number == Number::Uint || number == Number::Sint;
  if (width == Width::Bits16 && integer) x = number == Number::Uint ? x & 0xffff : uint32_t(int32_t(int16_t(x)));
  if (width == Width::Bits16 && !integer) x = float_of_float(x & 0xffff, kHalf, kSingle);
  switch (number) {
    case Number::Unorm: return uint32_t(integer_of_float(x, uint64_t(all), 0, all));
    case Number::Snorm: return uint32_t(integer_of_float(x, uint64_t(most), -most, most) & all);
    case Number::SnormOgl: return uint32_t(snorm_ogl_of_float(x, all, most) & all);
    case Number::Uscaled: return uint32_t(integer_of_float(x, 1, 0, all));
    case Number::Sscaled: return uint32_t(integer_of_float(x, 1, -most - 1, most) & all);
    case Number::Uint: return uint32_t(std::min<int64_t>(x, all));
    case Number::Sint: return uint32_t(std::clamp<int64_t>(int32_t(x), -most - 1, most) & all);
    case Number::Float: return float_of_float(x, kSingle, layout_of(bits));
  }
  return 0;
}

}  // namespace

void components_of_texel(const BufferFormat& format, Width width, const uint32_t texel[4], uint32_t components[4]) {
  unsigned at = 0;
  for (int c = 0; c < 4; c++) {
    unsigned bits = format.bits[c];
    components[c] = 0;
    if (!bits) continue;
    uint32_t x = texel[at / 32] >> at % 32;
    if (bits < 32) x &= (1u << bits) - 1;
    components[c] = component_of(x, bits, format.number, width);
    at += bits;
  }
}

void texel_of_components(const BufferFormat& format, Width width, const uint32_t components[4], uint32_t texel[4]) {
  std::fill_n(texel, 4, 0u);
  unsigned at = 0;
  for (int c = 0; c < 4; c++) {
    if (!format.bits[c]) continue;
    texel[at / 32] |= bits_of(components[c], format.bits[c], format.number, width) << at % 32;
    at += format.bits[c];
  }
}

}  // namespace Atoll::amd
