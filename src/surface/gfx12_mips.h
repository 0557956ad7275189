// The layout of a GFX12 (RDNA4) texture's levels. The texture unit derives it from the descriptor, so it has to match what drivers
// allocate, to the byte. Levels stand from the smallest to the largest; those that fit into half a block share one, the tail. In
// textures of slices each slice of blocks has a whole chain. Source: Mesa 25.0.7 src/amd/addrlib/src/gfx12/gfx12addrlib.cpp
// (GetMipOffset, GetMipOrigin, GetMaxNumMipsInTail, HwlGetMipInTailMaxSize), src/core/addrlib3.cpp (CanTrimLinearPadding).
#pragma once
#include <cstdint>
#include <vector>

#include "surface/gfx12_tiling.h"
#include "surface/texture.h"

namespace Atoll::surface {

struct Gfx12Texture {
  Gfx12Swizzle swizzle = Gfx12Swizzle::linear;
  unsigned element_bytes = 4;      // 12 is possible where it is linear
  unsigned width = 1, height = 1;  // elements of level 0
  unsigned slices = 1;             // layers, or the depth of level 0
  bool volume = false;
  unsigned samples = 1, levels = 1;
  unsigned pitch = 0;        // elements; 0: as the width needs it. Only of one linear level
  unsigned first_slice = 0;  // of volumes: that slice is called 0 (views of one level)
  uint32_t start_bits = 0;   // of the texture's start, inside a block
};

struct Gfx12Levels {
  std::vector<TextureLevel> levels;
  uint64_t slice_bytes = 0;  // from one slice of blocks to the next
};
// `start_bits` are not in the offsets. An error if the numbers contradict each other.
Expected<Gfx12Levels> mip_levels(const Gfx12Texture& texture);

// Bytes from the texture's base, without start bits, to the end of what `slices` slices of a level of `columns` x `rows` elements take.
// The level is one of mip_levels().
uint64_t end_of(const TextureLevel& level, unsigned element_bytes, uint64_t columns, uint64_t rows, uint64_t slices);

}  // namespace Atoll::surface
