#include "isa/rdna4/immediates.h"

#include <fmt/format.h>

#include <bit>

#include "isa/rdna4/names.h"

namespace Atoll::rdna4 {
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

// A name of the table, or a number up to `highest`.
std::optional<unsigned> name_or_number(Lexer& text, std::span<const Name> names, unsigned highest, const char* what,
                                       std::string& why) {
  if (auto number = text.take_integer()) {
    if (*number >= 0 && *number <= int64_t(highest)) return unsigned(*number);
    why = fmt::format("{} {} is above {}", what, *number, highest);
    return {};
  }
  std::string_view word = text.peek_word();
  int number = number_of(names, word);
  if (number < 0) {
    why = fmt::format("unknown {} at {}", what, text.here());
    return {};
  }
  text.take_word();
  return unsigned(number);
}

bool expect(Lexer& text, std::string_view what, std::string& why) {
  if (text.take(what)) return true;
  why = fmt::format("expected '{}' at {}", what, text.here());
  return false;
}

// hwreg(NAME) or hwreg(NAME, OFFSET, SIZE); in braces {id: NAME, offset: N, size: N}.
std::optional<uint16_t> hardware_register(Lexer& text, std::string& why) {
  if (text.take("{")) {
    unsigned id = 0, offset = 0, size = 32;
    while (!text.take("}")) {
      std::string_view field = text.take_word();
      if (!expect(text, ":", why)) return {};
      if (field == "id") {
        auto value = name_or_number(text, hardware_registers, 63, "hardware register", why);
        if (!value) return {};
        id = *value;
      } else if (field == "offset" || field == "size") {
        auto value = text.take_integer();
        if (!value || *value < (field == "size") || *value > (field == "size" ? 32 : 31)) {
          why = fmt::format("hwreg {} must be {}", field, field == "size" ? "1 to 32" : "0 to 31");
          return {};
        }
        (field == "size" ? size : offset) = unsigned(*value);
      } else {
        why = fmt::format("unknown hwreg field '{}'", field);
        return {};
      }
      text.take(",");
    }
    return uint16_t(id | offset << 6 | (size - 1) << 11);
  }
  if (!text.starts("hwreg")) return sixteen_bits(text, why);
  text.take("hwreg");
  if (!expect(text, "(", why)) return {};
  auto id = name_or_number(text, hardware_registers, 63, "hardware register", why);
  if (!id) return {};
  int64_t offset = 0, size = 32;
  if (text.take(",")) {
    auto first = text.take_integer();
    if (!first || *first < 0 || *first > 31) return why = "hwreg's bit offset must be 0 to 31", std::nullopt;
    if (!expect(text, ",", why)) return {};
    auto second = text.take_integer();
    if (!second || *second < 1 || *second > 32) return why = "hwreg's size must be 1 to 32 bits", std::nullopt;
    offset = *first, size = *second;
  }
  if (!expect(text, ")", why)) return {};
  return uint16_t(*id | unsigned(offset) << 6 | unsigned(size - 1) << 11);
}

std::optional<uint16_t> message(Lexer& text, std::string& why) {
  if (!text.starts("sendmsg")) return sixteen_bits(text, why);
  text.take("sendmsg");
  if (!expect(text, "(", why)) return {};
  auto id = name_or_number(text, messages, 255, "message", why);
  if (!id) return {};
  unsigned parts[2] = {0, 0};
  for (unsigned n = 0; n < 2 && text.take(","); ++n) {
    auto part = text.take_integer();
    if (!part || *part < 0 || *part > 7) return why = "a message operation or stream must be 0 to 7", std::nullopt;
    parts[n] = unsigned(*part);
  }
  if (parts[0] != 0 || parts[1] != 0) return why = "messages of this GPU have no operation and no stream", std::nullopt;
  if (!expect(text, ")", why)) return {};
  return uint16_t(*id);
}

std::optional<uint16_t> delay(Lexer& text, std::string& why) {
  if (!text.starts("inst")) return sixteen_bits(text, why);
  unsigned value = 0;
  do {
    std::string_view part = text.take_word();
    unsigned low = 0;
    std::span<const Name> names = delay_instructions;
    if (part == "instid0") {
      low = 0;
    } else if (part == "instskip") {
      low = 4, names = delay_skips;
    } else if (part == "instid1") {
      low = 7;
    } else {
      why = fmt::format("unknown part '{}' of s_delay_alu", part);
      return {};
    }
    if (!expect(text, "(", why)) return {};
    auto number = name_or_number(text, names, low == 4 ? 7 : 15, "delay", why);
    if (!number || !expect(text, ")", why)) return {};
    value |= *number << low;
  } while (text.take("|"));
  return uint16_t(value);
}

// Counters in any order, the others at their highest; separated by blanks, `&` or `,`.
std::optional<uint16_t> counters(Lexer& text, std::span<const CounterField> fields, unsigned all, std::string& why) {
  if (text.peek_word().empty() || std::string_view("0123456789").find(text.rest().front()) != std::string_view::npos)
    return sixteen_bits(text, why);
  unsigned value = all;
  while (!text.at_end()) {
    std::string_view word = text.take_word();
    bool saturate = word.ends_with("_sat");
    if (saturate) word.remove_suffix(4);
    const CounterField* found = nullptr;
    for (const CounterField& field : fields)
      if (field.name == word) found = &field;
    if (found == nullptr) {
      why = fmt::format("unknown counter '{}'", word);
      return {};
    }
    if (!expect(text, "(", why)) return {};
    auto count = text.take_integer();
    if (!count) return why = "expected a count at " + text.here(), std::nullopt;
    if (saturate && *count > found->highest()) *count = found->highest();
    if (*count < 0 || *count > int64_t(found->highest())) {
      why = fmt::format("{} must be 0 to {}", found->name, found->highest());
      return {};
    }
    if (!expect(text, ")", why)) return {};
    value = (value & ~(found->highest() << found->low)) | unsigned(*count) << found->low;
    if (!text.take("&")) text.take(",");
  }
  return uint16_t(value);
}

std::optional<unsigned> version_term(Lexer& text, std::string& why) {
  if (text.take("(")) {
    auto left = version_term(text, why);
    while (left && text.take("|")) {
      auto right = version_term(text, why);
      if (!right) return {};
      *left |= *right;
    }
    if (left && !expect(text, ")", why)) return {};
    return left;
  }
  if (auto number = text.take_integer()) {
    if (*number >= 0 && *number <= 65535) return unsigned(*number);
    why = fmt::format("{} does not fit 16 bits", *number);
    return {};
  }
  std::string_view word = text.take_word();
  for (auto names : {versions, version_flags})
    if (int number = number_of(names, word); number >= 0) return unsigned(number);
  why = fmt::format("unknown version '{}'", word);
  return {};
}

}  // namespace

std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why) {
  switch (kind) {
    case Kind::HwReg: return hardware_register(text, why);
    case Kind::Message: return message(text, why);
    case Kind::DelayAlu: return delay(text, why);
    case Kind::DepCtr: return counters(text, alu_counters, alu_counter_bits, why);
    case Kind::WaitCnt: return counters(text, wait_counters, wait_counter_bits, why);
    case Kind::Version: {
      auto value = version_term(text, why);
      while (value && text.take("|")) {
        auto next = version_term(text, why);
        if (!next) return {};
        *value |= *next;
      }
      if (!value) return {};
      return uint16_t(*value);
    }
    case Kind::Label:
      if (auto value = sixteen_bits(text, why)) return value;
      why = "a branch needs a number of dwords, as labels cannot be resolved here: " + why;
      return {};
    default: return sixteen_bits(text, why);
  }
}

}  // namespace Atoll::rdna4
