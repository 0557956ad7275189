#include "format_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace vulkan {
namespace {

uint64_t read_bits(const uint8_t* bytes, unsigned shift, unsigned bits) {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < bits; bit++) value |= uint64_t(bytes[(shift + bit) / 8] >> (shift + bit) % 8 & 1) << bit;
  return value;
}

void write_bits(uint8_t* bytes, unsigned shift, unsigned bits, uint64_t value) {
  for (unsigned bit = 0; bit < bits; bit++) {
    uint8_t mask = uint8_t(1 << (shift + bit) % 8);
    uint8_t& byte = bytes[(shift + bit) / 8];
    byte = uint8_t(value >> bit & 1 ? byte | mask : byte & ~mask);
  }
}

// Exponent and mantissa of a float of so many bits, with or without a sign.
struct FloatBits {
  unsigned exponent, mantissa;
};

FloatBits float_bits(const FormatRow& row, unsigned bits) {
  unsigned exponent = bits == 32 ? 8 : 5;
  return {exponent, bits - exponent - (row.kind == Kind::SFLOAT ? 1 : 0)};
}

struct Value {
  double value;
  double step;  // to the next that the format has
};

Value float_of(const FormatRow& row, uint64_t code, unsigned bits) {
  auto [exponent_bits, mantissa_bits] = float_bits(row, bits);
  double sign = row.kind == Kind::SFLOAT && code >> (bits - 1) & 1 ? -1 : 1;
  int exponent = int(code >> mantissa_bits & ((1u << exponent_bits) - 1)), bias = (1 << (exponent_bits - 1)) - 1;
  uint64_t mantissa = code & ((uint64_t(1) << mantissa_bits) - 1);
  if (exponent == (1 << exponent_bits) - 1) return {mantissa ? NAN : sign * INFINITY, 0};
  double step = std::ldexp(1.0, std::max(exponent, 1) - bias - int(mantissa_bits));
  return {sign * (double(mantissa) + (exponent ? std::ldexp(1.0, int(mantissa_bits)) : 0)) * step, step};
}

Value value_of(const FormatRow& row, const std::vector<Component>& all, const Component& component, const uint8_t* texel) {
  uint64_t code = read_bits(texel, component.shift, component.bits);
  int64_t top = int64_t(1) << (component.bits - 1);
  int64_t with_sign = int64_t(code) - (int64_t(code) >= top ? 2 * top : 0);
  switch (row.kind) {
    case Kind::SNORM: return {double(std::max(with_sign, 1 - top)) / double(top - 1), 1 / double(top - 1)};
    case Kind::UNORM:
    case Kind::SRGB: return {double(code) / double(2 * top - 1), 1 / double(2 * top - 1)};
    case Kind::SSCALED:
    case Kind::SINT: return {double(with_sign), 1};
    case Kind::USCALED:
    case Kind::UINT: return {double(code), 1};
    default: break;
  }
  if (all.back().name != 'E') return float_of(row, code, component.bits);
  if (component.name == 'E') return {0, 0};
  double step = std::ldexp(1.0, int(read_bits(texel, all.back().shift, all.back().bits)) - 15 - 9);
  return {double(code) * step, step};
}

std::string texel_text(const FormatRow& row, const std::vector<Component>& all, const uint8_t* texel) {
  std::string text;
  for (const Component& component : all) {
    char word[64];
    std::snprintf(word, sizeof word, "%s%c %.7g", text.empty() ? "" : ", ", component.name,
                  value_of(row, all, component, texel).value);
    text += word;
  }
  return text;
}

}  // namespace

std::vector<Component> components(const FormatRow& row) {
  std::vector<Component> result;
  if (row.block > 1) return result;
  for (const char* at = row.name; *at && *at != '_';) {
    char name = *at++;
    unsigned bits = 0;
    while (std::isdigit(static_cast<unsigned char>(*at))) bits = bits * 10 + unsigned(*at++ - '0');
    result.push_back({name, 0, bits});
  }
  // Packed formats name the highest bits first (Vulkan 1.3, "Packed Formats").
  if (std::strstr(row.name, "_PACK")) std::reverse(result.begin(), result.end());
  unsigned shift = 0;
  for (Component& component : result) {
    component.shift = shift;
    shift += component.bits;
  }
  return result;
}

std::vector<uint8_t> random_texels(const FormatRow& row, size_t count, uint32_t seed) {
  std::vector<uint8_t> bytes(count * row.bytes);
  uint32_t state = seed * 2654435761u + uint32_t(row.format) * 40503u + 1;
  auto next = [&] {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
  };
  for (int n = 0; n < 8; n++) next();
  for (uint8_t& byte : bytes) byte = uint8_t(next() >> 11);
  auto all = components(row);
  if (row.kind != Kind::SFLOAT && row.kind != Kind::UFLOAT) return bytes;
  for (size_t n = 0; n < count; n++)
    for (const Component& component : all) {
      uint8_t* texel = bytes.data() + n * row.bytes;
      if (component.name == 'E') write_bits(texel, component.shift, component.bits, 12 + (next() >> 9) % 5);
      if (all.back().name == 'E') continue;
      auto [exponent, mantissa] = float_bits(row, component.bits);
      if (component.name == 'D') write_bits(texel, component.shift + component.bits - 1, 1, 0);  // from 0 to 1
      uint32_t below = component.name == 'D' ? 6 : 5;
      write_bits(texel, component.shift + mantissa, exponent,
                 (1u << (exponent - 1)) - below + (next() >> 9) % (component.name == 'D' ? 5 : 6));
    }
  return bytes;
}

const FormatRow* find_format(const std::string& name) {
  for (const FormatRow& row : formats)
    if (name == row.name) return &row;
  return nullptr;
}

std::optional<std::string> difference(const Found& a, const Found& b, Tolerance tolerance) {
  if (a.layout != b.layout || a.width != b.width || a.bytes.size() != b.bytes.size()) return "results of different sizes";
  const FormatRow& row = *a.layout;
  auto all = components(row);
  size_t count = a.bytes.size() / row.bytes, differing = 0, first = 0;
  double greatest = 1, most = 0;
  auto texel = [&](const Found& of, size_t n) { return of.bytes.data() + n * row.bytes; };
  for (size_t n = 0; n < count; n++)
    for (const Component& component : all) {
      double value = std::abs(value_of(row, all, component, texel(a, n)).value);
      if (std::isfinite(value)) greatest = std::max(greatest, value);
    }
  bool integers = row.kind == Kind::UINT || row.kind == Kind::SINT;
  for (size_t n = 0; n < count; n++) {
    bool differs = false;
    if (tolerance == Tolerance::none || all.empty() || integers)
      differs = !std::equal(texel(a, n), texel(a, n) + row.bytes, texel(b, n));
    for (const Component& component : all) {
      Value of_a = value_of(row, all, component, texel(a, n)), of_b = value_of(row, all, component, texel(b, n));
      if (of_a.value == of_b.value || (std::isnan(of_a.value) && std::isnan(of_b.value))) continue;
      double apart = std::abs(of_a.value - of_b.value), step = std::max(of_a.step, of_b.step), allowed = 0;
      switch (tolerance) {
        case Tolerance::none: break;
        case Tolerance::rounding: allowed = step * 1.01; break;
        case Tolerance::conversion: allowed = 1.3e-3; break;
        case Tolerance::darkness: allowed = 1.3e-3 * 12.92; break;
        case Tolerance::blocks: allowed = 3.0 / 255; break;
        case Tolerance::filter: allowed = std::max(step * 1.01, 2.0 / 255 * greatest); break;
      }
      most = std::max(most, apart);
      if (!(apart <= allowed)) differs = true;
    }
    if (differs && differing++ == 0) first = n;
  }
  if (!differing) return std::nullopt;
  char counts[160];
  std::snprintf(counts, sizeof counts, "%zu of %zu texels, by up to %.4g, the first at %zu, %zu: ", differing, count, most,
                first % a.width, first / a.width);
  if (all.empty()) return std::string(counts) + "blocks";
  return counts + texel_text(row, all, texel(a, first)) + " | " + texel_text(row, all, texel(b, first));
}

}  // namespace vulkan
