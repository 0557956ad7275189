// Translates the fixed functions' state, from 3DSTATE commands and the structures that they point to, into the pipeline's fields.
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// Fills clip, rasterization, viewports, scissors, depth and stencil, colour output, targets and samples. Assembly is there already
// (topology, provoking vertex), stages are not. Its targets stand until the next submission, or the next draw that finds others.
// False: the context is lost.
bool find_fixed_function(Context& context, pipeline::Draw& draw);

// True if primitives reach the rasterizer at all, according to 3DSTATE_STREAMOUT.
inline bool renders(const GraphicsState& state) {
  using Streamout = commands::_3DSTATE_STREAMOUT;
  const uint32_t forced = state.get<Streamout::Force_Rendering>();
  if (forced == Streamout::Force_Rendering::Force_Off) return false;
  return forced == Streamout::Force_Rendering::Force_on || !state.get<Streamout::Rendering_Disable>();
}

// True if pixels are shaded: primitives are rasterized, there is a pixel shader, and its run may change something.
bool dispatches_pixels(const GraphicsState& state);
// True if a draw with this state may change the depth buffer.
bool writes_depths(const GraphicsState& state);

// A value that a field has none of: the context is lost, always false.
inline bool refuse(Context& context, std::string_view field, uint32_t value) {
  return context.lose(fmt::format("{} {}: there is no such value", field, value));
}

}  // namespace Atoll::dg1
