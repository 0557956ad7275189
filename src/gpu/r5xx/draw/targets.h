// Colour and depth buffers as the registers describe them: RB3D_COLOROFFSET, RB3D_COLORPITCH and US_OUT_FMT, or ZB_DEPTHOFFSET,
// ZB_DEPTHPITCH and ZB_FORMAT. R5xx Acceleration v1.3, 10.2, 10.10, 10.12.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw/surface_target.h"
#include "surface/format.h"

namespace Atoll::r5xx {

// One render target. Components: the pipeline's red, green, blue, alpha are the shader output's components C2, C1, C0, C3 (the
// names that the manual's masks and constants have) unless the row of the format says otherwise.
struct ColourBuffer {
  bool bound = false;
  SurfacePlace place;
  surface::Format format;
  std::array<uint8_t, 4> component{2, 1, 0, 3};  // of the pipeline's red, green, blue, alpha: the number n of Cn
  std::array<uint8_t, 4> constant{2, 1, 0, 3};   // and of the blend constant's
  std::array<uint8_t, 4> shader_channel{};       // of the pipeline's components: the shader's channel, 0 red to 3 alpha
  uint8_t write_mask = 0;
  bool is_float = false;
  uint8_t source_bits = 0;  // of a component as the shader's output has it (US_OUT_FMT); of floats 0
};

// The area to which scissors keep all drawing: pixels.
struct Area {
  unsigned width = 0, height = 0;
};
Area scissor_area_of(const RegisterFile& registers);

// Render target n for a draw with `samples`; not bound if it is not used. Nothing: its registers are invalid, and the
// context is lost.
std::optional<ColourBuffer> colour_buffer_of(Context& context, unsigned n, unsigned samples);

struct DepthBuffer {
  SurfacePlace place;
  unsigned bits = 24;  // 16 or 24
  pipeline::DepthCode code = pipeline::DepthCode::unorm;
};
std::optional<DepthBuffer> depth_buffer_of(Context& context, unsigned samples);

// The place that RB3D_AARESOLVE_OFFSET and _PITCH name; format and tiling are render target 0's.
std::optional<ColourBuffer> resolve_buffer_of(Context& context);

}  // namespace Atoll::r5xx
