// The state that follows from a draw's registers and programs, but for its vertices and user data. The next draws use it as well
// until something that it was found from changes. Drivers change little between small draws.
#pragma once
#include <cstdint>
#include <memory>

#include "gpu/sea_islands/draw/draw.h"
#include "gpu/sea_islands/draw/grouper.h"
#include "gpu/sea_islands/draw/pixel_state.h"
#include "gpu/sea_islands/draw/vertex_stage.h"

namespace Atoll::sea_islands {

// A draw is executed from it (draw.cpp).
struct DrawState {
  uint64_t number = 0;  // pipeline::WaitingDraw::state
  // Without stages; it names surfaces. Without vertices, but where groups of indices are vertices (DrawCall::explicit_mode).
  pipeline::Draw draw;
  StageSelection stages;
  Grouper grouper;  // of those groups
  VertexStage vertex_stage;
  std::shared_ptr<const PixelState> pixels;
  bool staged = false;        // it goes through more than VS and PS
  bool only_reads = false;    // its vertices change nothing that pixels of draws before may see
  bool may_wait = false;      // its pixels may be drawn later
  bool line_goes_on = false;  // registers show where its lines have ended
  // It leaves nothing behind and works on no surface: the next draws may have it too.
  bool is_plain = false;
};

// The state as the registers have it. Null: nothing is drawn, or the context is lost.
std::shared_ptr<const DrawState> find_draw_state(DrawContext& context, const DrawCall& call);
// The last one that was kept, if it is that of the next draw; else null.
std::shared_ptr<const DrawState> known_draw_state(const DrawContext& context);
// A plain one is that of the next draws, unless something was reported of it since `report_count` (gpu::Reports::report_count()): that is reported of at
// each draw.
void keep_draw_state(DrawContext& context, std::shared_ptr<const DrawState> state, uint64_t report_count);

// The vertices that a draw asks for. False: the context is lost.
bool vertices_of(DrawContext& context, const DrawCall& call, pipeline::Vertices& vertices);

}  // namespace Atoll::sea_islands
