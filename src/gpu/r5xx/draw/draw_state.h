// A draw's state from registers and programs, without its vertices and the constants of its programs: found for one draw, and valid
// for the next as long as nothing changes that it was found from. Drivers change little between small draws.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "gpu/amd/known_state.h"
#include "gpu/r5xx/draw/pixel_stage.h"
#include "gpu/r5xx/draw/raster_state.h"
#include "gpu/r5xx/draw/targets.h"
#include "pipeline/draw.h"

namespace Atoll::r5xx {

class DrawEngine;

struct DrawState {
  uint64_t number = 0;  // pipeline::WaitingDraw::state
  pipeline::Draw draw;  // without vertices and stages
  VertexOutputs outputs;
  std::array<ColourBuffer, 4> buffers;
  std::array<SurfaceTarget*, 4> colour{};  // alive until DrawEngine::write_back()
  SurfaceTarget* depth = nullptr;
  std::shared_ptr<Shader> pixel_shader, vertex_shader;  // vertex_shader: null where the vertex engine is bypassed
  PixelState pixels;
  bool may_wait = false;  // its draws' pixels may be drawn later
  bool clears = false;    // finding it has cleared tiles: it is for one draw
};

// Null: the context is lost.
std::shared_ptr<const DrawState> find_draw_state(DrawEngine& engine, Context& context, pipeline::Workers& workers,
                                                 const PrimitiveRow& primitive);

// The origin of a draw's state: its kind of primitive, and how often registers and the code of programs have changed.
struct DrawOrigin {
  const PrimitiveRow* primitive = nullptr;
  uint64_t registers = 0, vertex_code = 0, pixel_code = 0;
  bool operator==(const DrawOrigin&) const = default;
  static DrawOrigin of(const Context& c, const PrimitiveRow& primitive) {
    return {&primitive, c.registers.changes(), c.vertex_memory.code_changes, c.pixel_memory.code_changes};
  }
};
using KnownDrawState = gpu::amd::KnownState<DrawState, DrawOrigin>;

}  // namespace Atoll::r5xx
