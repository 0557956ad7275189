#include "isa/amd/decode.h"

namespace Atoll::amd {

const char* refuse_with(std::string reason) {
  static thread_local std::string kept;
  kept = std::move(reason);
  return kept.c_str();
}

const char* find_row(const Table& table, std::span<const uint32_t> words, Found& found) {
  Format format = found.format = table.format_of(words[0]);
  if (format == Format::COUNT) return refuse("no instruction format begins with {:#010x}", words[0]);
  const Layout& form = table.layout(format);
  if (Bits reserved = form.at(Field::reserved); reserved.width != 0 && reserved.get(words.data()) != 0)
    return refuse("{}: a reserved bit is set", format_name(format));
  if (words.size() < form.words)
    return refuse("{} takes {} bytes; only {} are left", format_name(format), form.words * 4, words.size() * 4);
  if (format == Format::VOPDX) return nullptr;
  // The opcode stands at the same place in both layouts of VOP3; exports have one instruction and no such field.
  Bits field = form.at(Field::op);
  unsigned number = field.width != 0 ? field.get(words.data()) : 0;
  found.row = table.find(format, number);
  return found.row != nullptr ? nullptr : refuse("unknown {} opcode {}", format_name(format), number);
}

const char* vgpr_problem(unsigned first, unsigned count) {
  return first + count > 256 ? refuse("v{} and the {} after it: there are 256 VGPRs", first, count - 1) : nullptr;
}

}  // namespace Atoll::amd
