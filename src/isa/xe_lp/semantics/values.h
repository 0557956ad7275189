// The arithmetic that an instruction is executed in.
#pragma once
#include <bit>
#include <type_traits>

#include "isa/xe_lp/alternate_floats.h"
#include "isa/xe_lp/executable.h"

namespace Atoll::xe_lp {

inline bool sources_are_floats(const Instruction& i) {
  return is_float(i.src[0].type) || (sources_of(i) > 1 && i.op != Op::Movi && is_float(i.src[1].type));
}
// Integers whose results need no more than 32 bits of the operands'.
inline bool is_narrow(const Instruction& i) {
  if (i.saturate || i.condition > Condition::Ne || i.write_accumulator || is_float(i.dst.type) || bytes_of(i.dst.type) > 4)
    return false;
  if (i.dst.file == File::Acc || i.dst.file == File::Mme) return false;
  for (unsigned n = 0; n < (i.op == Op::Movi ? 1 : sources_of(i)); n++)
    if (bytes_of(i.src[n].type) > 4) return false;
  return true;
}

// sel and csel of integers that compare as 32 bits do.
inline bool chooses_narrow(const Instruction& i) {
  if (i.saturate || i.write_accumulator || is_float(i.dst.type) || bytes_of(i.dst.type) > 4) return false;
  if (i.dst.file == File::Acc || i.dst.file == File::Mme) return false;
  for (unsigned n = 0; n < sources_of(i); n++) {
    const Operand& o = i.src[n];
    if (bytes_of(o.type) > 4 || o.modifiers || o.type == Type::V || is_signed(o.type) != is_signed(i.src[0].type)) return false;
  }
  return true;
}
// True if floats of both sizes meet in the instruction, as in every conversion between them.
inline bool mixes_floats(const Instruction& i) {
  bool halves = i.dst.type == Type::HF, singles = i.dst.type == Type::F;
  for (unsigned n = 0; n < (i.op == Op::Movi ? 1 : sources_of(i)); n++)
    (i.src[n].type == Type::HF ? halves : singles) |= is_float(i.src[n].type);
  return halves && singles;
}
// True if denormal halves count as zeros, as operands and as results, where cr0 keeps none. Moves and selections leave them as they are,
// conversions and whatever else mixes halves with floats keep them, and so does math (IGC 1.0.12504 PatternMatchPass.cpp,
// FlushesDenormsOnInput and FlushesDenormsOnOutput; Kaby Lake's PRM on math, quoted in Mesa's anv_device.c,
// shaderDenormFlushToZeroFloat16).
inline bool flushes_halves(const Instruction& i) {
  switch (i.op) {
    case Op::Mov:
    case Op::Movi:
    case Op::Sel:
    case Op::Csel:
    case Op::Math: return false;
    default: return !mixes_floats(i);
  }
}
// True if the instruction computes in the alternate mode: only f32 has it, where no halves are involved (alternate_floats.h).
// (Inlined always: a function of its own in code of a host level would be every level's.)
[[gnu::always_inline]] inline bool is_alternate(const wave::FloatMode& mode, const Instruction& i) {
  if (!has_alternate_floats(mode) || i.dst.type == Type::HF) return false;
  for (unsigned n = 0; n < (i.op == Op::Movi ? 1 : sources_of(i)); n++)
    if (i.src[n].type == Type::HF) return false;
  return true;
}
// True if the chosen source is moved unchanged: selections by predicate are, as raw moves (the same PRM, "sel").
inline bool moves_bits(const Instruction& i) { return i.op == Op::Movi || (i.op == Op::Sel && i.condition == Condition::None); }
// True if the result may be infinite although no operand is.
inline bool may_overflow(const Instruction& i) {
  return i.op == Op::Add || i.op == Op::Mul || i.op == Op::Mac || i.op == Op::Mad || i.op == Op::Math;
}
// True if no source can be less than 0.
inline bool all_unsigned(const Instruction& i) {
  for (unsigned n = 0; n < sources_of(i); n++)
    if (is_signed(i.src[n].type) || i.src[n].type == Type::V || i.src[n].modifiers & MOD_NEGATE) return false;
  return true;
}

}  // namespace Atoll::xe_lp
