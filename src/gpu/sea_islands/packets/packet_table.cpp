// Which packet is whose: one row an opcode. What a packet's words are stands in registers/sea_islands/packets.json.
#include <array>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using namespace packets;

// Packets that only set state, and draws: what was drawn may stay with the pipeline. (Registers that do more, and surfaces that
// are worked on, see to it themselves.)
bool no_write_back(Body) { return false; }

template <class Packet>
constexpr PacketRow row(Handler handler, WritesBack writes_back = nullptr) {
  return {Packet::opcode, Packet::min_dwords, handler, writes_back};
}

constexpr PacketRow rows[] = {
    row<NOP>(nothing, no_write_back),
    row<SET_BASE>(set_base, no_write_back),
    row<CLEAR_STATE>(clear_state_packet, no_write_back),
    row<INDEX_BUFFER_SIZE>(index_buffer_size, no_write_back),
    row<DISPATCH_DIRECT>(dispatch_direct),
    row<DISPATCH_INDIRECT>(dispatch_indirect),
    row<ATOMIC_MEM>(atomic_mem),
    row<SET_PREDICATION>(set_predication),
    row<COND_EXEC>(cond_exec),
    row<PRED_EXEC>(pred_exec),
    row<DRAW_INDIRECT>(draw_indirect, no_write_back),
    row<DRAW_INDEX_INDIRECT>(draw_index_indirect, no_write_back),
    row<INDEX_BASE>(index_base, no_write_back),
    row<DRAW_INDEX_2>(draw_index_2, no_write_back),
    row<CONTEXT_CONTROL>(context_control, no_write_back),
    row<INDEX_TYPE>(index_type, no_write_back),
    row<DRAW_INDIRECT_MULTI>(draw_indirect_multi, no_write_back),
    row<DRAW_INDEX_AUTO>(draw_index_auto, no_write_back),
    row<NUM_INSTANCES>(num_instances, no_write_back),
    row<INDIRECT_BUFFER_CONST>(indirect_buffer),
    row<STRMOUT_BUFFER_UPDATE>(strmout_buffer_update),
    row<DRAW_INDEX_OFFSET_2>(draw_index_offset_2, no_write_back),
    row<DRAW_PREAMBLE>(draw_preamble, no_write_back),
    row<WRITE_DATA>(write_data),
    row<DRAW_INDEX_INDIRECT_MULTI>(draw_index_indirect_multi, no_write_back),
    row<MEM_SEMAPHORE>(mem_semaphore),
    row<COPY_DW>(copy_dw),
    row<WAIT_REG_MEM>(wait_reg_mem),
    row<INDIRECT_BUFFER_CIK>(indirect_buffer),
    row<COPY_DATA>(copy_data),
    row<CP_DMA>(cp_dma),
    row<PFP_SYNC_ME>(nothing),  // the prefetch parser never runs ahead here
    row<SURFACE_SYNC>(surface_sync),
    row<COND_WRITE>(cond_write),
    row<EVENT_WRITE>(event_write, event_concerns_targets),
    row<EVENT_WRITE_EOP>(event_write_eop),
    row<EVENT_WRITE_EOS>(event_write_eos),
    row<RELEASE_MEM>(release_mem),
    row<PREAMBLE_CNTL>(nothing, no_write_back),  // marks where the clear state stands in a stream
    row<DMA_DATA>(dma_data, dma_data_moves),
    row<CONTEXT_REG_RMW>(context_reg_rmw, no_write_back),
    row<ACQUIRE_MEM>(acquire_mem),
    row<REWIND>(nothing),  // buffers are read when they are called, after what wrote them
    row<LOAD_UCONFIG_REG>(load_uconfig_reg),
    row<LOAD_SH_REG>(load_sh_reg),
    row<LOAD_CONFIG_REG>(load_config_reg),
    row<LOAD_CONTEXT_REG>(load_context_reg),
    row<SET_CONFIG_REG>(set_config_reg, no_write_back),
    row<SET_CONTEXT_REG>(set_context_reg, no_write_back),
    row<SET_SH_REG>(set_sh_reg, no_write_back),
    row<SET_UCONFIG_REG>(set_uconfig_reg, no_write_back),
    row<LOAD_CONST_RAM>(load_const_ram),
    row<WRITE_CONST_RAM>(write_const_ram),
    row<DUMP_CONST_RAM>(dump_const_ram),
    row<INCREMENT_CE_COUNTER>(increment_ce_counter),
    row<INCREMENT_DE_COUNTER>(increment_de_counter),
    row<WAIT_ON_CE_COUNTER>(wait_on_ce_counter),
    row<WAIT_ON_DE_COUNTER_DIFF>(wait_on_de_counter_diff),
    row<SWITCH_BUFFER>(nothing),  // both engines have buffers of their own here
};

}  // namespace

const PacketRow* find_packet_row(uint32_t opcode) {
  [[clang::no_destroy]] static const auto by_opcode = [] {
    std::array<const PacketRow*, 256> all{};
    for (const PacketRow& r : rows) all[r.opcode] = &r;
    return all;
  }();
  return by_opcode[opcode & 0xff];
}

}  // namespace Atoll::sea_islands
