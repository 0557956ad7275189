// The state that follows from a draw's registers and programs, but for its vertices and user data. The next draws use it as well
// until something that it was found from changes. Drivers change little between small draws.
#pragma once
#include <cstdint>
#include <memory>

#include "gpu/gfx12/draw/draw.h"
#include "gpu/gfx12/draw/pixel_state.h"
#include "gpu/gfx12/draw/primitive_stage.h"

namespace Atoll::gfx12 {

// A draw is executed from it (draw.cpp).
struct DrawState {
  uint64_t number = 0;  // pipeline::WaitingDraw::state
  // Without stages and vertices; it names surfaces. The topology is that of the primitives that stages leave.
  pipeline::Draw draw;
  PrimitiveStage primitive_stage;
  std::shared_ptr<const PixelState> pixels;
  bool may_wait = false;      // its pixels may be drawn later
  bool line_goes_on = false;  // registers show where its lines have ended
  bool is_plain = false;      // it leaves nothing behind: the next draws may have it too
};

// The state as the registers have it. Null: nothing is drawn, or the context is lost.
std::shared_ptr<const DrawState> find_draw_state(DrawContext& context);
// The last one that was kept, if it is that of the next draw; else null.
std::shared_ptr<const DrawState> known_draw_state(const DrawContext& context);
// A plain one is that of the next draws, unless something was reported of it since `report_count` (gpu::Reports::report_count()): that is reported of at
// each draw.
void keep_draw_state(DrawContext& context, std::shared_ptr<const DrawState> state, uint64_t report_count);

// The vertices that a draw asks for, and how primitives are made of them. False: nothing is drawn, or the context is lost.
bool input_of(DrawContext& context, const DrawCall& call, pipeline::Vertices& vertices, pipeline::Assembly& assembly);

}  // namespace Atoll::gfx12
