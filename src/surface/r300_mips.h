// Addresses of the mip levels of an R300 to R500 texture. The texture unit finds them from one address: levels follow each other
// without gaps, each padded to its tiles; levels smaller than a macro tile have micro tiles only. Sources: Mesa 22.3.6
// r300_texture_desc.c (miptree, macro switch); R5xx Acceleration v1.3 10.11, TX_FILTER1 (the width at which macro tiles end).
#pragma once
#include <cstdint>
#include <vector>

#include "surface/r300_tiling.h"

namespace Atoll::surface {

struct R300Texture {
  unsigned element_bytes = 4;                  // of a texel, or of a block
  unsigned block_width = 1, block_height = 1;  // texels
  unsigned width = 1, height = 1;              // texels
  unsigned slices = 1;                         // depth of a volume, or 6 faces
  bool volume = false;                         // slices halve from level to level
  R300MicroTile micro = R300MicroTile::linear;
  bool macro = false;            // at the base level
  bool macro_ends_at_8 = false;  // macro tiles end at 8 micro tiles, rather than below 8
  unsigned pitch = 0;            // elements, of the base level; 0: as the width needs it
  unsigned levels = 1;
};

struct R300Level {
  R300Surface surface;
  unsigned height = 0;  // elements, padded
  unsigned slices = 1;
  uint64_t offset = 0;  // bytes from the texture's start
};

Expected<std::vector<R300Level>> mip_levels(const R300Texture& texture);

}  // namespace Atoll::surface
