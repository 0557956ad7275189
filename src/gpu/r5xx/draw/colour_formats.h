// The texels of a colour buffer by RB3D_COLORPITCH.COLORFORMAT and US_OUT_FMT.OUT_FMT, a row for each pair that drivers use.
// The shader components that a format stores, and the bits of the channel mask that go with them: Mesa 22.3.6 r300_texture.c
// (r300_translate_colorformat, r300_translate_out_fmt), r300_state.c (bgra_cmask and the like).
#pragma once
#include <array>
#include <cstdint>

#include "surface/format.h"

namespace Atoll::r5xx {

// For the pipeline's red, green, blue and alpha: the n of the shader output's component Cn, the bit of the channel mask that lets it
// through (0: BLUE_MASK, which is C0's, to 3), and the component of the blend constant.
struct Components {
  std::array<uint8_t, 4> component, mask_bit, constant;
};
struct ColourRow {
  uint32_t colour_format, out_format;
  surface::Layout layout;
  bool is_float;
  surface::Order order;
  Components components;
};
// The row of a pair, or the last row of a colour format whatever the output format is. Null: there is none.
const ColourRow* colour_row(uint32_t colour_format, uint32_t out_format);
const ColourRow* colour_row(uint32_t colour_format);

// Bits of a component as fixed-point output formats have it; 0: floats.
uint8_t source_bits(uint32_t out_format);

}  // namespace Atoll::r5xx
