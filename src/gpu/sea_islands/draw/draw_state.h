// What a draw's registers and programs come to, but for its vertices and user data: found for one draw, and the next one's as well as
// long as nothing that it was found from changes. Drivers change little between small draws.
#pragma once
#include <cstdint>
#include <memory>

#include "gpu/sea_islands/draw/pixel_state.h"
#include "gpu/sea_islands/draw/vertex_stage.h"

namespace Atoll::sea_islands {

// Of draws that go through VS and PS alone, and whose pixels may be drawn later.
struct DrawState {
  uint64_t number = 0;  // pipeline::WaitingDraw::state
  pipeline::Draw draw;  // without vertices and stages; it names surfaces
  VertexStage vertex_stage;
  std::shared_ptr<const PixelState> pixels;
};

// The last one, if it is that of the next draw; else null.
std::shared_ptr<const DrawState> known_draw_state(const DrawContext& context);
// It is that of the next draws, unless something was reported of it since `said` (gpu::Reports::said()): that is reported of at each
// draw.
void keep_draw_state(DrawContext& context, const pipeline::Draw& draw, const VertexStage& vertex_stage,
                     std::shared_ptr<const PixelState> pixels, uint64_t said);

}  // namespace Atoll::sea_islands
