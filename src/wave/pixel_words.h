// The words of a target's texels that a wave which writes its pixels itself reads and writes (e.pixels, e.set_pixels).
#pragma once
#include <bit>
#include <cstdint>

namespace Atoll::wave {

// Word `word` of each pixel's texel, of `texel_bytes` (1, 2, 4, 8, 16); texels of 1 and 2 bytes are a word's low bytes. The texels of a
// quad's four pixels follow each other in Wave::targets[target] from the byte on that the quad's word at `cell` says, plus `offset`.
struct PixelWords {
  uint32_t cell = 0;
  uint8_t target = 0, texel_bytes = 4, word = 0;
  uint32_t offset = 0;

  constexpr uint64_t packed() const {
    return cell | uint64_t(target & 7) << 32 | uint64_t(std::countr_zero(texel_bytes) & 7) << 35 | uint64_t(word & 3) << 38 |
           uint64_t(offset & 0xfffff) << 40;
  }
  static constexpr PixelWords from(uint64_t packed) {
    return {uint32_t(packed), uint8_t(packed >> 32 & 7), uint8_t(1u << (packed >> 35 & 7)), uint8_t(packed >> 38 & 3),
            uint32_t(packed >> 40)};
  }
  constexpr uint32_t quad_bytes() const { return 4u * texel_bytes; }
};

}  // namespace Atoll::wave
