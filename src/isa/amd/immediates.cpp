#include "isa/amd/immediates.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace Atoll::amd {

bool expect(Lexer& text, std::string_view what, std::string& why) {
  if (text.take(what)) return true;
  why = fmt::format("expected '{}' at {}", what, text.here());
  return false;
}

std::optional<uint16_t> take_16_bits(Lexer& text, std::string& why, int64_t lowest) {
  auto value = text.take_integer();
  if (!value) {
    why = "expected a number at " + text.here();
    return {};
  }
  if (*value < lowest || *value > 65535) {
    why = fmt::format("{} does not fit 16 bits", *value);
    return {};
  }
  return uint16_t(*value);
}

std::optional<unsigned> take_number(Lexer& text, std::string_view what, int64_t lowest, int64_t highest, std::string& why) {
  auto value = text.take_integer();
  if (value && *value >= lowest && *value <= highest) return unsigned(*value);
  why = fmt::format("{} must be {} to {}", what, lowest, highest);
  return {};
}

std::optional<unsigned> take_name_or_number(Lexer& text, std::span<const Name> names, unsigned highest, std::string_view what,
                                            std::string& why) {
  int found = number_of(names, text.peek_word());
  if (found < 0) return take_number(text, what, 0, highest, why);
  text.take_word();
  return unsigned(found);
}

std::optional<uint16_t> take_hardware_register(Lexer& text, std::span<const Name> registers, std::string& why) {
  unsigned id = 0, offset = 0, size = 32;
  auto take_id = [&](std::span<const Name> names) {
    auto value = take_name_or_number(text, names, 63, "the hardware register", why);
    if (value) id = *value;
    return value.has_value();
  };
  auto take_offset = [&] {
    auto value = take_number(text, "hwreg's bit offset", 0, 31, why);
    if (value) offset = *value;
    return value.has_value();
  };
  auto take_size = [&] {
    auto value = take_number(text, "hwreg's size in bits", 1, 32, why);
    if (value) size = *value;
    return value.has_value();
  };
  if (text.take("{")) {
    for (bool first = true; !text.take("}"); first = false) {
      if (!first && !expect(text, ",", why)) return {};
      std::string_view field = text.take_word();
      if (!expect(text, ":", why)) return {};
      if (field != "id" && field != "offset" && field != "size") {
        why = fmt::format("unknown hwreg field '{}'", field);
        return {};
      }
      if (!(field == "id" ? take_id({}) : field == "offset" ? take_offset() : take_size())) return {};
    }
  } else {
    if (!text.take("hwreg")) return take_16_bits(text, why, 0);
    if (!expect(text, "(", why) || !take_id(registers)) return {};
    if (text.take(",") && (!take_offset() || !expect(text, ",", why) || !take_size())) return {};
    if (!expect(text, ")", why)) return {};
  }
  return uint16_t(id | offset << 6 | (size - 1) << 11);
}

std::string hardware_register_text(std::span<const Name> registers, unsigned value) {
  unsigned id = value & 63, offset = value >> 6 & 31, size = (value >> 11) + 1;
  std::string name(name_of(registers, id));
  if (name.empty()) name = fmt::format("{}", id);
  return offset == 0 && size == 32 ? fmt::format("hwreg({})", name) : fmt::format("hwreg({}, {}, {})", name, offset, size);
}

std::optional<uint16_t> take_counters(Lexer& text, std::span<const CounterField> fields, unsigned all, std::string& why) {
  if (Lexer ahead = text; ahead.take_integer()) return take_16_bits(text, why);
  if (text.at_end()) {
    why = "expected a counter";
    return {};
  }
  unsigned value = all;
  while (!text.at_end()) {
    std::string_view word = text.take_word();
    bool saturate = word.ends_with("_sat");
    if (saturate) word.remove_suffix(4);
    auto found = std::ranges::find(fields, word, &CounterField::name);
    if (found == fields.end()) {
      why = fmt::format("unknown counter '{}'", word);
      return {};
    }
    if (!expect(text, "(", why)) return {};
    auto count = text.take_integer();
    if (count && saturate && *count > int64_t(found->highest())) count = found->highest();
    if (!count || *count < 0 || *count > int64_t(found->highest())) {
      why = fmt::format("{} must be 0 to {}", found->name, found->highest());
      return {};
    }
    if (!expect(text, ")", why)) return {};
    value = (value & ~(found->highest() << found->low)) | unsigned(*count) << found->low;
    if (!text.take("&")) text.take(",");
  }
  return uint16_t(value);
}

std::string counters_text(std::span<const CounterField> fields, unsigned all, unsigned value) {
  std::string text;
  for (const CounterField& field : fields) {
    unsigned count = value >> field.low & field.highest();
    if (count == field.highest() && (value & all) != all) continue;
    text += fmt::format("{}{}({})", text.empty() ? "" : " ", field.name, count);
  }
  return text;
}

// LLVM prints small numbers in decimal, others in hexadecimal.
std::string immediate_text(Kind kind, const ImmediateNames& names, uint16_t value) {
  switch (kind) {
    case Kind::HwReg: return hardware_register_text(names.hardware_registers, value);
    case Kind::WaitCnt: return counters_text(names.wait_counters, names.wait_counter_bits, value);
    case Kind::Hex: return fmt::format("{:#x}", value);
    case Kind::Decimal: return value > 64 ? fmt::format("{:#x}", value) : fmt::format("{}", value);
    default: return fmt::format("{}", value);
  }
}

std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, const ImmediateNames& names, std::string& why) {
  switch (kind) {
    case Kind::HwReg: return take_hardware_register(text, names.hardware_registers, why);
    case Kind::WaitCnt: return take_counters(text, names.wait_counters, names.wait_counter_bits, why);
    case Kind::Label:
      if (auto value = take_16_bits(text, why)) return value;
      why = "a branch needs a number of dwords, as labels cannot be resolved here: " + why;
      return {};
    default: return take_16_bits(text, why);
  }
}

}  // namespace Atoll::amd
