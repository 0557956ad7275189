#include "isa/gfx7/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "isa/gfx7/decode.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/operands.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/print.h"

namespace Atoll::gfx7 {
namespace {

// A last dword that is cut short counts as one that ends in zeros.
std::string words_of(std::span<const uint8_t> bytes) {
  std::string text = ".long ";
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t word = 0;
    for (size_t n = at; n < std::min(at + 4, bytes.size()); n++) word |= uint32_t(bytes[n]) << 8 * (n - at);
    text += fmt::format("{}{:#010x}", at ? ", " : "", word);
  }
  return text;
}

// Instructions whose text surely gives their words back; of the others it is tried.
bool plain(const Instruction& i) {
  Format format = i.opcode->format;
  bool literal = i.bytes > layout(*i.opcode).words * 4;
  if (literal || format == Format::EXP || format == Format::MIMG) return false;
  if (!is_vector_alu(format)) return true;
  // Two scalar values may be too many, and some read one without naming it.
  unsigned scalars = i.opcode->has(Flag::ReadsVcc) || i.opcode->has(Flag::M0Counts);
  for (const OperandRow& o : i.opcode->rows())
    if (is_source(o.slot)) {
      unsigned number = i.src[unsigned(o.slot) - unsigned(Slot::Src0)];
      scalars += number < VGPR0 && !inline_constant(number);
    }
  return scalars < 2;
}

// Why assemblers do not make these words of the text; empty if they do.
std::string obstacle(std::string_view text, std::span<const uint8_t> words) {
  auto instruction = parse(text);
  if (!instruction) return instruction.error().message;
  auto again = encode(*instruction);
  if (again && std::ranges::equal(again->bytes(), words)) return "";
  return again && again->count * 4 < words.size() ? "an inline constant has the literal's value"
                                                  : "its text stands for other words";
}

}  // namespace

ListedLine list(std::span<const uint8_t> bytes, bool exact) {
  ListedLine line;
  Instruction i;
  const char* strict = decode_into(bytes, i);
  if (strict) line.reason = strict;
  if (strict && decode_into(bytes, i, Unused::ignored)) {
    bytes = bytes.first(std::min<size_t>(bytes.size(), 4));
    return {ListedLine::State::illegal, unsigned(bytes.size()), words_of(bytes) + " // " + line.reason, line.reason};
  }
  line.bytes = i.bytes;
  line.text = print(i);
  std::span words = bytes.first(i.bytes);
  if (!strict && !plain(i)) line.reason = obstacle(line.text, words);
  if (line.reason.empty()) return line;
  if (strict && !exact && parse(line.text)) {
    line.state = ListedLine::State::same;
    line.text = fmt::format("{} // {}; {}", line.text, words_of(words), line.reason);
    return line;
  }
  line.state = ListedLine::State::words;
  line.text = fmt::format("{} // {}; {}", words_of(words), line.text, line.reason);
  return line;
}

}  // namespace Atoll::gfx7
