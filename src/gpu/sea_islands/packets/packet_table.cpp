// Which packet is whose: one row an opcode, with the dwords that it needs behind its header.
#include <array>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {
namespace {

using namespace packets;

constexpr PacketRow rows[] = {
    {NOP::opcode, 0, nothing},
    {SET_BASE::opcode, 3, set_base},
    {CLEAR_STATE::opcode, 0, clear_state_packet},
    {INDEX_BUFFER_SIZE::opcode, 1, index_buffer_size},
    {DISPATCH_DIRECT::opcode, 4, dispatch_direct},
    {DISPATCH_INDIRECT::opcode, 2, dispatch_indirect},
    {ATOMIC_MEM::opcode, 8, atomic_mem},
    {SET_PREDICATION::opcode, 2, set_predication},
    {COND_EXEC::opcode, 4, cond_exec},
    {PRED_EXEC::opcode, 1, pred_exec},
    {DRAW_INDIRECT::opcode, 4, draw_indirect},
    {DRAW_INDEX_INDIRECT::opcode, 4, draw_index_indirect},
    {INDEX_BASE::opcode, 2, index_base},
    {DRAW_INDEX_2::opcode, 5, draw_index_2},
    {CONTEXT_CONTROL::opcode, 2, context_control},
    {INDEX_TYPE::opcode, 1, index_type},
    {DRAW_INDIRECT_MULTI::opcode, 9, draw_indirect_multi},
    {DRAW_INDEX_AUTO::opcode, 2, draw_index_auto},
    {NUM_INSTANCES::opcode, 1, num_instances},
    {INDIRECT_BUFFER_CONST::opcode, 3, indirect_buffer},
    {STRMOUT_BUFFER_UPDATE::opcode, 5, strmout_buffer_update},
    {DRAW_INDEX_OFFSET_2::opcode, 4, draw_index_offset_2},
    {DRAW_PREAMBLE::opcode, 3, draw_preamble},
    {WRITE_DATA::opcode, 3, write_data},
    {DRAW_INDEX_INDIRECT_MULTI::opcode, 9, draw_index_indirect_multi},
    {MEM_SEMAPHORE::opcode, 2, mem_semaphore},
    {COPY_DW::opcode, 5, copy_dw},
    {WAIT_REG_MEM::opcode, 6, wait_reg_mem},
    {INDIRECT_BUFFER_CIK::opcode, 3, indirect_buffer},
    {COPY_DATA::opcode, 5, copy_data},
    {CP_DMA::opcode, 5, cp_dma},
    {PFP_SYNC_ME::opcode, 0, nothing},  // the prefetch parser never runs ahead here
    {SURFACE_SYNC::opcode, 4, surface_sync},
    {COND_WRITE::opcode, 8, cond_write},
    {EVENT_WRITE::opcode, 1, event_write},
    {EVENT_WRITE_EOP::opcode, 5, event_write_eop},
    {EVENT_WRITE_EOS::opcode, 4, event_write_eos},
    {RELEASE_MEM::opcode, 6, release_mem},
    {PREAMBLE_CNTL::opcode, 1, nothing},  // marks where the clear state stands in a stream
    {DMA_DATA::opcode, 6, dma_data},
    {CONTEXT_REG_RMW::opcode, 3, context_reg_rmw},
    {ACQUIRE_MEM::opcode, 6, acquire_mem},
    {REWIND::opcode, 1, nothing},  // buffers are read when they are called, after what wrote them
    {LOAD_UCONFIG_REG::opcode, 4, load_uconfig_reg},
    {LOAD_SH_REG::opcode, 4, load_sh_reg},
    {LOAD_CONFIG_REG::opcode, 4, load_config_reg},
    {LOAD_CONTEXT_REG::opcode, 4, load_context_reg},
    {SET_CONFIG_REG::opcode, 1, set_config_reg},
    {SET_CONTEXT_REG::opcode, 1, set_context_reg},
    {SET_SH_REG::opcode, 1, set_sh_reg},
    {SET_UCONFIG_REG::opcode, 1, set_uconfig_reg},
    {LOAD_CONST_RAM::opcode, 4, load_const_ram},
    {WRITE_CONST_RAM::opcode, 1, write_const_ram},
    {DUMP_CONST_RAM::opcode, 4, dump_const_ram},
    {INCREMENT_CE_COUNTER::opcode, 0, increment_ce_counter},
    {INCREMENT_DE_COUNTER::opcode, 0, increment_de_counter},
    {WAIT_ON_CE_COUNTER::opcode, 0, wait_on_ce_counter},
    {WAIT_ON_DE_COUNTER_DIFF::opcode, 1, wait_on_de_counter_diff},
    {SWITCH_BUFFER::opcode, 0, nothing},  // both engines have buffers of their own here
};

}  // namespace

const PacketRow* find_packet_row(uint32_t opcode) {
  [[clang::no_destroy]] static const auto by_opcode = [] {
    std::array<const PacketRow*, 256> all{};
    for (const PacketRow& row : rows) all[row.opcode] = &row;
    return all;
  }();
  return by_opcode[opcode & 0xff];
}

}  // namespace Atoll::sea_islands
