// Standard tiles of Intel's GPUs from Gen9 to Gen12: Yf of 4 KiB and Ys of 64 KiB, which sparse images are bound by. Each bit of an
// offset inside a tile is one of the byte's column, its row, its slice or its sample. Tiles follow each other in rows; slices of tiles
// stand in the same picture of rows, `slice_rows` below each other. The smallest levels share a tile, the mip tail.
// Sources: Intel's gmmlib 22.3.0 CpuSwizzleBlt.c (INTEL_TILE_YF_*, INTEL_TILE_YS_*: the bits); Mesa 25.0.7 isl.c
// (isl_tiling_get_info, isl_tiling_get_intratile_offset_el, icl_std_y_2d_miptail_offset_el, icl_std_y_3d_miptail_offset_el).
#pragma once
#include <cstdint>
#include <optional>

#include "base/expected.h"
#include "surface/banked_tiling.h"

namespace Atoll::surface {

enum class IntelStandardTile : uint8_t { yf, ys };
constexpr unsigned tile_bits(IntelStandardTile tile) { return tile == IntelStandardTile::yf ? 12 : 16; }

// One level.
struct IntelStandardSurface {
  IntelStandardTile tile = IntelStandardTile::ys;
  bool volume = false;         // tiles have slices, too
  unsigned element_bytes = 4;  // 1, 2, 4, 8 or 16
  // Samples of a texel: they stand in a tile's highest bits, or `interleaved`, as those of an IntelSurface do.
  uint32_t samples = 1;
  bool interleaved = false;
  uint32_t pitch_bytes = 0;                        // whole tiles
  uint32_t slice_rows = 0;                         // elements from one slice of tiles to the next, whole tiles
  uint32_t first_x = 0, first_y = 0, first_z = 0;  // the element where the level begins; first_z is of volumes
};

// Elements of a tile, and its slices (of volumes).
struct IntelStandardExtent {
  unsigned width = 1, height = 1, depth = 1;
};
IntelStandardExtent extent_of(const IntelStandardSurface& surface);

// An error says what is no such surface.
Expected<void> check(const IntelStandardSurface& surface);
// Bytes from the surface's start. `place` with its samples apart: of interleaved ones it is an element (interleaved_place()).
uint64_t address(const IntelStandardSurface& surface, const ElementPlace& place);

// The place in the mip tail's tile where level `n` begins. Nothing: the tail has no such level.
struct IntelTailPlace {
  unsigned x, y, z;
};
std::optional<IntelTailPlace> tail_place(const IntelStandardSurface& surface, unsigned n);

}  // namespace Atoll::surface
