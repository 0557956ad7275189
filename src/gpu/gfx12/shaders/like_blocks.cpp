#include "gpu/gfx12/shaders/like_blocks.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gpu/gfx12/shaders/instruction_groups.h"
#include "isa/rdna4/instruction.h"

namespace Atoll::gfx12 {
namespace {

using rdna4::Flag;
using rdna4::Format;
using rdna4::Instruction;
using rdna4::Kind;
using rdna4::Slot;

// What is known of a wave's registers, from instruction to instruction.
struct Known {
  std::array<bool, 256 + 4> varying{};    // VGPRs whose values differ from wave to wave
  std::array<bool, 256 + 4> parameter{};  // VGPRs that hold P0, P10 and P20 as they were loaded: the differences are 0
  std::array<bool, 128> all_lanes{};      // pairs of SGPRs that hold all ones, as EXEC does
};

bool is_vgpr(uint16_t operand) { return operand >= rdna4::VGPR0; }

bool reads_varying(const Instruction& i, const Known& known) {
  const rdna4::Opcode& row = *i.opcode;
  auto any = [&](unsigned first, unsigned count) {
    return std::any_of(&known.varying[first], &known.varying[first] + std::min(count, 4u), [](bool v) { return v; });
  };
  if (row.format == Format::VEXPORT) {
    for (unsigned n = 0; n < 4; n++)
      if (i.en >> n & 1 && known.varying[i.exports[n] & 0xff]) return true;
    return false;
  }
  // The differences of attributes that are the same everywhere are 0, whatever they are multiplied by.
  if (row.format == Format::VINTERP) {
    const std::string_view name = row.name;
    if (name != "v_interp_p10_f32" && name != "v_interp_p2_f32") return true;
    return !is_vgpr(i.src[0]) || !known.parameter[i.src[0] - rdna4::VGPR0] || !is_vgpr(i.src[2]) ||
           any(i.src[2] - rdna4::VGPR0, 1);
  }
  if (row.has(Flag::Accumulates) && any(i.dst & 0xffu, 2)) return true;
  for (const rdna4::OperandRow& operand : row.rows()) {
    if (!amd::is_source(operand.slot)) continue;
    const unsigned number = i.src[amd::source_index(operand.slot)];
    if (number >= rdna4::VGPR0 && any(number - rdna4::VGPR0, std::max(1u, operand.type.dwords()))) return true;
  }
  return false;
}

// Takes over what an instruction of the vector unit writes. False: it is not known what that comes to.
bool write_vgprs(const Instruction& i, Known& known) {
  const rdna4::Opcode& row = *i.opcode;
  const std::string_view name = row.name;
  // Registers by M0, one lane alone, scalar results, other lanes than the quad's.
  if (row.has(Flag::IndexedSource) || row.has(Flag::Swaps) || is_among(name, indexed_vector_moves) ||
      is_among(name, across_lanes) || row.has(Flag::WritesExec))
    return false;
  for (const rdna4::OperandRow& o : row.rows()) {
    if (o.slot == Slot::Sdst && o.kind != Kind::ImpliedVcc) return false;
    if (o.slot != Slot::Dst) continue;
    if (o.kind != Kind::Vgpr) return false;
    // (A half leaves the other one as it was.)
    for (unsigned n = 0, count = std::max(1u, o.type.dwords()); n < count; n++) {
      if (!o.type.half()) known.varying[(i.dst + n) & 0xff] = false;
      known.parameter[(i.dst + n) & 0xff] = false;
    }
  }
  return true;
}

bool is_mask_register(unsigned number) { return number == rdna4::EXEC_LO || number == rdna4::EXEC_HI; }

// Scalar instructions: what they leave is the same for all waves, as all that they read is. EXEC stays all ones.
bool goes_on_with_all_lanes(const Instruction& i, Known& known) {
  const std::string_view name = i.opcode->name;
  auto is_all = [&](unsigned number) {
    return number == rdna4::EXEC_LO || (number < known.all_lanes.size() && known.all_lanes[number]);
  };
  if (i.opcode->format == Format::SOPC) return true;
  if (i.opcode->has(Flag::WritesExec) || is_among(name, indexed_scalar_moves)) return false;
  const bool moves = name == "s_mov_b64" || name == "s_wqm_b64";
  if (is_mask_register(i.dst)) return i.dst == rdna4::EXEC_LO && moves && is_all(i.src[0]);
  if (i.dst + 4u < known.all_lanes.size()) {
    if (i.dst) known.all_lanes[i.dst - 1u] = false;
    for (unsigned n = 0; n < 4; n++) known.all_lanes[i.dst + n] = false;
    known.all_lanes[i.dst] = moves && is_all(i.src[0]);
  }
  return true;
}

}  // namespace

bool same_in_blocks(const wave::Program& program, uint64_t entry, std::span<const unsigned> varying) {
  Known known;
  for (unsigned vgpr : varying) known.varying[vgpr & 0xff] = true;
  for (uint32_t at = uint32_t(entry - program.base()) / 4; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    const auto* instruction = static_cast<const Instruction*>(step.instruction);
    if (!instruction || !instruction->opcode) return false;
    const Instruction& i = *instruction;
    const rdna4::Opcode& row = *i.opcode;
    switch (row.format) {
      case Format::SOPP:
        if (row.flow == wave::Flow::End) return true;
        if (row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional || row.has(Flag::WritesMode)) return false;
        break;
      case Format::SOP1:
      case Format::SOP2:
      case Format::SOPK:
      case Format::SOPC:
        if (row.flow != wave::Flow::Next || !goes_on_with_all_lanes(i, known)) return false;
        break;
      case Format::SMEM:
        if (is_mask_register(i.dst) || i.dst + 16u > 106) return false;
        for (unsigned n = i.dst ? i.dst - 1u : 0; n < i.dst + 16u; n++) known.all_lanes[n] = false;
        break;
      case Format::VDSDIR:
        if (std::string_view(row.name) != "ds_param_load") return false;
        known.varying[i.dst & 0xff] = false, known.parameter[i.dst & 0xff] = true;
        break;
      case Format::VEXPORT:
        if (reads_varying(i, known)) return false;
        break;
      case Format::VINTERP:
      case Format::VOP1:
      case Format::VOP2:
      case Format::VOP3:
      case Format::VOP3P:
        if (reads_varying(i, known) || !write_vgprs(i, known)) return false;
        break;
      default: return false;
    }
  }
  return false;
}

}  // namespace Atoll::gfx12
