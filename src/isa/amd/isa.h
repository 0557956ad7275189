// The part of wave::Isa that AMD's instruction sets share.
#pragma once
#include "base/expected.h"
#include "isa/amd/semantics/entry.h"
#include "isa/amd/table.h"
#include "wave/program.h"

namespace Atoll::amd {

// Formats of instructions that run once for the wave.
constexpr bool is_scalar(Format format) {
  switch (format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::SOPP:
    case Format::SMRD:
    case Format::SMEM: return true;
    default: return false;
  }
}

// MODE bits 3:0 round f32 and f64/f16, 7:4 allow denormals in and out of each (FP_ROUND, FP_DENORM; RDNA4 ISA 3.4.5).
constexpr wave::FloatMode float_mode_of(uint32_t mode) {
  return {.round32 = wave::Rounding(mode & 3),
          .round64 = wave::Rounding(mode >> 2 & 3),
          .flush_in32 = !(mode >> 4 & 1),
          .flush_out32 = !(mode >> 5 & 1),
          .flush_in64 = !(mode >> 6 & 1),
          .flush_out64 = !(mode >> 7 & 1)};
}

// Fills in a step by its row and the functions that run it. `simm16`: of branches, sign-extended.
inline Expected<void> describe(const Opcode& row, int32_t simm16, const SemanticEntry* semantics, wave::Step& step) {
  step.flow = row.flow;
  step.float_class = row.float_class;
  step.ends_region = row.has(Flag::WritesMode);
  if (step.flow == wave::Flow::Branch || step.flow == wave::Flow::Conditional)
    step.target = step.pc + 4 + uint64_t(int64_t(simm16)) * 4;
  if (!semantics) return fail("{} has no semantics yet", row.name);
  step.interpret = semantics->interpret;
  step.record = semantics->record;
  return {};
}

}  // namespace Atoll::amd
