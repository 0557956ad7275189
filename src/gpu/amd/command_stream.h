// A stream of PM4 packets that a queue executes: a buffer, and the buffers that it calls or chains to. It can stop at a packet
// and be resumed there.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/command_reader.h"
#include "gpu/device/queue_state.h"
#include "registers/pm4_header.h"

namespace Atoll::gpu::amd {

class CommandStream {
public:
  struct Packet {
    uint64_t address = 0;  // of the header
    registers::PacketHeader header;
    std::span<const uint32_t> body;  // the dwords behind the header, good until the next packet
  };

  CommandStream(QueueState& queue, registers::Pm4Dialect dialect, const CommandBuffer& buffer);
  // Words that are at hand, as from a ring.
  CommandStream(QueueState& queue, registers::Pm4Dialect dialect, uint64_t address, std::vector<uint32_t> words);

  bool ended() const { return frames_.empty(); }
  // The next packet; false when the stream has ended or the context is lost.
  bool next(Packet& packet);
  // Skips the `dwords` dwords after the current packet.
  void skip(uint32_t dwords);
  // Back to the packet last returned by next().
  void back();
  // Executes another buffer next; then continues here, or with `chain` never returns. False: the context is lost.
  bool call(uint64_t address, uint64_t dwords, bool chain);

private:
  QueueState& queue_;
  const registers::Pm4Dialect dialect_;
  std::vector<CommandReader> frames_;
  uint32_t last_ = 0;  // dwords of the packet last returned
};

}  // namespace Atoll::gpu::amd
