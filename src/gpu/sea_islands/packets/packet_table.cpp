// The handler of each packet, one row an opcode. The packets' words are described in registers/sea_islands/packets.json.
#include "gpu/amd/packets/dma_packets.h"
#include "gpu/amd/packets/end_of_pipe.h"
#include "gpu/amd/packets/flow_packets.h"
#include "gpu/amd/packets/indirect_draws.h"
#include "gpu/amd/packets/memory_packets.h"
#include "gpu/amd/packets/packet_executor.h"
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

constexpr PacketRow rows[] = {
    amd::packet_row<Pm4, NOP>(nothing, no_write_back),
    amd::packet_row<Pm4, SET_BASE>(set_base, no_write_back),
    amd::packet_row<Pm4, CLEAR_STATE>(clear_state_packet, no_write_back),
    amd::packet_row<Pm4, INDEX_BUFFER_SIZE>(index_buffer_size, no_write_back),
    amd::packet_row<Pm4, DISPATCH_DIRECT>(dispatch_direct),
    amd::packet_row<Pm4, DISPATCH_INDIRECT>(dispatch_indirect),
    amd::packet_row<Pm4, ATOMIC_MEM>(amd::atomic_mem<Pm4>),
    amd::packet_row<Pm4, SET_PREDICATION>(amd::set_predication<Pm4>),
    amd::packet_row<Pm4, COND_EXEC>(amd::cond_exec<Pm4>),
    amd::packet_row<Pm4, PRED_EXEC>(amd::pred_exec<Pm4>),
    amd::packet_row<Pm4, DRAW_INDIRECT>(amd::draw_indirect<Pm4, false>, no_write_back),
    amd::packet_row<Pm4, DRAW_INDEX_INDIRECT>(amd::draw_indirect<Pm4, true>, no_write_back),
    amd::packet_row<Pm4, INDEX_BASE>(index_base, no_write_back),
    amd::packet_row<Pm4, DRAW_INDEX_2>(draw_index_2, no_write_back),
    amd::packet_row<Pm4, CONTEXT_CONTROL>(context_control, no_write_back),
    amd::packet_row<Pm4, INDEX_TYPE>(index_type, no_write_back),
    amd::packet_row<Pm4, DRAW_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, false>, no_write_back),
    amd::packet_row<Pm4, DRAW_INDEX_AUTO>(draw_index_auto, no_write_back),
    amd::packet_row<Pm4, NUM_INSTANCES>(num_instances, no_write_back),
    amd::packet_row<Pm4, INDIRECT_BUFFER_CONST>(amd::indirect_buffer<Pm4>),
    amd::packet_row<Pm4, STRMOUT_BUFFER_UPDATE>(strmout_buffer_update),
    amd::packet_row<Pm4, DRAW_INDEX_OFFSET_2>(draw_index_offset_2, no_write_back),
    amd::packet_row<Pm4, DRAW_PREAMBLE>(draw_preamble, no_write_back),
    amd::packet_row<Pm4, WRITE_DATA>(amd::write_data<Pm4>),
    amd::packet_row<Pm4, DRAW_INDEX_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, true>, no_write_back),
    amd::packet_row<Pm4, MEM_SEMAPHORE>(amd::mem_semaphore<Pm4>),
    amd::packet_row<Pm4, COPY_DW>(amd::copy_dw<Pm4>),
    amd::packet_row<Pm4, WAIT_REG_MEM>(amd::wait_reg_mem<Pm4>),
    amd::packet_row<Pm4, INDIRECT_BUFFER_CIK>(amd::indirect_buffer<Pm4>),
    amd::packet_row<Pm4, COPY_DATA>(amd::copy_data<Pm4>),
    amd::packet_row<Pm4, CP_DMA>(amd::cp_dma<Pm4>),
    amd::packet_row<Pm4, PFP_SYNC_ME>(nothing),  // the prefetch parser never runs ahead here
    amd::packet_row<Pm4, SURFACE_SYNC>(surface_sync),
    amd::packet_row<Pm4, COND_WRITE>(amd::cond_write<Pm4>),
    amd::packet_row<Pm4, EVENT_WRITE>(event_write, event_concerns_targets),
    amd::packet_row<Pm4, EVENT_WRITE_EOP>(event_write_eop),
    amd::packet_row<Pm4, EVENT_WRITE_EOS>(event_write_eos),
    amd::packet_row<Pm4, RELEASE_MEM>(amd::release_mem<Pm4>),
    amd::packet_row<Pm4, PREAMBLE_CNTL>(nothing, no_write_back),  // marks where the clear state stands in a stream
    amd::packet_row<Pm4, DMA_DATA>(amd::dma_data<Pm4>, amd::dma_data_moves<Pm4>),
    amd::packet_row<Pm4, CONTEXT_REG_RMW>(amd::context_reg_rmw<Pm4>, no_write_back),
    amd::packet_row<Pm4, ACQUIRE_MEM>(acquire_mem),
    amd::packet_row<Pm4, REWIND>(nothing),  // buffers are read when they are called, after what wrote them
    amd::packet_row<Pm4, LOAD_UCONFIG_REG>(amd::load_registers<Pm4, LOAD_UCONFIG_REG>),
    amd::packet_row<Pm4, LOAD_SH_REG>(amd::load_registers<Pm4, LOAD_SH_REG>),
    amd::packet_row<Pm4, LOAD_CONFIG_REG>(amd::load_registers<Pm4, LOAD_CONFIG_REG>),
    amd::packet_row<Pm4, LOAD_CONTEXT_REG>(amd::load_registers<Pm4, LOAD_CONTEXT_REG>),
    amd::packet_row<Pm4, SET_CONFIG_REG>(amd::set_registers<Pm4, SET_CONFIG_REG>, no_write_back),
    amd::packet_row<Pm4, SET_CONTEXT_REG>(amd::set_registers<Pm4, SET_CONTEXT_REG>, no_write_back),
    amd::packet_row<Pm4, SET_SH_REG>(amd::set_registers<Pm4, SET_SH_REG>, no_write_back),
    amd::packet_row<Pm4, SET_UCONFIG_REG>(amd::set_registers<Pm4, SET_UCONFIG_REG>, no_write_back),
    amd::packet_row<Pm4, LOAD_CONST_RAM>(load_const_ram),
    amd::packet_row<Pm4, WRITE_CONST_RAM>(write_const_ram),
    amd::packet_row<Pm4, DUMP_CONST_RAM>(dump_const_ram),
    amd::packet_row<Pm4, INCREMENT_CE_COUNTER>(increment_ce_counter),
    amd::packet_row<Pm4, INCREMENT_DE_COUNTER>(increment_de_counter),
    amd::packet_row<Pm4, WAIT_ON_CE_COUNTER>(wait_on_ce_counter),
    amd::packet_row<Pm4, WAIT_ON_DE_COUNTER_DIFF>(wait_on_de_counter_diff),
    amd::packet_row<Pm4, SWITCH_BUFFER>(nothing),  // both engines have buffers of their own here
};

}  // namespace

const PacketRow* Pm4::row(uint32_t opcode) { return amd::row_of_opcode<rows>(opcode); }

}  // namespace Atoll::sea_islands
