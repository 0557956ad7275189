// The handler of each packet, one row an opcode. The packets' words are described in registers/sea_islands/packets.json.
#include <array>

#include "gpu/amd/packets/dma_packets.h"
#include "gpu/amd/packets/end_of_pipe.h"
#include "gpu/amd/packets/flow_packets.h"
#include "gpu/amd/packets/indirect_draws.h"
#include "gpu/amd/packets/memory_packets.h"
#include "gpu/amd/packets/register_packets.h"
#include "gpu/amd/packets/wait_packets.h"
#include "gpu/sea_islands/packets/packet_handlers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using namespace packets;
namespace amd = gpu::amd;

// Packets that only set state, and draws: what was drawn may stay with the pipeline. (Registers that do more, and surfaces that
// are worked on, see to it themselves.)
bool no_write_back(Body) { return false; }

template <class Packet>
constexpr PacketRow row(decltype(PacketRow::handler) handler, decltype(PacketRow::writes_back) writes_back = nullptr) {
  return {Packet::opcode, Packet::min_dwords, handler, writes_back};
}

constexpr PacketRow rows[] = {
    row<NOP>(nothing, no_write_back),
    row<SET_BASE>(set_base, no_write_back),
    row<CLEAR_STATE>(clear_state_packet, no_write_back),
    row<INDEX_BUFFER_SIZE>(index_buffer_size, no_write_back),
    row<DISPATCH_DIRECT>(dispatch_direct),
    row<DISPATCH_INDIRECT>(dispatch_indirect),
    row<ATOMIC_MEM>(amd::atomic_mem<Pm4>),
    row<SET_PREDICATION>(amd::set_predication<Pm4>),
    row<COND_EXEC>(amd::cond_exec<Pm4>),
    row<PRED_EXEC>(amd::pred_exec<Pm4>),
    row<DRAW_INDIRECT>(amd::draw_indirect<Pm4, false>, no_write_back),
    row<DRAW_INDEX_INDIRECT>(amd::draw_indirect<Pm4, true>, no_write_back),
    row<INDEX_BASE>(index_base, no_write_back),
    row<DRAW_INDEX_2>(draw_index_2, no_write_back),
    row<CONTEXT_CONTROL>(context_control, no_write_back),
    row<INDEX_TYPE>(index_type, no_write_back),
    row<DRAW_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, false>, no_write_back),
    row<DRAW_INDEX_AUTO>(draw_index_auto, no_write_back),
    row<NUM_INSTANCES>(num_instances, no_write_back),
    row<INDIRECT_BUFFER_CONST>(amd::indirect_buffer<Pm4>),
    row<STRMOUT_BUFFER_UPDATE>(strmout_buffer_update),
    row<DRAW_INDEX_OFFSET_2>(draw_index_offset_2, no_write_back),
    row<DRAW_PREAMBLE>(draw_preamble, no_write_back),
    row<WRITE_DATA>(amd::write_data<Pm4>),
    row<DRAW_INDEX_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, true>, no_write_back),
    row<MEM_SEMAPHORE>(amd::mem_semaphore<Pm4>),
    row<COPY_DW>(amd::copy_dw<Pm4>),
    row<WAIT_REG_MEM>(amd::wait_reg_mem<Pm4>),
    row<INDIRECT_BUFFER_CIK>(amd::indirect_buffer<Pm4>),
    row<COPY_DATA>(amd::copy_data<Pm4>),
    row<CP_DMA>(amd::cp_dma<Pm4>),
    row<PFP_SYNC_ME>(nothing),  // the prefetch parser never runs ahead here
    row<SURFACE_SYNC>(surface_sync),
    row<COND_WRITE>(amd::cond_write<Pm4>),
    row<EVENT_WRITE>(event_write, event_concerns_targets),
    row<EVENT_WRITE_EOP>(event_write_eop),
    row<EVENT_WRITE_EOS>(event_write_eos),
    row<RELEASE_MEM>(amd::release_mem<Pm4>),
    row<PREAMBLE_CNTL>(nothing, no_write_back),  // marks where the clear state stands in a stream
    row<DMA_DATA>(amd::dma_data<Pm4>, amd::dma_data_moves<Pm4>),
    row<CONTEXT_REG_RMW>(amd::context_reg_rmw<Pm4>, no_write_back),
    row<ACQUIRE_MEM>(acquire_mem),
    row<REWIND>(nothing),  // buffers are read when they are called, after what wrote them
    row<LOAD_UCONFIG_REG>(amd::load_registers<Pm4, LOAD_UCONFIG_REG>),
    row<LOAD_SH_REG>(amd::load_registers<Pm4, LOAD_SH_REG>),
    row<LOAD_CONFIG_REG>(amd::load_registers<Pm4, LOAD_CONFIG_REG>),
    row<LOAD_CONTEXT_REG>(amd::load_registers<Pm4, LOAD_CONTEXT_REG>),
    row<SET_CONFIG_REG>(amd::set_registers<Pm4, SET_CONFIG_REG>, no_write_back),
    row<SET_CONTEXT_REG>(amd::set_registers<Pm4, SET_CONTEXT_REG>, no_write_back),
    row<SET_SH_REG>(amd::set_registers<Pm4, SET_SH_REG>, no_write_back),
    row<SET_UCONFIG_REG>(amd::set_registers<Pm4, SET_UCONFIG_REG>, no_write_back),
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

const PacketRow* Pm4::row(uint32_t opcode) {
  [[clang::no_destroy]] static const auto by_opcode = [] {
    std::array<const PacketRow*, 256> all{};
    for (const PacketRow& r : rows) all[r.opcode] = &r;
    return all;
  }();
  return by_opcode[opcode & 0xff];
}

}  // namespace Atoll::sea_islands
