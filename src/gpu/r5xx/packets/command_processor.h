// The command processor: buffers of PM4 packets, executed one packet after the other. Packet forms and opcodes:
// registers/r5xx/packets.json and its sources; Linux drivers/gpu/drm/radeon/r300d.h.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/device/command_reader.h"
#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw/draw.h"
#include "gpu/r5xx/packets/register_writes.h"
#include "gpu/r5xx/packets/vertex_port.h"
#include "registers/pm4_header.h"

namespace Atoll::r5xx {

// False of functions that return bool: the context is lost.
class CommandProcessor {
public:
  CommandProcessor(Context& context, DrawEngine& draws) : c_(context), draws_(draws), port_(context) {}
  // A buffer in memory. If it is not mapped the context is lost.
  bool run(uint64_t address, uint64_t dwords);
  // Dwords that were read from `address` up (a ring, which wraps).
  bool run(std::vector<uint32_t> words, uint64_t address);
  // Begins a submission: its budget is counted anew.
  void begin() { c_.budget.begin(); }
  // A register write with all its consequences: it may draw, or run an indirect buffer.
  bool write(uint32_t address, uint32_t value);
  // Brings the memory of targets up to date with what was drawn.
  bool write_back() { return draws_.write_back(); }

  // Opcodes of type 3; `words` are those after the header.
  bool nothing(std::span<const uint32_t>) { return true; }  // order or padding only
  bool draw(std::span<const uint32_t> words);
  bool draw_with_format(std::span<const uint32_t> words);
  bool load_vertex_arrays(std::span<const uint32_t> words);
  bool index_buffer(std::span<const uint32_t> words);
  bool clear_depth_tiles(std::span<const uint32_t> words);
  bool clear_hierarchical_depth(std::span<const uint32_t> words);
  bool clear_colour_tiles(std::span<const uint32_t> words);

private:
  static constexpr unsigned max_levels = 2;  // indirect buffers in a ring, and in an indirect buffer
  bool run(gpu::CommandReader reader);
  std::span<const uint32_t> peek(gpu::CommandReader& reader, uint64_t dwords, uint32_t swap = 0);
  bool execute(const registers::PacketHeader& header, std::span<const uint32_t> words);
  template <class Packet>
  bool clear_tiles(TileMask& mask, std::span<const uint32_t> words);
  bool to_port(std::span<const uint32_t> dwords);
  bool draw(const std::optional<DrawCall>& call);

  Context& c_;
  DrawEngine& draws_;
  VertexPort port_;
  unsigned level_ = 0;
};

}  // namespace Atoll::r5xx
