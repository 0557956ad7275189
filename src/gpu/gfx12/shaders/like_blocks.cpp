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

// Facts that are known of a wave's registers, from instruction to instruction.
struct Known {
  bool wave64 = true;
  std::array<bool, 256 + 4> varying{};    // VGPRs whose values differ from wave to wave
  std::array<bool, 256 + 4> by_lane{};    // and those that may differ from lane to lane
  std::array<bool, 256 + 4> parameter{};  // VGPRs that hold P0, P10 and P20 as they were loaded: the differences are 0
  std::array<bool, 128> all_lanes{};      // SGPRs (pairs of them in wave64) that hold all ones, as EXEC does
};

bool is_vgpr(uint16_t operand) { return operand >= rdna4::VGPR0; }

template <class Set>
bool any_of(const Set& set, unsigned first, unsigned count) {
  return std::any_of(&set[first & 0xff], &set[first & 0xff] + std::min(count, 4u), [](bool v) { return v; });
}

// True if an instruction of the vector unit, or an export, reads a VGPR of the set.
template <class Set>
bool reads(const Instruction& i, const Set& set) {
  const rdna4::Opcode& row = *i.opcode;
  if (row.format == Format::VEXPORT) {
    for (unsigned n = 0; n < 4; n++)
      if (i.en >> n & 1 && set[i.exports[n] & 0xff]) return true;
    return false;
  }
  if (row.has(Flag::Accumulates) && any_of(set, i.dst, 2)) return true;
  for (const rdna4::OperandRow& operand : row.rows()) {
    if (!amd::is_source(operand.slot)) continue;
    const unsigned number = i.src[amd::source_index(operand.slot)];
    if (number >= rdna4::VGPR0 && any_of(set, number - rdna4::VGPR0, std::max(1u, operand.type.dwords()))) return true;
  }
  return false;
}

// The differences of attributes that are the same everywhere are 0, whatever they are multiplied by: what a lane gets is what the third
// source is, of v_interp_p10_f32 P0.
bool interpolates_parameter(const Instruction& i, const Known& known) {
  const std::string_view name = i.opcode->name;
  if (name != "v_interp_p10_f32" && name != "v_interp_p2_f32") return false;
  return is_vgpr(i.src[0]) && known.parameter[(i.src[0] - rdna4::VGPR0) & 0xff] && is_vgpr(i.src[2]) &&
         !known.varying[(i.src[2] - rdna4::VGPR0) & 0xff];
}

bool reads_varying(const Instruction& i, const Known& known) {
  if (i.opcode->format == Format::VINTERP) return !interpolates_parameter(i, known);
  return reads(i, known.varying);
}

// True if each quad gets the parameter of one of its lanes in all four, whether that lane's pixel is covered or not, as Mesa
// compiles flat attributes.
bool spreads_parameter(const Instruction& i, const Known& known) {
  if (i.dpp != rdna4::Dpp::Dpp16 || !i.fetch_inactive || i.dpp_control >= 0x100 || i.row_mask != 0xf || i.bank_mask != 0xf)
    return false;
  const bool one_lane = i.dpp_control == (i.dpp_control & 3) * 0x55;
  return one_lane && std::string_view(i.opcode->name) == "v_mov_b32" && is_vgpr(i.src[0]) &&
         known.parameter[(i.src[0] - rdna4::VGPR0) & 0xff];
}

// True if it may give lanes different values.
bool differs_by_lane(const Instruction& i, const Known& known) {
  const rdna4::Opcode& row = *i.opcode;
  const std::string_view name = row.name;
  if (spreads_parameter(i, known)) return false;
  if (row.format == Format::VINTERP) {
    const unsigned third = (i.src[2] - rdna4::VGPR0) & 0xffu;
    return !(name == "v_interp_p10_f32" && known.parameter[third]) && known.by_lane[third];
  }
  // A bit a lane, from scalar registers that are the same for all waves.
  const bool reads_mask = std::ranges::any_of(row.rows(), [](const rdna4::OperandRow& o) {
    return o.slot != Slot::Dst && o.slot != Slot::Sdst && (o.kind == Kind::Mask || o.kind == Kind::ImpliedVcc);
  });
  return reads_mask || i.dpp != rdna4::Dpp::None || is_among(name, lane_numbers) || row.has(Flag::WaveMatrix) ||
         reads(i, known.by_lane);
}

// Takes over what an instruction of the vector unit writes, which found the registers as they were `before`. False: it is not known what
// that comes to.
bool write_vgprs(const Instruction& i, const Known& before, Known& known) {
  const rdna4::Opcode& row = *i.opcode;
  const std::string_view name = row.name;
  // Registers by M0, one lane alone, scalar results, other lanes than the quad's.
  if (row.has(Flag::IndexedSource) || row.has(Flag::Swaps) || is_among(name, indexed_vector_moves) ||
      is_among(name, across_lanes) || row.has(Flag::WritesExec))
    return false;
  const bool by_lane = differs_by_lane(i, before);
  for (const rdna4::OperandRow& o : row.rows()) {
    if (o.slot == Slot::Sdst) return false;
    if (o.slot != Slot::Dst) continue;
    if (o.kind != Kind::Vgpr) return false;
    for (unsigned n = 0, count = std::max(1u, o.type.dwords()); n < count; n++) {
      const unsigned number = (i.dst + n) & 0xff;
      // (A half leaves the other one as it was.)
      if (!o.type.half()) known.varying[number] = false, known.by_lane[number] = false;
      known.by_lane[number] = known.by_lane[number] || by_lane;
      known.parameter[number] = false;
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
  const bool moves = known.wave64 ? name == "s_mov_b64" || name == "s_wqm_b64" : name == "s_mov_b32" || name == "s_wqm_b32";
  if (is_mask_register(i.dst)) return i.dst == rdna4::EXEC_LO && moves && is_all(i.src[0]);
  const bool all = moves && is_all(i.src[0]);
  for (const rdna4::OperandRow& o : i.opcode->rows()) {
    if (o.slot != Slot::Dst && o.slot != Slot::Sdst) continue;
    // (The pair that ends with the register as well.)
    for (unsigned n = i.dst ? i.dst - 1u : 0; n < i.dst + std::max(1u, o.type.dwords()) && n < known.all_lanes.size(); n++)
      known.all_lanes[n] = false;
  }
  if (i.dst < known.all_lanes.size()) known.all_lanes[i.dst] = all;
  return true;
}

bool keeps_lanes_uniform(const Instruction& i, Known& known) {
  if (!i.dual_x) return !reads_varying(i, known) && write_vgprs(i, known, known);
  // (Both halves read before either writes.)
  const Known before = known;
  return !reads_varying(*i.dual_x, before) && !reads_varying(*i.dual_y, before) && write_vgprs(*i.dual_x, before, known) &&
         write_vgprs(*i.dual_y, before, known);
}

}  // namespace

Likeness likeness(const wave::Program& program, uint64_t entry, unsigned lanes, std::span<const unsigned> varying) {
  Known known{.wave64 = lanes == 64};
  for (unsigned vgpr : varying) known.varying[vgpr & 0xff] = true;
  Likeness found{.by_lane = true, .everywhere = true};
  for (uint32_t at = uint32_t(entry - program.base()) / 4; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    const auto* instruction = static_cast<const Instruction*>(step.instruction);
    if (!instruction || !instruction->opcode) return {};
    const Instruction& i = *instruction;
    const rdna4::Opcode& row = *i.opcode;
    switch (row.format) {
      case Format::SOPP:
        if (row.flow == wave::Flow::End) return found;
        if (row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional || row.has(Flag::WritesMode)) return {};
        break;
      case Format::SOP1:
      case Format::SOP2:
      case Format::SOPK:
      case Format::SOPC:
        if (row.flow != wave::Flow::Next || !goes_on_with_all_lanes(i, known)) return {};
        break;
      case Format::SMEM:
        if (is_mask_register(i.dst) || i.dst + 16u > 106) return {};
        for (unsigned n = i.dst ? i.dst - 1u : 0; n < i.dst + 16u; n++) known.all_lanes[n] = false;
        break;
      case Format::VDSDIR:
        if (std::string_view(row.name) != "ds_param_load") return {};
        known.varying[i.dst & 0xff] = false, known.by_lane[i.dst & 0xff] = known.parameter[i.dst & 0xff] = true;
        break;
      case Format::VEXPORT:
        if (reads(i, known.varying)) return {};
        if (reads(i, known.by_lane)) found.everywhere = false;
        break;
      case Format::VINTERP:
      case Format::VOP1:
      case Format::VOP2:
      case Format::VOP3:
      case Format::VOP3P:
      case Format::VOPDX:
        if (!keeps_lanes_uniform(i, known)) return {};
        break;
      default: return {};
    }
  }
  return {};
}

}  // namespace Atoll::gfx12
