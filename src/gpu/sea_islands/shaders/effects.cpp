#include "gpu/sea_islands/shaders/effects.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "isa/amd/covered_exports.h"
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

namespace {

// VGPRs whose values differ from wave to wave.
using Varying = std::array<bool, 256 + 4>;

bool reads_varying(const gfx7::Instruction& i, const Varying& varying) {
  const gfx7::Opcode& row = *i.opcode;
  auto any = [&](unsigned first, unsigned count) {
    return std::any_of(&varying[first], &varying[first] + count, [](bool v) { return v; });
  };
  if (row.format == Format::EXP) {
    for (unsigned n = 0; n < 4; n++)
      if ((i.compr ? n < 2 && i.en >> 2 * n & 3 : i.en >> n & 1) && varying[i.exports[n] & 0xff]) return true;
    return false;
  }
  if (row.has(Flag::Accumulates) && any(i.dst & 0xffu, 2)) return true;
  // (The second half of an interpolation adds to what the first has left.)
  if (row.format == Format::VINTRP) return std::string_view(row.name) == "v_interp_p2_f32" && varying[i.dst & 0xff];
  for (const gfx7::OperandRow& operand : row.rows()) {
    if (!amd::is_source(operand.slot)) continue;
    const unsigned number = i.src[amd::source_index(operand.slot)];
    if (number >= gfx7::VGPR0 && any(number - gfx7::VGPR0, std::clamp(operand.type.dwords(), 1u, 4u))) return true;
  }
  return false;
}

}  // namespace

bool same_in_blocks(const wave::Program& program, uint64_t entry, std::span<const unsigned> varying_vgprs) {
  Varying varying{};
  for (unsigned vgpr : varying_vgprs) varying[vgpr & 0xff] = true;
  for (uint32_t at = uint32_t(entry - program.base()) / 4; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    const auto* instruction = static_cast<const gfx7::Instruction*>(step.instruction);
    if (!instruction || !instruction->opcode) return false;
    const gfx7::Instruction& i = *instruction;
    const gfx7::Opcode& row = *i.opcode;
    const std::string_view name = row.name;
    if (!only_reads(i) || row.has(Flag::WritesExec) || reads_varying(i, varying)) return false;
    switch (row.format) {
      case Format::SOPP:
        if (row.flow == wave::Flow::End) return true;
        if (row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional) return false;
        break;
      case Format::EXP: break;
      case Format::SOP1:
        if (name != "s_mov_b32" || i.dst == gfx7::EXEC_LO || i.dst == gfx7::EXEC_HI) return false;
        break;
      case Format::SMRD:
        if (i.dst >= gfx7::FLAT_SCRATCH_LO) return false;
        break;
      case Format::VINTRP:
      case Format::VOP1:
      case Format::VOP2:
      case Format::VOP3:
        // Registers by M0, and masks that would be EXEC.
        if (name == "v_movrels_b32" || name == "v_movreld_b32" || name == "v_movrelsd_b32") return false;
        // One lane alone, and scalar registers, whose numbers are no VGPRs'.
        if (name == "v_writelane_b32" || name == "v_readlane_b32" || name == "v_readfirstlane_b32") return false;
        if (i.sdst == gfx7::EXEC_LO || i.sdst == gfx7::EXEC_HI) return false;
        // (All lanes are written; of 64 bits the second register is left as it was.)
        varying[i.dst & 0xff] = false;
        break;
      default: return false;
    }
  }
  return false;
}

uint32_t covered_exports(const wave::Program& program, uint64_t entry) {
  return amd::covered_exports(program, entry, 64, [](const wave::Step& step, amd::MaskStep& mask_step) {
    static const amd::MaskRules rules(gfx7::table);
    const auto& i = *static_cast<const gfx7::Instruction*>(step.instruction);
    if (!i.opcode) return false;
    mask_step = amd::mask_step(i, rules);
    // Sea Islands register guide, section 4 (EXP): VM, the lanes whose pixels are valid.
    mask_step.is_last = i.opcode->format == Format::EXP && i.vm;
    return true;
  });
}

}  // namespace Atoll::sea_islands
