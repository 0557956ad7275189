#include "isa/gfx7/immediates.h"

#include <fmt/format.h>

#include "isa/amd/immediates.h"
#include "isa/gfx7/names.h"

namespace Atoll::gfx7 {
namespace {

using amd::expect;
using amd::take_16_bits;
using amd::take_name_or_number;
using amd::take_number;

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
  if (!text.take("sendmsg")) return take_16_bits(text, why, 0);
  if (!expect(text, "(", why)) return {};
  bool named = number_of(messages, text.peek_word()) >= 0;
  auto id = take_name_or_number(text, messages, 15, "the message", why);
  if (!id) return {};
  unsigned operation = 0, stream = 0;
  bool has_operation = text.take(","), has_stream = false;
  if (has_operation) {
    auto names = *id == MSG_SYSMSG ? system_operations : gs_operations;
    bool by_name = number_of(names, text.peek_word()) >= 0;
    auto op = take_name_or_number(text, names, 7, "the message's operation", why);
    if (!op) return {};
    operation = *op;
    if ((named || by_name) && operation_name(*id, operation).empty()) {
      why = "the message has no such operation";
      return {};
    }
    has_stream = text.take(",");
    if (has_stream) {
      auto s = take_number(text, "the message's stream", 0, 3, why);
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

}  // namespace

std::string immediate_text(Kind kind, uint16_t value) {
  if (kind == Kind::Message) return message_text(value);
  if (kind == Kind::WaitCnt && (value & ~unsigned(wait_counter_bits)) != 0) {  // bits that belong to no counter
    std::string decimal = fmt::format("{}", value), hex = fmt::format("{:#x}", value);
    return hex.size() < decimal.size() ? hex : decimal;
  }
  return amd::immediate_text(kind, immediate_names, value);
}

std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why) {
  return kind == Kind::Message ? message(text, why) : amd::parse_immediate(text, kind, immediate_names, why);
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
    auto value = take_number(text, "format:", 0, 127, why);
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

}  // namespace Atoll::gfx7
