// The address of the few bits that a GPU with pipes keeps beside a surface for each of its 8x8 tiles: 4 bits a tile of a colour
// surface (has the tile been cleared, is it compressed), 32 bits a tile of a depth surface (range of depths, compression).
// Source: Mesa 22.3.6 src/amd/addrlib (siaddrlib.cpp: address and element index; addrlib1.cpp: size of a cache line;
// ciaddrlib.cpp: padding of the linear layout). The meaning of the bits is not this file's subject.
#pragma once
#include <cstdint>

#include "surface/banked_tiling.h"

namespace Atoll::surface {

struct TileMetadata {
  PipeConfig pipe_config = PipeConfig::p2;
  unsigned pipe_interleave_bytes = 256;
  bool depth = false;              // 32 bits a tile; otherwise 4
  bool linear = false;             // rows of 4x4 tiles over the whole surface instead of cache lines
  unsigned pitch = 0, height = 0;  // elements of the surface that it describes
};

// Pitch and height in elements after padding to whole cache lines, and what follows from them.
struct TileMetadataSize {
  unsigned pitch, height;
  unsigned line_width, line_height;  // elements that a cache line of every pipe covers
  uint64_t slice_bytes;
};

Expected<void> check(const TileMetadata& metadata);
TileMetadataSize size(const TileMetadata& metadata);

// The first bit, counted from the metadata's start, of the tile that holds element (x, y) of a slice. Bit 0 is the lowest of
// byte 0. The metadata has passed check(), x and y lie inside the surface.
uint64_t first_bit(const TileMetadata& metadata, unsigned x, unsigned y, unsigned slice);
// The same with its size, for who asks often.
uint64_t first_bit(const TileMetadata& metadata, const TileMetadataSize& size, unsigned x, unsigned y, unsigned slice);

}  // namespace Atoll::surface
