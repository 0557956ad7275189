#include "isa/gcn2/immediates.h"

#include <fmt/format.h>

#include "isa/gcn2/names.h"

namespace Atoll::gcn2 {
namespace {

std::optional<uint16_t> sixteen_bits(Lexer& text, std::string& why, int64_t lowest = -32768) {
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

bool expect(Lexer& text, std::string_view what, std::string& why) {
  if (text.take(what)) return true;
  why = fmt::format("expected '{}' at {}", what, text.here());
  return false;
}

// A number from `lowest` to `highest`.
std::optional<unsigned> number(Lexer& text, const char* what, int64_t lowest, int64_t highest, std::string& why) {
  auto value = text.take_integer();
  if (value && *value >= lowest && *value <= highest) return unsigned(*value);
  why = fmt::format("{} must be {} to {}", what, lowest, highest);
  return {};
}

// A name of the table, or a number up to `highest`.
std::optional<unsigned> name_or_number(Lexer& text, std::span<const Name> names, unsigned highest, const char* what,
                                       std::string& why) {
  int found = number_of(names, text.peek_word());
  if (found < 0) return number(text, what, 0, highest, why);
  text.take_word();
  return unsigned(found);
}

// Bits 5:0 the register, 10:6 the first bit, 15:11 the number of bits less one.
std::optional<uint16_t> hardware_register(Lexer& text, std::string& why) {
  if (!text.take("hwreg")) return sixteen_bits(text, why, 0);
  if (!expect(text, "(", why)) return {};
  auto id = name_or_number(text, hardware_registers, 63, "the hardware register", why);
  if (!id) return {};
  unsigned offset = 0, size = 32;
  if (text.take(",")) {
    auto first = number(text, "hwreg's bit offset", 0, 31, why);
    if (!first || !expect(text, ",", why)) return {};
    auto second = number(text, "hwreg's size in bits", 1, 32, why);
    if (!second) return {};
    offset = *first, size = *second;
  }
  if (!expect(text, ")", why)) return {};
  return uint16_t(*id | offset << 6 | (size - 1) << 11);
}

std::string hardware_register_text(unsigned value) {
  unsigned id = value & 63, offset = value >> 6 & 31, size = (value >> 11) + 1;
  std::string name(name_of(hardware_registers, id));
  if (name.empty()) name = fmt::format("{}", id);
  return offset == 0 && size == 32 ? fmt::format("hwreg({})", name) : fmt::format("hwreg({}, {}, {})", name, offset, size);
}

// A message whose operation has this name; an operation without one is written in numbers.
std::string_view operation_name(unsigned id, unsigned operation) {
  if (id == MSG_GS && operation != 0) return name_of(gs_operations, operation);
  if (id == MSG_GS_DONE) return name_of(gs_operations, operation);
  if (id == MSG_SYSMSG) return name_of(system_operations, operation);
  return {};
}

// Bits 3:0 the message, 6:4 the operation, 9:8 the stream.
std::string message_text(unsigned value) {
  unsigned id = value & 15, operation = value >> 4 & 7, stream = value >> 8 & 3;
  if ((value & ~0x37fu) != 0) return fmt::format("{}", value);
  std::string_view name = name_of(messages, id), of = operation_name(id, operation);
  bool streams = (id == MSG_GS || id == MSG_GS_DONE) && operation != 0;
  if (id == 1 && operation == 0 && stream == 0) return fmt::format("sendmsg({})", name);
  if (!of.empty() && streams) return fmt::format("sendmsg({}, {}, {})", name, of, stream);
  if (!of.empty() && stream == 0) return fmt::format("sendmsg({}, {})", name, of);
  return fmt::format("sendmsg({}, {}, {})", id, operation, stream);
}

std::optional<uint16_t> message(Lexer& text, std::string& why) {
  if (!text.take("sendmsg")) return sixteen_bits(text, why, 0);
  if (!expect(text, "(", why)) return {};
  bool named = number_of(messages, text.peek_word()) >= 0;
  auto id = name_or_number(text, messages, 15, "the message", why);
  if (!id) return {};
  unsigned operation = 0, stream = 0;
  bool has_operation = text.take(","), has_stream = false;
  if (has_operation) {
    auto names = *id == MSG_SYSMSG ? system_operations : gs_operations;
    bool by_name = number_of(names, text.peek_word()) >= 0;
    auto op = name_or_number(text, names, 7, "the message's operation", why);
    if (!op) return {};
    operation = *op;
    if ((named || by_name) && operation_name(*id, operation).empty()) {
      why = "the message has no such operation";
      return {};
    }
    has_stream = text.take(",");
    if (has_stream) {
      auto s = number(text, "the message's stream", 0, 3, why);
      if (!s) return {};
      stream = *s;
      if (named && (*id == MSG_SYSMSG || operation == 0)) {
        why = "the message's operation has no stream";
        return {};
      }
    }
  } else if (named && *id != 1) {
    why = "the message needs an operation";
    return {};
  }
  if (!expect(text, ")", why)) return {};
  return uint16_t(*id | operation << 4 | stream << 8);
}

// Bits 3:0 VMCNT, 6:4 EXPCNT, 11:8 LGKMCNT.
struct Counter {
  std::string_view name;
  unsigned low, highest;
};
constexpr Counter counters[] = {{"vmcnt", 0, 15}, {"expcnt", 4, 7}, {"lgkmcnt", 8, 15}};
constexpr unsigned counter_bits = 0xf7f;

std::string wait_text(unsigned value) {
  if ((value & ~counter_bits) != 0) {  // bits that belong to no counter
    std::string decimal = fmt::format("{}", value), hex = fmt::format("{:#x}", value);
    return hex.size() < decimal.size() ? hex : decimal;
  }
  bool all = true;
  for (const Counter& c : counters) all &= (value >> c.low & c.highest) == c.highest;
  std::string result;
  for (const Counter& c : counters) {
    unsigned count = value >> c.low & c.highest;
    if (count != c.highest || all) result += fmt::format("{}{}({})", result.empty() ? "" : " ", c.name, count);
  }
  return result;
}

std::optional<uint16_t> wait(Lexer& text, std::string& why) {
  Lexer before = text;
  if (text.take_integer()) {
    text = before;
    return sixteen_bits(text, why);
  }
  unsigned value = counter_bits;
  if (text.at_end()) {
    why = "expected a counter";
    return {};
  }
  while (!text.at_end()) {
    std::string_view word = text.take_word();
    bool saturate = word.ends_with("_sat");
    if (saturate) word.remove_suffix(4);
    const Counter* found = nullptr;
    for (const Counter& c : counters)
      if (c.name == word) found = &c;
    if (found == nullptr) {
      why = fmt::format("unknown counter '{}'", word);
      return {};
    }
    if (!expect(text, "(", why)) return {};
    auto count = text.take_integer();
    if (count && saturate && *count > int64_t(found->highest)) *count = found->highest;
    if (!count || *count < 0 || *count > int64_t(found->highest)) {
      why = fmt::format("{} must be 0 to {}", found->name, found->highest);
      return {};
    }
    if (!expect(text, ")", why)) return {};
    value = (value & ~(found->highest << found->low)) | unsigned(*count) << found->low;
    if (!text.take("&")) text.take(",");
  }
  return uint16_t(value);
}

}  // namespace

std::string immediate_text(Kind kind, uint16_t value) {
  switch (kind) {
    case Kind::HwReg: return hardware_register_text(value);
    case Kind::Message: return message_text(value);
    case Kind::WaitCnt: return wait_text(value);
    case Kind::Hex: return fmt::format("{:#x}", value);
    case Kind::Decimal: return value > 64 ? fmt::format("{:#x}", value) : fmt::format("{}", value);
    default: return fmt::format("{}", value);
  }
}

std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why) {
  switch (kind) {
    case Kind::HwReg: return hardware_register(text, why);
    case Kind::Message: return message(text, why);
    case Kind::WaitCnt: return wait(text, why);
    case Kind::Label:
      if (auto value = sixteen_bits(text, why)) return value;
      why = "a branch needs a number of dwords, as labels cannot be resolved here: " + why;
      return {};
    default: return sixteen_bits(text, why);
  }
}

std::string buffer_format_text(DataAndNumber format) {
  if (format.dfmt == 1 && format.nfmt == 0) return "";
  if (format.nfmt == 0) return fmt::format("[{}]", name_of(data_formats, format.dfmt));
  if (format.dfmt == 1) return fmt::format("[{}]", name_of(number_formats, format.nfmt));
  return fmt::format("[{},{}]", name_of(data_formats, format.dfmt), name_of(number_formats, format.nfmt));
}

std::optional<DataAndNumber> parse_buffer_format(Lexer& text, std::string& why) {
  DataAndNumber result;
  if (!text.take("[")) {
    auto value = number(text, "format:", 0, 127, why);
    if (!value) return {};
    return DataAndNumber{uint16_t(*value & 15), uint16_t(*value >> 4)};
  }
  bool data_seen = false, number_seen = false;
  do {
    std::string_view word = text.take_word();
    int data = number_of(data_formats, word), of = number_of(number_formats, word);
    bool again = (data >= 0 && data_seen) || (of >= 0 && number_seen);
    if ((data < 0 && of < 0) || again) {
      why = fmt::format("unknown or repeated buffer format '{}'", word);
      return {};
    }
    if (data >= 0) result.dfmt = uint16_t(data), data_seen = true;
    if (of >= 0) result.nfmt = uint16_t(of), number_seen = true;
  } while (text.take(","));
  if (!expect(text, "]", why)) return {};
  return result;
}

}  // namespace Atoll::gcn2
