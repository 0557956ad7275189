// Tiled addresses of the R300 to R500 families: 32-byte micro tiles and 2 KiB macro tiles, each on or off.
// Sources: Mesa's r300 and radeon drivers (radeon_span.c and radeon_tile.c of Mesa 7.10: the equations of 16 and 32 bits and
// the micro tiles of all sizes; r300_texture_desc.c: tile dimensions of every size); R5xx Acceleration v1.3 10.4
// (macro tile, micro tile, square micro tile of a colour buffer). Only 16 and 32 bits are published; for 8, 64 and 128 bits
// the same equation is taken in units of micro tiles (pieces of 64 bytes without them), which Mesa's table of tile
// dimensions (8 x 8 micro tiles for every size) agrees with but does not prove: unverified.
#pragma once
#include <cstdint>

#include "base/expected.h"

namespace Atoll::surface {

enum class R300MicroTile : uint8_t { linear, tiled, square };

struct R300Surface {
  unsigned element_bytes = 4;  // of a texel, or of a block where the format is compressed: 1, 2, 4, 8 or 16
  unsigned pitch = 0;          // elements; a multiple of the tile's width
  uint64_t slice_bytes = 0;    // from one slice (depth, cube face, sample plane) to the next
  R300MicroTile micro = R300MicroTile::linear;
  bool macro = false;
  bool operator==(const R300Surface&) const = default;
};

// Elements that pitch and height are multiples of.
struct TileDimensions {
  unsigned width, height;
};
// An error if there is no such tile: square micro tiles exist for 2 bytes only, micro tiles not for 16 bytes.
Expected<TileDimensions> r300_tile(unsigned element_bytes, R300MicroTile micro, bool macro);

// An error if there is no such tile, or the pitch is 0 or no multiple of the tile's width.
Expected<void> check(const R300Surface& surface);

// The byte of element (x, y) from the surface's start. `surface` has passed check(); x is below the pitch.
uint64_t address(const R300Surface& surface, unsigned x, unsigned y, unsigned slice = 0);

struct Element {
  unsigned x, y, slice;
  friend bool operator==(const Element&, const Element&) = default;
};
// The inverse for any byte of the element; slice_bytes must not be 0.
Element element_at(const R300Surface& surface, uint64_t address);

}  // namespace Atoll::surface
