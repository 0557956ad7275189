// The command processor: walks PM4 streams and executes their packets. One file a group of packets implements the handlers; the
// table in packet_table.cpp assigns opcodes to handlers.
// Packet formats: Mesa 22.3.6 src/amd/common/sid.h, Linux drivers/gpu/drm/radeon/cikd.h; fields:
// registers/sea_islands/packets.json.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/amd/command_stream.h"
#include "gpu/sea_islands/packets/context.h"

namespace Atoll::sea_islands {

class CommandProcessor;

// The dwords after a packet's header; at least as many as its row in the table requires.
using gpu::amd::CommandStream;
using Body = std::span<const uint32_t>;
using Handler = void (*)(CommandProcessor& cp, Body body);

// What the pipeline keeps of the targets is written back before a packet, unless its row has such a function and it says no.
using WritesBack = bool (*)(Body body);

struct PacketRow {
  uint8_t opcode;
  uint8_t min_dwords;  // behind its header
  Handler handler;
  WritesBack writes_back;  // null: always
};
// Null: an opcode that nothing handles.
const PacketRow* find_packet_row(uint32_t opcode);

class CommandProcessor {
public:
  explicit CommandProcessor(Context& context) : c(context) {}

  // Executes the buffers one after the other. False: the context is lost.
  bool run(std::span<const gpu::CommandBuffer> buffers);
  // Executes packets that have been read already, as from a ring.
  bool run(uint64_t address, std::vector<uint32_t> words);

  Context& c;
  CommandStream* stream = nullptr;  // that is being executed
  bool blocked = false;             // set by a handler of the constant engine: its packet is tried again later

  // The constant engine, which runs beside the drawing engine: its RAM, and the counters by which they wait for each other.
  std::vector<uint8_t> constant_ram = std::vector<uint8_t>(0x8000);  // bytes
  uint64_t constant_counter = 0, drawing_counter = 0;
  CommandStream* constant_stream = nullptr;
  void run_constant_engine();  // until it ends or waits for the drawing engine

private:
  void execute(CommandStream& stream);
  bool count(const CommandStream::Packet& packet);  // false: the submission's budget is exceeded
  void execute(const CommandStream::Packet& packet);
};

}  // namespace Atoll::sea_islands
