// FXT1 blocks: 8x4 texels in 16 bytes, in one of four modes that the uppermost bits name. Sources: GL_3DFX_texture_compression_FXT1 (OpenGL's
// registry, number 206) for the modes, their fields and indices; for what it leaves open, that is how five and six bits become eight and how
// blends are rounded, Mesa 24.0 src/util/format/u_format_fxt1.c, whose order of colours is Intel's too (basis_universal,
// basisu_transcoder_internal.h, BASISU_USE_ORIGINAL_3DFX_FXT1_ENCODING).
#pragma once
#include <array>
#include <cstdint>

namespace Atoll::surface {

// Red, green, blue, alpha of texel (x, y), n / 255; x is below 8 and y below 4 (higher bits are not looked at).
std::array<uint8_t, 4> decode_fxt1_texel(const uint8_t* block, unsigned x, unsigned y);

}  // namespace Atoll::surface
