#include "gpu/sea_islands/draw/tiled_blocks.h"

#include <fmt/format.h>

#include "gpu/sea_islands/state/tiling.h"

namespace Atoll::sea_islands {

bool goes_on(RegisterContext& context) {
  context.progress.fetch_add(1, std::memory_order_relaxed);
  return !context.stop.load(std::memory_order_relaxed) || context.lose_stopped();
}

std::unique_ptr<TiledBlocks> make_blocks(RegisterContext& context, const Plane& plane) {
  unsigned height = plane.slice_elements / plane.pitch;
  surface::TextureDescription description;
  description.dimension = plane.samples > 1 ? surface::Dimension::two_multisampled_array : surface::Dimension::two_array;
  description.format = plane.format;
  description.width = plane.pitch;
  description.height = height;
  description.first_layer = plane.first_layer;
  description.layers = plane.last_layer - plane.first_layer + 1;
  description.samples = plane.samples;
  uint64_t slice_bytes = uint64_t(plane.slice_elements) * plane.texel_bytes * plane.samples;
  if (plane.tiling.arrangement == surface::Arrangement::linear) {
    description.levels = {{0, surface::LinearSurface{uint64_t(plane.pitch) * plane.texel_bytes, slice_bytes}}};
  } else {
    surface::BankedSurface s{plane.tiling, plane.texel_bytes, plane.pitch, height, plane.samples};
    if (auto ok = surface::check(s); !ok) {
      context.unknown(fmt::format("{}: {}", plane.what, ok.error().message));
      return nullptr;
    }
    slice_bytes = surface::slice_bytes(s);
    description.levels = {{0, s}};
  }
  uint64_t thickness = surface::row(plane.tiling.arrangement).thickness;
  uint64_t bytes = slice_bytes * ((plane.last_layer + thickness) / thickness * thickness);
  uint8_t* memory = context.memory(plane.base, bytes, true, plane.what);
  if (!memory) return nullptr;
  auto texture = surface::Texture::make(description, memory, bytes);
  if (!texture) {
    context.unknown(fmt::format("{}: {}", plane.what, texture.error().message));
    return nullptr;
  }
  auto blocks = std::make_unique<TiledBlocks>(std::move(*texture));
  blocks->swapped_bytes = plane.swapped_bytes;
  if (plane.read_base && *plane.read_base != plane.base) {
    uint8_t* from = context.memory(*plane.read_base, bytes, true, plane.what);
    if (!from) return nullptr;
    if (auto read = surface::Texture::make(std::move(description), from, bytes)) blocks->read_from.emplace(std::move(*read));
    blocks->add_range({*plane.read_base, bytes, plane.what}, from);
  }
  blocks->width = plane.pitch, blocks->height = height;
  blocks->first_layer = plane.first_layer, blocks->layers = plane.last_layer - plane.first_layer + 1;
  blocks->samples = plane.samples, blocks->texel_bytes = plane.texel_bytes;
  blocks->add_range({plane.base, bytes, plane.what}, memory);
  return blocks;
}

// How much of a range is mapped from its start on, in whole pages.
static uint64_t mapped_bytes(const RegisterContext& context, uint64_t address, uint64_t bytes) {
  if (context.space.contains(address, bytes, true)) return bytes;
  uint64_t low = 0, high = (bytes + page_bytes - 1) / page_bytes;  // in pages
  while (low < high) {
    uint64_t middle = (low + high + 1) / 2;
    if (context.space.contains(address, middle * page_bytes, true))
      low = middle;
    else
      high = middle - 1;
  }
  return std::min(low * page_bytes, bytes);
}

// Mesa's radeonsi takes too little memory for the HTILE of arrays with levels (22.3.6 ac_surface.c, gfx6_compute_surface: it
// counts the pixels where the hardware pads to cache lines of 8x8 tiles); on real chips the accesses behind it fault and go to a
// page of the kernel's. So what is missing at the end is no error. False: the context is lost.
bool attach_metadata(RegisterContext& context, TiledBlocks& blocks, Meta meta, uint64_t address, bool linear, const char* what) {
  const surface::TextureLevel& level = blocks.texture.description().levels[0];
  const auto* banked = std::get_if<surface::BankedSurface>(&level.place);
  surface::TileMetadata m;
  if (banked) m.pipe_config = banked->tiling.pipe_config;
  m.pipe_interleave_bytes = pipe_interleave_bytes(context.config);
  m.depth = meta != Meta::cmask;
  m.linear = linear;
  m.pitch = blocks.width, m.height = blocks.height;
  if (auto ok = surface::check(m); !ok) {
    context.unknown(fmt::format("{}: {}", what, ok.error().message));
    return true;
  }
  uint64_t bytes = surface::size(m).slice_bytes * (blocks.first_layer + blocks.layers);
  if (uint64_t mapped = mapped_bytes(context, address, bytes)) bytes = mapped;
  uint8_t* memory = context.memory(address, bytes, true, what);
  if (!memory) return false;
  blocks.meta = meta, blocks.metadata = m, blocks.metadata_size = surface::size(m);
  blocks.metadata_memory = memory, blocks.metadata_bytes = bytes;
  blocks.learn_metadata();
  blocks.add_range({address, bytes, what}, memory);
  return true;
}

}  // namespace Atoll::sea_islands
