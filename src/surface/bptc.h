// BPTC blocks (BC6H, BC7): 4x4 texels in 16 bytes, in one of several modes that divide the bits differently. Source: Khronos Data
// Format Specification 1.3, chapter 20.
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::surface {

// Red, green, blue, alpha of texel 0 to 15 (row after row), n / 255. Blocks of no mode are 0.
std::array<uint8_t, 4> decode_bc7_texel(const uint8_t* block, unsigned texel);

// Red, green, blue as IEEE halves. Blocks of reserved modes are 0.
std::array<uint16_t, 3> decode_bc6h_texel(const uint8_t* block, bool is_signed, unsigned texel);

}  // namespace Atoll::surface
