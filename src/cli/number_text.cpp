#include "cli/number_text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "base/half.h"
#include "base/text.h"

namespace Atoll::cli {
namespace {

struct TypeName {
  std::string_view name;
  NumberType type;
};
constexpr TypeName type_names[] = {{"i32", NumberType::i32}, {"u32", NumberType::u32},     {"f32", NumberType::f32},
                                   {"f16", NumberType::f16}, {"f16x2", NumberType::f16x2}, {"i16x2", NumberType::i16x2}};

constexpr const char* forms = "is no number: decimal, 0x, -3, 1.5 (single precision) or 1.5h (half precision)";

Expected<uint64_t> parse_word(std::string_view digits, int base, std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return fail("'{}' {}, up to 64 bits", text, forms);
  return value;
}

// Single precision with what falls off kept in its lowest bit, so that a half rounds as if it came from the number itself ("rounding to odd": Boldo and
// Melquiond, "When double rounding is odd", 2005).
float rounded_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || std::isinf(nearest) || static_cast<double>(nearest) == value) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) bits--;
  return std::bit_cast<float>(bits | 1);
}

std::string half_text(uint16_t half) { return fmt::format("{}h", float_from_half(half)); }

}  // namespace

std::optional<NumberType> parse_number_type(std::string_view name) {
  for (auto& row : type_names)
    if (row.name == lower(name)) return row.type;
  return {};
}

std::string number_types() {
  std::string text;
  for (auto& row : type_names) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

Expected<uint64_t> parse_number(std::string_view text) {
  const std::string small = lower(text);
  std::string_view rest = small;
  if (rest.starts_with("0x")) return parse_word(rest.substr(2), 16, text);
  const bool negative = rest.starts_with('-');
  if (rest.find_first_not_of("0123456789", negative ? 1 : 0) == rest.npos && rest.size() > (negative ? 1 : 0)) {
    auto value = parse_word(rest.substr(negative ? 1 : 0), 10, text);
    if (!value || !negative) return value;
    if (*value > uint64_t(1) << 31) return fail("'{}' does not fit 32 bits", text);
    return uint32_t(-int64_t(*value));
  }
  const bool half = rest.ends_with('h');
  if (half) rest.remove_suffix(1);
  // (No hexadecimal floats, and nothing but the whole text.)
  double value = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (rest.empty() || end != rest.data() + rest.size() || error == std::errc::invalid_argument)
    return fail("'{}' {}", text, forms);
  // A number beyond double precision is infinite, or 0, in every smaller format; from_chars leaves the value alone then.
  if (error == std::errc::result_out_of_range) {
    const size_t exponent = rest.find('e');
    const bool tiny = exponent != rest.npos && rest.substr(exponent + 1).starts_with('-');
    value = tiny ? 0.0 : HUGE_VAL;
    if (negative) value = -value;
  }
  if (half) return half_from_float(rounded_to_odd(value));
  // Single precision from the text itself: the double would be a rounding before.
  float single = static_cast<float>(value);
  if (error == std::errc() && std::isfinite(single))
    if (float exact = 0; std::from_chars(rest.data(), rest.data() + rest.size(), exact).ec == std::errc()) single = exact;
  return std::bit_cast<uint32_t>(single);
}

std::string number_text(uint64_t bits, NumberType type) {
  const auto word = uint32_t(bits);
  switch (type) {
    case NumberType::word: return fmt::format("{:#x}", bits);
    case NumberType::i32: return fmt::format("{}", int32_t(word));
    case NumberType::u32: return fmt::format("{}", word);
    case NumberType::f32: return fmt::format("{}", std::bit_cast<float>(word));
    case NumberType::f16: return half_text(uint16_t(word));
    case NumberType::f16x2: return half_text(uint16_t(word)) + ", " + half_text(uint16_t(word >> 16));
    case NumberType::i16x2: return fmt::format("{}, {}", int16_t(word), int16_t(word >> 16));
  }
  return {};
}

}  // namespace Atoll::cli
