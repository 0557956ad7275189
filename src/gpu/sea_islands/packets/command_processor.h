// The command processor: walks PM4 streams and executes their packets. Packets common to all chips are in gpu/amd/packets; one
// file a group of packets implements the other handlers; the table in packet_table.cpp assigns opcodes to handlers. Packet
// formats: Mesa 22.3.6 src/amd/common/sid.h, Linux drivers/gpu/drm/radeon/cikd.h; fields: registers/sea_islands/packets.json.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/amd/packets/packet_executor.h"
#include "gpu/sea_islands/packets/context.h"
#include "gpu/sea_islands/packets/pm4.h"

namespace Atoll::sea_islands {

using gpu::amd::CommandStream;
using PacketRow = gpu::amd::PacketRow<CommandProcessor>;
// Null: an opcode that nothing handles.
inline const PacketRow* find_packet_row(uint32_t opcode) { return Pm4::row(opcode); }

class CommandProcessor : public gpu::amd::PacketExecutor<Pm4> {
public:
  using PacketExecutor::PacketExecutor;

  // Executes the buffers one after the other. False: the context is lost.
  bool run(std::span<const gpu::CommandBuffer> buffers);
  // Executes packets that have been read already, as from a ring.
  bool run(uint64_t address, std::vector<uint32_t> words);

  // The constant engine, which runs beside the drawing engine: its RAM, and the counters by which they wait for each other.
  std::vector<uint8_t> constant_ram = std::vector<uint8_t>(0x8000);  // bytes
  uint64_t constant_counter = 0, drawing_counter = 0;
  CommandStream* constant_stream = nullptr;
  void run_constant_engine();  // until it ends or waits for the drawing engine
};

}  // namespace Atoll::sea_islands
