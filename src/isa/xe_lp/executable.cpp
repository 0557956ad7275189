#include "isa/xe_lp/executable.h"

#include "base/removable_check.h"

namespace Atoll::xe_lp {
namespace {

using Why = std::string_view;

// --- operands

Why objection_to_type(Type t, bool immediate) {
  switch (t) {
    case Type::DF: return "DG1 has no double precision";
    case Type::None:
    case Type::NF: return "the type nf is not executed";
    case Type::UV:
    case Type::V:
    case Type::VF: return immediate ? "" : "a register holds no vector of immediates";
    default: return "";
  }
}
bool is_writable(File f) {
  switch (f) {
    case File::Grf:
    case File::A:
    case File::Acc:
    case File::Mme:
    case File::F:
    case File::Cr:
    case File::Sp:
    case File::N:
    case File::Tdr:
    case File::Dbg: return true;
    default: return false;
  }
}

Why objection_to_operand(const Operand& o, const RegionShape& shape, uint32_t lanes, bool destination) {
  if (auto why = objection_to_type(o.type, o.kind == Kind::Immediate); !why.empty()) return why;
  if (o.kind == Kind::Immediate) return destination ? "a destination cannot be a number" : "";
  if (destination && !o.horizontal) return "a destination's stride is <1>, <2> or <4>";
  if (!destination && !shape.width) return "a region has no width";
  if (o.kind == Kind::Indirect) {
    const uint32_t rows = shape.vertical == kVxH ? (lanes + shape.width - 1) / shape.width : 1;
    if (o.number + rows > kAddresses) return "addresses beyond a0";
    return "";
  }
  if (o.kind != Kind::Direct) return "an operand is missing";
  if (o.file == File::Null) return "";
  if (destination && is_pause(o)) return lanes == 1 ? "" : "a thread's pause is one number";
  if (destination && !is_writable(o.file)) return "this architecture register cannot be written";
  if (shape.vertical == kVxH) return "a region of addresses without a0";
  const uint32_t bytes = bytes_of(o.type);
  if (o.sub % bytes) return "a subregister is not aligned to its type";
  uint32_t last = (lanes - 1) * o.horizontal;
  if (!destination) {
    const uint32_t columns = lanes < shape.width ? lanes : shape.width;
    last = (lanes - 1) / shape.width * shape.vertical + (columns - 1) * shape.horizontal;
  }
  if (!ATOLL_CHECK("xe_lp.region", byte_of(o) + (last + 1) * bytes <= bytes_in(o.file)))
    return "a region reaches beyond the register file";
  return "";
}
// `bytes` at a register that a branch reads or writes.
Why objection_to_address(const Operand& o, uint32_t bytes, bool destination) {
  if (o.kind != Kind::Direct) return "a branch takes its address from a register";
  if (o.file == File::Null) return destination ? "" : "a branch to null";
  if (o.file != File::Grf && (destination || o.file != File::A)) return "a branch takes its address from r or a0";
  if (o.sub % 4) return "a subregister is not aligned to its type";
  if (!ATOLL_CHECK("xe_lp.region", byte_of(o) + bytes <= bytes_in(o.file))) return "a region reaches beyond the register file";
  return "";
}

// --- branches

Why objection_to_branch(const Instruction& i) {
  for (const Operand& o : i.src)
    if (o.kind == Kind::Label && o.immediate % 8) return "a branch leads to where no instruction can stand";
  if (i.src[0].kind != Kind::Label)
    if (auto why = objection_to_address(i.src[0], i.op == Op::Brc || i.op == Op::Ret ? 8 : 4, false); !why.empty()) return why;
  if (i.op == Op::Call || i.op == Op::Calla) return objection_to_address(i.dst, 8, true);
  return "";
}

// --- what an opcode takes

enum class Takes : uint8_t { Anything, Floats, Integers, Dwords };
Takes takes(const Instruction& i) {
  switch (i.op) {
    case Op::Frc:
    case Op::Rndu:
    case Op::Rndd:
    case Op::Rnde:
    case Op::Rndz: return Takes::Floats;
    case Op::Math: {
      const auto f = MathFunction(i.function);
      return f >= MathFunction::Idiv && f <= MathFunction::Irem ? Takes::Dwords : Takes::Floats;
    }
    case Op::Not:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
    case Op::Asr:
    case Op::Ror:
    case Op::Rol:
    case Op::Avg: return Takes::Integers;
    case Op::Lzd:
    case Op::Fbh:
    case Op::Fbl:
    case Op::Cbit:
    case Op::Bfrev:
    case Op::Bfe:
    case Op::Bfi1:
    case Op::Bfi2:
    case Op::Mach:
    case Op::Addc:
    case Op::Subb:
    case Op::Dp4a: return Takes::Dwords;
    default: return Takes::Anything;
  }
}
Why objection_to_types(const Instruction& i, unsigned sources) {
  bool floats = false, integers = false, wide = false;
  for (unsigned n = 0; n < sources; n++) {
    (is_float(i.src[n].type) ? floats : integers) = true;
    wide |= bytes_of(i.src[n].type) == 8;
  }
  const Takes what = takes(i);
  if (floats && integers) return "sources of float and integer types do not mix";
  if (what == Takes::Floats && integers) return "the instruction takes floats";
  if (what >= Takes::Integers && (floats || is_float(i.dst.type))) return "the instruction takes integers";
  if (what == Takes::Dwords && (wide || bytes_of(i.dst.type) == 8)) return "the instruction takes no integers of 64 bits";
  if (i.op == Op::Mac && integers && is_float(i.dst.type)) return "mac of integers gives integers";
  if (i.op == Op::Avg && wide) return "the instruction takes no integers of 64 bits";
  if ((i.op == Op::Addc || i.op == Op::Subb || i.op == Op::Mach) && bytes_of(i.dst.type) != 4)
    return "the instruction gives 32 bits";
  const bool of_vectors = i.src[0].type == Type::V || i.src[0].type == Type::UV;
  if (i.op == Op::Dp4a)
    for (const Operand& o : i.src)
      if (bytes_of(o.type) != 4) return "the instruction takes 32 bits";
  if (i.op == Op::Ror || i.op == Op::Rol)
    if (of_vectors || bytes_of(i.dst.type) != bytes_of(i.src[0].type)) return "a rotation keeps its type's size";
  return "";
}

// The reason, if any, why sums or products that are clamped, or whose sign matters, would not fit into 64 bits.
Why objection_to_exactness(const Instruction& i, unsigned sources) {
  if (is_float(i.src[0].type)) return "";
  bool wide = false, wide_unsigned = false, may_be_negative = false;
  for (unsigned n = 0; n < sources; n++) {
    const Type t = i.src[n].type;
    wide |= bytes_of(t) == 8, wide_unsigned |= t == Type::UQ, may_be_negative |= is_signed(t) || t == Type::V;
    if (i.src[n].modifiers) may_be_negative |= !is_logic(i.op);
  }
  const bool compares = i.op == Op::Cmp || i.op == Op::Cmpn || i.op == Op::Sel || i.op == Op::Csel;
  const bool looks = i.saturate || i.condition != Condition::None || is_float(i.dst.type);
  if (wide_unsigned && may_be_negative && (compares || looks)) return "integers of 64 bits with and without sign do not mix";
  for (unsigned n = 0; n < sources; n++)
    if (bytes_of(i.src[n].type) == 8 && i.src[n].modifiers && (compares || (looks && !is_logic(i.op))))
      return "integers of 64 bits take no modifiers where their sign counts";
  if (wide && is_float(i.dst.type) && i.op != Op::Mov && i.op != Op::Movi && !compares)
    return "sums and products of 64 bits do not become floats";
  if (!i.saturate && i.condition <= Condition::Ne) return "";
  const bool moves =
      i.op == Op::Mov || i.op == Op::Movi || i.op == Op::Sel || i.op == Op::Csel || i.op == Op::Cmp || i.op == Op::Cmpn;
  bool negated = false;
  uint32_t unsigned_dwords = 0;
  for (unsigned n = 0; n < sources; n++) {
    if ((bytes_of(i.src[n].type) == 8 || (is_shift(i.op) && bytes_of(i.dst.type) == 8)) && !moves && !is_logic(i.op))
      return "integers of 64 bits do not saturate or tell their sign";
    const bool factor = i.op == Op::Mad ? n > 0 : true;
    negated |= i.src[n].modifiers != 0 || is_signed(i.src[n].type) || i.src[n].type == Type::V;
    unsigned_dwords += factor && i.src[n].type == Type::UD;
  }
  const bool product = i.op == Op::Mul || i.op == Op::Mac || i.op == Op::Mad;
  const bool sum = i.op == Op::Mac || i.op == Op::Mad;
  if (product && negated && unsigned_dwords > (sum ? 0u : 1u)) return "this product is not exact in 64 bits";
  if (i.op == Op::Mac) return "mac of integers does not saturate or tell its sign";
  return "";
}

Why objection_to_modifiers(const Instruction& i, unsigned sources) {
  if (i.channel + i.lanes > 32) return "channels beyond 31";
  if ((i.predicate || i.condition != Condition::None) && (i.flag_half * 16 + i.channel) % 32 + i.lanes > 32)
    return "flags beyond their register";
  if (i.predicate >= std::size(predicate_names)) return "this predicate control is reserved";
  const bool chooses = i.op == Op::Sel || i.op == Op::Csel || i.op == Op::Cmp || i.op == Op::Cmpn;
  if (i.op == Op::Sel) {
    if ((i.condition == Condition::None) == (i.predicate == 0)) return "sel needs a predicate or a condition modifier, not both";
  } else if (chooses && i.condition == Condition::None) {
    return "the instruction needs a condition modifier";
  }
  if (chooses && (i.condition == Condition::Ov || (i.condition == Condition::Un && i.op != Op::Cmp && i.op != Op::Cmpn)))
    return "this condition is not one of the instruction's";
  if (is_logic(i.op)) {
    if (i.condition > Condition::Ne && i.condition != Condition::Lt && i.condition != Condition::Gt &&
        i.condition > Condition::Le)
      return "this condition is not one of the instruction's";
    for (unsigned n = 0; n < sources; n++)
      if (i.src[n].modifiers & MOD_ABSOLUTE) return "logic takes no absolute values";
  }
  if (i.write_accumulator) {
    if (i.op == Op::Cmp || i.op == Op::Cmpn || i.op == Op::Math) return "the instruction does not write the accumulator";
    if (bytes_of(i.dst.type) == 1 || bytes_of(i.dst.type) == 8) return "the accumulator takes elements of 16 and 32 bits here";
  }
  return "";
}

}  // namespace

std::string_view objection(const Instruction& i) {
  if (is_send(i.op)) return objection_to_send(i);
  if (i.op == Op::Nop || i.op == Op::Illegal) return "";
  if (i.op == Op::Sync) return SyncFunction(i.function) == SyncFunction::Host ? "there is no host to wait for" : "";
  const unsigned sources = i.op == Op::Movi ? 1 : sources_of(i);
  if (auto why = objection_to_modifiers(i, sources); !why.empty()) return why;
  if (is_control(i.op)) return objection_to_branch(i);
  if (auto why = objection_to_operand(i.dst, {i.dst.horizontal, 1, 0}, i.lanes, true); !why.empty()) return why;
  for (unsigned n = 0; n < sources; n++)
    if (auto why = objection_to_operand(i.src[n], shape_of(i.src[n], has_three_sources(i), n), i.lanes, false); !why.empty())
      return why;
  if (auto why = objection_to_types(i, sources); !why.empty()) return why;
  if (auto why = objection_to_exactness(i, sources); !why.empty()) return why;
  if (i.op == Op::Math && MathFunction(i.function) == MathFunction::Idiv && i.dst.file != File::Null) {
    if (i.dst.file != File::Grf) return "a quotient and a remainder go to r";
    const Operand following = remainder_of(i);
    if (following.number < i.dst.number) return "a region reaches beyond the register file";
    return objection_to_operand(following, {following.horizontal, 1, 0}, i.lanes, true);
  }
  return "";
}

}  // namespace Atoll::xe_lp
