#include "isa/amd/operand_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace Atoll::amd {

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, std::min(line.find("//"), line.find(';')));
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  return line;
}

Expected<std::string> take_mnemonic(Lexer& text) {
  if (text.at_end()) return fail("no instruction");
  std::string name = lower(text.take_word());
  if (name.empty()) return fail("expected a mnemonic at {}", text.here());
  if (text.starts(":")) return fail("labels cannot be assembled here");
  if (name.front() == '.') return fail("directives cannot be assembled here: {}", name);
  return name;
}

bool OperandReader::failed(std::string reason) {
  if (why.empty()) why = std::move(reason);
  return false;
}

std::optional<RegisterText> OperandReader::register_here() {
  auto found = take_register();
  if (!found) failed("expected a register at " + text_.here());
  return found;
}

bool OperandReader::vgprs(uint16_t& number, unsigned& count) {
  auto found = register_here();
  if (!found) return false;
  if (!found->vector) return failed(fmt::format("{} takes a VGPR there", name_));
  number = found->number, count = found->count;
  return true;
}

bool OperandReader::vgpr(unsigned count, uint16_t& number) {
  auto found = register_here();
  if (!found) return false;
  number = found->number;
  return vector_fits(*found, count);
}

bool OperandReader::sgpr(unsigned count, uint16_t& number) {
  auto found = register_here();
  if (!found) return false;
  number = found->number;
  return scalar_fits(*found, count);
}

bool OperandReader::vector_fits(const RegisterText& found, unsigned count) {
  if (!found.vector) return failed(fmt::format("{} takes a VGPR there", name_));
  if (found.half >= 0) return failed(fmt::format("{} takes no half of a VGPR there", name_));
  if (found.count == count) return true;
  return failed(fmt::format("{} takes {} VGPR{} there, not {}", name_, count, count == 1 ? "" : "s", found.count));
}

bool OperandReader::scalar_fits(const RegisterText& found, unsigned count) {
  if (found.vector) return failed(fmt::format("{} takes a scalar register there", name_));
  if (found.count == 0 || found.count == count) return true;
  return failed(fmt::format("{} takes {} scalar register{} there, not {}", name_, count, count == 1 ? "" : "s", found.count));
}

// Whether the minus here belongs to a register or |…|, and not to a number.
bool OperandReader::minus_of_register() const {
  std::string_view rest = text_.rest().substr(1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return !rest.empty() && !std::isdigit(static_cast<unsigned char>(rest.front())) && rest.front() != '.' && rest.front() != '-';
}

bool OperandReader::before_source(SourceModifiers& m) {
  for (;;) {
    if (text_.starts("neg(") || text_.starts("abs(")) {
      bool& which = text_.starts("neg(") ? m.negate : m.absolute;
      if (which || (text_.starts("neg(") && m.absolute)) return failed("neg(abs(…)) at most may stand around a source");
      which = true;
      text_.take_word();
      text_.take("(");
      ++m.closings;
    } else if (text_.starts("sext(")) {
      return failed("sext() is an SDWA modifier, which this GPU does not have");
    } else if (text_.starts("|") && !m.bar) {
      text_.take("|");
      m.absolute = m.bar = true;
    } else if (text_.starts("-") && !m.negate && !m.absolute && minus_of_register()) {
      text_.take("-");
      m.negate = true;
    } else {
      return true;
    }
  }
}

bool OperandReader::behind_source(const SourceModifiers& m) {
  if (m.bar && !text_.take("|")) return failed("expected '|' at " + text_.here());
  for (unsigned n = 0; n < m.closings; ++n)
    if (!text_.take(")")) return failed("expected ')' at " + text_.here());
  return true;
}

bool OperandReader::literal(uint32_t value, uint32_t& place) {
  if (has_literal_ && place != value) return failed("two different literals");
  has_literal_ = true;
  place = value;
  return true;
}

bool OperandReader::literal_dword(ConstantClass c, uint32_t& place) {
  auto number = text_.take_number();
  if (!number) return failed("expected a constant at " + text_.here());
  auto constant = literal_of(c, *number);
  if (!constant) return failed(fmt::format("that constant does not fit {} bits", is_half(c) ? 16 : 32));
  return literal(constant->literal, place);
}

bool OperandReader::attribute(unsigned& attribute, unsigned& channel) {
  std::string_view word = text_.take_word();
  size_t dot = word.find('.');
  bool written = word.starts_with("attr") && dot != word.npos && dot > 4 && dot <= 6 && dot + 2 == word.size();
  if (written) {
    attribute = 0;
    for (char c : word.substr(4, dot - 4)) {
      written &= std::isdigit(static_cast<unsigned char>(c)) != 0;
      attribute = attribute * 10 + unsigned(c - '0');
    }
    size_t place = std::string_view("xyzw").find(word[dot + 1]);
    channel = unsigned(place);
    written &= attribute <= 32 && place != std::string_view::npos;
  }
  return written || failed("expected attr0 to attr32 and .x, .y, .z or .w");
}

}  // namespace Atoll::amd
