// Tiled addresses of GPUs whose memory is spread over pipes (channels) and banks: Southern, Sea and Volcanic Islands.
// A micro tile is 8x8 elements; a macro tile is as many micro tiles as reach every pipe and bank bank_width x bank_height
// times. Elements follow each other inside one pipe and bank, and the bits that name pipe and bank are put in between.
// Sources: Mesa 22.3.6 src/amd/addrlib (egbaddrlib.cpp: macro and micro tiled addresses, banks; siaddrlib.cpp: pipes;
// ciaddrlib.cpp: tile split; addrlib1.cpp: order of elements in a micro tile); Sea Islands: GB_TILE_MODE, GB_MACROTILE_MODE.
#pragma once
#include <cstdint>
#include <span>

#include "base/expected.h"

namespace Atoll::surface {

// How elements lie in memory. Thick tiles are 4 slices deep, extra thick ones 8. The slices of a 2D mode are rotated through
// the banks, those of a 3D mode through pipes and banks; partially resident (PRT) ones not, and their plain form does not
// depend on where a macro tile stands.
enum class Arrangement : uint8_t {
  linear,
  micro_thin,
  micro_thick,  // micro tiles only ("1D")
  macro_2d_thin,
  macro_2d_thick,
  macro_2d_extra_thick,
  macro_3d_thin,
  macro_3d_thick,
  macro_3d_extra_thick,
  resident_thin,
  resident_thick,
  resident_2d_thin,
  resident_2d_thick,
  resident_3d_thin,
  resident_3d_thick,
};
inline constexpr int arrangement_count = int(Arrangement::resident_3d_thick) + 1;

struct ArrangementRow {
  Arrangement arrangement;
  uint8_t thickness;  // slices in a micro tile
  bool macro;
  enum class Rotation : uint8_t { none, banks, pipes_and_banks } rotation;  // from slice to slice
  bool split_rotates;                                                       // the parts of a split tile lie in other banks
  bool position_free;  // pipe and bank depend on the place inside the macro tile only
};
const ArrangementRow& row(Arrangement arrangement);

// The order of the elements of a micro tile.
enum class MicroOrder : uint8_t {
  display,  // rows, by element size, as a display controller likes them; not for 16-byte elements of colour buffers
  thin,     // x and y bits take turns
  depth,    // as thin; the samples of an element follow each other
  rotated,  // display with x and y exchanged; up to 8 bytes an element
  thick,    // x, y and slice bits take turns
};

// The bits of the micro tile's position that choose its pipe. Named as the register reference does: pipes, then (for 8 and 16) the
// area that a pipe owns among shader engines and inside one.
enum class PipeConfig : uint8_t {
  p2,
  p4_8x16,
  p4_16x16,
  p4_16x32,
  p4_32x32,
  p8_16x32_8x16,
  p8_16x32_16x16,
  p8_32x32_8x16,
  p8_32x32_16x16,
  p8_32x32_16x32,
  p8_32x64_32x32,
  p16_32x32_8x16,
  p16_32x32_16x16,
};
inline constexpr int pipe_config_count = int(PipeConfig::p16_32x32_16x16) + 1;
unsigned pipes(PipeConfig config);
// The pipe of the micro tile in that column and row of tiles, before swizzles and rotations.
unsigned pipe_of_tile(PipeConfig config, unsigned column, unsigned row);

struct BankedTiling {
  Arrangement arrangement = Arrangement::linear;
  MicroOrder order = MicroOrder::thin;
  PipeConfig pipe_config = PipeConfig::p2;
  unsigned pipe_interleave_bytes = 256;                        // that follow each other in a pipe
  unsigned banks = 2;                                          // 2, 4, 8, 16
  unsigned bank_width = 1, bank_height = 1, macro_aspect = 1;  // 1, 2, 4, 8
  unsigned tile_split_bytes = 1024;                            // thin tiles larger than this lie in several slices
  unsigned pipe_swizzle = 0, bank_swizzle = 0;  // xored onto the pipe and (before the slice's rotation) added to the bank
};

struct BankedSurface {
  BankedTiling tiling;
  unsigned element_bytes = 4;  // of a texel, or of a block where the format is compressed: 1, 2, 4, 8 or 16 (12 if linear)
  unsigned pitch = 0;          // elements; multiples of the macro tile (micro tile, 1)
  unsigned height = 0;
  unsigned samples = 1;  // stored (fragments, for a surface whose samples point to them)
};

// Elements that pitch and height must be multiples of.
struct MacroTile {
  unsigned width, height;
};
MacroTile macro_tile(const BankedTiling& tiling);

// The bytes after which a tile of `element_bytes` and `samples` is split: the tile split of a depth surface as it is stored
// (`depth_split_bytes`), of a colour surface max(256, sample_split * bytes of one sample's tile), neither beyond a DRAM row.
unsigned tile_split(bool depth, unsigned depth_split_bytes, unsigned sample_split, unsigned element_bytes, unsigned thickness,
                    unsigned row_bytes);
// The one of the 16 bank settings that such a surface takes (GB_MACROTILE_MODE): by the bytes of a tile after the split, 64 → 0, 128 → 1
// and so on; partially resident ones 8 further.
unsigned bank_setting(unsigned tile_split_bytes, unsigned element_bytes, unsigned thickness, unsigned samples, bool resident);

// An error if the numbers contradict each other (no power of two, a pitch that is no multiple, …).
Expected<void> check(const BankedSurface& surface);

struct ElementPlace {
  unsigned x = 0, y = 0, slice = 0, sample = 0;
  friend bool operator==(const ElementPlace&, const ElementPlace&) = default;
};

// The byte of an element from the surface's start. The surface has passed check(), x and y lie inside pitch and height.
uint64_t address(const BankedSurface& surface, const ElementPlace& place);
// The inverse, for any byte of the element. Searches a macro tile: for tools and tests, not for drawing.
Expected<ElementPlace> element_at(const BankedSurface& surface, uint64_t address);

// Bytes from slice to slice; thick tiles hold `thickness` slices in `thickness` times this.
uint64_t slice_bytes(const BankedSurface& surface);

// Addresses of the elements x, x + 1, … of a row.
void row_addresses(const BankedSurface& surface, ElementPlace first, std::span<uint64_t> addresses);

}  // namespace Atoll::surface
