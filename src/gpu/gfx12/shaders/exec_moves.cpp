#include "gpu/gfx12/shaders/exec_moves.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gpu/gfx12/shaders/instruction_groups.h"
#include "isa/rdna4/registers.h"
#include "wave/program.h"

namespace Atoll::gfx12 {
namespace {

using rdna4::Flag;
using rdna4::Format;
using rdna4::Instruction;

bool is_mask(unsigned operand) { return operand == rdna4::EXEC_LO || operand == rdna4::EXEC_HI; }

template <class Function>
bool any_half(const Instruction& i, Function function) {
  return i.dual_x ? function(*i.dual_x) || function(*i.dual_y) : function(i);
}

bool is_vector(const rdna4::Opcode& row) {
  return row.format == Format::VOP1 || row.format == Format::VOP2 || row.format == Format::VOP3 || row.format == Format::VOP3P ||
         row.format == Format::VINTERP || row.format == Format::VOPDX;
}
bool is_scalar(const rdna4::Opcode& row) {
  return row.format == Format::SOP1 || row.format == Format::SOP2 || row.format == Format::SOPK || row.format == Format::SOPC;
}

bool writes_mask(const Instruction& i) {
  const rdna4::Opcode& row = *i.opcode;
  return row.has(Flag::WritesExec) || (is_scalar(row) && (is_mask(i.dst) || is_among(row.name, indexed_scalar_writes))) ||
         (row.format == Format::SMEM && i.dst <= rdna4::EXEC_HI && i.dst + 16u > rdna4::EXEC_LO);
}
// True if an instruction may read other lanes' values, whether those are active or not. (DS_PARAM_LOAD gives whole quads what
// LDS has.)
bool takes_from_lanes(const Instruction& i) {
  const rdna4::Opcode& row = *i.opcode;
  if (row.format == Format::VDS || row.format == Format::VIMAGE || row.format == Format::VSAMPLE || row.has(Flag::WaveMatrix))
    return true;
  if (row.format == Format::VINTERP) return true;
  if (row.format == Format::VEXPORT) return i.tgt == rdna4::DUAL_SOURCE0 || i.tgt == rdna4::DUAL_SOURCE1;
  return is_vector(row) && any_half(i, [](const Instruction& half) {
           return half.dpp != rdna4::Dpp::None || is_among(half.opcode->name, across_lanes);
         });
}
// True if an instruction changes nothing but registers of lanes, each by its own, or scalar registers by scalar ones other
// than EXEC.
bool is_lane_by_lane(const Instruction& i) {
  const rdna4::Opcode& row = *i.opcode;
  if (is_vector(row))
    return any_half(i, [](const Instruction& half) {
      return !half.opcode->has(Flag::WritesExec) && std::ranges::none_of(half.opcode->rows(), [&](const rdna4::OperandRow& o) {
        return o.slot == rdna4::Slot::Sdst || (o.slot == rdna4::Slot::Dst && o.kind != rdna4::Kind::Vgpr);
      });
    });
  if (is_scalar(row))
    return !is_among(row.name, indexed_scalar_moves) && row.flow == wave::Flow::Next &&
           std::ranges::none_of(row.rows(), [&](const rdna4::OperandRow& o) {
             return amd::is_source(o.slot) && is_mask(i.src[amd::source_index(o.slot)]);
           });
  return row.format == Format::SOPP || row.format == Format::SMEM || row.format == Format::VDSDIR;
}

// Up to the first write of EXEC of another kind, or the first branch.
class Prefix {
public:
  explicit Prefix(unsigned lanes) : wide_(lanes == 64) {}
  // False: nothing is known from here on.
  bool look(uint64_t pc, const Instruction& i, ExecMoves& found) {
    const rdna4::Opcode& row = *i.opcode;
    const std::string_view name = row.name;
    if (row.flow != wave::Flow::Next) return false;
    auto is = [&](std::string_view wide, std::string_view narrow) { return name == (wide_ ? wide : narrow); };
    const bool moves = is("s_mov_b64", "s_mov_b32"), spreads = is("s_wqm_b64", "s_wqm_b32");
    if (writes_mask(i)) {
      if (row.format != Format::SOP1 || i.dst != rdna4::EXEC_LO) return false;
      if (spreads && i.src[0] == rdna4::EXEC_LO)
        in_quads_ = true;
      else if (moves && i.src[0] < holds_.size() && holds_[i.src[0]])
        in_quads_ = false;
      else
        return false;
      found.pcs.push_back(pc);
      return true;
    }
    if (in_quads_ && !is_lane_by_lane(i)) found.unseen = false;
    // The mask of the start in scalar registers.
    if (is_scalar(row) && row.format != Format::SOPC) {
      const bool keeps = moves && i.src[0] == rdna4::EXEC_LO && !in_quads_;
      forget(i.dst, 2);
      if (i.dst < holds_.size()) holds_[i.dst] = keeps;
    } else if (row.format == Format::SMEM) {
      forget(i.dst, 16);
    } else if (is_vector(row)) {
      any_half(i, [&](const Instruction& half) {
        for (const rdna4::OperandRow& o : half.opcode->rows()) {
          if (o.slot == rdna4::Slot::Sdst) forget(half.sdst, 2);
          if (o.slot == rdna4::Slot::Dst && o.kind != rdna4::Kind::Vgpr) forget(half.dst, 2);
        }
        return false;
      });
    } else if (row.format == Format::VOPC) {
      forget(i.sdst, 2);
    }
    return true;
  }
  bool in_quads() const { return in_quads_; }

private:
  const bool wide_;
  bool in_quads_ = false;
  std::array<bool, 106> holds_{};  // SGPRs (pairs of them in wave64)

  void forget(unsigned first, unsigned count) {
    for (unsigned n = first ? first - 1 : 0; n < first + count && n < holds_.size(); n++) holds_[n] = false;
  }
};

}  // namespace

ExecMoves exec_moves(std::span<const std::pair<uint64_t, const Instruction*>> instructions, uint64_t entry, unsigned lanes,
                     std::span<const uint64_t> replaced, uint64_t first_target) {
  ExecMoves found{.pcs = {}, .unseen = true};
  Prefix prefix(lanes);
  bool goes_on = true;
  for (const auto& [pc, i] : instructions) {
    if (takes_from_lanes(*i) && !std::ranges::binary_search(replaced, pc)) found.unseen = false;
    // (What is jumped to may be reached with another mask.)
    goes_on = goes_on && (pc < entry || (pc < first_target && prefix.look(pc, *i, found)));
  }
  found.unseen &= !prefix.in_quads() && !found.pcs.empty();
  return found;
}

}  // namespace Atoll::gfx12
