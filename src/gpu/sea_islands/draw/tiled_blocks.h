// A plane of texels in blocks of 8x8 pixels over tiled memory (pipeline/surface_target.h), with what its metadata say of them: a
// block that CMASK or HTILE calls cleared reads as the clear value, whatever its memory holds.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/sea_islands/state/register_context.h"
#include "pipeline/surface_target.h"
#include "surface/tile_metadata.h"

namespace Atoll::sea_islands {

using pipeline::block_size;

// Between rows of blocks. False: the queue is to stop, and the context is lost.
bool goes_on(RegisterContext& context);

// The kind of metadata that a plane has.
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
class TiledBlocks : public pipeline::SurfaceTarget {
public:
  Meta meta = Meta::none;
  surface::TileMetadata metadata;
  surface::TileMetadataSize metadata_size{};
  uint8_t* metadata_memory = nullptr;
  uint64_t metadata_bytes = 0;  // tiles whose bits lie behind them have none
  bool stencil_in_htile = false;
  std::array<uint8_t, 16> clear_texel{};
  // Byte A of the texels stands at A ^ swapped_bytes in memory (CB_COLOR_INFO.ENDIAN: 0, 1, 3 or 7).
  unsigned swapped_bytes = 0;
  // The texels that blocks are loaded from, if not those that they are stored to (DB_Z_READ_BASE, DB_STENCIL_READ_BASE).
  std::optional<surface::Texture> read_from;
  // The plane's FMASK where each block that is stored says there whose its samples are (FMASK_COMPRESSION_DISABLE).
  std::optional<PlainFmask> plain_fmask;

  struct Range {
    uint64_t address, bytes;
    const char* what;
  };
  std::vector<Range> ranges;  // GPU memory that it takes for granted

  using SurfaceTarget::SurfaceTarget;

  // (`host` is where the memory stands.)
  void add_range(const Range& range, const uint8_t* host) { ranges.push_back(range), memory_.push_back({host, range.bytes}); }
  // Room for where blocks' metadata begin, which takes longer to find than to look up.
  void learn_metadata();
  // Finds how blocks are moved; what the members above say is known.
  void learn_tile() {
    if (!swapped_bytes && !read_from && !plain_fmask) find_runs();  // else texel by texel
  }
  // Writes out every block that the metadata call cleared. False: the context is lost.
  bool expand(RegisterContext& context);

  std::span<const pipeline::MemoryRange> memory() const override { return memory_; }
  bool is_all_there() const override { return true; }  // TargetCache asks in each submission
  void load(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) override;
  void store(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) override;
  void before_stores(unsigned x, unsigned y, unsigned layer, unsigned row, uint64_t blocks) override;
  void store_depths(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels, unsigned samples_now) override;
  void fill_area(const pipeline::Rectangle& area, unsigned layer, const pipeline::PixelChange& change) override;
  pipeline::PixelPlace place_of(unsigned x, unsigned y, unsigned layer, unsigned sample) const override;

private:
  std::vector<pipeline::MemoryRange> memory_;
  mutable std::vector<uint32_t> bits_;  // by block: where its metadata begin; or none

  unsigned first_layer() const { return texture.description().first_layer; }
  uint8_t* swapped(uint8_t* at) const;
  void load_texels(unsigned bx, unsigned by, unsigned layer, uint8_t* texels) const;
  void store_texels(unsigned bx, unsigned by, unsigned layer, const uint8_t* texels) const;
  void write_fmask(const PlainFmask& fmask, unsigned bx, unsigned by, unsigned layer) const;
  uint64_t bit(unsigned bx, unsigned by, unsigned layer) const;
  uint64_t find_bit(unsigned bx, unsigned by, unsigned layer) const;
  uint32_t* htile(uint64_t at) const { return reinterpret_cast<uint32_t*>(metadata_memory + at / 32 * 4); }
  bool cleared(unsigned bx, unsigned by, unsigned layer) const;
  void set_plain(unsigned bx, unsigned by, unsigned layer);
};

// The common part of colour and depth planes: `slice_elements` texels from slice to slice, `slices` of them mapped at `base`.
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
