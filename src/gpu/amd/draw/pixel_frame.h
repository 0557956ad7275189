// The common part of the code round a pixel shader whose waves write their pixels themselves (pixel/framed_program.h): the input VGPRs
// that it loads from the payload, and the exports that it writes to a target.
#pragma once
#include <array>

#include "gpu/amd/draw/pixel_exports.h"
#include "gpu/amd/draw/pixel_inputs.h"
#include "wave/float_mode.h"

namespace Atoll::gpu::amd {

struct FrameInputs {
  // The first VGPR of an input; -1: it is not loaded. With one sample all places of barycentrics are the same.
  static constexpr int16_t none = -1;
  std::array<int16_t, 3> perspective{none, none, none}, linear{none, none, none};
  int16_t position_x = none, position_y = none, front_face = none;
  bool fills = false;   // the stage itself fills all of them
  float centre = 0.5f;  // POS_X and POS_Y of a pixel, from its corner
  bool operator==(const FrameInputs&) const = default;
};

struct FrameExport {
  bool is_made = false;
  uint8_t number = 0;  // MRT0 and so on
  ExportShape shape = ExportShape::dwords;
  uint8_t enabled = 0xf;         // dwords that are exported; the others are 0
  bool alpha_is_second = false;  // of the two dwords that are
  bool operator==(const FrameExport&) const = default;
};

// True if a program's floats, as it starts, are what the pipeline's inputs and blending are made with: to the nearest, and without
// denormals where those make no difference.
constexpr bool is_usual(const wave::FloatMode& mode) {
  return mode.round32 == wave::Rounding::NearestEven && mode.flush_in32 && mode.flush_out32;
}

// `stage_fills`: whatever the inputs are, the stage has to fill them itself.
FrameInputs frame_inputs(const PixelInputs& inputs, bool stage_fills);

}  // namespace Atoll::gpu::amd
