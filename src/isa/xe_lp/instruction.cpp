#include "isa/xe_lp/instruction.h"

#include <cstring>

#include "base/removable_check.h"

namespace Atoll::xe_lp {

std::vector<uint32_t> words_of(const Instruction& instruction) {
  std::vector<uint32_t> words(kWords, kFirstWord);
  std::memcpy(&words[1], &instruction, sizeof instruction);
  return words;
}

std::optional<Instruction> instruction_of(std::span<const uint32_t> words) {
  if (words.size() < kWords || words[0] != kFirstWord) return std::nullopt;
  Instruction i;
  std::memcpy(static_cast<void*>(&i), &words[1], sizeof i);
  return i;
}

namespace {

bool power_of_two(uint32_t n, uint32_t most) { return n && n <= most && !(n & (n - 1)); }

std::string_view objection_to_operand(const Operand& o, uint32_t lanes, bool destination) {
  if (o.file >= File::Count || o.type >= Type::Count || o.modifiers > 3) return "an operand has no meaning";
  if (o.file == File::Null) return destination ? "" : "a source cannot be null";
  if (o.file == File::Immediate)
    return destination ? "a destination cannot be a number" : o.modifiers ? "a number takes no modifier" : "";
  uint32_t bytes = bytes_of(o.type);
  if (o.byte % bytes) return "a subregister is not aligned to its type";
  uint32_t last = 0;
  if (destination) {
    if (o.modifiers) return "a destination takes no - or (abs)";
    if (o.horizontal != 1 && o.horizontal != 2 && o.horizontal != 4) return "a destination's stride is <1>, <2> or <4>";
    last = (lanes - 1) * o.horizontal;
  } else {
    if (!power_of_two(o.width, 16)) return "a region's width is 1, 2, 4, 8 or 16";
    if (o.vertical && !power_of_two(o.vertical, 32)) return "a region's vertical stride is 0, 1, 2, 4, 8, 16 or 32";
    if (o.horizontal && !power_of_two(o.horizontal, 4)) return "a region's horizontal stride is 0, 1, 2 or 4";
    uint32_t columns = lanes < o.width ? lanes : o.width;
    last = (lanes - 1) / o.width * o.vertical + (columns - 1) * o.horizontal;
  }
  if (!ATOLL_CHECK("xe_lp.region", o.byte + (last + 1) * bytes <= bytes_in(o.file)))
    return "a region reaches beyond the register file";
  return "";
}

}  // namespace

std::string_view objection(const Instruction& i) {
  if (i.op >= Op::Count || i.condition >= Condition::Count || i.predicate >= Predicate::Count || i.flag > 1 ||
      i.condition_flag > 1 || i.saturate > 1 || i.no_mask > 1)
    return "not an instruction";
  if (!power_of_two(i.lanes, 32)) return "the execution size is 1, 2, 4, 8, 16 or 32";
  const OpRow& row = row_of(i.op);
  if (!row.writes) {
    if (i.condition != Condition::None || i.saturate) return "a branch takes no condition modifier and no saturation";
    if (i.no_mask) return "a branch under (W) is not there";
    if (i.predicate != Predicate::None && (i.op == Op::Else || i.op == Op::Endif || i.op == Op::Join))
      return "this instruction takes no predicate";
    return "";
  }
  if (auto why = objection_to_operand(i.dst, i.lanes, true); !why.empty()) return why;
  bool floats = false, integers = false;
  for (int n = 0; n < row.sources; n++) {
    if (auto why = objection_to_operand(i.src[n], i.lanes, false); !why.empty()) return why;
    (i.src[n].type == Type::F ? floats : integers) = true;
    if (row.logic && i.src[n].modifiers) return "source modifiers of logic instructions are not there";
    if (row.sources > 1 && n + 1 < row.sources && i.src[n].file == File::Immediate && row.sources == 2)
      return "only the last source can be a number";
  }
  if (floats && integers) return "sources of float and integer types do not mix";
  if (row.logic && (floats || i.dst.type == Type::F)) return "logic instructions take integers";
  if (row.logic && i.saturate) return "saturation of logic instructions is not there";
  if (i.op == Op::Cmp) {
    if (i.condition == Condition::None) return "cmp needs a condition modifier";
    if (i.saturate) return "cmp does not saturate";
  } else if (i.op == Op::Sel) {
    if ((i.condition == Condition::None) == (i.predicate == Predicate::None))
      return "sel needs a predicate or a condition modifier, not both";
  } else if (i.condition != Condition::None) {
    return "condition modifiers are there for cmp and sel only";
  }
  if (i.dst.file == File::Null && i.op != Op::Cmp) return "only cmp can write null";
  if (integers && i.dst.type == Type::F && i.op != Op::Mov && i.op != Op::Cmp)
    return "a float destination of integer sources is there for mov only";
  if (i.saturate && integers && (i.op == Op::Mul || i.op == Op::Mad))
    for (int n = 0; n < row.sources; n++)
      if (bytes_of(i.src[n].type) > 2) return "saturating products are there for w, uw and f only";
  return "";
}

}  // namespace Atoll::xe_lp
