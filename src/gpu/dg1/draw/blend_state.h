// BLEND_STATE and COLOR_CALC_STATE: what becomes of a pixel's colours.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// The manual's 3D_Compare_Function, of all of 3 bits.
pipeline::Compare compare_of(uint32_t function);

// `targets`: those that pixels write, a bit each; the others' write masks are 0. False: the context is lost.
bool find_colour_output(Context& context, uint8_t targets, pipeline::Draw& draw);

// Clamps of colours to 0..1 or -1..1 where the format of a bound target holds more: they stand without blending as well. Reports what is
// not modelled: those to -1..1 of what blending leaves.
void settle_clamps(Context& context, pipeline::Draw& draw);

}  // namespace Atoll::dg1
