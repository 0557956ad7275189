#include "gpu/sea_islands/shaders/effects.h"

#include <algorithm>
#include <string_view>

#include "isa/gfx7/instruction.h"

namespace Atoll::sea_islands {
namespace {

using gfx7::Flag;
using gfx7::Format;

bool only_reads(const gfx7::Instruction& i) {
  const gfx7::Opcode& row = *i.opcode;
  const std::string_view name = row.name;
  if (row.flow == wave::Flow::Indirect) return false;
  switch (row.format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOP3:
    case Format::VOPC:
    case Format::VINTRP:
    case Format::EXP: return true;
    case Format::SOPP:
      return row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional || row.flow == wave::Flow::End ||
             name == "s_nop" || name == "s_waitcnt" || name == "s_sleep" || name == "s_setprio";
    case Format::DS: return !i.gds && !row.has(Flag::GdsOnly) && !row.has(Flag::LocksShare);
    case Format::SMRD:
    case Format::MUBUF:
    case Format::MTBUF:
    case Format::FLAT: return row.has(Flag::Load) && !row.has(Flag::Store) && !row.has(Flag::Atomic);
    case Format::MIMG: return !row.has(Flag::Store) && !row.has(Flag::Atomic);
    default: return false;
  }
}

}  // namespace

bool only_reads(const wave::Program& program) {
  for (uint32_t at = 0; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    const auto* instruction = static_cast<const gfx7::Instruction*>(step.instruction);
    if (!instruction || !instruction->opcode || !only_reads(*instruction)) return false;
  }
  return true;
}

}  // namespace Atoll::sea_islands
