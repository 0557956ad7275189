// One attempt to read text as the operands and modifiers of one row; parse.cpp tries the rows of a mnemonic in turn.
#pragma once
#include <string>

#include "isa/amd/operand_reader.h"
#include "isa/rdna4/modifiers.h"
#include "isa/rdna4/operands.h"

namespace Atoll::rdna4 {

// The encoding that a mnemonic's suffix demands.
enum class Form { Any, E32, E64, Dpp, E64Dpp };

class Attempt : private amd::OperandReader {
public:
  Attempt(const Opcode& row, Lexer text, CodeOptions options) : OperandReader(row, text, registers), options_(options) {
    i.opcode = &row;
  }

  Instruction i;
  using OperandReader::why;

  // `vopd`: the row is one half of a VOPD, which has no modifiers.
  bool run(Form form, bool vopd);

private:
  CodeOptions options_;

  unsigned dwords(const OperandRow& o) const;
  bool silent(const OperandRow& o) const;
  void prepare();

  bool operand(const OperandRow& o);
  bool vector_register(const OperandRow& o);
  bool scalar_register(const OperandRow& o);
  bool implied_vcc(const OperandRow& o);
  bool vgpr_or_half(unsigned count, uint16_t& number, const OperandRow& o);
  bool select_half(RegisterText& found, const OperandRow& o);
  bool source(const OperandRow& o);
  bool plain_source(const OperandRow& o, bool absolute, bool negate, bool& folded);
  bool mandatory_literal(const OperandRow& o);

  bool data();
  bool image_registers(unsigned most);
  bool image_resource();
  bool address(const OperandRow& o);
  bool scalar_address();
  bool scalar_offset(bool or_number);
  bool memory_offset();

  bool immediate(const OperandRow& o);
  bool export_target();

  bool finish(Form form, const ModifierText& modifiers);
  bool finish_image(const ModifierText& modifiers);
  bool selects_allowed_halves() const;
};

}  // namespace Atoll::rdna4
