#include "isa/amd/swizzle.h"

#include <fmt/format.h>

#include <bit>

namespace Atoll::amd {
namespace {

std::optional<uint16_t> sixteen_bits(Lexer& text, std::string& why) {
  auto value = text.take_integer();
  if (!value) {
    why = "expected a number at " + text.here();
    return {};
  }
  if (*value < -32768 || *value > 65535) {
    why = fmt::format("{} does not fit 16 bits", *value);
    return {};
  }
  return uint16_t(*value);
}

bool expect(Lexer& text, std::string_view what, std::string& why) {
  if (text.take(what)) return true;
  why = fmt::format("expected '{}' at {}", what, text.here());
  return false;
}

}  // namespace

std::string swizzle_text(uint16_t offset) {
  unsigned value = offset;
  if ((value & 0xff00) == 0x8000)
    return fmt::format("swizzle(QUAD_PERM,{},{},{},{})", value & 3, value >> 2 & 3, value >> 4 & 3, value >> 6 & 3);
  if (value & 0x8000) return fmt::format("{}", value);
  unsigned and_mask = value & 31, or_mask = value >> 5 & 31, xor_mask = value >> 10 & 31;
  if (and_mask == 31 && or_mask == 0 && std::has_single_bit(xor_mask)) return fmt::format("swizzle(SWAP,{})", xor_mask);
  if (and_mask == 31 && or_mask == 0 && xor_mask > 0 && std::has_single_bit(xor_mask + 1))
    return fmt::format("swizzle(REVERSE,{})", xor_mask + 1);
  unsigned group = 32 - and_mask;
  if (group > 1 && std::has_single_bit(group) && or_mask < group && xor_mask == 0)
    return fmt::format("swizzle(BROADCAST,{},{})", group, or_mask);
  std::string mask;
  unsigned of_zeros = or_mask ^ xor_mask, of_ones = (and_mask | or_mask) ^ xor_mask;
  for (int bit = 4; bit >= 0; --bit) {
    unsigned zero = of_zeros >> bit & 1, one = of_ones >> bit & 1;
    mask += zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p');
  }
  return fmt::format("swizzle(BITMASK_PERM,\"{}\")", mask);
}

std::optional<uint16_t> parse_swizzle(Lexer& text, std::string& why) {
  if (!text.starts("swizzle")) return sixteen_bits(text, why);
  text.take("swizzle");
  if (!expect(text, "(", why)) return {};
  std::string mode(text.take_word());
  int64_t numbers[4] = {};
  auto take = [&](unsigned count, int64_t highest) {
    for (unsigned n = 0; n < count; ++n) {
      if (!expect(text, ",", why)) return false;
      auto value = text.take_integer();
      if (!value || *value < 0 || *value > highest) {
        why = fmt::format("expected 0 to {} at {}", highest, text.here());
        return false;
      }
      numbers[n] = *value;
    }
    return true;
  };
  unsigned value = 0;
  if (mode == "QUAD_PERM") {
    if (!take(4, 3)) return {};
    value = 0x8000u | unsigned(numbers[0] | numbers[1] << 2 | numbers[2] << 4 | numbers[3] << 6);
  } else if (mode == "SWAP") {
    if (!take(1, 16)) return {};
    if (!std::has_single_bit(unsigned(numbers[0])))
      return why = "swizzle(SWAP,…) needs a group of 1, 2, 4, 8 or 16 lanes", std::nullopt;
    value = unsigned(numbers[0]) << 10 | 31;
  } else if (mode == "REVERSE") {
    if (!take(1, 32)) return {};
    if (numbers[0] < 2 || !std::has_single_bit(unsigned(numbers[0])))
      return why = "swizzle(REVERSE,…) needs a group of 2, 4, 8, 16 or 32 lanes", std::nullopt;
    value = unsigned(numbers[0] - 1) << 10 | 31;
  } else if (mode == "BROADCAST") {
    if (!take(2, 32)) return {};
    if (numbers[0] < 2 || !std::has_single_bit(unsigned(numbers[0])) || numbers[1] >= numbers[0])
      return why = "swizzle(BROADCAST,group,lane) needs a group of 2 to 32 lanes and a lane of it", std::nullopt;
    value = unsigned(32 - numbers[0]) | unsigned(numbers[1]) << 5;
  } else if (mode == "BITMASK_PERM") {
    if (!expect(text, ",", why) || !expect(text, "\"", why)) return {};
    std::string mask(text.take_word());
    if (mask.size() != 5 || mask.find_first_not_of("01pi") != std::string::npos || !text.take("\""))
      return why = "swizzle(BITMASK_PERM,…) needs five of 0, 1, p and i in quotes", std::nullopt;
    for (unsigned n = 0; n < 5; ++n) {
      unsigned bit = 1u << (4 - n);
      if (mask[n] == '1') value |= bit << 5;
      if (mask[n] == 'p' || mask[n] == 'i') value |= bit;
      if (mask[n] == 'i') value |= bit << 10;
    }
  } else {
    why = fmt::format("unknown swizzle mode '{}'", mode);
    return {};
  }
  if (!expect(text, ")", why)) return {};
  return uint16_t(value);
}

}  // namespace Atoll::amd
