// Random Xe-LP programs: every instruction that is executed, over few registers so that values flow; branches of all kinds, loops
// and calls around them.
#pragma once
#include "isa/xe_lp/executable.h"
#include "isa/xe_lp/instruction.h"
#include "machine.h"

namespace Atoll::xe_lp::test {

using namespace Atoll::test;

// One that computes, with operands in registers below `registers`, except through addresses.
struct InstructionMaker {
  Random& r;
  unsigned registers = 48;  // general ones that operands name
  Instruction any();
  // Makes an instruction of this opcode; false: what came out is none.
  bool make(Op op, Instruction& i);

private:
  Type type_for(const Instruction& i, bool floats, bool destination);
  Operand source(const Instruction& i, unsigned n, Type type, bool last);
  Operand destination(const Instruction& i, Type type);
  void place(Operand& o, unsigned bytes, unsigned unit);
  void modify(Instruction& i);
};

RandomProgram random_program(Random& r);

}  // namespace Atoll::xe_lp::test
