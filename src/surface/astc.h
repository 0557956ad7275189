// ASTC blocks of the LDR profile, of 4x4 to 12x12 texels in 16 bytes. Source: Khronos Data Format Specification 1.3, chapter 23.
#pragma once
#include <cstdint>

namespace Atoll::surface {

struct AstcSize {
  unsigned width, height;  // of a block, in texels
};

// The block's texels row after row, red, green, blue and alpha of each: as IEEE halves, or with `srgb` as bytes in the low bits. Blocks
// that are no encodings, or encodings of HDR, are magenta.
void decode_astc_block(const uint8_t* block, AstcSize size, bool srgb, uint16_t (*texels)[4]);

}  // namespace Atoll::surface
