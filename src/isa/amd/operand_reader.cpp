#include "isa/amd/operand_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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
  if (!found->vector) return failed(fmt::format("{} takes a VGPR there", row_.name));
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
  if (!found.vector) return failed(fmt::format("{} takes a VGPR there", row_.name));
  if (found.half >= 0) return failed(fmt::format("{} takes no half of a VGPR there", row_.name));
  if (found.count == count) return true;
  return failed(fmt::format("{} takes {} VGPR{} there, not {}", row_.name, count, count == 1 ? "" : "s", found.count));
}

bool OperandReader::scalar_fits(const RegisterText& found, unsigned count) {
  if (found.vector) return failed(fmt::format("{} takes a scalar register there", row_.name));
  if (found.count == 0 || found.count == count) return true;
  return failed(fmt::format("{} takes {} scalar register{} there, not {}", row_.name, count, count == 1 ? "" : "s", found.count));
}

// True if the minus here belongs to a register or |…|, and not to a number.
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

bool OperandReader::apply(const SourceModifiers& m, unsigned index, uint16_t& neg, uint16_t& abs) {
  if (m.negate) neg |= uint16_t(1u << index);
  if (m.absolute) abs |= uint16_t(1u << index);
  bool no_negation = m.negate && !(row_.neg >> index & 1), no_absolute = m.absolute && !(row_.abs >> index & 1);
  if (!no_negation && !no_absolute) return true;
  return failed(fmt::format("{} has no {} of that operand", row_.name, no_negation ? "negation" : "absolute value"));
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

bool OperandReader::attribute(uint16_t& attribute, uint16_t& channel) {
  std::string_view word = text_.take_word();
  size_t dot = word.find('.');
  bool written = word.starts_with("attr") && dot != word.npos && dot > 4 && dot <= 6 && dot + 2 == word.size();
  if (written) {
    unsigned number = 0;
    for (char c : word.substr(4, dot - 4)) {
      written &= std::isdigit(static_cast<unsigned char>(c)) != 0;
      number = number * 10 + unsigned(c - '0');
    }
    size_t place = std::string_view("xyzw").find(word[dot + 1]);
    attribute = uint16_t(number), channel = uint16_t(place);
    written &= number <= 32 && place != std::string_view::npos;
  }
  return written || failed("expected attr0 to attr32 and .x, .y, .z or .w");
}

bool OperandReader::export_source(unsigned n, uint16_t& enabled, uint16_t& number) {
  if (text_.peek_word() == "off") {
    text_.take_word();
    return true;
  }
  enabled |= uint16_t(1u << n);
  return vgpr(1, number);
}

bool OperandReader::buffer_address(uint16_t& number) {
  if (text_.peek_word() != "off") return vgprs(number, address_registers_);
  text_.take_word();
  return true;
}

bool OperandReader::buffer_registers_fit(unsigned address, unsigned data) {
  if (address_registers_ != address)
    return failed(fmt::format("VADDR takes {} VGPRs with these modifiers, not {}", address, address_registers_));
  return data_registers_ == data || failed(fmt::format("{} takes {} data VGPRs, not {}", row_.name, data, data_registers_));
}

bool OperandReader::image_data_fits(unsigned data) {
  return data_registers_ == data ||
         failed(fmt::format("{} takes {} data VGPRs with these modifiers, not {}", row_.name, data, data_registers_));
}

bool OperandReader::gather_mask_fits(unsigned mask) {
  return !row_.has(Flag::Gather4) || std::popcount(mask) == 1 || failed("dmask: of a gather names one component: 1, 2, 4 or 8");
}

}  // namespace Atoll::amd
