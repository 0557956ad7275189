// Surfaces whose texels are made of what lies in memory by more than a format: ASTC blocks, which have sizes that no other compression has,
// 5x4 to 12x12 texels, and take long to decode; indices into palettes; and planes of luma and chroma. Threads read a copy of their texels,
// which follows what memory and the palettes hold whenever threads begin.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "surface/astc.h"
#include "surface/texture.h"

namespace Atoll::dg1 {

// 3DSTATE_SAMPLER_PALETTE_LOAD0 and 1: alpha, red, green and blue from the highest byte down.
using Palettes = std::array<std::array<uint32_t, 256>, 2>;

// A texel's index, and what it has of alpha besides: bits of its word.
struct PaletteIndex {
  uint8_t palette, bits, first, alpha_bits, alpha_first;
};

struct ConvertedBlocks {
  surface::AstcSize size;  // of a block; of indices the texels in a byte or word
  bool srgb;
  uint32_t bytes = 16;  // of a block
  std::optional<PaletteIndex> index = {};
  // A plane of luma, `bytes` each, whose place is that of level 0, and one of pairs of U and V, which two by two texels share (PLANAR_420).
  bool planar = false;
  surface::TextureLevel chroma = {};
  std::vector<surface::TextureLevel> levels = {};  // places of the blocks
  unsigned first_layer = 0;

  const surface::Format& texels() const;
  // Levels of `description`, where blocks lie, become those of texels in the copy, row after row, of the layers that count.
  void take_levels(surface::TextureDescription& description);
};
// None: the surface format is another one.
std::optional<ConvertedBlocks> converted_blocks(uint32_t format);

class ConvertedTexels {
public:
  // `texels`: of the copy. Blocks lie in `memory`, whose bytes must be readable whenever decode() is called.
  static Expected<std::unique_ptr<ConvertedTexels>> make(const ConvertedBlocks& blocks, const surface::TextureDescription& texels,
                                                         uint8_t* memory, uint64_t memory_bytes);
  Expected<surface::Texture> texture(const surface::TextureDescription& texels) const;
  uint64_t bytes() const { return copy_bytes_ + before_bytes_; }
  // Decodes what has changed since the previous round. Any thread; others wait for the one that decodes.
  void decode(uint32_t round, const Palettes& palettes);

private:
  struct Level {
    surface::Texture blocks;
    unsigned width, height, columns, rows, slices;
    uint64_t offset, pitch, slice_bytes;  // in the copy
  };
  struct Freed {
    void operator()(uint8_t* memory) const;
  };
  using Bytes = std::unique_ptr<uint8_t[], Freed>;
  static constexpr uint64_t most_bytes = uint64_t(2) << 30;

  ConvertedTexels(const ConvertedBlocks& blocks)
      : size_(blocks.size), srgb_(blocks.srgb), block_bytes_(blocks.bytes), index_(blocks.index) {}
  void decode_level(const Level& level, const Palettes& palettes, uint8_t* before);
  void join_planes(const Level& luma);

  const surface::AstcSize size_;
  const bool srgb_;
  const uint32_t block_bytes_;
  const std::optional<PaletteIndex> index_;
  std::array<uint32_t, 256> palette_{};  // of which the copy is
  std::vector<Level> levels_;
  std::optional<surface::Texture> chroma_;
  uint64_t copy_bytes_ = 0, before_bytes_ = 0;
  Bytes copy_, before_;  // the texels, and the blocks that they are of
  bool is_new_ = true;
  std::mutex mutex_;
  std::atomic<uint32_t> round_{0};
};

}  // namespace Atoll::dg1
