// Which packet is whose: one row an opcode. What a packet's words are stands in registers/sea_islands/packets.json.
#include <array>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using namespace packets;

template <class Packet>
constexpr PacketRow row(Handler handler) {
  return {Packet::opcode, Packet::min_dwords, handler};
}

constexpr PacketRow rows[] = {
    row<NOP>(nothing),
    row<SET_BASE>(set_base),
    row<CLEAR_STATE>(clear_state_packet),
    row<INDEX_BUFFER_SIZE>(index_buffer_size),
    row<DISPATCH_DIRECT>(dispatch_direct),
    row<DISPATCH_INDIRECT>(dispatch_indirect),
    row<ATOMIC_MEM>(atomic_mem),
    row<SET_PREDICATION>(set_predication),
    row<COND_EXEC>(cond_exec),
    row<PRED_EXEC>(pred_exec),
    row<DRAW_INDIRECT>(draw_indirect),
    row<DRAW_INDEX_INDIRECT>(draw_index_indirect),
    row<INDEX_BASE>(index_base),
    row<DRAW_INDEX_2>(draw_index_2),
    row<CONTEXT_CONTROL>(context_control),
    row<INDEX_TYPE>(index_type),
    row<DRAW_INDIRECT_MULTI>(draw_indirect_multi),
    row<DRAW_INDEX_AUTO>(draw_index_auto),
    row<NUM_INSTANCES>(num_instances),
    row<INDIRECT_BUFFER_CONST>(indirect_buffer),
    row<STRMOUT_BUFFER_UPDATE>(strmout_buffer_update),
    row<DRAW_INDEX_OFFSET_2>(draw_index_offset_2),
    row<DRAW_PREAMBLE>(draw_preamble),
    row<WRITE_DATA>(write_data),
    row<DRAW_INDEX_INDIRECT_MULTI>(draw_index_indirect_multi),
    row<MEM_SEMAPHORE>(mem_semaphore),
    row<COPY_DW>(copy_dw),
    row<WAIT_REG_MEM>(wait_reg_mem),
    row<INDIRECT_BUFFER_CIK>(indirect_buffer),
    row<COPY_DATA>(copy_data),
    row<CP_DMA>(cp_dma),
    row<PFP_SYNC_ME>(nothing),  // the prefetch parser never runs ahead here
    row<SURFACE_SYNC>(surface_sync),
    row<COND_WRITE>(cond_write),
    row<EVENT_WRITE>(event_write),
    row<EVENT_WRITE_EOP>(event_write_eop),
    row<EVENT_WRITE_EOS>(event_write_eos),
    row<RELEASE_MEM>(release_mem),
    row<PREAMBLE_CNTL>(nothing),  // marks where the clear state stands in a stream
    row<DMA_DATA>(dma_data),
    row<CONTEXT_REG_RMW>(context_reg_rmw),
    row<ACQUIRE_MEM>(acquire_mem),
    row<REWIND>(nothing),  // buffers are read when they are called, after what wrote them
    row<LOAD_UCONFIG_REG>(load_uconfig_reg),
    row<LOAD_SH_REG>(load_sh_reg),
    row<LOAD_CONFIG_REG>(load_config_reg),
    row<LOAD_CONTEXT_REG>(load_context_reg),
    row<SET_CONFIG_REG>(set_config_reg),
    row<SET_CONTEXT_REG>(set_context_reg),
    row<SET_SH_REG>(set_sh_reg),
    row<SET_UCONFIG_REG>(set_uconfig_reg),
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
