// Registers, and the arithmetic of the command streamer on its sixteen of 64 bits (PRM volume 2a, MI_MATH).
#include "gpu/dg1/commands/handlers.h"
#include "gpu/dg1/draw/draw.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

uint32_t place(uint64_t offset, bool from_engine) { return uint32_t(offset) + (from_engine ? mmio::engine_base : 0); }

// Before a register is read or written: what draws count is there once their pixels are drawn. False: the context is lost.
bool settle(Context& c, uint32_t address) {
  const bool counts = address >= mmio::hs_invocations && address < mmio::ps_depth_count + 8;
  return !counts || write_back(c);
}
bool load_register(Context& c, uint32_t address, uint32_t value) {
  if (!settle(c, address)) return false;
  c.registers.write(address, value);
  return true;
}

}  // namespace

bool mi_load_register_imm(CommandStreamer& s, const Command& c) {
  using Load = MI_LOAD_REGISTER_IMM;
  const bool from_engine = Load::Add_CS_MMIO_Start_Offset::is_set(c.words);
  // The first register and value are the command's, those behind them what it repeats; they stand alike.
  using Offset = Load::Register_Offset;
  using Value = Load::Data_DWord;
  static_assert(Load::repeated::first_dword == 3 && Load::repeated::dwords == 2);
  if (c.dwords >= 3 && !load_register(s.context(), place(Offset::get(c.words), from_engine), Value::get(c.words))) return false;
  for (uint32_t i = Load::repeated::first_dword; i + 1 < c.dwords; i += Load::repeated::dwords)
    if (!load_register(s.context(), place(Load::repeated::Register_Offset::get(c.words + i), from_engine),
                       Load::repeated::Data_DWord::get(c.words + i)))
      return false;
  return true;
}

bool mi_load_register_reg(CommandStreamer& s, const Command& c) {
  using Load = MI_LOAD_REGISTER_REG;
  const uint32_t from =
      place(Load::Source_Register_Address::get(c.words), Load::Add_CS_MMIO_Start_Offset_Source::is_set(c.words));
  const uint32_t to =
      place(Load::Destination_Register_Address::get(c.words), Load::Add_CS_MMIO_Start_Offset_Destination::is_set(c.words));
  return settle(s.context(), from) && load_register(s.context(), to, s.context().registers.read(from));
}

bool mi_load_register_mem(CommandStreamer& s, const Command& c) {
  using Load = MI_LOAD_REGISTER_MEM;
  uint32_t value = 0;
  if (!s.context().load(Load::Memory_Address::get(c.words), &value, 4, "read of a register's value")) return false;
  s.context().registers.write(place(Load::Register_Address::get(c.words), Load::Add_CS_MMIO_Start_Offset::is_set(c.words)),
                              value);
  return true;
}

bool mi_store_register_mem(CommandStreamer& s, const Command& c) {
  using Store = MI_STORE_REGISTER_MEM;
  Registers& r = s.context().registers;
  if (Store::Predicate_Enable::is_set(c.words) && !(r.read(mmio::predicate_result) & 1)) return true;
  const uint32_t value = r.read(place(Store::Register_Address::get(c.words), Store::Add_CS_MMIO_Start_Offset::is_set(c.words)));
  return s.context().store(Store::Memory_Address::get(c.words), &value, 4, "write of a register's value");
}

namespace {

struct Alu {
  uint64_t a = 0, b = 0, result = 0;
  bool zero = false, carry = false;
};

using Instruction = structures::MI_MATH_ALU_INSTRUCTION;
using Operand = Instruction::Operand_2;

uint32_t general_purpose(uint64_t number) { return mmio::general_purpose + uint32_t(number) * 8; }

bool source(Context& c, const Alu& alu, uint64_t operand, uint64_t& value) {
  if (operand <= Operand::REG15) return value = c.registers.read64(general_purpose(operand)), true;
  switch (operand) {
    case Operand::ACCU: value = alu.result; return true;
    case Operand::ZF: value = alu.zero ? ~uint64_t(0) : 0; return true;
    case Operand::CF: value = alu.carry ? ~uint64_t(0) : 0; return true;
    default: return c.lose(fmt::format("operand {:#x} is no source", operand));
  }
}

bool load(Context& c, Alu& alu, uint64_t to, uint64_t value) {
  if (to == Operand::SRCA) return alu.a = value, true;
  if (to == Operand::SRCB) return alu.b = value, true;
  return c.lose(fmt::format("operand {:#x} cannot be loaded", to));
}

bool store(Context& c, uint64_t to, uint64_t value) {
  if (to > Operand::REG15) return c.lose(fmt::format("operand {:#x} cannot be stored to", to));
  c.registers.write64(general_purpose(to), value);
  return true;
}

bool execute(Context& c, Alu& alu, uint32_t word) {
  const uint64_t to = Instruction::Operand_1::get(&word), from = Operand::get(&word);
  uint64_t value = 0;
  auto compute = [&](uint64_t result, bool carry) {
    alu.result = result, alu.zero = result == 0, alu.carry = carry;
    return true;
  };
  using Op = Instruction::ALU_Opcode;
  switch (Op::get(&word)) {
    case Op::NOOP: return true;
    case Op::LOAD: return source(c, alu, from, value) && load(c, alu, to, value);
    case Op::LOADINV: return source(c, alu, from, value) && load(c, alu, to, ~value);
    case Op::LOAD0: return load(c, alu, to, 0);
    case Op::LOAD1: return load(c, alu, to, ~uint64_t(0));
    case Op::ADD: return compute(alu.a + alu.b, alu.a + alu.b < alu.a);
    case Op::SUB: return compute(alu.a - alu.b, alu.a < alu.b);
    case Op::AND: return compute(alu.a & alu.b, false);
    case Op::OR: return compute(alu.a | alu.b, false);
    case Op::XOR: return compute(alu.a ^ alu.b, false);
    case Op::STORE: return source(c, alu, from, value) && store(c, to, value);
    case Op::STOREINV: return source(c, alu, from, value) && store(c, to, ~value);
    default: return c.lose(fmt::format("ALU instruction {:#010x} does not exist", word));
  }
}

}  // namespace

bool mi_math(CommandStreamer& s, const Command& c) {
  Alu alu;
  for (uint32_t i = 1; i < c.dwords; ++i)
    if (!execute(s.context(), alu, c.words[i])) return false;
  return true;
}

}  // namespace Atoll::dg1
