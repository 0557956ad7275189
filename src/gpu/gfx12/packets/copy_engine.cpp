#include "gpu/gfx12/packets/copy_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/amd/packets/waiting.h"
#include "gpu/device/command_reader.h"
#include "gpu/gfx12/packets/register_access.h"
#include "surface/gfx12_mips.h"

namespace Atoll::gfx12 {
namespace {

// Header: opcode 7:0, sub-opcode 15:8, what is left is the opcode's own.
enum Opcode : uint32_t {
  NOP = 0,
  COPY = 1,
  WRITE = 2,
  INDIRECT_BUFFER = 4,
  FENCE = 5,
  TRAP = 6,
  POLL_REGMEM = 8,
  COND_EXE = 9,
  CONSTANT_FILL = 11,
  TIMESTAMP = 13,
  GCR_REQ = 17,
};
enum CopySubOpcode : uint32_t { LINEAR = 0, LINEAR_SUB_WINDOW = 4, TILED_SUB_WINDOW = 5, T2T_SUB_WINDOW = 6 };
constexpr uint32_t opcode_of(uint32_t header) { return header & 0xff; }
constexpr uint32_t sub_opcode_of(uint32_t header) { return header >> 8 & 0xff; }
// Of windows of a tiled surface: it is written compressed, by a format that follows the packet's other dwords. Nobody sees that in memory
// (draw/targets.h). Mesa 25.0.7 si_sdma_copy_image.c, si_sdma_v4_v5_copy_texture.
constexpr uint32_t compresses = 1u << 19;

constexpr unsigned max_depth = 3;               // of buffers that call buffers
constexpr uint32_t max_bytes = (1u << 30) - 1;  // of a copy or fill, less 1

uint64_t address_in_48(uint32_t low, uint32_t high) { return uint64_t(high & 0xffff) << 32 | low; }

using Body = std::span<const uint32_t>;

// A box of elements in memory: where each is, from `address` on, which spans `bytes` in all.
struct Box {
  uint64_t address = 0, bytes = 0;
  uint32_t x = 0, y = 0, z = 0;
  surface::LevelPlace place;
  uint64_t first = 0;  // of the level, in `bytes`

  uint64_t at(unsigned element_bytes, uint32_t dx, uint32_t dy, uint32_t dz) const {
    return first + surface::address_of(place, element_bytes, {.x = x + dx, .y = y + dy, .slice = z + dz});
  }
};
struct Extent {
  uint32_t width, height, depth;
};

class CopyEngine {
public:
  explicit CopyEngine(Context& context) : c(context) {}

  void run_buffer(uint64_t address, uint32_t dwords, unsigned depth) {
    if (dwords == 0) return;
    if (!c.within(c.budget.buffers())) return;
    if (depth > max_depth) return void(c.lose(fmt::format("buffer at {:#x} is called too deep", address)));
    if (address & 3) return void(c.lose(fmt::format("buffer at {:#x}, which is no multiple of 4", address)));
    if (c.memory(address, uint64_t(dwords) * 4, false, "fetch of a command buffer"))
      run(gpu::CommandReader(address, dwords), depth);
  }

private:
  Context& c;

  struct Row {
    uint32_t opcode, sub_opcode;
    const char* name;
    uint32_t dwords;  // behind the header, at least
    void (CopyEngine::*handler)(uint32_t header, Body body);
  };
  static constexpr uint32_t any = ~0u;
  static const Row* find_row(uint32_t header);
  void run(gpu::CommandReader reader, unsigned depth);
  std::span<const uint32_t> peek(gpu::CommandReader& reader, uint64_t dwords) {
    return reader.peek(dwords, [this](uint64_t address, uint32_t* to, uint64_t bytes) {
      return c.read(address, to, bytes, "fetch of a command buffer");
    });
  }

  void nothing(uint32_t, Body) {}
  void copy_linear(uint32_t, Body b) {
    const uint64_t bytes = (b[0] & max_bytes) + 1;
    if (!c.within(c.budget.bytes(bytes))) return;
    const uint64_t from = address_in_48(b[2], b[3]), to = address_in_48(b[4], b[5]);
    const uint8_t* source = c.memory(from, bytes, false, "copy from");
    uint8_t* destination = source ? c.memory(to, bytes, true, "copy to") : nullptr;
    if (destination) c.guarded(to, bytes, "copy", [&] { std::memmove(destination, source, bytes); });
  }
  void copy_linear_window(uint32_t header, Body b);
  void copy_tiled_window(uint32_t header, Body b);
  void copy_between_tiled(uint32_t header, Body b);
  void fill(uint32_t header, Body b);
  void fence(uint32_t, Body b) { c.write(address_in_48(b[0] & ~3u, b[1]), &b[2], 4, "fence"); }
  void poll(uint32_t header, Body b);
  void timestamp(uint32_t header, Body b) {
    if (sub_opcode_of(header) == 0) return;  // sets the engine's own
    uint64_t now = c.clock();
    c.write(address_in_48(b[0] & ~7u, b[1]), &now, 8, "timestamp");
  }

  bool linear_box(Body b, unsigned element_bytes, const Extent& extent, Box& box);
  bool tiled_box(Body b, const Extent& extent, unsigned& element_bytes, Box& box);
  void copy_box(const Box& from, const Box& to, unsigned element_bytes, const Extent& extent);
  void write_linear(gpu::CommandReader& reader, uint64_t address, uint64_t dwords);
};

const CopyEngine::Row* CopyEngine::find_row(uint32_t header) {
  static constexpr Row rows[] = {
      {NOP, any, "SDMA_NOP", 0, &CopyEngine::nothing},
      {COPY, LINEAR, "SDMA_COPY", 6, &CopyEngine::copy_linear},
      {COPY, LINEAR_SUB_WINDOW, "SDMA_COPY", 12, &CopyEngine::copy_linear_window},
      {COPY, TILED_SUB_WINDOW, "SDMA_COPY", 13, &CopyEngine::copy_tiled_window},
      {COPY, T2T_SUB_WINDOW, "SDMA_COPY", 14, &CopyEngine::copy_between_tiled},
      {WRITE, 0, "SDMA_WRITE", 3, nullptr},
      {INDIRECT_BUFFER, any, "SDMA_INDIRECT_BUFFER", 5, nullptr},
      {FENCE, any, "SDMA_FENCE", 3, &CopyEngine::fence},
      {TRAP, any, "SDMA_TRAP", 1, &CopyEngine::nothing},  // an interrupt, for the kernel
      {POLL_REGMEM, any, "SDMA_POLL_REGMEM", 5, &CopyEngine::poll},
      {COND_EXE, any, "SDMA_COND_EXE", 4, nullptr},
      {CONSTANT_FILL, any, "SDMA_CONSTANT_FILL", 4, &CopyEngine::fill},
      {TIMESTAMP, any, "SDMA_TIMESTAMP", 2, &CopyEngine::timestamp},
      {GCR_REQ, any, "SDMA_GCR_REQ", 4, &CopyEngine::nothing},  // caches are coherent here
  };
  for (const Row& row : rows)
    if (row.opcode == opcode_of(header) && (row.sub_opcode == any || row.sub_opcode == sub_opcode_of(header))) return &row;
  return nullptr;
}

void CopyEngine::run(gpu::CommandReader reader, unsigned depth) {
  while (reader.left() && !c.lost()) {
    c.packet = "packet", c.packet_address = reader.address();
    if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
    c.statistics.packets++;
    c.progress.fetch_add(1, std::memory_order_relaxed);
    std::span<const uint32_t> words = peek(reader, 1);
    if (words.empty()) return;
    const uint32_t header = words[0];
    const Row* row = find_row(header);
    // Its length is not known either: nothing behind it can be read.
    if (!row) {
      std::string what = fmt::format("SDMA packet {:#x}, sub-opcode {:#x}", opcode_of(header), sub_opcode_of(header));
      c.unknown(what);
      return void(c.lose(what + " is not understood"));
    }
    c.packet = row->name;
    uint64_t length = row->dwords, there = reader.left() - 1;
    if (length <= there) {
      words = peek(reader, 1 + length);
      if (words.empty()) return;
      if (row->opcode == NOP) length += header >> 16 & 0x3fff;
      if (row->opcode == WRITE) length += (words[3] & 0xfffff) + 1;
      if (row->opcode == COPY && row->sub_opcode == TILED_SUB_WINDOW && header & compresses) length++;
    }
    if (length > there)
      return void(c.lose(fmt::format("needs {} dwords behind its header, its buffer ends after {}", length, there)));
    if (!c.within(c.budget.packets()) || !c.within(c.budget.dwords(1 + length))) return;
    // (A copy: what is read behind it moves what was read before.)
    const std::vector<uint32_t> body(words.begin() + 1, words.end());
    reader.skip(words.size());
    if (row->handler) {
      (this->*row->handler)(header, body);
      reader.skip(length - row->dwords);
    } else if (row->opcode == WRITE) {
      write_linear(reader, address_in_48(body[0] & ~3u, body[1]), length - row->dwords);
    } else if (row->opcode == INDIRECT_BUFFER) {
      run_buffer(address_in_48(body[0] & ~3u, body[1]), body[2] & 0xfffff, depth + 1);
    } else {  // COND_EXE: {address, reference, dwords}: those are executed if memory holds the reference
      uint32_t value;
      if (!c.read(address_in_48(body[0] & ~3u, body[1]), &value, 4, "condition")) return;
      if (value != body[2]) reader.skip(body[3] & 0x3fff);
    }
  }
}

// The values stand behind the packet's first dwords: they are taken piece by piece.
void CopyEngine::write_linear(gpu::CommandReader& reader, uint64_t address, uint64_t dwords) {
  if (!c.memory(address, dwords * 4, true, "write of data")) return;
  while (dwords) {
    auto values = peek(reader, std::min(dwords, gpu::CommandReader::piece));
    if (values.empty() || !c.write(address, values.data(), values.size_bytes(), "write of data")) return;
    reader.skip(values.size());
    address += values.size_bytes(), dwords -= values.size();
  }
}

// {address, x | y << 16, z | pitch - 1 << 16, slice - 1}, in elements.
bool CopyEngine::linear_box(Body b, unsigned element_bytes, const Extent& e, Box& box) {
  const uint64_t pitch = (b[3] >> 16) + uint64_t(1), slice = b[4] + uint64_t(1);
  box.address = address_in_48(b[0], b[1]);
  box.x = b[2] & 0xffff, box.y = b[2] >> 16, box.z = b[3] & 0xffff;
  box.place = surface::LinearSurface{pitch * element_bytes, slice * element_bytes};
  box.bytes = ((box.z + e.depth - 1) * slice + (box.y + e.height - 1) * pitch + box.x + e.width) * element_bytes;
  return true;
}

// {address, x | y << 16, z | width - 1 << 16, height - 1 | depth - 1 << 16, how it lies}: that is the logarithm of an element's bytes in
// 2:0, the swizzle mode in 7:3, levels - 1 in 20:16, the level in 28:24. False: the context is lost.
bool CopyEngine::tiled_box(Body b, const Extent& e, unsigned& element_bytes, Box& box) {
  const uint32_t how = b[5], swizzle = how >> 3 & 0x1f, level = how >> 24 & 0x1f;
  element_bytes = 1u << (how & 7);
  if (element_bytes > 16 || swizzle == 0 || swizzle >= uint32_t(surface::gfx12_swizzle_count))
    return c.lose(fmt::format("swizzle mode {} of elements of {} bytes", swizzle, element_bytes));
  surface::Gfx12Texture texture{.swizzle = surface::Gfx12Swizzle(swizzle), .element_bytes = element_bytes};
  texture.width = (b[3] >> 16) + 1, texture.height = (b[4] & 0xffff) + 1, texture.slices = (b[4] >> 16) + 1;
  texture.volume = surface::is_3d(texture.swizzle);
  texture.levels = (how >> 16 & 0x1f) + 1;
  const uint64_t address = address_in_48(b[0], b[1]), block = uint64_t(1) << surface::block_bits(texture.swizzle);
  texture.start_bits = uint32_t(address & (block - 1));
  auto levels = surface::mip_levels(texture);
  if (!levels) return c.lose(fmt::format("a tiled surface: {}", levels.error().message));
  if (level >= levels->levels.size()) return c.lose(fmt::format("level {} of {}", level, levels->levels.size()));
  box.address = address & ~(block - 1);
  box.x = b[2] & 0xffff, box.y = b[2] >> 16, box.z = b[3] & 0xffff;
  const uint64_t width = std::max(1u, texture.width >> level), height = std::max(1u, texture.height >> level),
                 depth = texture.volume ? std::max(1u, texture.slices >> level) : texture.slices;
  if (box.x + uint64_t(e.width) > width || box.y + uint64_t(e.height) > height || box.z + uint64_t(e.depth) > depth)
    return c.lose(fmt::format("a box beyond a level of {} x {} x {}", width, height, depth));
  box.place = levels->levels[level].place;
  box.first = levels->levels[level].offset;
  const uint64_t slices = texture.volume ? (texture.slices + block_of(texture.swizzle, element_bytes, 1).depth - 1) /
                                               block_of(texture.swizzle, element_bytes, 1).depth
                                         : texture.slices;
  box.bytes = levels->slice_bytes * slices;
  return true;
}

void CopyEngine::copy_box(const Box& from, const Box& to, unsigned element_bytes, const Extent& e) {
  const uint64_t elements = uint64_t(e.width) * e.height, bytes = elements * element_bytes;
  if (!c.within(c.budget.bytes(bytes * e.depth))) return;
  const uint8_t* source = c.memory(from.address, from.bytes, false, "copy from");
  uint8_t* destination = source ? c.memory(to.address, to.bytes, true, "copy to") : nullptr;
  if (!destination) return;
  for (uint32_t z = 0; z < e.depth; z++)
    for (uint32_t y = 0; y < e.height; y++) {
      if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
      const bool whole =
          std::holds_alternative<surface::LinearSurface>(from.place) && std::holds_alternative<surface::LinearSurface>(to.place);
      const bool there = c.guarded(to.address, to.bytes, "copy", [&] {
        if (whole)
          return void(std::memmove(destination + to.at(element_bytes, 0, y, z), source + from.at(element_bytes, 0, y, z),
                                   size_t(e.width) * element_bytes));
        for (uint32_t x = 0; x < e.width; x++)
          std::memmove(destination + to.at(element_bytes, x, y, z), source + from.at(element_bytes, x, y, z), element_bytes);
      });
      if (!there) return;
    }
}

// width - 1 | height - 1 << 16, depth - 1.
Extent extent_of(uint32_t first, uint32_t second) { return {(first & 0xffff) + 1, (first >> 16) + 1, (second & 0xffff) + 1}; }

// The source, the destination, the extent; header 31:29 is the logarithm of an element's bytes.
void CopyEngine::copy_linear_window(uint32_t header, Body b) {
  const unsigned element_bytes = 1u << (header >> 29);
  if (element_bytes > 16) return void(c.lose("elements beyond 16 bytes"));
  const Extent extent = extent_of(b[10], b[11]);
  Box from, to;
  if (linear_box(b, element_bytes, extent, from) && linear_box(b.subspan(5), element_bytes, extent, to))
    copy_box(from, to, element_bytes, extent);
}

// The tiled surface, the linear one, the extent; header 31: out of the tiled one.
void CopyEngine::copy_tiled_window(uint32_t header, Body b) {
  const Extent extent = extent_of(b[11], b[12]);
  unsigned element_bytes;
  Box tiled, linear;
  if (!tiled_box(b, extent, element_bytes, tiled) || !linear_box(b.subspan(6), element_bytes, extent, linear)) return;
  const bool out = header >> 31;
  copy_box(out ? tiled : linear, out ? linear : tiled, element_bytes, extent);
}

void CopyEngine::copy_between_tiled(uint32_t, Body b) {
  const Extent extent = extent_of(b[12], b[13]);
  unsigned from_bytes, to_bytes;
  Box from, to;
  if (!tiled_box(b, extent, from_bytes, from) || !tiled_box(b.subspan(6), extent, to_bytes, to)) return;
  if (from_bytes != to_bytes) return void(c.lose(fmt::format("elements of {} and of {} bytes", from_bytes, to_bytes)));
  copy_box(from, to, from_bytes, extent);
}

// {address, value, bytes - 1}: header 31:30 is the logarithm of the value's bytes.
void CopyEngine::fill(uint32_t header, Body b) {
  const uint64_t address = address_in_48(b[0], b[1]), bytes = (b[3] & max_bytes) + 1;
  uint32_t value = b[2];
  switch (header >> 30) {
    case 0: value = (value & 0xff) * 0x01010101; break;
    case 1: value = (value & 0xffff) * 0x00010001; break;
    case 2: break;
    default: return c.unknown(fmt::format("SDMA_CONSTANT_FILL of size {}", header >> 30));
  }
  uint8_t* to = c.memory(address, bytes, true, "fill");
  if (!to || !c.within(c.budget.bytes(bytes))) return;
  c.guarded(address, bytes, "fill", [&] {
    for (uint64_t n = 0; n < bytes; n += 4) std::memcpy(to + n, &value, std::min<uint64_t>(4, bytes - n));
  });
}

// {address, reference, mask, interval}: header 31 memory, 30:28 comparison.
void CopyEngine::poll(uint32_t header, Body b) {
  const uint32_t function = header >> 28 & 7;
  if (header >> 31) {
    const uint64_t address = address_in_48(b[0] & ~3u, b[1]);
    gpu::amd::wait_until(c, [&] {
      uint32_t value;
      return !c.read(address, &value, 4, "polled memory") || gpu::amd::compare(function, value & b[3], b[2]);
    });
  } else if (known_register(c, b[0])) {
    wait_for_register(c, b[0], [&](uint32_t value) { return gpu::amd::compare(function, value & b[3], b[2]); });
  }
}

}  // namespace

bool run_copy_engine(Context& context, std::span<const gpu::CommandBuffer> buffers) {
  FaultRecovery recovery;
  context.recovery = &recovery;
  CopyEngine engine(context);
  for (const gpu::CommandBuffer& buffer : buffers) {
    context.packet = "command buffer", context.packet_address = buffer.address;
    if (!context.lost()) engine.run_buffer(buffer.address, buffer.dwords, 1);
  }
  context.recovery = nullptr;
  return !context.lost();
}

}  // namespace Atoll::gfx12
