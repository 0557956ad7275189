// One attempt to read text as the operands and modifiers of one row; parse.cpp tries the rows of a mnemonic in turn.
#pragma once
#include <string>

#include "isa/gcn2/constants.h"
#include "isa/gcn2/operands.h"

namespace Atoll::gcn2 {

class Attempt {
public:
  // `vcc_unwritten`: the VCC that a VOPC writes is left out of the text.
  Attempt(const Opcode& row, Lexer text, bool vcc_unwritten = false) : row_(row), text_(text), vcc_unwritten_(vcc_unwritten) {
    i.opcode = &row;
  }

  Instruction i;
  std::string why;

  bool run();

private:
  const Opcode& row_;
  Lexer text_;
  bool vcc_unwritten_;
  unsigned address_registers_ = 0, data_registers_ = 0;  // as written
  bool has_literal_ = false;

  bool failed(std::string reason);
  bool operand(const OperandRow& o);
  bool vgpr(unsigned count, uint16_t& number);
  bool vgprs(uint16_t& number, unsigned& count);
  bool sgpr(unsigned count, uint16_t& number);
  bool scalar_fits(const RegisterText& found, unsigned count);
  bool source(const OperandRow& o);
  bool plain_source(const OperandRow& o, bool absolute, bool negate, bool& folded);
  bool minus_of_register() const;
  bool literal(uint32_t value);
  bool mandatory_literal();
  bool smrd_offset();
  bool attribute();
  bool export_source(unsigned n);
  bool modifiers();
  bool modifier(std::string_view word);
  bool number(std::string_view word, int64_t lowest, int64_t highest, uint16_t& place);
  bool finish();
};

// What the hardware cannot do although words could say it: more than one scalar value on the constant bus (LLVM's rule); "" when
// all is well.
std::string combination_problem(const Instruction& i);

}  // namespace Atoll::gcn2
