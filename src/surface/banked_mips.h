// Addresses of the mip levels of a texture over pipes and banks. The texture unit works them out from the base level, so they
// have to match what drivers allocate, to the byte: levels follow each other, each with its own alignment; below some size
// micro tiles replace macro tiles. Source: Mesa 22.3.6 src/amd/addrlib (egbaddrlib.cpp: surface info, tile mode of a mip
// level; siaddrlib.cpp: padding) and src/amd/common/ac_surface.c gfx6_compute_level (offsets).
#pragma once
#include <cstdint>
#include <vector>

#include "surface/banked_tiling.h"

namespace Atoll::surface {

struct BankedTexture {
  BankedTiling tiling;                         // of the base level
  unsigned element_bytes = 4;                  // of a texel, or of a block
  unsigned block_width = 1, block_height = 1;  // texels
  unsigned width = 1, height = 1;              // texels
  unsigned slices = 1;                         // depth of a volume, faces, array elements, at the base level
  bool volume = false;                         // slices halve from level to level
  unsigned pitch = 0;                          // elements, of the base level; 0: as the width needs it
  unsigned samples = 1;
  unsigned levels = 1;
};

struct BankedLevel {
  BankedSurface surface;  // pitch and height padded; the arrangement may be simpler than the base level's
  uint64_t offset = 0;    // bytes from the start of the base level
  unsigned slices = 1;    // padded
  uint64_t bytes_per_slice = 0;
};

// The levels 0 to levels - 1. With more than one level all sizes are padded to powers of two, the base level's included.
Expected<std::vector<BankedLevel>> mip_levels(const BankedTexture& texture);

// The alignment of a surface's start, in bytes.
uint64_t base_alignment(const BankedSurface& surface);

}  // namespace Atoll::surface
