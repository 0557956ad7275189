#include "gpu/gfx12/packets/copy_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/amd/packets/copy_engine.h"
#include "gpu/gfx12/packets/register_access.h"
#include "surface/gfx12_mips.h"

namespace Atoll::gfx12 {
namespace {

using gpu::amd::Body;
using gpu::amd::CopyRole;

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
// Copies of windows: the tiled surface is written compressed, by a format that follows the packet's other dwords. That is
// invisible in memory (draw/targets.h). Mesa 25.0.7 si_sdma_copy_image.c, si_sdma_v4_v5_copy_texture.
constexpr uint32_t compresses = 1u << 19;

constexpr uint32_t max_bytes = (1u << 30) - 1;  // of a copy or fill, less 1

uint64_t address_in_48(uint32_t low, uint32_t high) { return uint64_t(high & 0xffff) << 32 | low; }

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

void copy_linear(Context& c, uint32_t, Body b) {
  gpu::amd::copy_bytes(c, address_in_48(b[2], b[3]), address_in_48(b[4], b[5]), (b[0] & max_bytes) + uint64_t(1));
}

// {address, x | y << 16, z | pitch - 1 << 16, slice - 1}, in elements.
bool linear_box(Context& c, Body b, unsigned element_bytes, const Extent& e, Box& box) {
  const uint64_t pitch = (b[3] >> 16) + uint64_t(1), slice = b[4] + uint64_t(1);
  box.address = address_in_48(b[0], b[1]);
  box.x = b[2] & 0xffff, box.y = b[2] >> 16, box.z = b[3] & 0xffff;
  box.place = surface::LinearSurface{pitch * element_bytes, slice * element_bytes};
  box.bytes = ((box.z + e.depth - 1) * slice + (box.y + e.height - 1) * pitch + box.x + e.width) * element_bytes;
  return true;
}

// {address, x | y << 16, z | width - 1 << 16, height - 1 | depth - 1 << 16, how it lies}: that is the logarithm of an element's bytes in
// 2:0, the swizzle mode in 7:3, levels - 1 in 20:16, the level in 28:24. False: the context is lost.
bool tiled_box(Context& c, Body b, const Extent& e, unsigned& element_bytes, Box& box) {
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

void copy_box(Context& c, const Box& from, const Box& to, unsigned element_bytes, const Extent& e) {
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
void copy_linear_window(Context& c, uint32_t header, Body b) {
  const unsigned element_bytes = 1u << (header >> 29);
  if (element_bytes > 16) return void(c.lose("elements beyond 16 bytes"));
  const Extent extent = extent_of(b[10], b[11]);
  Box from, to;
  if (linear_box(c, b, element_bytes, extent, from) && linear_box(c, b.subspan(5), element_bytes, extent, to))
    copy_box(c, from, to, element_bytes, extent);
}

// The tiled surface, the linear one, the extent; header 31: out of the tiled one.
void copy_tiled_window(Context& c, uint32_t header, Body b) {
  const Extent extent = extent_of(b[11], b[12]);
  unsigned element_bytes;
  Box tiled, linear;
  if (!tiled_box(c, b, extent, element_bytes, tiled) || !linear_box(c, b.subspan(6), element_bytes, extent, linear)) return;
  const bool out = header >> 31;
  copy_box(c, out ? tiled : linear, out ? linear : tiled, element_bytes, extent);
}

void copy_between_tiled(Context& c, uint32_t, Body b) {
  const Extent extent = extent_of(b[12], b[13]);
  unsigned from_bytes, to_bytes;
  Box from, to;
  if (!tiled_box(c, b, extent, from_bytes, from) || !tiled_box(c, b.subspan(6), extent, to_bytes, to)) return;
  if (from_bytes != to_bytes) return void(c.lose(fmt::format("elements of {} and of {} bytes", from_bytes, to_bytes)));
  copy_box(c, from, to, from_bytes, extent);
}

// {address, value, bytes - 1}: header 31:30 is the logarithm of the value's bytes.
void fill(Context& c, uint32_t header, Body b) {
  const uint64_t address = address_in_48(b[0], b[1]), bytes = (b[3] & max_bytes) + 1;
  uint32_t value = b[2];
  switch (header >> 30) {
    case 0: value = (value & 0xff) * 0x01010101; break;
    case 1: value = (value & 0xffff) * 0x00010001; break;
    case 2: break;
    default: return c.unknown(fmt::format("SDMA_CONSTANT_FILL of size {}", header >> 30));
  }
  gpu::amd::fill_bytes(c, address, bytes, value);
}

void timestamp(Context& c, uint32_t header, Body b) {
  if (gpu::amd::sdma_sub_opcode(header) == 0) return;  // sets the engine's own
  uint64_t now = c.clock();
  c.write(address_in_48(b[0] & ~7u, b[1]), &now, 8, "timestamp");
}

struct Sdma {
  using Context = gfx12::Context;
  using Row = gpu::amd::CopyRow<Context>;
  static constexpr unsigned address_bits = 48;
  static const Row rows[14];
  static uint64_t more_dwords(const Row& row, uint32_t header, Body body) {
    if (row.opcode == NOP) return header >> 16 & 0x3fff;
    if (row.opcode == WRITE) return (body[2] & 0xfffff) + 1;
    return row.opcode == COPY && row.sub_opcode == TILED_SUB_WINDOW && header & compresses;
  }
};

constexpr Sdma::Row Sdma::rows[14] = {
    {NOP, Row::any, "SDMA_NOP", 0, CopyRole::handler, gpu::amd::copy_nothing},
    {COPY, LINEAR, "SDMA_COPY", 6, CopyRole::handler, copy_linear},
    {COPY, LINEAR_SUB_WINDOW, "SDMA_COPY", 12, CopyRole::handler, copy_linear_window},
    {COPY, TILED_SUB_WINDOW, "SDMA_COPY", 13, CopyRole::handler, copy_tiled_window},
    {COPY, T2T_SUB_WINDOW, "SDMA_COPY", 14, CopyRole::handler, copy_between_tiled},
    {WRITE, 0, "SDMA_WRITE", 3, CopyRole::write},
    {INDIRECT_BUFFER, Row::any, "SDMA_INDIRECT_BUFFER", 5, CopyRole::call},
    {FENCE, Row::any, "SDMA_FENCE", 3, CopyRole::handler, gpu::amd::copy_fence<Sdma>},
    {TRAP, Row::any, "SDMA_TRAP", 1, CopyRole::handler, gpu::amd::copy_nothing},  // an interrupt, for the kernel
    {POLL_REGMEM, Row::any, "SDMA_POLL_REGMEM", 5, CopyRole::handler, gpu::amd::copy_poll<Sdma>},
    {COND_EXE, Row::any, "SDMA_COND_EXE", 4, CopyRole::condition},
    {CONSTANT_FILL, Row::any, "SDMA_CONSTANT_FILL", 4, CopyRole::handler, fill},
    {TIMESTAMP, Row::any, "SDMA_TIMESTAMP", 2, CopyRole::handler, timestamp},
    {GCR_REQ, Row::any, "SDMA_GCR_REQ", 4, CopyRole::handler, gpu::amd::copy_nothing},  // caches are coherent here
};

}  // namespace

bool run_copy_engine(Context& context, std::span<const gpu::CommandBuffer> buffers) {
  return gpu::amd::run_copy_buffers<Sdma>(context, buffers);
}

}  // namespace Atoll::gfx12
