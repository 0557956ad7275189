// Tiled addresses of GFX12 (RDNA4): blocks of 256 bytes, 4, 64 or 256 KiB, in which every address bit is one bit of the element's
// column, row, slice or sample. Blocks follow each other in rows; nothing depends on how many channels a chip has, but for the bits
// of a surface's start that lie inside a block, which every offset inside a block is exclusive-ored with.
// Source: Mesa 25.0.7 src/amd/addrlib/src/gfx12/gfx12SwizzlePattern.h, gfx12addrlib.cpp (HwlComputeSurfaceAddrFromCoordTiled,
// HwlCalcBlockSize). RDNA4 ISA 10.5 leaves the bits of SW_MODE out.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/expected.h"
#include "surface/banked_tiling.h"

namespace Atoll::surface {

// In the order of the T#'s SW_MODE. The last three also take bits of the slice.
enum class Gfx12Swizzle : uint8_t {
  linear,
  block_256b_2d,
  block_4kb_2d,
  block_64kb_2d,
  block_256kb_2d,
  block_4kb_3d,
  block_64kb_3d,
  block_256kb_3d,
};
inline constexpr int gfx12_swizzle_count = int(Gfx12Swizzle::block_256kb_3d) + 1;
constexpr bool is_3d(Gfx12Swizzle swizzle) { return swizzle >= Gfx12Swizzle::block_4kb_3d; }
// Logarithm of a block's bytes; of linear surfaces that of what their rows are padded to.
unsigned block_bits(Gfx12Swizzle swizzle);

// Elements of a block.
struct Gfx12Block {
  unsigned width = 1, height = 1, depth = 1;
};
Gfx12Block block_of(Gfx12Swizzle swizzle, unsigned element_bytes, unsigned samples);
// The same of its first 256 bytes.
Gfx12Block small_block_of(Gfx12Swizzle swizzle, unsigned element_bytes, unsigned samples);

// One level. Not linear: those are LinearSurfaces (texture.h).
struct Gfx12Surface {
  Gfx12Swizzle swizzle = Gfx12Swizzle::block_64kb_2d;
  unsigned element_bytes = 4;                      // of a texel, or of a block where the format is compressed: 1, 2, 4, 8 or 16
  unsigned samples = 1;                            // 1, 2, 4 or 8; of 3D blocks 1
  unsigned blocks_in_row = 1, rows = 1;            // rows of blocks in a slice
  uint64_t slice_bytes = 0;                        // from one slice of blocks to the next
  unsigned first_x = 0, first_y = 0, first_z = 0;  // where element 0 stands in its block: of levels that share one, and of views
  uint32_t start_bits = 0;                         // those of the surface's start that lie inside a block
};

// An error if the numbers contradict each other.
Expected<void> check(const Gfx12Surface& surface);
// Bytes from the surface's start, which begins with a block. Coordinates are below those of the rows and blocks.
uint64_t address(const Gfx12Surface& surface, const ElementPlace& place);

}  // namespace Atoll::surface
