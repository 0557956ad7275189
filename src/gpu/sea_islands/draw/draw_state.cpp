#include "gpu/sea_islands/draw/draw_state.h"

#include "gpu/sea_islands/shaders/shaders.h"

namespace Atoll::sea_islands {

static DrawOrigin origin_of(const DrawContext& c) { return {c.registers.changes(), c.write_backs, c.shaders->invalidations()}; }

std::shared_ptr<const DrawState> known_draw_state(const DrawContext& context) {
  return context.known_state.of(origin_of(context));
}

void keep_draw_state(DrawContext& context, const pipeline::Draw& draw, const VertexStage& vertex_stage,
                     std::shared_ptr<const PixelState> pixels, uint64_t said) {
  context.known_state.forget();
  if (context.said() != said) return;
  auto state = std::make_shared<DrawState>(DrawState{pipeline::new_draw_state(), draw, vertex_stage, std::move(pixels)});
  state->draw.vertices = {};
  state->draw.vertex_stage = nullptr, state->draw.pixel_stage = nullptr, state->draw.lines_end = nullptr;
  context.known_state.keep(std::move(state), origin_of(context));
}

}  // namespace Atoll::sea_islands
