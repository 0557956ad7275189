#include "isa/rdna4/immediates.h"

#include <fmt/format.h>

#include "isa/amd/immediates.h"
#include "isa/rdna4/names.h"

namespace Atoll::rdna4 {
namespace {

using amd::expect;
using amd::take_16_bits;
using amd::take_name_or_number;

std::optional<uint16_t> message(Lexer& text, std::string& why) {
  if (!text.take("sendmsg")) return take_16_bits(text, why, 0);
  if (!expect(text, "(", why)) return {};
  auto id = take_name_or_number(text, messages, 255, "the message", why);
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
  if (!text.starts("inst")) return take_16_bits(text, why);
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
    auto number = take_name_or_number(text, names, low == 4 ? 7 : 15, "the delay", why);
    if (!number || !expect(text, ")", why)) return {};
    value |= *number << low;
  } while (text.take("|"));
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

std::string message_text(unsigned value) {
  std::string_view name = name_of(messages, value & 0xff);
  if (!name.empty()) return fmt::format("sendmsg({})", name);
  return value < 256 ? fmt::format("sendmsg({}, 0, 0)", value) : fmt::format("{}", value);
}

std::string delay_text(unsigned value) {
  std::string result;
  auto part = [&](const char* what, std::span<const Name> names, unsigned number, const char* unknown) {
    if (number == 0) return;
    if (!result.empty()) result += " | ";
    std::string_view name = name_of(names, number);
    result += fmt::format("{}({})", what, name.empty() ? std::string_view(unknown) : name);
  };
  part("instid0", delay_instructions, value & 0xf, "/* invalid instid value */");
  part("instskip", delay_skips, value >> 4 & 7, "/* invalid instskip value */");
  part("instid1", delay_instructions, value >> 7 & 0xf, "/* invalid instid value */");
  return result.empty() ? "0" : result;
}

// S_VERSION: a GPU generation in eight bits, and flags in the three highest bits.
std::string version_text(unsigned value) {
  unsigned generation = value & 0x1fff;
  if (generation > 0xff) return fmt::format("{:#x}", value);
  std::string_view name = name_of(versions, generation);
  std::string result = name.empty() ? fmt::format("{}", generation) : std::string(name);
  bool compound = false;
  for (const Name& flag : version_flags) {
    if ((value & flag.number) == 0) continue;
    result = (compound ? "(" + result + ")|" : result + "|") + std::string(flag.name);
    compound = true;
  }
  return result;
}

}  // namespace

std::string immediate_text(Kind kind, uint16_t value) {
  switch (kind) {
    case Kind::Message: return message_text(value);
    case Kind::DelayAlu: return delay_text(value);
    case Kind::DepCtr:
      if ((value & ~unsigned(alu_counter_bits)) != 0) return fmt::format("{:#x}", value);
      return amd::counters_text(alu_counters, alu_counter_bits, value);
    case Kind::Version: return version_text(value);
    default: return amd::immediate_text(kind, immediate_names, value);
  }
}

std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why) {
  switch (kind) {
    case Kind::Message: return message(text, why);
    case Kind::DelayAlu: return delay(text, why);
    case Kind::DepCtr: return amd::take_counters(text, alu_counters, alu_counter_bits, why);
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
    default: return amd::parse_immediate(text, kind, immediate_names, why);
  }
}

}  // namespace Atoll::rdna4
