// A plane of texels in blocks of 8x8 pixels over tiled memory, with what its metadata says of them.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/sea_islands/state/register_context.h"
#include "pipeline/target.h"
#include "surface/texture.h"
#include "surface/tile_metadata.h"
#include "surface/tile_parts.h"

namespace Atoll::sea_islands {

using pipeline::block_size;

// A surface in blocks of 8x8 pixels; expand() writes out every block that the metadata calls cleared. False: the context is lost.
class BlockSurface : public pipeline::Target {
public:
  virtual bool expand(RegisterContext& context) = 0;
  unsigned width = 0, height = 0;  // pixels, padding included
  unsigned first_layer = 0, layers = 1;
  unsigned samples = 1;
  unsigned texel_bytes = 4;
  struct Range {
    uint64_t address, bytes;
    const char* what;
  };
  std::vector<Range> ranges;  // GPU memory that it takes for granted
  std::span<const pipeline::MemoryRange> memory() const override { return memory_; }
  // (`host` is where the memory stands.)
  void add_range(const Range& range, const uint8_t* host) { ranges.push_back(range), memory_.push_back({host, range.bytes}); }

private:
  std::vector<pipeline::MemoryRange> memory_;
};

// Between rows of blocks. False: the queue is to stop, and the context is lost.
bool goes_on(RegisterContext& context);

// What the metadata says of a tile, in one of the two forms.
enum class Meta : uint8_t { none, cmask, htile_depth, htile_stencil };

// FMASK that is never compressed: a texel for each pixel, which names the fragment of each of its samples; here its own.
struct PlainFmask {
  surface::BankedSurface surface;
  uint8_t* memory = nullptr;
  uint64_t bytes = 0;  // texels behind them are not written
  // One texel: 2 samples have a bit each, 4 two bits, 8 four bits, in four bytes.
  static std::span<const uint8_t> own(unsigned samples) {
    static constexpr uint8_t two[] = {0x02}, four[] = {0xe4}, eight[] = {0x10, 0x32, 0x54, 0x76};
    if (samples == 8) return eight;
    return samples == 4 ? four : two;
  }
};

// CMASK: 4 bits a tile; 0 says that it is cleared (Mesa 22.3.6 src/gallium/drivers/radeonsi/si_clear.c). HTILE: 32 bits a tile,
// bits 3:0 0 say that the depths are cleared; where stencil has a part in it, bits 9:8 0 that the stencil is
// (src/amd/common/ac_surface.c; si_clear.c si_get_htile_clear_value). 15 and 3: plain, as memory has it.
class TiledBlocks : public BlockSurface {
public:
  surface::Texture texture;
  Meta meta = Meta::none;
  surface::TileMetadata metadata;
  surface::TileMetadataSize metadata_size{};
  uint8_t* metadata_memory = nullptr;
  uint64_t metadata_bytes = 0;  // tiles whose bits lie behind them have none
  bool stencil_in_htile = false;
  std::array<uint8_t, 16> clear_texel{};
  // Byte A of the texels stands at A ^ swapped_bytes in memory (CB_COLOR_INFO.ENDIAN: 0, 1, 3 or 7).
  unsigned swapped_bytes = 0;
  // Where blocks are loaded from, if it is not where they are stored (DB_Z_READ_BASE, DB_STENCIL_READ_BASE).
  std::optional<surface::Texture> read_from;
  // The plane's FMASK where each block that is stored says there whose its samples are (FMASK_COMPRESSION_DISABLE).
  std::optional<PlainFmask> plain_fmask;

  explicit TiledBlocks(surface::Texture t) : texture(std::move(t)) {}

  unsigned blocks_across() const { return (width + block_size - 1) / block_size; }
  unsigned blocks_down() const { return (height + block_size - 1) / block_size; }
  // Room for where blocks' metadata begin, which takes longer to find than to look up.
  void learn_metadata() {
    constexpr size_t most = 1 << 18;
    const size_t blocks = size_t(blocks_across()) * blocks_down() * layers;
    if (blocks <= most && metadata_bytes < not_found / 8) bits.assign(blocks, not_found);
  }
  // Finds how texels of a block lie in the parts of a tile; width and height are set.
  void learn_tile() {
    if (swapped_bytes || read_from || plain_fmask) return;  // texel by texel
    const auto* s = std::get_if<surface::BankedSurface>(&texture.description().levels[0].place);
    if (!s || s->samples != samples) return;
    parts = surface::TileParts::make(*s, first_layer, layers);
    if (!parts) return;
    std::vector<surface::TileParts::Place> places;
    for (unsigned n = 0; n < samples * pipeline::pixels_in_block; n++) {
      const unsigned pixel = n % pipeline::pixels_in_block;
      places.push_back(parts->place(pipeline::x_in_block(pixel), pipeline::y_in_block(pixel), n / pipeline::pixels_in_block));
    }
    // As many texels at once as follow each other everywhere.
    auto follow = [&](unsigned count) {
      for (unsigned n = 0; n < places.size(); n++) {
        const auto &first = places[n - n % count], &here = places[n];
        if (here.part != first.part || here.offset != first.offset + n % count * texel_bytes) return false;
      }
      return true;
    };
    unsigned run = 8;
    while (!follow(run)) run /= 2;
    for (unsigned n = 0; n < places.size(); n += run) runs.push_back(places[n]);
    run_bytes = run * texel_bytes;
    // Displayed surfaces of 32 bits: rows of four pixels, where the pipeline has two quads of two rows.
    crossed = run_bytes == 8 && runs.size() % 4 == 0;
    for (size_t n = 0; crossed && n < runs.size(); n++) {
      const auto &first = runs[n - n % 4], &here = runs[n];
      crossed = here.part == first.part && here.offset == first.offset + std::array{0, 16, 8, 24}[n % 4];
    }
  }

  void load(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) override {
    if (layer >= layers) {
      std::memset(texels, 0, size_t(samples) * block_size * block_size * texel_bytes);
      return;
    }
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
    if (parts && bx * block_size < width && by * block_size < height) {
      uint8_t* part[surface::TileParts::max_parts];
      find_parts(*parts, bx, by, layer, part);
      if (crossed) {
        for (size_t n = 0; n < runs.size(); n += 4) cross(texels + n * 8, part[runs[n].part] + runs[n].offset);
        return;
      }
      copy_runs([&](auto bytes) {
        for (size_t n = 0; n < runs.size(); n++) std::memcpy(texels + n * bytes, part[runs[n].part] + runs[n].offset, bytes);
      });
      return;
    }
    each_texel(read_from ? *read_from : texture, bx, by, layer, [&](unsigned index, uint8_t* at) {
      uint8_t* texel = texels + size_t(index) * texel_bytes;
      if (!at)
        std::memset(texel, 0, texel_bytes);
      else if (swapped_bytes)
        for (unsigned b = 0; b < texel_bytes; b++) texel[b] = *swapped(at + b);
      else
        copy(texel, at);
    });
  }
  void store(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) override {
    if (layer >= layers) return;
    if (parts && bx * block_size < width && by * block_size < height) {
      uint8_t* part[surface::TileParts::max_parts];
      find_parts(*parts, bx, by, layer, part);
      if (crossed)
        for (size_t n = 0; n < runs.size(); n += 4) cross(part[runs[n].part] + runs[n].offset, texels + n * 8);
      else
        copy_runs([&](auto bytes) {
          for (size_t n = 0; n < runs.size(); n++) std::memcpy(part[runs[n].part] + runs[n].offset, texels + n * bytes, bytes);
        });
    } else {
      each_texel(texture, bx, by, layer, [&](unsigned index, uint8_t* at) {
        const uint8_t* texel = texels + size_t(index) * texel_bytes;
        if (at && swapped_bytes)
          for (unsigned b = 0; b < texel_bytes; b++) *swapped(at + b) = texel[b];
        else if (at)
          copy(at, texel);
      });
      if (plain_fmask) write_fmask(*plain_fmask, bx, by, layer);
    }
    set_plain(bx, by, layer);
  }
  void before_stores(unsigned x, unsigned y, unsigned layer, unsigned row, uint64_t blocks) override {
    if (meta == Meta::none) return;
    for (uint64_t left = blocks; left; left &= left - 1) {
      const unsigned block = unsigned(std::countr_zero(left));
      set_plain(x + block % row, y + block / row, layer);
    }
  }
  unsigned samples_there() const override { return samples; }
  bool is_all_there() const override { return true; }  // TargetCache asks in each submission
  void fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) override {
    constexpr int size = block_size;
    const bool keeps = change.keeps();
    if (layer >= layers || !parts || change.samples != samples || change.texel_bytes() != texel_bytes || run_bytes > 32)
      return Target::fill_area(area, layer, change);
    // What becomes of a sample's runs.
    struct Run {
      alignas(32) uint8_t keep[32], flip[32];
    };
    std::array<Run, 16> of_sample;  // at most 16 samples
    for (unsigned s = 0; s < samples; s++)
      for (unsigned n = 0; n < 32; n++) {
        of_sample[s].keep[n] = change.keep[s * texel_bytes + n % texel_bytes];
        of_sample[s].flip[n] = change.flip[s * texel_bytes + n % texel_bytes];
      }
    const size_t runs_of_sample = runs.size() / samples;
    const pipeline::Rectangle inside{std::max(area.left, 0), std::max(area.top, 0), std::min(area.right, int(width)),
                                     std::min(area.bottom, int(height))};
    for (int y = inside.top / size * size; y < inside.bottom; y += size)
      for (int x = inside.left / size * size; x < inside.right; x += size) {
        const unsigned bx = unsigned(x / size), by = unsigned(y / size);
        const pipeline::Rectangle here{std::max(x, inside.left), std::max(y, inside.top), std::min(x + size, inside.right),
                                       std::min(y + size, inside.bottom)};
        if (here != pipeline::Rectangle{x, y, x + size, y + size} || (keeps && cleared(bx, by, layer))) {
          Target::fill_area(here, layer, change);
          continue;
        }
        uint8_t* part[surface::TileParts::max_parts];
        find_parts(*parts, bx, by, layer, part);
        copy_runs([&](auto bytes) {
          for (size_t n = 0; n < runs.size(); n++) {
            uint8_t* to = part[runs[n].part] + runs[n].offset;
            const Run& run = of_sample[n / runs_of_sample];
            if (!keeps) {
              std::memcpy(to, run.flip, bytes);
              continue;
            }
            uint8_t texels[32];
            std::memcpy(texels, to, bytes);
            for (size_t k = 0; k < bytes; k++) texels[k] = uint8_t((texels[k] & run.keep[k]) ^ run.flip[k]);
            std::memcpy(to, texels, bytes);
          }
        });
        set_plain(bx, by, layer);
      }
  }
  void store_depths(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels, unsigned samples_now) override {
    if (!parts || crossed || run_bytes % 8 || run_bytes > 32 || texel_bytes != 4 || layer >= layers || bx * block_size >= width ||
        by * block_size >= height || cleared(bx, by, layer))
      return Target::store_depths(bx, by, layer, texels, samples_now);
    uint8_t* part[surface::TileParts::max_parts];
    find_parts(*parts, bx, by, layer, part);
    copy_runs([&](auto bytes) {
      for (size_t n = 0; n < runs.size(); n++, texels += bytes) {
        uint8_t* to = part[runs[n].part] + runs[n].offset;
        std::array<uint32_t, 8> before, now;  // (at most 32 bytes, moved together)
        std::memcpy(before.data(), to, bytes);
        std::memcpy(now.data(), texels, bytes);
        for (size_t k = 0; k < bytes / 4; k++) now[k] = (now[k] & 0x00ffffff) | (before[k] & 0xff000000);
        std::memcpy(to, now.data(), bytes);
      }
    });
    set_plain(bx, by, layer);
  }
  bool expand(RegisterContext& context) override {
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

private:
  std::optional<surface::TileParts> parts;      // width and height are then whole tiles
  std::vector<surface::TileParts::Place> runs;  // of a block's texels, in the pipeline's order
  unsigned run_bytes = 0;
  bool crossed = false;  // of each four runs of 8 bytes the second and the third change places

  // 32 bytes, of whose quarters the second and the third change places.
  [[gnu::always_inline]] static void cross(uint8_t* to, const uint8_t* from) {
    pipeline::cross_rows(to, to + 16, from, from + 16);
  }
  [[gnu::always_inline]] void find_parts(const surface::TileParts& of, unsigned bx, unsigned by, unsigned layer,
                                         uint8_t** part) const {
    uint8_t* base = texture.level(0).base;
    for (unsigned p = 0; p < of.count(); p++) part[p] = base + of.address(bx, by, layer, p);
  }
  // Calls with a run's bytes, a constant where it is a usual one. What every load and store of a block runs is inlined by demand:
  // left to the compiler, gears took 2 % longer.
  template <class Copy>
  [[gnu::always_inline]] void copy_runs(Copy copy_with) const {
    switch (run_bytes) {
      case 1: copy_with(std::integral_constant<size_t, 1>{}); break;
      case 2: copy_with(std::integral_constant<size_t, 2>{}); break;
      case 4: copy_with(std::integral_constant<size_t, 4>{}); break;
      case 8: copy_with(std::integral_constant<size_t, 8>{}); break;
      case 16: copy_with(std::integral_constant<size_t, 16>{}); break;
      case 32: copy_with(std::integral_constant<size_t, 32>{}); break;
      default: copy_with(size_t(run_bytes));
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
  // (Planes begin at multiples of 256 bytes, and have whole multiples of 64 texels.)
  uint8_t* swapped(uint8_t* at) const {
    uint8_t* base = texture.level(0).base;
    return base + (uint64_t(at - base) ^ swapped_bytes);
  }
  void write_fmask(const PlainFmask& fmask, unsigned bx, unsigned by, unsigned layer) const {
    const auto own = PlainFmask::own(samples);
    for (unsigned y = by * block_size; y < std::min((by + 1) * block_size, fmask.surface.height); y++)
      for (unsigned x = bx * block_size; x < std::min((bx + 1) * block_size, fmask.surface.pitch); x++) {
        const uint64_t at = surface::address(fmask.surface, {x, y, first_layer + layer, 0});
        if (at + own.size() <= fmask.bytes) std::memcpy(fmask.memory + at, own.data(), own.size());
      }
  }
  // texel(number in the block, where it stands in `in`; null outside of the surface)
  template <class Texel>
  void each_texel(const surface::Texture& in, unsigned bx, unsigned by, unsigned layer, Texel texel) {
    const surface::Texture::Level& level = in.level(0);
    for (unsigned n = 0; n < samples * pipeline::pixels_in_block; n++) {
      const unsigned pixel = n % pipeline::pixels_in_block, sample = n / pipeline::pixels_in_block;
      const unsigned x = bx * block_size + pipeline::x_in_block(pixel), y = by * block_size + pipeline::y_in_block(pixel);
      if (x >= width || y >= height)
        texel(n, nullptr);
      else if (level.separable)
        texel(n, level.at(level.x[x], level.y[y], level.z[layer]));
      else
        texel(n, in.texel(0, x, y, layer, sample));
    }
  }
  static constexpr uint64_t no_bit = ~uint64_t(0);
  static constexpr uint32_t not_found = ~uint32_t(0) - 1;
  mutable std::vector<uint32_t> bits;  // by block: where its metadata begin; or none
  // Where the metadata of a block begin, if it has any.
  [[gnu::always_inline]] uint64_t bit(unsigned bx, unsigned by, unsigned layer) const {
    if (meta == Meta::none || layer >= layers || bx * block_size >= width || by * block_size >= height) return no_bit;
    if (bits.empty()) return find_bit(bx, by, layer);
    // Found once; whoever comes first writes it down, and others that come meanwhile the same.
    std::atomic_ref known(bits[(size_t(layer) * blocks_down() + by) * blocks_across() + bx]);
    uint32_t here = known.load(std::memory_order_relaxed);
    if (here == not_found) known.store(here = uint32_t(find_bit(bx, by, layer)), std::memory_order_relaxed);
    return here == uint32_t(no_bit) ? no_bit : here;
  }
  uint64_t find_bit(unsigned bx, unsigned by, unsigned layer) const {
    const uint64_t at = surface::first_bit(metadata, metadata_size, bx * block_size, by * block_size, first_layer + layer);
    return at / 8 < metadata_bytes ? at : no_bit;
  }
  uint32_t* htile(uint64_t at) const { return reinterpret_cast<uint32_t*>(metadata_memory + at / 32 * 4); }
  [[gnu::always_inline]] bool cleared(unsigned bx, unsigned by, unsigned layer) const {
    const uint64_t at = bit(bx, by, layer);
    if (at == no_bit) return false;
    if (meta == Meta::cmask)
      return (std::atomic_ref(metadata_memory[at / 8]).load(std::memory_order_relaxed) >> at % 8 & 15) == 0;
    uint32_t word = std::atomic_ref(*htile(at)).load(std::memory_order_relaxed);
    return meta == Meta::htile_depth ? (word & 15) == 0 : stencil_in_htile && (word >> 8 & 3) == 0;
  }
  // Two tiles share a byte of CMASK, and the two planes of a depth buffer a word of HTILE; other workers may be at the neighbour.
  [[gnu::always_inline]] void set_plain(unsigned bx, unsigned by, unsigned layer) {
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
};

// What colour and depth planes have in common: `slice_elements` texels from slice to slice, `slices` of them mapped at `base`.
struct Plane {
  const char* what;
  uint64_t base;
  surface::BankedTiling tiling;
  surface::Format format;
  unsigned texel_bytes, pitch, slice_elements, first_layer, last_layer, samples;
  std::optional<uint64_t> read_base = std::nullopt;  // where it is read, if that is not `base`
  unsigned swapped_bytes = 0;                        // TiledBlocks
};
// Null: it cannot be made (counted), or the context is lost.
std::unique_ptr<TiledBlocks> make_blocks(RegisterContext& context, const Plane& plane);

// Finds the plane's metadata. False: the context is lost.
bool attach_metadata(RegisterContext& context, TiledBlocks& blocks, Meta meta, uint64_t address, bool linear, const char* what);

}  // namespace Atoll::sea_islands
