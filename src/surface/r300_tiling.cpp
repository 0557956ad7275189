#include "surface/r300_tiling.h"

#include <bit>

namespace Atoll::surface {

namespace {

unsigned log2(unsigned power_of_two) { return unsigned(std::countr_zero(power_of_two)); }

// A macro tile is 8 rows of 4 pieces of 64 bytes. With micro tiles a row is one of micro tiles, a piece two of them side by
// side; without, a row is one of elements. So both share one equation. All values are logarithms but `rows`.
struct Shape {
  unsigned element;  // bytes of an element
  unsigned width;    // elements in a row of a micro tile, or in a piece
  unsigned height;   // rows of elements in a row of pieces
  unsigned piece;    // elements across a piece
};

// Micro tiles are 32 bytes: 8x4, 8x2, 4x2, 2x2 for 1, 2, 4, 8 bytes; the square one is 4x4 for 2 bytes.
Shape shape_of(const R300Surface& s) {
  unsigned element = log2(s.element_bytes);
  if (s.micro == R300MicroTile::linear) return {element, 6 - element, 0, 6 - element};
  unsigned width = s.micro == R300MicroTile::square ? 2 : s.element_bytes == 1 ? 3 : 4 - element;
  return {element, width, 5 - element - width, width + 1};
}

// The place of row r, piece p among the 32 pieces of 64 bytes of a macro tile. r and p run over the whole surface: bit 3 of r
// and bit 2 of p say in which macro tile they are.
unsigned piece_index(unsigned r, unsigned p) {
  auto bit = [](unsigned v, unsigned i) { return v >> i & 1; };
  return bit(r, 0) | (bit(r, 2) ^ bit(p, 0)) << 1 | (bit(r, 1) ^ bit(p, 1)) << 2 | (bit(r, 3) ^ bit(p, 1)) << 3 |
         (bit(r, 2) ^ bit(p, 2)) << 4;
}

}  // namespace

Expected<TileDimensions> r300_tile(unsigned element_bytes, R300MicroTile micro, bool macro) {
  if (element_bytes == 0 || element_bytes > 16 || !std::has_single_bit(element_bytes))
    return fail("tiles of elements of {} bytes: an element has 1, 2, 4, 8 or 16", element_bytes);
  if (micro > R300MicroTile::square) return fail("{} is no micro tile mode", int(micro));
  if (micro == R300MicroTile::square && element_bytes != 2)
    return fail("square micro tiles of elements of {} bytes: they exist for 2 bytes only", element_bytes);
  if (micro == R300MicroTile::tiled && element_bytes == 16) return fail("micro tiles of elements of 16 bytes do not exist");
  if (micro == R300MicroTile::linear)
    return macro ? TileDimensions{256 / element_bytes, 8} : TileDimensions{32 / element_bytes, 1};
  Shape shape = shape_of({.element_bytes = element_bytes, .micro = micro});
  unsigned times = macro ? 3 : 0;
  return TileDimensions{1u << (shape.width + times), 1u << (shape.height + times)};
}

Expected<void> check(const R300Surface& surface) {
  auto tile = r300_tile(surface.element_bytes, surface.micro, surface.macro);
  if (!tile) return std::unexpected(tile.error());
  if (surface.pitch == 0 || surface.pitch % tile->width)
    return fail("a pitch of {} elements is no multiple of the tile's width of {}", surface.pitch, tile->width);
  return {};
}

uint64_t address(const R300Surface& s, unsigned x, unsigned y, unsigned slice) {
  uint64_t start = slice * s.slice_bytes;
  unsigned element = log2(s.element_bytes);
  if (s.micro == R300MicroTile::linear && !s.macro) return start + ((uint64_t(y) * s.pitch + x) << element);
  Shape shape = shape_of(s);
  // inside a micro tile, or a piece of 64 bytes: rows after each other
  unsigned inside_x = x & ((1u << shape.width) - 1), inside_y = y & ((1u << shape.height) - 1);
  unsigned inside = ((inside_y << shape.width) + inside_x) << element;
  if (!s.macro) return start + (uint64_t(y >> shape.height) * (s.pitch >> shape.width) + (x >> shape.width)) * 32 + inside;
  if (s.micro != R300MicroTile::linear) inside += (x >> shape.width & 1) * 32;
  unsigned r = y >> shape.height, p = x >> shape.piece;
  uint64_t macro_tile = uint64_t(r >> 3) * (s.pitch >> (shape.piece + 2)) + (p >> 2);
  return start + macro_tile * 2048 + piece_index(r, p) * 64 + inside;
}

Element element_at(const R300Surface& s, uint64_t address) {
  ATOLL_ASSERT(s.slice_bytes != 0);
  unsigned slice = unsigned(address / s.slice_bytes);
  uint64_t offset = address % s.slice_bytes;
  Shape shape = shape_of(s);
  if (s.micro == R300MicroTile::linear && !s.macro) {
    uint64_t index = offset >> shape.element;
    return {unsigned(index % s.pitch), unsigned(index / s.pitch), slice};
  }
  unsigned unit = s.micro == R300MicroTile::linear ? 64 : 32;
  unsigned inside = unsigned(offset % unit) >> shape.element;
  unsigned inside_x = inside & ((1u << shape.width) - 1), inside_y = inside >> shape.width;
  if (!s.macro) {
    uint64_t tile = offset / unit, across = s.pitch >> shape.width;
    return {unsigned(tile % across) << shape.width | inside_x, unsigned(tile / across) << shape.height | inside_y, slice};
  }
  uint64_t macro_tile = offset / 2048, across = s.pitch >> (shape.piece + 2);
  unsigned macro_x = unsigned(macro_tile % across), macro_y = unsigned(macro_tile / across);
  unsigned index = unsigned(offset / 64) & 31;
  auto bit = [&](unsigned i) { return index >> i & 1; };
  // piece_index() solved for the low bits of r and p, the bits above being known
  unsigned r0 = bit(0), r2 = bit(4) ^ (macro_x & 1), p1 = bit(3) ^ (macro_y & 1), p0 = bit(1) ^ r2, r1 = bit(2) ^ p1;
  unsigned r = macro_y << 3 | r2 << 2 | r1 << 1 | r0, p = macro_x << 2 | p1 << 1 | p0;
  unsigned x = p << shape.piece | inside_x;
  if (s.micro != R300MicroTile::linear) x |= unsigned(offset / 32 & 1) << shape.width;
  return {x, r << shape.height | inside_y, slice};
}

}  // namespace Atoll::surface
