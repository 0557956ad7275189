#include "gpu/dg1/draw/draw_state.h"

#include "gpu/dg1/draw/blend_state.h"
#include "gpu/dg1/draw/depth_state.h"
#include "gpu/dg1/draw/raster_state.h"
#include "gpu/dg1/draw/targets.h"
#include "gpu/dg1/draw/viewport_state.h"

namespace Atoll::dg1 {

bool find_fixed_function(Context& context, pipeline::Draw& draw) {
  std::array<uint16_t, 8> targets{};
  const bool has_pixels = dispatches_pixels(context.graphics);
  if (has_pixels && !find_written_targets(context, targets)) return false;
  uint8_t written = 0, read = 0;
  for (unsigned n = 0; n < targets.size(); n++) written |= uint8_t(bool(targets[n]) << n);
  if (has_pixels && !find_read_targets(context, targets, read)) return false;
  if (!find_clip(context, draw) || !find_viewports(context, draw) || !find_rasterization(context, draw) ||
      !find_depth_stencil(context, draw) || !find_colour_output(context, written, draw) ||
      !bind_targets(context, targets, read, draw))
    return false;
  settle_clamps(context, draw);
  return !context.lost();
}

}  // namespace Atoll::dg1
