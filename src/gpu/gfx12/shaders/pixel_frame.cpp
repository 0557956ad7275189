#include "gpu/gfx12/shaders/pixel_frame.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gpu/gfx12/shaders/instruction_groups.h"
#include "isa/amd/covered_exports.h"
#include "isa/rdna4/instruction.h"
#include "wave/recorded.h"

namespace Atoll::gfx12 {

ATOLL_DECLARE_FRAME_FUNCTIONS

ATOLL_IN_LEVELS(extern const wave::InterpretFunction replaced_function[1];)
namespace recording {
extern const wave::RecordFunction replaced_function[1];
}

namespace {

bool is_replaced(const void* state, const wave::Step& step) {
  const auto& frame = *static_cast<const PixelFrame*>(state);
  const auto& i = *static_cast<const rdna4::Instruction*>(step.instruction);
  if (i.opcode->format == rdna4::Format::SOP1)
    return frame.leaves_exec() && std::ranges::binary_search(frame.exec_moves, step.pc);
  if (i.opcode->format != rdna4::Format::VDSDIR) return std::ranges::binary_search(frame.uses, step.pc, {}, &ParameterUse::pc);
  return std::ranges::binary_search(frame.parameters, i.attr * 4 + i.attrchan);
}

}  // namespace

pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state) {
  pixel::Frame frame = frame_of_host_level();
  frame.payload = PixelFrame::payload_cell;
  frame.bytes = PixelFrame::cells_end - PixelFrame::payload_cell;
  if (!state->parameters.empty() || !state->exec_moves.empty()) {
    frame.replaces = is_replaced;
    frame.replaced = ATOLL_AT_LEVEL(replaced_function)[0], frame.record_replaced = ATOLL_RECORDED(replaced_function[0]);
  }
  frame.one_primitive = state->one_primitive;
  frame.second_pass = state->second_pass;
  if (state->second_pass) frame.end = nullptr, frame.record_end = nullptr;
  frame.state = std::move(state);
  return frame;
}

namespace {

using rdna4::Flag;
using rdna4::Format;

// True if nobody can tell when an instruction runs, as long as memory stays as it is. False if that is not known.
bool only_reads_memory(const rdna4::Instruction& i) {
  const rdna4::Opcode& row = *i.opcode;
  const std::string_view name = row.name;
  if (row.flow == wave::Flow::Indirect) return false;
  switch (row.format) {
    case Format::SOP1:  // (messages with an answer tell the time)
      return name != "s_sendmsg_rtn_b32" && name != "s_sendmsg_rtn_b64" && !is_among(name, barriers);
    case Format::SOP2:
    case Format::SOPC:
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOP3:
    case Format::VOP3P:
    case Format::VOPC:
    case Format::VOPDX:
    case Format::VINTERP:
    case Format::VDSDIR:
    case Format::VEXPORT: return true;
    case Format::SOPK:  // (and so do registers of the hardware)
      return name != "s_getreg_b32";
    case Format::SOPP:
      if (row.flow == wave::Flow::Branch || row.flow == wave::Flow::Conditional || row.flow == wave::Flow::End) return true;
      if (name == "s_sendmsg") return (i.immediate & 0xff) == 3;  // DEALLOC_VGPRS (RDNA4 ISA 5.4)
      return row.flow != wave::Flow::Indirect &&
             (name == "s_nop" || name == "s_sleep" || name == "s_setprio" || name == "s_clause" || name == "s_delay_alu" ||
              name == "s_round_mode" || name == "s_denorm_mode" || is_among(name, waits));
    case Format::VDS: return !row.has(Flag::LocksShare);
    case Format::SMEM: return row.has(Flag::Load) || row.has(Flag::Prefetch);
    case Format::VBUFFER:
    case Format::VGLOBAL:
    case Format::VFLAT:
    case Format::VSCRATCH: return row.has(Flag::Load) && !row.has(Flag::Store) && !row.has(Flag::Atomic);
    case Format::VIMAGE:
    case Format::VSAMPLE: return !row.has(Flag::Store) && !row.has(Flag::Atomic);
    default: return false;
  }
}

// (A flat address may be one of LDS.)
bool touches_share(const rdna4::Opcode& row) {
  return row.format == Format::VDS || row.format == Format::VFLAT || std::string_view(row.name) == "ds_direct_load";
}

// True if it may write a scalar register.
bool writes_scalar(const rdna4::Instruction& i, unsigned number) {
  if (i.dual_x) return false;
  const rdna4::Opcode& row = *i.opcode;
  if (is_among(row.name, indexed_scalar_writes)) return true;
  for (const rdna4::OperandRow& o : row.rows()) {
    if (o.slot != rdna4::Slot::Dst && o.slot != rdna4::Slot::Sdst) continue;
    if (o.kind == rdna4::Kind::Vgpr) continue;
    const unsigned first = o.slot == rdna4::Slot::Dst ? i.dst : i.sdst,
                   count = o.kind == rdna4::Kind::Sgpr ? std::max(1u, o.type.dwords()) : 2;
    if (number >= first && number < first + count) return true;
  }
  return false;
}

using Instructions = std::vector<std::pair<uint64_t, const rdna4::Instruction*>>;  // with their addresses

// The SGPR that the program copies to M0 before it does anything else that matters: a copy that nothing comes round again, of what nothing
// has written, and the only one.
int sgpr_of_parameters(const Instructions& instructions, uint64_t entry, uint64_t first_target) {
  int from = -1;
  uint64_t copied_at = 0;
  for (const auto& [pc, i] : instructions) {
    if (!writes_scalar(*i, rdna4::M0)) continue;
    if (from >= 0 || pc < entry || std::string_view(i->opcode->name) != "s_mov_b32" || i->dst != rdna4::M0 || i->src[0] > 105)
      return -1;
    from = i->src[0], copied_at = pc;
  }
  if (from < 0 || first_target <= copied_at) return -1;
  for (const auto& [pc, i] : instructions) {
    if (pc >= copied_at) continue;
    const auto flow = i->opcode->flow;
    if (pc >= entry && (flow == wave::Flow::Branch || flow == wave::Flow::Conditional || writes_scalar(*i, unsigned(from))))
      return -1;
    if (i->opcode->format == Format::VDSDIR) return -1;
  }
  return from;
}

// VGPRs that hold parameters as they were loaded, in a program's first instructions: as long as it goes straight on and EXEC stays as it was,
// every quad that is active has them.
class LoadedParameters {
public:
  void look(uint64_t pc, const rdna4::Instruction& i, std::vector<ParameterUse>& uses) {
    const rdna4::Opcode& row = *i.opcode;
    const std::string_view name = row.name;
    if (row.flow != wave::Flow::Next) straight_ = false;
    if (!straight_) return;
    if (name == "ds_param_load") {
      channel_[i.dst & 0xff] = i.attr < rdna4::attribute_count ? int16_t(i.attr * 4 + i.attrchan) : int16_t(-1);
      return;
    }
    auto channel = [&](uint16_t source) {
      return source >= rdna4::VGPR0 ? channel_[(source - rdna4::VGPR0) & 0xff] : int16_t(-1);
    };
    const int first = channel(i.src[0]), third = channel(i.src[2]);
    const bool broadcast = i.dpp == rdna4::Dpp::Dpp16 && i.dpp_control < 0x100 && i.dpp_control % 0x55 == 0 &&
                           i.dpp_control / 0x55 < 3 && i.row_mask == 0xf && i.bank_mask == 0xf && i.fetch_inactive;
    if (first >= 0 &&
        ((name == "v_interp_p10_f32" && third >= 0) || name == "v_interp_p2_f32" || (name == "v_mov_b32" && broadcast)))
      uses.push_back({pc, uint8_t(first), uint8_t(std::max(third, 0))});
    forget(i);
  }

private:
  std::array<int16_t, 256> channel_ = [] {
    std::array<int16_t, 256> none;
    none.fill(-1);
    return none;
  }();
  bool straight_ = true;

  void forget(const rdna4::Instruction& i) {
    const rdna4::Opcode& row = *i.opcode;
    const bool vector = row.format == Format::VOP1 || row.format == Format::VOP2 || row.format == Format::VOP3 ||
                        row.format == Format::VOP3P || row.format == Format::VINTERP;
    const bool scalar = row.format == Format::SOP1 || row.format == Format::SOP2 || row.format == Format::SOPK ||
                        row.format == Format::SOPC || row.format == Format::SOPP;
    const std::string_view name = row.name;
    const bool plain = vector && !row.has(Flag::IndexedSource) && !row.has(Flag::Swaps) && !is_among(name, indexed_vector_moves);
    if (row.has(Flag::WritesExec) || writes_scalar(i, rdna4::EXEC_LO) || writes_scalar(i, rdna4::EXEC_HI) ||
        !(plain || scalar || row.format == Format::VEXPORT)) {
      if (row.format == Format::SMEM) return;  // (to SGPRs)
      channel_.fill(-1);
      return;
    }
    if (!vector) return;
    for (const rdna4::OperandRow& o : row.rows()) {
      if (o.slot != rdna4::Slot::Dst || o.kind != rdna4::Kind::Vgpr) continue;
      for (unsigned n = 0, count = std::max(1u, o.type.dwords()); n < count; n++) channel_[(i.dst + n) & 0xff] = -1;
    }
  }
};

bool read_mask_step(const wave::Step& step, amd::MaskStep& mask_step) {
  static const amd::MaskRules rules(rdna4::table);
  const auto& i = *static_cast<const rdna4::Instruction*>(step.instruction);
  if (!i.opcode) return false;
  mask_step = amd::mask_step(i, rules);
  return true;
}

}  // namespace

PixelProgram pixel_program(const wave::Program& program, uint64_t entry, unsigned lanes) {
  PixelProgram known;
  known.can_be_framed = known.only_reads = true;
  std::array<bool, rdna4::attribute_count * 4> read{};
  Instructions instructions;
  LoadedParameters loaded;
  uint64_t first_target = ~uint64_t(0);
  bool goes_on = false;
  for (uint32_t at = 0; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    if (step.flow == wave::Flow::Indirect) known.can_be_framed = known.only_reads = false, goes_on = true;
    known.changes_mode |= step.ends_region;
    if (step.flow == wave::Flow::Branch || step.flow == wave::Flow::Conditional) {
      if (step.target == entry) known.can_be_framed = false;
      first_target = std::min(first_target, step.target);
    }
    const auto* i = static_cast<const rdna4::Instruction*>(step.instruction);
    if (!i || !i->opcode) {
      known.only_reads = false;
      continue;
    }
    known.only_reads &= only_reads_memory(*i);
    known.touches_share |= touches_share(*i->opcode);
    instructions.push_back({step.pc, i});
    if (step.pc >= entry) loaded.look(step.pc, *i, known.uses);
    if (i->opcode->format == Format::VDSDIR && i->attr < rdna4::attribute_count &&
        std::string_view(i->opcode->name) == "ds_param_load")
      read[i->attr * 4u + i->attrchan % 4] = true;
    if (i->opcode->format != Format::VEXPORT || rdna4::export_slot(i->tgt) == rdna4::no_export) continue;
    const uint32_t bit = 1u << i->tgt;
    if (known.exported & bit && known.enabled[i->tgt] != i->en) known.uneven |= bit;
    known.exported |= bit, known.enabled[i->tgt] |= uint8_t(i->en);
  }
  // The program that it goes on to may export to any target (epilogs: Mesa 25.0.7 radv_cmd_buffer.c, radv_bind_fragment_output_state).
  if (goes_on)
    for (uint32_t target = rdna4::MRT0; target <= rdna4::MRTZ; target++)
      known.exported |= 1u << target, known.uneven |= 1u << target, known.enabled[target] = 0xf;
  for (size_t n = 0; n < read.size(); n++)
    if (read[n]) known.attributes_read.push_back(uint8_t(n));
  if (known.can_be_framed) known.parameters_sgpr = sgpr_of_parameters(instructions, entry, first_target);
  // (Nothing comes round to them again.)
  std::erase_if(known.uses, [&](const ParameterUse& use) { return use.pc >= first_target; });
  std::vector<uint64_t> replaced;
  for (const ParameterUse& use : known.uses) replaced.push_back(use.pc);
  known.exported_by_all = amd::covered_exports(program, entry, lanes, read_mask_step);
  if (known.can_be_framed) known.exec_moves = exec_moves(instructions, entry, lanes, replaced, first_target);
  return known;
}

}  // namespace Atoll::gfx12
