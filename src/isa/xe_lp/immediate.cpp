#include "isa/xe_lp/immediate.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/half.h"

namespace Atoll::xe_lp::eu {
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

}  // namespace Atoll::xe_lp::eu
