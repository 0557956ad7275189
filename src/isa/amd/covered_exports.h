// The exports that a pixel program is sure to make for every pixel that it starts with: on all ways to its end, with EXEC a superset of
// what it was at the start. Scalar registers and EXEC are followed as supersets of the first EXEC or unknown, no value besides.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/amd/inline_constants.h"
#include "isa/amd/table.h"
#include "wave/program.h"

namespace Atoll::amd {

// How a lane mask comes of others, as far as it then has the lanes that they have.
enum class MaskRule : uint8_t {
  unknown,
  copy,        // the source's lanes, or more
  either,      // those of both sources
  both,        // those that both have
  first,       // those of the first source, and others
  keeps_both,  // those that destination and source have
  // The destination takes EXEC, which becomes unknown, or:
  save,
  save_both,    // what it and the source have
  save_either,  // its lanes and the source's
  save_first,   // the source's lanes, and others
  save_own,     // its own lanes, and others
  anywhere,     // the destination is any register
};

// The rules of a table's rows.
class MaskRules {
public:
  explicit MaskRules(const Table& table);
  MaskRule of(const Opcode& row) const { return rules_[size_t(&row - first_)]; }

private:
  const Opcode* first_;
  std::vector<MaskRule> rules_;
};

// An instruction, as it is followed.
struct MaskStep {
  MaskRule rule = MaskRule::unknown;
  uint16_t dst = 0, src[2] = {};
  unsigned dwords = 0;  // of the masks
  // Scalar registers that it writes, at the most.
  struct Range {
    uint16_t first = 0, count = 0;
  } writes[2];
  bool writes_exec = false;
  int target = -1;       // of an export of anything
  bool is_last = false;  // an export by whose EXEC pixels are killed
};

// The same of what the instruction sets have in common: all but `is_last`.
template <class Instruction>
MaskStep mask_step(const Instruction& i, const MaskRules& rules) {
  MaskStep step;
  const Opcode& row = *i.opcode;
  step.rule = rules.of(row);
  step.writes_exec = row.has(Flag::WritesExec);
  step.dst = i.dst, step.src[0] = i.src[0], step.src[1] = i.src[1];
  unsigned written = 0;
  for (const OperandRow& operand : row.rows()) {
    const bool is_scalar = operand.kind == Kind::Sgpr || operand.kind == Kind::Mask || operand.kind == Kind::ImpliedVcc;
    if ((operand.slot != Slot::Dst && operand.slot != Slot::Sdst) || !is_scalar) continue;
    // (Lane masks without a type have the wave's size.)
    const unsigned dwords = operand.kind == Kind::Sgpr ? operand.type.dwords() : 2;
    if (operand.slot == Slot::Dst) step.dwords = dwords;
    step.writes[written++] = {operand.slot == Slot::Dst ? i.dst : i.sdst, uint16_t(dwords)};
  }
  if ((row.format == Format::EXP || row.format == Format::VEXPORT) && i.en) step.target = i.tgt;
  return step;
}

// Fills in the step of an instruction. False: it is none that can be followed.
using ReadMaskStep = bool (*)(const wave::Step& step, MaskStep& mask_step);

// The targets of those exports, a bit each; none where anything is unknown: jumps to what registers say, words that are no instructions,
// very long programs, exports by which pixels may be killed.
uint32_t covered_exports(const wave::Program& program, uint64_t entry, unsigned lanes, ReadMaskStep read);

}  // namespace Atoll::amd
