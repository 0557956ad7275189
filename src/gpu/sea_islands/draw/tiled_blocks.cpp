#include "gpu/sea_islands/draw/tiled_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "gpu/sea_islands/state/tiling.h"

namespace Atoll::sea_islands {

bool goes_on(RegisterContext& context) {
  context.progress.fetch_add(1, std::memory_order_relaxed);
  return !context.stop.load(std::memory_order_relaxed) || context.lose_stopped();
}

namespace {

constexpr uint64_t no_bit = ~uint64_t(0);
constexpr uint32_t not_found = ~uint32_t(0) - 1;

}  // namespace

void TiledBlocks::learn_metadata() {
  constexpr size_t most = 1 << 18;
  const size_t blocks = size_t(blocks_across()) * blocks_down() * layers;
  if (blocks <= most && metadata_bytes < not_found / 8) bits_.assign(blocks, not_found);
}

uint64_t TiledBlocks::find_bit(unsigned bx, unsigned by, unsigned layer) const {
  const uint64_t at = surface::first_bit(metadata, metadata_size, bx * block_size, by * block_size, first_layer() + layer);
  return at / 8 < metadata_bytes ? at : no_bit;
}

// The first bit of a block's metadata; no_bit if it has none.
[[gnu::always_inline]] inline uint64_t TiledBlocks::bit(unsigned bx, unsigned by, unsigned layer) const {
  if (meta == Meta::none || !is_inside(bx, by, layer)) return no_bit;
  if (bits_.empty()) return find_bit(bx, by, layer);
  // Found once; whoever comes first writes it down, and others that come meanwhile the same.
  std::atomic_ref known(bits_[(size_t(layer) * blocks_down() + by) * blocks_across() + bx]);
  uint32_t here = known.load(std::memory_order_relaxed);
  if (here == not_found) known.store(here = uint32_t(find_bit(bx, by, layer)), std::memory_order_relaxed);
  return here == uint32_t(no_bit) ? no_bit : here;
}

[[gnu::always_inline]] inline bool TiledBlocks::cleared(unsigned bx, unsigned by, unsigned layer) const {
  const uint64_t at = bit(bx, by, layer);
  if (at == no_bit) return false;
  if (meta == Meta::cmask) return (std::atomic_ref(metadata_memory[at / 8]).load(std::memory_order_relaxed) >> at % 8 & 15) == 0;
  uint32_t word = std::atomic_ref(*htile(at)).load(std::memory_order_relaxed);
  return meta == Meta::htile_depth ? (word & 15) == 0 : stencil_in_htile && (word >> 8 & 3) == 0;
}

// Two tiles share a byte of CMASK, and the two planes of a depth buffer a word of HTILE; other workers may be at the neighbour.
[[gnu::always_inline]] inline void TiledBlocks::set_plain(unsigned bx, unsigned by, unsigned layer) {
  const uint64_t at = bit(bx, by, layer);
  if (at == no_bit) return;
  // (An exchange with others waits for all stores before it: where the bits stand already, there is none.)
  auto set = [](auto&& here, auto bits) {
    if ((here.load(std::memory_order_relaxed) & bits) != bits) here.fetch_or(bits, std::memory_order_relaxed);
  };
  if (meta == Meta::cmask) return set(std::atomic_ref(metadata_memory[at / 8]), uint8_t(15 << at % 8));
  std::atomic_ref word(*htile(at));
  if (meta == Meta::htile_stencil) {
    if (stencil_in_htile) set(word, 0x3f0u);
  } else if (stencil_in_htile) {  // depths from 0 to 1, no range of its own
    set(word, 0xfffff00fu);
  } else {
    word.store(0xfffc000f, std::memory_order_relaxed);
  }
}

// (Planes begin at multiples of 256 bytes, and have whole multiples of 64 texels.)
uint8_t* TiledBlocks::swapped(uint8_t* at) const {
  uint8_t* base = texture.level(0).base;
  return base + (uint64_t(at - base) ^ swapped_bytes);
}

// Loads blocks of planes that are read elsewhere, or whose bytes are swapped in memory.
void TiledBlocks::load_texels(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) const {
  each_texel(read_from ? *read_from : texture, bx, by, layer, [&](unsigned index, uint8_t* at) {
    uint8_t* texel = texels + size_t(index) * texel_bytes;
    if (!at)
      std::memset(texel, 0, texel_bytes);
    else if (swapped_bytes)
      for (unsigned b = 0; b < texel_bytes; b++) texel[b] = *swapped(at + b);
    else
      copy_texel(texel, at);
  });
}

void TiledBlocks::store_texels(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) const {
  each_texel(texture, bx, by, layer, [&](unsigned index, uint8_t* at) {
    const uint8_t* texel = texels + size_t(index) * texel_bytes;
    for (unsigned b = 0; at && b < texel_bytes; b++) *swapped(at + b) = texel[b];
  });
}

void TiledBlocks::load(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) {
  if (cleared(bx, by, layer)) {
    // A row of texels of 1 to 16 bytes at a time.
    std::array<uint8_t, pipeline::max_texel_bytes * block_size> row;
    const size_t row_bytes = size_t(texel_bytes) * block_size, rows = size_t(samples) * block_size;
    for (unsigned n = 0; n < block_size; n++) std::memcpy(row.data() + n * texel_bytes, clear_texel.data(), texel_bytes);
    if (texel_bytes == 4)
      for (size_t n = 0; n < rows; n++) std::memcpy(texels + n * 32, row.data(), 32);
    else
      for (size_t n = 0; n < rows; n++) std::memcpy(texels + n * row_bytes, row.data(), row_bytes);
    return;
  }
  if ((read_from || swapped_bytes) && layer < layers)
    load_texels(bx, by, layer, texels);
  else
    move_out(bx, by, layer, texels);
}

void TiledBlocks::store(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) {
  if (layer >= layers) return;
  if (swapped_bytes)
    store_texels(bx, by, layer, texels);
  else
    move_in(bx, by, layer, texels);
  if (plain_fmask) write_fmask(*plain_fmask, bx, by, layer);
  set_plain(bx, by, layer);
}

void TiledBlocks::before_stores(unsigned x, unsigned y, unsigned layer, unsigned row, uint64_t blocks) {
  if (meta == Meta::none) return;
  for (uint64_t left = blocks; left; left &= left - 1) {
    const unsigned block = unsigned(std::countr_zero(left));
    set_plain(x + block % row, y + block / row, layer);
  }
}

void TiledBlocks::store_depths(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels, unsigned samples_now) {
  if (!keeps_upper_bytes(bx, by, layer) || cleared(bx, by, layer))
    return Target::store_depths(bx, by, layer, texels, samples_now);
  move_depths_in(bx, by, layer, texels);
  set_plain(bx, by, layer);
}

pipeline::PixelPlace TiledBlocks::place_of(unsigned x, unsigned y, unsigned layer, unsigned sample) const {
  pipeline::PixelPlace place = SurfaceTarget::place_of(x, y, layer, sample);
  if (place.bytes.empty()) return place;
  const unsigned bx = x / block_size, by = y / block_size;
  if (swapped_bytes || read_from || cleared(bx, by, layer)) place.texel = nullptr;
  if (swapped_bytes)  // of words of at most eight bytes, as planes begin at multiples of them
    for (pipeline::MemoryRange& range : place.bytes) {
      const uintptr_t begin = reinterpret_cast<uintptr_t>(range.begin), first = begin & ~uintptr_t(7);
      range = {range.begin - (begin - first), (begin + range.bytes - first + 7) & ~uint64_t(7)};
    }
  const uint64_t at = bit(bx, by, layer);
  if (at != no_bit) place.bytes.push_back({metadata_memory + at / 32 * 4, std::min<uint64_t>(4, metadata_bytes - at / 32 * 4)});
  return place;
}

void TiledBlocks::fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) {
  fill_blocks(
      area, layer, change, [&](unsigned bx, unsigned by) { return cleared(bx, by, layer); },
      [&](unsigned bx, unsigned by) { set_plain(bx, by, layer); });
}

bool TiledBlocks::expand(RegisterContext& context) {
  if (meta == Meta::none) return true;
  if (!context.write_back_targets()) return false;
  std::vector<uint8_t> texels(size_t(samples) * block_size * block_size * texel_bytes);
  for (unsigned layer = 0; layer < layers; layer++)
    for (unsigned by = 0; by * block_size < height; by++) {
      if (!goes_on(context)) return false;
      for (unsigned bx = 0; bx * block_size < width; bx++)
        if (cleared(bx, by, layer)) {
          load(bx, by, layer, texels.data());
          store(bx, by, layer, texels.data());
        }
    }
  return true;
}

void TiledBlocks::write_fmask(const PlainFmask& fmask, unsigned bx, unsigned by, unsigned layer) const {
  const auto own = PlainFmask::own(samples);
  for (unsigned y = by * block_size; y < std::min((by + 1) * block_size, fmask.surface.height); y++)
    for (unsigned x = bx * block_size; x < std::min((bx + 1) * block_size, fmask.surface.pitch); x++) {
      const uint64_t at = surface::address(fmask.surface, {x, y, first_layer() + layer, 0});
      if (at + own.size() <= fmask.bytes) std::memcpy(fmask.memory + at, own.data(), own.size());
    }
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
  auto blocks = std::make_unique<TiledBlocks>(std::move(*texture), plane.pitch, height);
  blocks->swapped_bytes = plane.swapped_bytes;
  if (plane.read_base && *plane.read_base != plane.base) {
    uint8_t* from = context.memory(*plane.read_base, bytes, true, plane.what);
    if (!from) return nullptr;
    if (auto read = surface::Texture::make(std::move(description), from, bytes)) blocks->read_from.emplace(std::move(*read));
    blocks->add_range({*plane.read_base, bytes, plane.what}, from);
  }
  blocks->add_range({plane.base, bytes, plane.what}, memory);
  return blocks;
}

// The part of a range that is mapped from its start on, in whole pages.
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
  uint64_t bytes = surface::size(m).slice_bytes * (blocks.texture.description().first_layer + blocks.layers);
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
