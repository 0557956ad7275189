// The handler of each packet, one row an opcode. The packets' words are described in registers/gfx12/packets.json and
// draw_packets.json.
#include <array>

#include "gpu/amd/packets/dma_packets.h"
#include "gpu/amd/packets/end_of_pipe.h"
#include "gpu/amd/packets/flow_packets.h"
#include "gpu/amd/packets/indirect_draws.h"
#include "gpu/amd/packets/memory_packets.h"
#include "gpu/amd/packets/register_packets.h"
#include "gpu/amd/packets/wait_packets.h"
#include "gpu/gfx12/packets/packet_handlers.h"

namespace Atoll::gfx12 {
namespace {

using namespace packets;
namespace amd = gpu::amd;

// Packets that only set state, and draws: what was drawn may stay with the pipeline.
bool no_write_back(Body) { return false; }

template <class Packet>
constexpr PacketRow row(decltype(PacketRow::handler) handler, decltype(PacketRow::writes_back) writes_back = nullptr) {
  return {Packet::opcode, Packet::min_dwords, handler, writes_back};
}

constexpr PacketRow rows[] = {
    row<NOP>(nothing, no_write_back),
    row<SET_BASE>(set_base, no_write_back),
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
    row<DRAW_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, false>, no_write_back),
    row<DRAW_INDEX_AUTO>(draw_index_auto, no_write_back),
    row<NUM_INSTANCES>(num_instances, no_write_back),
    row<DRAW_INDEX_OFFSET_2>(draw_index_offset_2, no_write_back),
    row<WRITE_DATA>(amd::write_data<Pm4>),
    row<DRAW_INDEX_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, true>, no_write_back),
    row<WAIT_REG_MEM>(amd::wait_reg_mem<Pm4>),
    row<INDIRECT_BUFFER>(amd::indirect_buffer<Pm4>),
    row<COPY_DATA>(amd::copy_data<Pm4>),
    row<PFP_SYNC_ME>(nothing, no_write_back),  // the prefetch parser never runs ahead here
    row<COND_WRITE>(amd::cond_write<Pm4>),
    row<EVENT_WRITE>(event_write, event_concerns_targets),
    row<RELEASE_MEM>(amd::release_mem<Pm4>, release_concerns_targets),
    row<DISPATCH_MESH_INDIRECT_MULTI>(dispatch_mesh_indirect_multi, no_write_back),
    row<DISPATCH_TASKMESH_GFX>(dispatch_taskmesh_gfx, no_write_back),
    row<DISPATCH_MESH_DIRECT>(dispatch_mesh_direct, no_write_back),
    row<PREAMBLE_CNTL>(nothing, no_write_back),  // marks where a state stands in a stream
    row<DMA_DATA>(amd::dma_data<Pm4>, amd::dma_data_moves<Pm4>),
    row<CONTEXT_REG_RMW>(amd::context_reg_rmw<Pm4>, no_write_back),
    row<ACQUIRE_MEM>(acquire_mem),
    row<REWIND>(nothing),  // buffers are read when they are called, after what wrote them
    row<LOAD_UCONFIG_REG>(amd::load_registers<Pm4, LOAD_UCONFIG_REG>),
    row<LOAD_SH_REG>(amd::load_registers<Pm4, LOAD_SH_REG>),
    row<LOAD_CONTEXT_REG>(amd::load_registers<Pm4, LOAD_CONTEXT_REG>),
    row<LOAD_UCONFIG_REG_INDEX>(amd::load_registers_by_index<Pm4, LOAD_UCONFIG_REG_INDEX>),
    row<LOAD_SH_REG_INDEX>(amd::load_registers_by_index<Pm4, LOAD_SH_REG_INDEX>),
    row<LOAD_CONTEXT_REG_INDEX>(amd::load_registers_by_index<Pm4, LOAD_CONTEXT_REG_INDEX>),
    row<SET_CONTEXT_REG>(amd::set_registers<Pm4, SET_CONTEXT_REG>, no_write_back),
    row<SET_SH_REG>(amd::set_registers<Pm4, SET_SH_REG>, no_write_back),
    row<SET_UCONFIG_REG>(amd::set_registers<Pm4, SET_UCONFIG_REG>, no_write_back),
    row<SET_UCONFIG_REG_INDEX>(amd::set_registers<Pm4, SET_UCONFIG_REG_INDEX>, no_write_back),
    row<SET_SH_REG_INDEX>(amd::set_registers<Pm4, SET_SH_REG_INDEX>, no_write_back),
    row<DISPATCH_DIRECT_INTERLEAVED>(dispatch_direct),
    row<DISPATCH_INDIRECT_INTERLEAVED>(dispatch_indirect),
    row<DISPATCH_TASK_STATE_INIT>(dispatch_task_state_init, no_write_back),
    row<DISPATCH_TASKMESH_DIRECT_ACE>(dispatch_taskmesh_direct_ace),
    row<DISPATCH_TASKMESH_INDIRECT_MULTI_ACE>(dispatch_taskmesh_indirect_multi_ace),
    row<EVENT_WRITE_ZPASS>(event_write_zpass),
    row<SET_CONTEXT_REG_PAIRS>(amd::set_register_pairs<Pm4, SET_CONTEXT_REG_PAIRS>, no_write_back),
    row<SET_SH_REG_PAIRS>(amd::set_register_pairs<Pm4, SET_SH_REG_PAIRS>, no_write_back),
    row<SET_UCONFIG_REG_PAIRS>(amd::set_register_pairs<Pm4, SET_UCONFIG_REG_PAIRS>, no_write_back),
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

}  // namespace Atoll::gfx12
