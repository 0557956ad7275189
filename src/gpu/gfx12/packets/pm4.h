// GFX12's part of the packets that all chips of PM4 have (gpu/amd/packets).
#pragma once
#include "gpu/amd/packets/family.h"
#include "gpu/gfx12/packets/context.h"
#include "gpu/gfx12/packets/register_access.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12 {

class CommandProcessor;
using gpu::amd::Body;

struct Pm4 {
  using Context = gfx12::Context;
  using Processor = CommandProcessor;

  using ATOMIC_MEM = packets::ATOMIC_MEM;
  using COND_EXEC = packets::COND_EXEC;
  using COND_WRITE = packets::COND_WRITE;
  using CONTEXT_REG_RMW = packets::CONTEXT_REG_RMW;
  using COPY_DATA = packets::COPY_DATA;
  using DMA_DATA = packets::DMA_DATA;
  using DRAW_INDIRECT_MULTI = packets::DRAW_INDIRECT_MULTI;
  using INDIRECT_BUFFER = packets::INDIRECT_BUFFER;
  using PRED_EXEC = packets::PRED_EXEC;
  using RELEASE_MEM = packets::RELEASE_MEM;
  using RELEASE_MEM_EVENT = packets::RELEASE_MEM::RELEASE_MEM_OP::EVENT_TYPE;
  using SET_PREDICATION = packets::SET_PREDICATION;
  using SET_SH_REG = packets::SET_SH_REG;
  using VGT_NUM_INSTANCES = gfx12::VGT_NUM_INSTANCES;
  using VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE = gfx12::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE;
  using VGT_STRMOUT_DRAW_OPAQUE_OFFSET = gfx12::VGT_STRMOUT_DRAW_OPAQUE_OFFSET;
  using VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE = gfx12::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE;
  using WAIT_REG_MEM = packets::WAIT_REG_MEM;
  using WRITE_DATA = packets::WRITE_DATA;

  static constexpr uint32_t register_number_mask = 0x3ffff;  // PAL gfx12_merged_f32_me_pm4_packets.h, reg_poll_addr
  static constexpr uint64_t dma_address_mask = 0xffff'ffff'ffff;

  static const registers::Family& tables() { return registers::gfx12_tables; }
  static const gpu::amd::PacketRow<CommandProcessor>* row(uint32_t opcode);  // packet_table.cpp

  static bool known_register(Context& c, uint32_t address) { return gfx12::known_register(c, address); }
  static uint32_t read_register(Context& c, uint32_t address) { return gfx12::read_register(c, address); }
  static void write_register(Context& c, uint32_t address, uint32_t value) { gfx12::write_register(c, address, value); }
  static bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied) {
    return gfx12::wait_for_register(c, address, satisfied);
  }

  static void event(Context& c, uint32_t type);  // event_packets.cpp
  static unsigned render_backends(const Context& c) { return c.chip.render_backends; }
  static uint64_t predicate_address(Body body) { return gpu::amd::address_of(body[1], body[2] & 0xffff); }
  // draw_packets.cpp
  static void draw(Context& c, uint32_t initiator, bool indexed, const gpu::amd::IndirectArguments& arguments);
};

}  // namespace Atoll::gfx12
