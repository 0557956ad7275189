#include "gpu/amd/draw/pixel_frame.h"

namespace Atoll::gpu::amd {

FrameInputs frame_inputs(const PixelInputs& inputs, bool stage_fills) {
  constexpr uint32_t known = barycentric_inputs | 1u << POS_X | 1u << POS_Y | 1u << FRONT_FACE;
  FrameInputs frame;
  frame.fills = stage_fills || inputs.enabled & ~known || inputs.no_perspective;
  frame.centre = inputs.position_is_corner ? 0.0f : 0.5f;
  if (frame.fills) return frame;
  for (unsigned n = 0; n < 3; n++) {
    frame.perspective[n] = int16_t(inputs.vgpr_of[PERSP_SAMPLE + n]);
    frame.linear[n] = int16_t(inputs.vgpr_of[LINEAR_SAMPLE + n]);
  }
  frame.position_x = int16_t(inputs.vgpr_of[POS_X]), frame.position_y = int16_t(inputs.vgpr_of[POS_Y]);
  frame.front_face = int16_t(inputs.vgpr_of[FRONT_FACE]);
  return frame;
}

}  // namespace Atoll::gpu::amd
