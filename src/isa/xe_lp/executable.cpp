#include "isa/xe_lp/executable.h"

#include "base/removable_check.h"

namespace Atoll::xe_lp {
namespace {

std::string_view objection_to_type(Type t) {
  switch (t) {
    case Type::UD:
    case Type::D:
    case Type::UW:
    case Type::W:
    case Type::F: return "";
    default: return "types other than ud, d, uw, w and f are not executed yet";
  }
}

std::string_view objection_to_operand(const Operand& o, const RegionShape& shape, uint32_t lanes, bool destination) {
  if (auto why = objection_to_type(o.type); !why.empty()) return why;
  if (o.kind == Kind::Immediate) return destination ? "a destination cannot be a number" : "";
  if (o.kind != Kind::Direct) return "indirect operands are not executed yet";
  if (o.file == File::Null) return destination ? "" : "a source cannot be null";
  if (!bytes_in(o.file)) return "this architecture register is not executed yet";
  uint32_t bytes = bytes_of(o.type);
  if (o.sub % bytes) return "a subregister is not aligned to its type";
  uint32_t last = 0;
  if (destination) {
    if (!o.horizontal) return "a destination's stride is <1>, <2> or <4>";
    last = (lanes - 1) * o.horizontal;
  } else {
    if (!shape.width || shape.vertical == kVxH) return "regions of addresses are not executed yet";
    uint32_t columns = lanes < shape.width ? lanes : shape.width;
    last = (lanes - 1) / shape.width * shape.vertical + (columns - 1) * shape.horizontal;
  }
  if (!ATOLL_CHECK("xe_lp.region", byte_of(o) + (last + 1) * bytes <= bytes_in(o.file)))
    return "a region reaches beyond the register file";
  return "";
}

}  // namespace

std::string_view objection(const Instruction& i) {
  if (is_send(i.op)) return objection_to_send(i);
  if (i.channel) return "channel offsets other than M0 are not executed yet";
  if (i.predicate > 1) return "predicates of several channels are not executed yet";
  if (i.flag_half) return "the upper halves of flags are not executed yet";
  if (i.write_accumulator) return "AccWrEn is not executed yet";
  if (i.condition > Condition::Le) return "conditions ov and un are not executed yet";
  if (is_control(i.op)) {
    if (i.no_mask && i.op != Op::Join) return "a branch under (W) is not executed yet";
    if (i.branch_control) return ".b is not executed yet";
    for (const Operand& o : i.src)
      if (o.kind == Kind::Label && o.immediate % 8) return "a branch leads to where no instruction can stand";
    if (i.predicate && i.op == Op::Join) return "join under a predicate is not executed yet";
    return "";
  }
  bool logic = is_logic(i.op), two = false;
  switch (i.op) {
    case Op::Mov:
    case Op::Not:
    case Op::Mad: break;
    case Op::Sel:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
    case Op::Asr:
    case Op::Cmp:
    case Op::Add:
    case Op::Mul: two = true; break;
    default: return "this instruction is not executed yet";
  }
  if (auto why = objection_to_operand(i.dst, {}, i.lanes, true); !why.empty()) return why;
  bool floats = false, integers = false;
  unsigned sources = has_three_sources(i) ? 3 : two ? 2 : 1;
  for (unsigned n = 0; n < sources; n++) {
    if (auto why = objection_to_operand(i.src[n], shape_of(i.src[n], sources == 3, n), i.lanes, false); !why.empty()) return why;
    (i.src[n].type == Type::F ? floats : integers) = true;
    if (logic && i.src[n].modifiers) return "source modifiers of logic instructions are not executed yet";
  }
  if (floats && integers) return "sources of float and integer types do not mix";
  if (logic && (floats || i.dst.type == Type::F)) return "logic instructions take integers";
  if (logic && i.saturate) return "saturation of logic instructions is not executed yet";
  if (i.op == Op::Cmp) {
    if (i.condition == Condition::None) return "cmp needs a condition modifier";
    if (i.saturate) return "cmp does not saturate";
  } else if (i.op == Op::Sel) {
    if ((i.condition == Condition::None) == (i.predicate == 0)) return "sel needs a predicate or a condition modifier, not both";
  } else if (i.condition != Condition::None) {
    return "condition modifiers are executed for cmp and sel only, so far";
  }
  if (i.dst.file == File::Null && i.op != Op::Cmp) return "only cmp can write null";
  if (integers && i.dst.type == Type::F && i.op != Op::Mov && i.op != Op::Cmp)
    return "a float destination of integer sources is executed for mov only, so far";
  if (i.saturate && integers && (i.op == Op::Mul || i.op == Op::Mad))
    for (unsigned n = 0; n < sources; n++)
      if (bytes_of(i.src[n].type) > 2) return "saturating products are executed for w, uw and f only, so far";
  return "";
}

}  // namespace Atoll::xe_lp
