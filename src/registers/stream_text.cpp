#include "registers/stream_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace Atoll::registers {
namespace {

void append_fields(std::string& text, std::span<const Field> fields, uint32_t value, std::string_view margin) {
  // A field that fills the dword says no more than the dword.
  if (fields.size() == 1 && fields[0].low == 0 && fields[0].high == 31 && value_name(fields[0], value).empty()) return;
  for (auto& field : fields) text += fmt::format("{}      {}\n", margin, field_text(field, field_value(field, {&value, 1})));
}

bool separates(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\n'; }

}  // namespace

std::string field_text(const Field& field, uint64_t value) {
  std::string text = fmt::format("{} = {}", field.name, value);
  if (value > 9) text += fmt::format(" ({:#x})", value);
  if (auto name = value_name(field, value); !name.empty()) text.append(" ").append(name);
  return text;
}

void append_text(std::string& text, const StreamPacket& packet, std::string_view margin) {
  text += fmt::format("{}{:#08x} {:08x} ", margin, packet.offset * 4, packet.words[0]);
  if (packet.name().empty())
    text += fmt::format("(unknown opcode {:#04x})", packet.opcode);
  else
    text += packet.name();
  text += packet.predicated ? ", predicated" : "";
  text += packet.compute ? ", compute\n" : "\n";
  for (auto& write : packet.writes) {
    auto* entry = write.place.entry;
    text += fmt::format("{}    {:#x} {} = {:#010x}\n", margin, write.address, entry ? write.place.name() : "(unknown register)",
                        write.value);
    if (entry) append_fields(text, entry->fields, write.value, margin);
  }
  for (auto& operand : packet.operands) {
    text += fmt::format("{}    {} = {:#010x}\n", margin, operand.name, operand.value);
    append_fields(text, operand.fields, operand.value, margin);
  }
  constexpr size_t in_a_line = 8;
  for (size_t word = packet.named_words; word < packet.words.size(); word++) {
    size_t column = (word - packet.named_words) % in_a_line;
    if (column == 0) text += fmt::format("{}   ", margin);
    text += fmt::format(" {:08x}", packet.words[word]);
    if (column + 1 == in_a_line || word + 1 == packet.words.size()) text += '\n';
  }
}

Expected<std::vector<uint32_t>> dwords_of_hex(std::string_view text) {
  std::vector<uint32_t> dwords;
  for (size_t at = 0; at < text.size();) {
    if (separates(text[at])) {
      at++;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !separates(text[end])) end++;
    std::string_view digits = text.substr(at, end - at);
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    uint32_t dword = 0;
    auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), dword, 16);
    if (error != std::errc() || rest != digits.data() + digits.size()) {
      auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
      return fail("{}: '{}' is no hexadecimal dword", line, text.substr(at, std::min<size_t>(end - at, 40)));
    }
    dwords.push_back(dword);
    at = end;
  }
  return dwords;
}

}  // namespace Atoll::registers
