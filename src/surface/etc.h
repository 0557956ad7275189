// ETC1, ETC2 and EAC blocks: 4x4 texels in 8 or 16 bytes, most significant byte first. Source: Khronos Data Format Specification 1.3,
// chapters 21 (ETC1) and 22 (ETC2, EAC).
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::surface {

// Red, green, blue, alpha of texel (x, y), n / 255. `punch_through`: the block has one bit of alpha.
std::array<uint8_t, 4> decode_etc2_texel(const uint8_t* block, bool punch_through, unsigned x, unsigned y);

// The alpha of texel (x, y) that stands in a block of its own, n / 255.
uint8_t decode_eac_alpha(const uint8_t* block, unsigned x, unsigned y);

// The one component of texel (x, y): n / 2047, or n / 1023 of signed ones.
int decode_eac_11(const uint8_t* block, bool is_signed, unsigned x, unsigned y);

}  // namespace Atoll::surface
