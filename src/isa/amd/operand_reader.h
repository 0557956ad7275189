// Reading the operands of one row from assembler text: what the parsers of AMD's instruction sets share. Each derives its own
// attempt, which knows its operands' kinds and modifiers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "isa/amd/constants_text.h"
#include "isa/amd/lexer.h"
#include "isa/amd/names.h"
#include "isa/amd/registers_text.h"
#include "isa/amd/table.h"

namespace Atoll::amd {

// A line without its comment and the blanks before it.
std::string_view without_comment(std::string_view line);
// The mnemonic at the beginning of a line, in lower case; `text` goes on behind it. An error for labels and directives.
Expected<std::string> take_mnemonic(Lexer& text);

class OperandReader {
public:
  std::string why;  // what was wrong first

protected:
  OperandReader(const Opcode& row, Lexer text, const RegisterNames& registers) : row_(row), text_(text), registers_(registers) {}

  const Opcode& row_;
  Lexer text_;
  unsigned address_registers_ = 0, data_registers_ = 0;  // VGPRs whose number the modifiers decide, as written

  // Keeps the first reason; always false.
  bool failed(std::string reason);

  std::optional<RegisterText> take_register() { return amd::take_register(text_, registers_, why); }
  std::optional<RegisterText> register_here();  // must be one
  // A VGPR operand of any size; of `count`.
  bool vgprs(uint16_t& number, unsigned& count);
  bool vgpr(unsigned count, uint16_t& number);
  bool sgpr(unsigned count, uint16_t& number);
  bool vector_fits(const RegisterText& found, unsigned count);
  bool scalar_fits(const RegisterText& found, unsigned count);

  // -, |…|, neg(…) and abs(…) around a source: read up to the source, and behind it.
  struct SourceModifiers {
    bool negate = false, absolute = false, bar = false;
    unsigned closings = 0;
  };
  bool before_source(SourceModifiers& modifiers);
  bool behind_source(const SourceModifiers& modifiers);
  // They become bit `index` of NEG and ABS, if the row has them there.
  bool apply(const SourceModifiers& modifiers, unsigned index, uint16_t& neg, uint16_t& abs);

  // An instruction has one literal, however often it is written.
  bool literal(uint32_t value, uint32_t& place);
  // One that is always a dword, whatever its value.
  bool literal_dword(ConstantClass c, uint32_t& place);

  // attrN.x to attr32.w.
  bool attribute(uint16_t& attribute, uint16_t& channel);
  // Source `n` of an export, or `off`.
  bool export_source(unsigned n, uint16_t& enabled, uint16_t& number);
  // VADDR of a buffer, or `off`.
  bool buffer_address(uint16_t& number);
  // True if the text has as many VGPRs as the modifiers ask for: for buffers, for images.
  bool buffer_registers_fit(unsigned address, unsigned data);
  bool image_data_fits(unsigned data);
  // A gather's DMASK names one component.
  bool gather_mask_fits(unsigned mask);

private:
  const RegisterNames& registers_;
  bool has_literal_ = false;

  bool minus_of_register() const;
};

}  // namespace Atoll::amd
