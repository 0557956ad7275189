// Blocks of 4x4 texels: BC1 to BC7 (DXT1, DXT3, DXT5, RGTC, BPTC), ETC2 and EAC; FXT1, of 8x4; pairs of texels that share their chroma. Source:
// Khronos Data Format Specification 1.3, chapters 18 (S3TC) and 19 (RGTC). The specification defines each texel as a real number; here it is that number rounded to a float.
// The precision of chips' interpolated colours is not public; the APIs allow an error of 1/255 and more.
#pragma once
#include <array>
#include <cstdint>

#include "surface/format.h"

namespace Atoll::surface {

// Components of texel (x, y) of a block, x and y inside of it: red, green, blue, alpha as floats before the format's order; absent
// ones are not filled in (a bc4 block has red only). `number` is unorm, snorm (bc4, bc5, bc6h, eac) or srgb (bc1 to bc3, bc7, etc2).
std::array<float, 4> decode_block_texel(Layout layout, Number number, const uint8_t* block, unsigned x, unsigned y);

}  // namespace Atoll::surface
