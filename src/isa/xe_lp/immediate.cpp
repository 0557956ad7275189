#include "isa/xe_lp/immediate.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/half.h"

namespace Atoll::xe_lp {
namespace {

std::string nan_text(uint64_t bits, unsigned mantissa, unsigned exponent) {
  uint64_t quiet = uint64_t(1) << (mantissa - 1);
  return fmt::format("{}{}(0x{:X})", bits >> (mantissa + exponent) & 1 ? "-" : "", bits & quiet ? "qnan" : "snan",
                     bits & (quiet - 1));
}

// With six digits, plain or else with an exponent, where that reads back as the same number.
template <class F>
std::string float_text(F x, const std::string& hex) {
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{:g}", x);
  if (F(std::strtod(text.c_str(), nullptr)) == x) {
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return text;
  }
  text = fmt::format("{:e}", x);
  return F(std::strtod(text.c_str(), nullptr)) == x ? text : hex;
}

}  // namespace

std::string text_of_immediate(uint64_t bits, Type type) {
  switch (type) {
    case Type::B: return fmt::format("{}", int(int8_t(bits)));
    case Type::W: return fmt::format("{}", int16_t(bits));
    case Type::D: return fmt::format("{}", int32_t(bits));
    case Type::Q: return fmt::format("{}", int64_t(bits));
    case Type::UB: return fmt::format("0x{:X}", uint8_t(bits));
    case Type::UW: return fmt::format("0x{:X}", uint16_t(bits));
    case Type::UQ: return fmt::format("0x{:X}", bits);
    case Type::HF: {
      uint16_t half = uint16_t(bits);
      if ((half & 0x7c00) == 0x7c00 && (half & 0x3ff)) return nan_text(half, 10, 5);
      return float_text(float_from_half(half), fmt::format("0x{:X}", half));
    }
    case Type::F: {
      float x = std::bit_cast<float>(uint32_t(bits));
      if (std::isnan(x)) return nan_text(uint32_t(bits), 23, 8);
      return float_text(x, fmt::format("0x{:X}", uint32_t(bits)));
    }
    case Type::DF: {
      double x = std::bit_cast<double>(bits);
      if (std::isnan(x)) return nan_text(bits, 52, 11);
      return float_text(x, fmt::format("0x{:X}", bits));
    }
    default: return fmt::format("0x{:X}", uint32_t(bits));
  }
}

namespace {

struct FloatFormat {
  unsigned mantissa, exponent;
};

std::optional<uint64_t> integer_of(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
  if (base != 10) text.remove_prefix(2);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// inf, qnan(0x12), snan(0x12): the bits without the sign.
std::optional<uint64_t> special_of(std::string_view text, FloatFormat f) {
  uint64_t infinity = ((uint64_t(1) << f.exponent) - 1) << f.mantissa;
  if (text == "inf") return infinity;
  bool quiet = text.starts_with("qnan(");
  if ((!quiet && !text.starts_with("snan(")) || !text.ends_with(")")) return {};
  auto payload = integer_of(text.substr(5, text.size() - 6));
  if (!payload || *payload >= uint64_t(1) << (f.mantissa - 1) || (!quiet && *payload == 0)) return {};
  return infinity | *payload | (quiet ? uint64_t(1) << (f.mantissa - 1) : 0);
}

}  // namespace

Expected<uint64_t> immediate_of_text(std::string_view text, Type type) {
  std::string_view digits = text;
  bool minus = digits.starts_with("-"), invert = digits.starts_with("~");
  if (minus || invert) digits.remove_prefix(1);
  auto integer = integer_of(digits);
  bool is_float = type == Type::HF || type == Type::F || type == Type::DF;
  if (is_float) {
    FloatFormat f = type == Type::HF ? FloatFormat{10, 5} : type == Type::F ? FloatFormat{23, 8} : FloatFormat{52, 11};
    uint64_t sign = minus ? uint64_t(1) << (f.mantissa + f.exponent) : 0;
    if (auto special = special_of(digits, f)) return *special | sign;
    bool plain = digits.find_first_not_of("0123456789") == digits.npos;
    if (integer && (!plain || *integer == 0)) {
      if (f.mantissa + f.exponent < 63 && *integer >> (f.mantissa + f.exponent + 1))
        return fail("'{}' has more bits than type {}", text, name_of(type));
      return minus ? 0 - *integer : *integer;
    }
    double x = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (plain || digits.empty() || error != std::errc() || end != digits.data() + digits.size())
      return fail("'{}' is no number of type {} (whole ones are written 1.0, bits in hexadecimals)", text, name_of(type));
    if (minus) x = -x;
    if (type == Type::DF) return std::bit_cast<uint64_t>(x);
    if (type == Type::F) return std::bit_cast<uint32_t>(float(x));
    return half_from_float(float(x));
  }
  if (!integer) return fail("'{}' is no number of type {}", text, name_of(type));
  uint64_t n = minus ? 0 - *integer : invert ? ~*integer : *integer;
  // As a signed or as an unsigned number of so many bits.
  unsigned bits = type == Type::UV || type == Type::V || type == Type::VF ? 32 : 8u << log2_bytes(type);
  if (bits < 64 && !invert && (minus ? *integer > uint64_t(1) << (bits - 1) : *integer >> bits))
    return fail("'{}' does not fit into type {}", text, name_of(type));
  switch (type) {
    case Type::B: return uint64_t(int64_t(int8_t(n)));
    case Type::UB: return uint8_t(n);
    case Type::W: return uint64_t(int64_t(int16_t(n)));
    case Type::UW: return uint16_t(n);
    case Type::D: return uint64_t(int64_t(int32_t(n)));
    case Type::Q:
    case Type::UQ: return n;
    default: return uint32_t(n);
  }
}

}  // namespace Atoll::xe_lp
