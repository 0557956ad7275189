// Texel formats of the texture units: TX_FORMAT1.TXFORMAT with TX_FORMAT2.TXFORMAT_MSB. R5xx Acceleration v1.3, 10.9; Mesa 22.3.6
// src/gallium/drivers/r300/r300_reg.h (the formats' components from the lowest bits up; DXT1, DXT3, DXT5, Y8X24).
#pragma once
#include <cstdint>

#include "gpu/r5xx/state.h"
#include "surface/texel.h"

namespace Atoll::r5xx {

struct TexelFormat {
  surface::Format format;
  surface::Layout border;         // of TX_BORDER_COLOR
  bool readable = true;           // there is such a format, and it can be read
  const char* unknown = nullptr;  // what the registers ask for besides and is left out (a static text); or why it is not readable
};
// The format of unit `n`.
TexelFormat texel_format_of(const RegisterFile& registers, unsigned n);

// TX_BORDER_COLOR as the shader sees it.
surface::Colour border_colour(const TexelFormat& format, uint32_t bits);

}  // namespace Atoll::r5xx
