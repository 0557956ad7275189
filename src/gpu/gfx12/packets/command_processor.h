// The command processor: walks PM4 streams and executes their packets. Packets common to all chips are in gpu/amd/packets; one
// file a group of packets implements the other handlers; the table in packet_table.cpp assigns opcodes to handlers. Packet
// formats: Mesa 25.0.7 src/amd/registers/pkt3.json and src/amd/common/sid.h, AMD PAL gfx12_merged_f32_me_pm4_packets.h; fields:
// registers/gfx12/packets.json and draw_packets.json.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/amd/packets/packet_executor.h"
#include "gpu/gfx12/packets/context.h"
#include "gpu/gfx12/packets/pm4.h"

namespace Atoll::gfx12 {

using PacketRow = gpu::amd::PacketRow<CommandProcessor>;

class CommandProcessor : public gpu::amd::PacketExecutor<Pm4> {
public:
  using PacketExecutor::PacketExecutor;

  // Executes the buffers one after the other. False: the context is lost.
  bool run(std::span<const gpu::CommandBuffer> buffers);
};

}  // namespace Atoll::gfx12
