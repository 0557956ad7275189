// A queue of GFX12 that has nothing but registers, memory, and the packets that are not one chip's (gpu/amd/packets): what a family
// has to say for them, and no more.
#pragma once
#include <atomic>
#include <bitset>
#include <functional>
#include <vector>

#include "gpu/amd/packets/dma_packets.h"
#include "gpu/amd/packets/end_of_pipe.h"
#include "gpu/amd/packets/flow_packets.h"
#include "gpu/amd/packets/indirect_draws.h"
#include "gpu/amd/packets/memory_packets.h"
#include "gpu/amd/packets/packet_executor.h"
#include "gpu/amd/packets/register_packets.h"
#include "gpu/amd/packets/wait_packets.h"
#include "gpu/amd/register_file.h"
#include "registers/gfx12.h"
#include "registers/lookup.h"

namespace Atoll::gfx12::test {

inline constexpr uint32_t registers_end = 0x40000;

struct Context : gpu::QueueState {
  using QueueState::QueueState;

  gpu::amd::RegisterFile registers{registers_end};
  gpu::amd::Predicate predicate;
  uint64_t indirect_base = 0, ticks = 0, write_backs = 0;
  std::vector<uint32_t> events;
  struct Draw {
    uint32_t initiator;
    bool indexed;
    gpu::amd::IndirectArguments arguments;
    std::vector<uint32_t> users;  // the first SPI_SHADER_USER_DATA_GS at that time
  };
  std::vector<Draw> draws;

  uint64_t clock() { return ++ticks * 1000; }
  bool write_back_targets() { return write_backs++, !lost(); }
};

struct Processor;

struct Pm4 {
  using Context = test::Context;
  using Processor = test::Processor;

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
  using WAIT_REG_MEM = packets::WAIT_REG_MEM;
  using WRITE_DATA = packets::WRITE_DATA;

  static constexpr uint32_t register_number_mask = 0x3ffff;  // PAL gfx12_merged_f32_me_pm4_packets.h, reg_poll_addr
  static constexpr uint64_t dma_address_mask = 0xffff'ffff'ffff;

  static const registers::Family& tables() { return registers::gfx12_tables; }
  static const gpu::amd::PacketRow<Processor>* row(uint32_t opcode);

  static bool known_register(Context& c, uint32_t address) {
    if (address < registers_end && !registers::find_by_address(registers::gfx12_tables, address).empty()) return true;
    c.unknown(fmt::format("register {:#x}", address));
    return address < registers_end;
  }
  static uint32_t read_register(Context& c, uint32_t address) { return c.registers.raw(address); }
  static void write_register(Context& c, uint32_t address, uint32_t value) { c.registers.set(address, value); }
  static bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied) {
    return satisfied(read_register(c, address)) || c.lose(fmt::format("waits for register {:#x}", address));
  }
  static void event(Context& c, uint32_t type) { c.events.push_back(type); }
  static unsigned render_backends(const Context&) { return 2; }
  static uint64_t predicate_address(gpu::amd::Body body) { return gpu::amd::address_of(body[1], body[2] & 0xffff); }
  static void draw(Context& c, uint32_t initiator, bool indexed, const gpu::amd::IndirectArguments& a) {
    std::vector<uint32_t> users;
    for (unsigned n = 0; n < 3; n++) users.push_back(c.registers.whole<SPI_SHADER_USER_DATA_GS>(n));
    c.draws.push_back({initiator, indexed, a, users});
  }
};

struct Processor : gpu::amd::PacketExecutor<Pm4> {
  using PacketExecutor::PacketExecutor;
};

inline void nothing(Processor&, gpu::amd::Body) {}

template <class Packet>
constexpr gpu::amd::PacketRow<Processor> packet_row(void (*handler)(Processor&, gpu::amd::Body),
                                                    bool (*writes_back)(gpu::amd::Body) = nullptr) {
  return {Packet::opcode, Packet::min_dwords, handler, writes_back};
}

inline const gpu::amd::PacketRow<Processor>* Pm4::row(uint32_t opcode) {
  namespace amd = gpu::amd;
  using namespace packets;
  static constexpr amd::PacketRow<Processor> rows[] = {
      packet_row<NOP>(nothing),
      packet_row<packets::SET_CONTEXT_REG>(amd::set_registers<Pm4, SET_CONTEXT_REG>),
      packet_row<packets::SET_SH_REG>(amd::set_registers<Pm4, packets::SET_SH_REG>),
      packet_row<SET_UCONFIG_REG>(amd::set_registers<Pm4, SET_UCONFIG_REG>),
      packet_row<SET_SH_REG_INDEX>(amd::set_registers<Pm4, SET_SH_REG_INDEX>),
      packet_row<SET_CONTEXT_REG_PAIRS>(amd::set_register_pairs<Pm4, SET_CONTEXT_REG_PAIRS>),
      packet_row<SET_SH_REG_PAIRS>(amd::set_register_pairs<Pm4, SET_SH_REG_PAIRS>),
      packet_row<LOAD_SH_REG>(amd::load_registers<Pm4, LOAD_SH_REG>),
      packet_row<packets::CONTEXT_REG_RMW>(amd::context_reg_rmw<Pm4>),
      packet_row<packets::WRITE_DATA>(amd::write_data<Pm4>),
      packet_row<packets::COPY_DATA>(amd::copy_data<Pm4>),
      packet_row<packets::DMA_DATA>(amd::dma_data<Pm4>, amd::dma_data_moves<Pm4>),
      packet_row<packets::ATOMIC_MEM>(amd::atomic_mem<Pm4>),
      packet_row<packets::RELEASE_MEM>(amd::release_mem<Pm4>),
      packet_row<packets::WAIT_REG_MEM>(amd::wait_reg_mem<Pm4>),
      packet_row<packets::COND_WRITE>(amd::cond_write<Pm4>),
      packet_row<packets::INDIRECT_BUFFER>(amd::indirect_buffer<Pm4>),
      packet_row<packets::COND_EXEC>(amd::cond_exec<Pm4>),
      packet_row<packets::PRED_EXEC>(amd::pred_exec<Pm4>),
      packet_row<packets::SET_PREDICATION>(amd::set_predication<Pm4>),
      packet_row<DRAW_INDIRECT>(amd::draw_indirect<Pm4, false>),
      packet_row<packets::DRAW_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, false>),
      packet_row<DRAW_INDEX_INDIRECT_MULTI>(amd::draw_indirect_multi<Pm4, true>),
  };
  for (const auto& r : rows)
    if (r.opcode == opcode) return &r;
  return nullptr;
}

}  // namespace Atoll::gfx12::test
