// One attempt to read text as the operands and modifiers of one row; parse.cpp tries the rows of a mnemonic in turn.
#pragma once
#include <string>

#include "isa/amd/operand_reader.h"
#include "isa/gfx7/constants.h"
#include "isa/gfx7/operands.h"

namespace Atoll::gfx7 {

class Attempt : private amd::OperandReader {
public:
  // `vcc_unwritten`: the VCC that a VOPC writes is left out of the text.
  Attempt(const Opcode& row, Lexer text, bool vcc_unwritten = false)
      : OperandReader(row, text, registers), vcc_unwritten_(vcc_unwritten) {
    i.opcode = &row;
  }

  Instruction i;
  using OperandReader::why;

  bool run();

private:
  bool vcc_unwritten_;

  bool operand(const OperandRow& o);
  bool source(const OperandRow& o);
  bool plain_source(const OperandRow& o, bool absolute, bool negate, bool& folded);
  bool smrd_offset();
  bool modifiers();
  bool modifier(std::string_view word);
  bool immediate(const OperandRow& o);
  bool scalar_offset(uint16_t& place);
  bool number(std::string_view word, int64_t lowest, int64_t highest, uint16_t& place);
  bool finish();
};

// Combinations that words can encode but the hardware cannot execute: more than one scalar value on the constant bus (LLVM's rule); "" when
// all is well.
std::string combination_problem(const Instruction& i);

}  // namespace Atoll::gfx7
