// Surfaces of ASTC blocks. Their blocks have sizes that no other compression has, 5x4 to 12x12 texels, and take long to decode: threads read
// a copy of their texels, which follows what memory holds whenever threads begin.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "surface/astc.h"
#include "surface/texture.h"

namespace Atoll::dg1 {

struct AstcBlocks {
  static constexpr uint32_t bytes = 16;
  surface::AstcSize size;
  bool srgb;
  std::vector<surface::TextureLevel> levels = {};  // places of the blocks
  unsigned first_layer = 0;

  const surface::Format& texels() const;
  // Levels of `description`, where blocks lie, become those of texels in the copy, row after row, of the layers that count.
  void take_levels(surface::TextureDescription& description);
};
// None: the surface format is another one.
std::optional<AstcBlocks> astc_blocks(uint32_t format);

class AstcTexels {
public:
  // `texels`: of the copy. Blocks lie in `memory`, whose bytes must be readable whenever decode() is called.
  static Expected<std::unique_ptr<AstcTexels>> make(const AstcBlocks& blocks, const surface::TextureDescription& texels,
                                                    uint8_t* memory, uint64_t memory_bytes);
  Expected<surface::Texture> texture(const surface::TextureDescription& texels) const;
  uint64_t bytes() const { return copy_bytes_ + before_bytes_; }
  // What has changed since the round before. Any thread; one waits for the other.
  void decode(uint32_t round);

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

  AstcTexels(const AstcBlocks& blocks) : size_(blocks.size), srgb_(blocks.srgb) {}
  void decode_level(const Level& level, uint8_t* before);

  const surface::AstcSize size_;
  const bool srgb_;
  std::vector<Level> levels_;
  uint64_t copy_bytes_ = 0, before_bytes_ = 0;
  Bytes copy_, before_;  // the texels, and the blocks that they are of
  bool is_new_ = true;
  std::mutex mutex_;
  std::atomic<uint32_t> round_{0};
};

}  // namespace Atoll::dg1
