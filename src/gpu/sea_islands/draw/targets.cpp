#include "gpu/sea_islands/draw/targets.h"

#include <bit>
#include <cstring>

#include "gpu/sea_islands/state/tiling.h"
#include "registers/sea_islands.h"
#include "surface/texel.h"
#include "surface/texture.h"
#include "surface/tile_metadata.h"

namespace Atoll::sea_islands {

using pipeline::block_size;
using surface::Layout;
using surface::Number;
using surface::Select;

// --- formats
namespace {

using Info = CB_COLOR_INFO;

struct ColourRow {
  uint32_t format;
  Layout layout;  // named from the lowest bits; the hardware counts from the highest
  unsigned components;
};
using F = Info::FORMAT;
constexpr ColourRow colour_rows[] = {
    {F::COLOR_8, Layout::bits_8, 1},
    {F::COLOR_16, Layout::bits_16, 1},
    {F::COLOR_8_8, Layout::bits_8_8, 2},
    {F::COLOR_32, Layout::bits_32, 1},
    {F::COLOR_16_16, Layout::bits_16_16, 2},
    {F::COLOR_10_11_11, Layout::bits_11_11_10, 3},
    {F::COLOR_11_11_10, Layout::bits_10_11_11, 3},
    {F::COLOR_10_10_10_2, Layout::bits_2_10_10_10, 4},
    {F::COLOR_2_10_10_10, Layout::bits_10_10_10_2, 4},
    {F::COLOR_8_8_8_8, Layout::bits_8_8_8_8, 4},
    {F::COLOR_32_32, Layout::bits_32_32, 2},
    {F::COLOR_16_16_16_16, Layout::bits_16_16_16_16, 4},
    {F::COLOR_32_32_32_32, Layout::bits_32_32_32_32, 4},
    {F::COLOR_5_6_5, Layout::bits_5_6_5, 3},
    {F::COLOR_1_5_5_5, Layout::bits_5_5_5_1, 4},
    {F::COLOR_5_5_5_1, Layout::bits_1_5_5_5, 4},
    {F::COLOR_4_4_4_4, Layout::bits_4_4_4_4, 4},
    {F::COLOR_8_24, Layout::bits_24_8, 2},
    {F::COLOR_24_8, Layout::bits_8_24, 2},
    {F::COLOR_X24_8_32_FLOAT, Layout::bits_32_8_24, 2},
};

// From which field red, green, blue and alpha are taken, by components and COMP_SWAP (Mesa 22.3.6
// src/gallium/drivers/radeonsi/si_state.c: si_translate_colorswap).
constexpr Select X = Select::field_0, Y = Select::field_1, Z = Select::field_2, W = Select::field_3, O = Select::zero,
                 I = Select::one;
constexpr surface::Order orders[4][4] = {
    {{X, O, O, I}, {O, X, O, I}, {O, O, X, I}, {O, O, O, X}},
    {{X, Y, O, I}, {X, O, O, Y}, {Y, X, O, I}, {Y, O, O, X}},
    {{X, Y, Z, I}, {X, Y, O, Z}, {Z, Y, X, I}, {Z, Y, O, X}},
    {{X, Y, Z, W}, {Z, Y, X, W}, {W, Z, Y, X}, {Y, Z, W, X}},
};

}  // namespace

Expected<surface::Format> colour_format(registers::access::Word<CB_COLOR_INFO> info) {
  static constexpr Number numbers[] = {Number::unorm, Number::snorm, Number::uscaled, Number::sscaled,
                                       Number::uint,  Number::sint,  Number::srgb,    Number::floating};
  for (const ColourRow& row : colour_rows) {
    if (row.format != Info::FORMAT::get(info)) continue;
    Number number = numbers[Info::NUMBER_TYPE::get(info)];
    if (row.layout == Layout::bits_24_8 || row.layout == Layout::bits_8_24 || row.layout == Layout::bits_32_8_24)
      number = Number::depth_stencil;
    surface::Order order = orders[row.components - 1][Info::COMP_SWAP::get(info)];
    // (Field 0 of that layout is the depth, though the stencil lies below it.)
    if (row.layout == Layout::bits_8_24)
      for (Select& select : order) select = select == X ? Y : select == Y ? X : select;
    return surface::make_format(row.layout, number, order);
  }
  return fail("CB format {}", Info::FORMAT::get(info));
}

namespace {

// --- a plane of texels with its metadata
// ---------------------------------------------------------------------------------------- What the metadata says of a tile, in
// one of the two forms.
enum class Meta : uint8_t { none, cmask, htile_depth, htile_stencil };

// Between rows of blocks. False: the queue is to stop, and the context is lost.
bool goes_on(RegisterContext& context) {
  context.progress.fetch_add(1, std::memory_order_relaxed);
  return !context.stop.load(std::memory_order_relaxed) || context.lose_stopped();
}

// CMASK: 4 bits a tile; 0 says that it is cleared (Mesa 22.3.6 src/gallium/drivers/radeonsi/si_clear.c). HTILE: 32 bits a tile,
// bits 3:0 0 say that the depths are cleared; where stencil has a part in it, bits 9:8 0 that the stencil is
// (src/amd/common/ac_surface.c; si_clear.c si_get_htile_clear_value). 15 and 3: plain, as memory has it.
class TiledBlocks : public BlockSurface {
public:
  surface::Texture texture;
  Meta meta = Meta::none;
  surface::TileMetadata metadata;
  uint8_t* metadata_memory = nullptr;
  uint64_t metadata_bytes = 0;  // tiles whose bits lie behind them have none
  bool stencil_in_htile = false;
  std::array<uint8_t, 16> clear_texel{};

  explicit TiledBlocks(surface::Texture t) : texture(std::move(t)) {}

  // A tile lies in parts of bytes that follow each other: what pipe interleave and tile split leave together. Which part an
  // element is in, and where in it, is the same in all tiles.
  void learn_tile() {
    const auto* s = std::get_if<surface::BankedSurface>(&texture.description().levels[0].place);
    if (!s || surface::row(s->tiling.arrangement).thickness != 1) return;
    surface::BankedSurface tile = *s;
    tile.tiling.arrangement = surface::Arrangement::micro_thin;
    tile.pitch = tile.height = block_size;
    unsigned elements = samples * block_size * block_size, tile_bytes = elements * texel_bytes;
    if (!surface::check(tile) || s->samples != samples) return;
    part_bytes = std::min({s->tiling.tile_split_bytes, s->tiling.pipe_interleave_bytes, tile_bytes});
    if (part_bytes < texel_bytes || tile_bytes / part_bytes > most_parts) return;
    tiled = s;
    parts = tile_bytes / part_bytes;
    places.resize(elements);
    for (unsigned n = 0; n < elements; n++) {
      unsigned at = unsigned(surface::address(tile, {.x = n % block_size, .y = n / block_size % block_size, .sample = n / 64}));
      places[n] = {uint16_t(at / part_bytes), uint16_t(at % part_bytes)};
      if (at % part_bytes == 0) first_of_part[at / part_bytes] = uint16_t(n);
    }
  }

  void load(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) override {
    if (layer >= layers) {
      std::memset(texels, 0, size_t(samples) * block_size * block_size * texel_bytes);
      return;
    }
    if (cleared(bx, by, layer)) {
      for (unsigned n = 0; n < samples * block_size * block_size; n++)
        std::memcpy(texels + size_t(n) * texel_bytes, clear_texel.data(), texel_bytes);
      return;
    }
    if (tiled && bx * block_size < width && by * block_size < height && layer < layers) {
      uint8_t* part[most_parts];
      find_parts(bx, by, layer, part);
      copy_tile([&](auto bytes) {
        for (size_t n = 0; n < places.size(); n++)
          std::memcpy(texels + n * bytes, part[places[n].part] + places[n].offset, bytes);
      });
      return;
    }
    each_row(bx, by, layer, [&](unsigned count, unsigned index, auto at) {
      for (unsigned px = 0; px < count; px++) copy(texels + size_t(index + px) * texel_bytes, at(px));
      if (count < block_size) std::memset(texels + size_t(index + count) * texel_bytes, 0, (block_size - count) * texel_bytes);
    });
  }
  void store(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) override {
    if (tiled && bx * block_size < width && by * block_size < height && layer < layers) {
      uint8_t* part[most_parts];
      find_parts(bx, by, layer, part);
      copy_tile([&](auto bytes) {
        for (size_t n = 0; n < places.size(); n++)
          std::memcpy(part[places[n].part] + places[n].offset, texels + n * bytes, bytes);
      });
    } else {
      each_row(bx, by, layer, [&](unsigned count, unsigned index, auto at) {
        for (unsigned px = 0; px < count; px++) copy(at(px), texels + size_t(index + px) * texel_bytes);
      });
    }
    set_plain(bx, by, layer);
  }
  bool expand(RegisterContext& context) override {
    if (meta == Meta::none) return true;
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

private:
  static constexpr unsigned most_parts = 128;
  struct Place {
    uint16_t part, offset;  // bytes
  };
  const surface::BankedSurface* tiled = nullptr;  // set where tiles were learnt; width and height are then whole tiles
  unsigned part_bytes = 0, parts = 0;
  std::vector<Place> places;                         // of a block's elements
  std::array<uint16_t, most_parts> first_of_part{};  // the element that each part begins with

  void find_parts(unsigned bx, unsigned by, unsigned layer, uint8_t** part) const {
    const surface::Texture::Level& level = texture.level(0);
    for (unsigned p = 0; p < parts; p++) {
      unsigned n = first_of_part[p], x = bx * block_size + n % block_size, y = by * block_size + n / block_size % block_size;
      part[p] = level.separable ? level.at(level.x[x], level.y[y], level.z[layer])
                                : level.base + surface::address(*tiled, {x, y, first_layer + layer, n / 64});
    }
  }
  // Calls with a texel's bytes, a constant where it is a usual one.
  template <class Copy>
  void copy_tile(Copy copy_with) const {
    switch (texel_bytes) {
      case 1: copy_with(std::integral_constant<size_t, 1>{}); break;
      case 2: copy_with(std::integral_constant<size_t, 2>{}); break;
      case 4: copy_with(std::integral_constant<size_t, 4>{}); break;
      case 8: copy_with(std::integral_constant<size_t, 8>{}); break;
      default: copy_with(size_t(texel_bytes));
    }
  }
  void copy(uint8_t* to, const uint8_t* from) const {
    switch (texel_bytes) {
      case 1: *to = *from; break;
      case 2: std::memcpy(to, from, 2); break;
      case 4: std::memcpy(to, from, 4); break;
      case 8: std::memcpy(to, from, 8); break;
      default: std::memcpy(to, from, texel_bytes);
    }
  }
  template <class Row>
  void each_row(unsigned bx, unsigned by, unsigned layer, Row row) {
    if (layer >= layers || bx * block_size >= width) return;
    const surface::Texture::Level& level = texture.level(0);
    unsigned left = bx * block_size, count = std::min(block_size, width - left);
    for (unsigned s = 0; s < samples; s++)
      for (unsigned py = 0; py < block_size; py++) {
        unsigned y = by * block_size + py, index = (s * block_size + py) * block_size;
        if (y >= height)
          row(0u, index, [](unsigned) -> uint8_t* { return nullptr; });
        else if (level.separable)
          row(count, index, [&](unsigned px) { return level.at(level.x[left + px], level.y[y], level.z[layer]); });
        else
          row(count, index, [&](unsigned px) { return texture.texel(0, left + px, y, layer, s); });
      }
  }
  uint64_t bit(unsigned bx, unsigned by, unsigned layer) const {
    return surface::first_bit(metadata, bx * block_size, by * block_size, first_layer + layer);
  }
  bool inside(unsigned bx, unsigned by, unsigned layer) const {
    return meta != Meta::none && layer < layers && bx * block_size < width && by * block_size < height &&
           bit(bx, by, layer) / 8 < metadata_bytes;
  }
  uint32_t* htile(unsigned bx, unsigned by, unsigned layer) const {
    return reinterpret_cast<uint32_t*>(metadata_memory + bit(bx, by, layer) / 32 * 4);
  }
  bool cleared(unsigned bx, unsigned by, unsigned layer) const {
    if (!inside(bx, by, layer)) return false;
    if (meta == Meta::cmask) {
      uint64_t at = bit(bx, by, layer);
      return (std::atomic_ref(metadata_memory[at / 8]).load(std::memory_order_relaxed) >> at % 8 & 15) == 0;
    }
    uint32_t word = std::atomic_ref(*htile(bx, by, layer)).load(std::memory_order_relaxed);
    return meta == Meta::htile_depth ? (word & 15) == 0 : stencil_in_htile && (word >> 8 & 3) == 0;
  }
  // Two tiles share a byte of CMASK, and the two planes of a depth buffer a word of HTILE; other workers may be at the neighbour.
  void set_plain(unsigned bx, unsigned by, unsigned layer) {
    if (!inside(bx, by, layer)) return;
    if (meta == Meta::cmask) {
      uint64_t at = bit(bx, by, layer);
      std::atomic_ref(metadata_memory[at / 8]).fetch_or(uint8_t(15 << at % 8), std::memory_order_relaxed);
      return;
    }
    std::atomic_ref word(*htile(bx, by, layer));
    if (meta == Meta::htile_stencil) {
      if (stencil_in_htile) word.fetch_or(0x3f0, std::memory_order_relaxed);
    } else if (stencil_in_htile) {  // depths from 0 to 1, no range of its own
      word.fetch_or(0xfffff00f, std::memory_order_relaxed);
    } else {
      word.store(0xfffc000f, std::memory_order_relaxed);
    }
  }
};

// What colour and depth planes have in common: `slice_elements` texels from slice to slice, `slices` of them mapped at `base`.
struct Plane {
  const char* what;
  uint64_t base;
  surface::BankedTiling tiling;
  surface::Format format;
  unsigned texel_bytes, pitch, slice_elements, first_layer, last_layer, samples;
};

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
  auto texture = surface::Texture::make(std::move(description), memory, bytes);
  if (!texture) {
    context.unknown(fmt::format("{}: {}", plane.what, texture.error().message));
    return nullptr;
  }
  auto blocks = std::make_unique<TiledBlocks>(std::move(*texture));
  blocks->width = plane.pitch, blocks->height = height;
  blocks->first_layer = plane.first_layer, blocks->layers = plane.last_layer - plane.first_layer + 1;
  blocks->samples = plane.samples, blocks->texel_bytes = plane.texel_bytes;
  blocks->memory.push_back({plane.base, bytes, plane.what});
  blocks->learn_tile();
  return blocks;
}

// How much of a range is mapped from its start on, in whole pages.
uint64_t mapped_bytes(const RegisterContext& context, uint64_t address, uint64_t bytes) {
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
  blocks.meta = meta, blocks.metadata = m, blocks.metadata_memory = memory, blocks.metadata_bytes = bytes;
  blocks.memory.push_back({address, bytes, what});
  return true;
}

// What a surface is known by: the registers that describe it.
template <class... Described>
std::vector<uint32_t> key_of(const RegisterFile& r, auto... n) {
  return {r.read<Described>(n...).key()...};
}

// Is what the surface stands on still mapped? False: the context is lost.
bool still_there(RegisterContext& context, const BlockSurface* blocks) {
  if (!blocks) return true;
  for (const BlockSurface::Range& r : blocks->memory)
    if (!context.memory(r.address, r.bytes, true, r.what)) return false;
  return true;
}

}  // namespace

void TargetCache::trim() {
  if (colours_.size() > most) colours_.clear();
  if (depths_.size() > most) depths_.clear();
}

void ColourSurface::expand_fmask() const {
  if (!fmask) return;
  // 2 samples: a bit each; 4: two bits; 8: four bits, in four bytes.
  static constexpr uint8_t eight[4] = {0x10, 0x32, 0x54, 0x76};
  if (blocks->samples == 8)
    for (uint64_t n = 0; n < fmask_bytes; n++) fmask[n] = eight[n % 4];
  else
    std::memset(fmask, blocks->samples == 4 ? 0xe4 : 0x02, fmask_bytes);
}

bool resolve(RegisterContext& context, const ColourSurface& from, const ColourSurface& to, unsigned width, unsigned height) {
  BlockSurface &source = *from.blocks, &target = *to.blocks;
  constexpr unsigned pixels = block_size * block_size;
  std::vector<uint8_t> in(size_t(source.samples) * pixels * source.texel_bytes),
      out(size_t(target.samples) * pixels * target.texel_bytes);
  bool integer = surface::is_integer(from.format.number);
  width = std::min({width, source.width, target.width}), height = std::min({height, source.height, target.height});
  for (unsigned layer = 0; layer < std::min(source.layers, target.layers); layer++)
    for (unsigned by = 0; by * block_size < height; by++) {
      if (!goes_on(context)) return false;
      for (unsigned bx = 0; bx * block_size < width; bx++) {
        source.load(bx, by, layer, in.data());
        target.load(bx, by, layer, out.data());
        for (unsigned p = 0; p < pixels; p++) {
          if (bx * block_size + p % block_size >= width || by * block_size + p / block_size >= height) continue;
          surface::Colour mean = surface::read_texel(from.format, &in[size_t(p) * source.texel_bytes]);
          if (!integer) {
            float sum[4] = {};
            for (unsigned s = 0; s < source.samples; s++) {
              surface::Colour c = surface::read_texel(from.format, &in[(size_t(s) * pixels + p) * source.texel_bytes]);
              for (unsigned k = 0; k < 4; k++) sum[k] += std::bit_cast<float>(c[k]);
            }
            for (unsigned k = 0; k < 4; k++) mean[k] = std::bit_cast<uint32_t>(sum[k] / float(source.samples));
          }
          for (unsigned s = 0; s < target.samples; s++)
            surface::write_texel(to.format, &out[(size_t(s) * pixels + p) * target.texel_bytes], mean);
        }
        target.store(bx, by, layer, out.data());
      }
    }
  return true;
}

bool TargetCache::colour(RegisterContext& context, unsigned n, ColourSurface*& result) {
  const RegisterFile& r = context.registers;
  result = nullptr;
  const auto info = r.read<Info>(n);
  const auto attrib = r.read<CB_COLOR_ATTRIB>(n);
  if (Info::FORMAT::get(info) == Info::FORMAT::COLOR_INVALID) return true;
  std::vector<uint32_t> key =
      key_of<CB_COLOR_BASE, CB_COLOR_PITCH, CB_COLOR_SLICE, CB_COLOR_VIEW, CB_COLOR_INFO, CB_COLOR_ATTRIB, CB_COLOR_CMASK,
             CB_COLOR_CLEAR_WORD0, CB_COLOR_CLEAR_WORD1, CB_COLOR_FMASK, CB_COLOR_FMASK_SLICE>(r, n);
  uint64_t submission = context.statistics.submissions;
  auto [place, is_new] = colours_.try_emplace(key);
  if (!is_new) {
    result = place->second.get();
    if (!result || result->submission == submission) return true;
    result->submission = submission;
    return still_there(context, result->blocks.get());
  }
  auto format = colour_format(info);
  if (!format) {
    context.unknown(format.error().message);
    return true;
  }
  Plane plane;
  plane.what = "colour buffer";
  plane.base = uint64_t(r.whole<CB_COLOR_BASE>(n)) << 8;
  plane.format = *format;
  plane.texel_bytes = surface::row(format->layout).bytes;
  plane.samples = 1u << CB_COLOR_ATTRIB::NUM_FRAGMENTS::get(attrib);
  plane.pitch = (r.get<CB_COLOR_PITCH::TILE_MAX>(n) + 1) * 8;
  plane.slice_elements = (r.get<CB_COLOR_SLICE::TILE_MAX>(n) + 1) * 64;
  const auto view = r.read<CB_COLOR_VIEW>(n);
  plane.first_layer = CB_COLOR_VIEW::SLICE_START::get(view);
  plane.last_layer = std::max(plane.first_layer, CB_COLOR_VIEW::SLICE_MAX::get(view));
  auto tiling = tiling_of(context.config, CB_COLOR_ATTRIB::TILE_MODE_INDEX::get(attrib), plane.texel_bytes, plane.samples);
  if (Info::LINEAR_GENERAL::get(info)) tiling = surface::BankedTiling{};
  if (!tiling) {
    context.unknown(tiling.error().message);
    return true;
  }
  plane.base = surface_start(plane.base, *tiling);
  plane.tiling = *tiling;
  auto blocks = make_blocks(context, plane);
  if (!blocks) return !context.lost();
  if (Info::FAST_CLEAR::get(info)) {
    uint32_t words[4] = {r.whole<CB_COLOR_CLEAR_WORD0>(n), r.whole<CB_COLOR_CLEAR_WORD1>(n), 0, 0};
    std::memcpy(blocks->clear_texel.data(), words, sizeof words);
    uint64_t cmask = uint64_t(r.whole<CB_COLOR_CMASK>(n)) << 8;
    if (!attach_metadata(context, *blocks, Meta::cmask, cmask, Info::CMASK_IS_LINEAR::get(info), "CMASK")) return false;
  }
  auto made = std::make_unique<ColourSurface>();
  made->format = *format, made->submission = submission;
  if (Info::COMPRESSION::get(info) && plane.samples > 1) {
    unsigned fmask_texel = plane.samples == 8 ? 4 : 1;
    auto fmask_tiling = tiling_of(context.config, CB_COLOR_ATTRIB::FMASK_TILE_MODE_INDEX::get(attrib), fmask_texel, 1);
    uint64_t address = uint64_t(r.whole<CB_COLOR_FMASK>(n)) << 8;
    if (fmask_tiling) address = surface_start(address, *fmask_tiling);
    uint64_t elements = (uint64_t(r.get<CB_COLOR_FMASK_SLICE::TILE_MAX>(n)) + 1) * 64;
    made->fmask_bytes = elements * fmask_texel * (plane.last_layer + 1);
    made->fmask = context.memory(address, made->fmask_bytes, true, "FMASK");
    if (!made->fmask) return false;
    blocks->memory.push_back({address, made->fmask_bytes, "FMASK"});
  }
  made->blocks = std::move(blocks);
  place->second = std::move(made);
  result = place->second.get();
  return true;
}

bool TargetCache::depth(RegisterContext& context, DepthSurface*& result) {
  const RegisterFile& r = context.registers;
  result = nullptr;
  const auto z_info = r.read<DB_Z_INFO>();
  const auto s_info = r.read<DB_STENCIL_INFO>();
  bool has_depth = DB_Z_INFO::FORMAT::get(z_info) != DB_Z_INFO::FORMAT::Z_INVALID;
  bool has_stencil = DB_STENCIL_INFO::FORMAT::get(s_info) == DB_STENCIL_INFO::FORMAT::STENCIL_8;
  if (!has_depth && !has_stencil) return true;
  std::vector<uint32_t> key =
      key_of<DB_Z_INFO, DB_STENCIL_INFO, DB_DEPTH_INFO, DB_DEPTH_SIZE, DB_DEPTH_SLICE, DB_DEPTH_VIEW, DB_Z_WRITE_BASE,
             DB_STENCIL_WRITE_BASE, DB_HTILE_DATA_BASE, DB_HTILE_SURFACE, DB_DEPTH_CLEAR, DB_STENCIL_CLEAR>(r);
  uint64_t submission = context.statistics.submissions;
  auto [place, is_new] = depths_.try_emplace(key);
  if (!is_new) {
    result = place->second.get();
    if (!result || result->submission == submission) return true;
    result->submission = submission;
    return still_there(context, result->depth.get()) && still_there(context, result->stencil.get());
  }
  if (r.read<DB_Z_READ_BASE>().key() != r.read<DB_Z_WRITE_BASE>().key()) context.unknown("DB_Z_READ_BASE unlike DB_Z_WRITE_BASE");
  const auto depth_info = r.read<DB_DEPTH_INFO>();
  const auto view = r.read<DB_DEPTH_VIEW>();
  Plane plane;
  plane.pitch = (r.get<DB_DEPTH_SIZE::PITCH_TILE_MAX>() + 1) * 8;
  plane.slice_elements = (r.get<DB_DEPTH_SLICE::SLICE_TILE_MAX>() + 1) * 64;
  plane.first_layer = DB_DEPTH_VIEW::SLICE_START::get(view);
  plane.last_layer = std::max(plane.first_layer, DB_DEPTH_VIEW::SLICE_MAX::get(view));
  plane.samples = 1u << DB_Z_INFO::NUM_SAMPLES::get(z_info);
  bool has_htile = has_depth && DB_Z_INFO::TILE_SURFACE_ENABLE::get(z_info);
  bool stencil_in_htile = has_stencil && !DB_STENCIL_INFO::TILE_STENCIL_DISABLE::get(s_info);
  uint64_t htile = uint64_t(r.whole<DB_HTILE_DATA_BASE>()) << 8;
  bool htile_linear = r.get<DB_HTILE_SURFACE::LINEAR>();
  auto made = std::make_unique<DepthSurface>();
  made->submission = submission;
  auto make = [&](bool stencil) -> bool {
    plane.what = stencil ? "stencil buffer" : "depth buffer";
    auto tiling = depth_tiling_of(context.config, depth_info,
                                  stencil ? DB_STENCIL_INFO::TILE_SPLIT::get(s_info) : DB_Z_INFO::TILE_SPLIT::get(z_info),
                                  plane.texel_bytes);
    if (!tiling) {
      context.unknown(tiling.error().message);
      return true;
    }
    plane.tiling = *tiling;
    auto blocks = make_blocks(context, plane);
    if (!blocks) return !context.lost();
    if (has_htile) {
      blocks->stencil_in_htile = stencil_in_htile;
      if (!attach_metadata(context, *blocks, stencil ? Meta::htile_stencil : Meta::htile_depth, htile, htile_linear, "HTILE"))
        return false;
    }
    float clear = r.as_float<DB_DEPTH_CLEAR>();
    uint32_t word = stencil                 ? r.get<DB_STENCIL_CLEAR::CLEAR>()
                    : made->depth_bits < 32 ? surface::to_unorm(clear, made->depth_bits)
                                            : std::bit_cast<uint32_t>(clear);
    std::memcpy(blocks->clear_texel.data(), &word, sizeof word);
    (stencil ? made->stencil : made->depth) = std::move(blocks);
    return true;
  };
  if (has_depth) {
    static constexpr unsigned bits[] = {0, 16, 24, 32};
    made->depth_bits = bits[DB_Z_INFO::FORMAT::get(z_info)];
    plane.texel_bytes = made->depth_bits == 16 ? 2 : 4;
    plane.format.layout = made->depth_bits == 16 ? Layout::bits_16 : made->depth_bits == 24 ? Layout::bits_24_8 : Layout::bits_32;
    plane.format.number = made->depth_bits == 16   ? Number::unorm
                          : made->depth_bits == 24 ? Number::depth_stencil
                                                   : Number::floating;
    plane.base = uint64_t(r.whole<DB_Z_WRITE_BASE>()) << 8;
    if (!make(false)) return false;
  }
  if (has_stencil) {
    plane.texel_bytes = 1;
    plane.format.layout = Layout::bits_8, plane.format.number = Number::uint;
    plane.base = uint64_t(r.whole<DB_STENCIL_WRITE_BASE>()) << 8;
    if (!make(true)) return false;
  }
  place->second = std::move(made);
  result = place->second.get();
  return true;
}

}  // namespace Atoll::sea_islands
