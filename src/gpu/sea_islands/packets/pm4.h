// Sea Islands' part of the packets that all chips of PM4 have (gpu/amd/packets).
#pragma once
#include "gpu/amd/packets/family.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/shaders/global_share.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

class CommandProcessor;
using gpu::amd::Body;

struct Pm4 {
  using Context = sea_islands::Context;
  using Processor = CommandProcessor;

  using ATOMIC_MEM = packets::ATOMIC_MEM;
  using COND_EXEC = packets::COND_EXEC;
  using COND_WRITE = packets::COND_WRITE;
  using CONTEXT_REG_RMW = packets::CONTEXT_REG_RMW;
  using COPY_DATA = packets::COPY_DATA;
  using COPY_DW = packets::COPY_DW;
  using CP_DMA = packets::CP_DMA;
  using DMA_DATA = packets::DMA_DATA;
  using DRAW_INDIRECT_MULTI = packets::DRAW_INDIRECT_MULTI;
  using INDIRECT_BUFFER = packets::INDIRECT_BUFFER_CIK;
  using MEM_SEMAPHORE = packets::MEM_SEMAPHORE;
  using PRED_EXEC = packets::PRED_EXEC;
  using RELEASE_MEM = packets::RELEASE_MEM;
  using RELEASE_MEM_EVENT = packets::RELEASE_MEM::VGT_EVENT_INITIATOR::EVENT_TYPE;
  using SET_PREDICATION = packets::SET_PREDICATION;
  using SET_SH_REG = packets::SET_SH_REG;
  using VGT_NUM_INSTANCES = sea_islands::VGT_NUM_INSTANCES;
  using VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE = sea_islands::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE;
  using VGT_STRMOUT_DRAW_OPAQUE_OFFSET = sea_islands::VGT_STRMOUT_DRAW_OPAQUE_OFFSET;
  using VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE = sea_islands::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE;
  using WAIT_REG_MEM = packets::WAIT_REG_MEM;
  using WRITE_DATA = packets::WRITE_DATA;

  static constexpr uint32_t register_number_mask = 0xffff;
  static constexpr uint64_t dma_address_mask = ~uint64_t(0);

  static const registers::Family& tables() { return registers::sea_islands_tables; }
  static const gpu::amd::PacketRow<CommandProcessor>* row(uint32_t opcode);  // packet_table.cpp

  static bool known_register(Context& c, uint32_t address) { return sea_islands::known_register(c, address); }
  static uint32_t read_register(Context& c, uint32_t address) { return sea_islands::read_register(c, address); }
  static void write_register(Context& c, uint32_t address, uint32_t value) { sea_islands::write_register(c, address, value); }
  static bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied) {
    return sea_islands::wait_for_register(c, address, satisfied);
  }
  static void read_gds(Context& c, uint32_t offset, void* to, uint32_t bytes) { sea_islands::read_gds(c, offset, to, bytes); }
  static void write_gds(Context& c, uint32_t offset, const void* from, uint32_t bytes) {
    sea_islands::write_gds(c, offset, from, bytes);
  }

  static void event(Context& c, uint32_t type);  // event_packets.cpp
  static unsigned render_backends(const Context& c) { return c.chip.render_backends; }
  static uint64_t predicate_address(Body body) {
    return gpu::amd::address_of(body[0], packets::SET_PREDICATION::CONTROL::ADDRESS_HI::get(body[1]));
  }
  // draw_packets.cpp
  static void draw(Context& c, uint32_t initiator, bool indexed, const gpu::amd::IndirectArguments& arguments);
};

}  // namespace Atoll::sea_islands
