// The command processor: buffers of PM4 packets, executed one packet after the other through a context's registers. Packet forms
// and opcodes: registers/r5xx/packets.json and its sources; Linux drivers/gpu/drm/radeon/r300d.h.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/device/command_reader.h"
#include "gpu/r5xx/context.h"

namespace Atoll::r5xx {

class CommandProcessor {
public:
  explicit CommandProcessor(Context& context);
  // A buffer in memory. Where it is not mapped the context is lost.
  void run(uint64_t address, uint64_t dwords);
  // Dwords that were read from `address` on (a ring, which wraps).
  void run(std::vector<uint32_t> words, uint64_t address);
  // Begins a submission: what it may take is counted anew.
  void begin() { c_.budget.begin(); }

private:
  static constexpr unsigned most_levels = 2;  // indirect buffers in a ring, and in an indirect buffer
  void run(gpu::CommandReader reader);
  std::span<const uint32_t> peek(gpu::CommandReader& reader, uint64_t dwords);
  void execute(std::span<const uint32_t> packet);
  void execute_opcode(uint32_t opcode, std::span<const uint32_t> words);
  void load_vertex_arrays(std::span<const uint32_t> words);
  void index_buffer(std::span<const uint32_t> words);
  std::string place() const;

  Context& c_;
  uint64_t packet_address_ = 0;  // of the packet at hand
  uint32_t packet_header_ = 0;
  bool in_packet_ = false;
  unsigned level_ = 0;
};

}  // namespace Atoll::r5xx
