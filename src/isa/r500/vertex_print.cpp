// Words to text. A source that stands where the parser would put it by itself is left out; bits of no field follow as `@wordN=`.
#include <fmt/format.h>

#include "isa/r500/vertex_spelling.h"
#include "isa/r500/vertex_text.h"

namespace Atoll::r500::vs {
namespace {

std::string register_text(std::string_view bank, uint8_t offset, uint8_t mode, uint8_t address_channel) {
  if (mode == ABSOLUTE) return fmt::format("{}{}", bank, offset);
  if (mode == BY_LOOP_INDEX) return fmt::format("{}[al+{}]", bank, offset);
  return fmt::format("{}[a0.{}+{}]", bank, channel_letters[address_channel], offset);
}

std::string source_text(const Source& s, uint8_t channels) {
  std::string letters;
  const uint8_t all = uint8_t((1 << channels) - 1);
  bool same = s.negate == 0 || s.negate == all;
  for (uint8_t c = 0; c < channels; c++) same &= s.swizzle[c] == s.swizzle[0];
  for (uint8_t c = 0; c < (same ? 1 : channels); c++) {
    if (s.negate != all && s.negate >> c & 1) letters += '-';
    letters += select_letters[s.swizzle[c]];
  }
  std::string text = register_text(source_banks[s.type], s.offset, s.mode, s.address_channel) + "." + letters;
  if (s.absolute) text = "|" + text + "|";
  return s.negate == all ? "-" + text : text;
}

std::string destination_text(const Destination& d) {
  std::string text, bank(destination_banks[d.type]);
  // a0 has one number as a rule.
  if (d.type == DESTINATION_ADDRESS && d.offset == 0 && d.mode == ABSOLUTE)
    text = "a0";
  else
    text = register_text(bank, d.offset, d.mode, d.address_channel);
  text += '.';
  for (size_t c = 0; c < 4; c++)
    if (d.mask >> c & 1) text += channel_letters[c];
  return d.mask ? text : text + "_";
}

// Sources in the text: those that the operation looks at, or all that the words have.
enum class Form : uint8_t { bare, move, brief, full };

std::string instruction_text(const Instruction& i, Form form) {
  const OpRow& row = row_of(i.op);
  std::string text;
  if (i.predicate) text = i.predicate == PREDICATE_SET ? "(p) " : "(!p) ";
  text += form == Form::move ? "mov" : row.name;
  if (row.engine == Engine::math ? i.saturate_math : i.saturate) text += ".sat";
  if (form == Form::bare) return text;
  text += " " + destination_text(i.destination);
  const uint8_t present = i.is_dual ? 3 : 7, written = form == Form::full ? present : form == Form::move ? 1 : row.sources;
  for (uint8_t n = 0; n < 3; n++)
    if (written >> n & 1) text += ", " + source_text(i.source[n], 4);
  if (i.is_dual)
    text += fmt::format(" | {}{} u{}.{}, {}", row_of(i.dual.op).name, i.saturate_math ? ".sat" : "", i.dual.destination,
                        channel_letters[i.dual.channel], source_text(i.dual.source, 2));
  return text;
}

}  // namespace

std::string print(const Words& words) {
  const Instruction i = instruction_of(words);
  std::string text;
  Words is{};
  auto fits = [&](Form form) {
    text = instruction_text(i, form);
    auto parsed = parse(text);
    if (parsed) is = *parsed;
    Instruction expected = i;  // without what the text has no place for
    (row_of(i.op).engine == Engine::math ? expected.saturate : expected.saturate_math) &= i.is_dual;
    return parsed && instruction_of(is) == expected;
  };
  const bool is_mov = i.op == Op::Add && !i.is_dual, is_nop = i.op == Op::Nop || i.op == Op::MathNop;
  if (!(is_mov && fits(Form::move)) && !(is_nop && fits(Form::bare)) && !fits(Form::brief)) fits(Form::full);
  for (uint32_t n = 0; n < kWords; n++)  // bits of no field, or without a meaning here
    if (is[n] != words[n]) text += fmt::format(" @word{}={:#x}", n, words[n]);
  return text;
}

}  // namespace Atoll::r500::vs
