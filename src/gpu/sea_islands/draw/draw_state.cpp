#include "gpu/sea_islands/draw/draw_state.h"

#include <atomic>

#include "gpu/sea_islands/shaders/shaders.h"

namespace Atoll::sea_islands {

DrawState::Origin DrawState::Origin::of(const DrawContext& c) {
  return {c.registers.changes(), c.write_backs, c.shaders->invalidations()};
}

std::shared_ptr<const DrawState> known_draw_state(const DrawContext& context) {
  const auto& last = context.last_state;
  return last && last->from == DrawState::Origin::of(context) ? last : nullptr;
}

void keep_draw_state(DrawContext& context, const pipeline::Draw& draw, const VertexStage& vertex_stage,
                     std::shared_ptr<const PixelState> pixels, uint64_t said) {
  context.last_state = nullptr;
  if (context.said() != said) return;
  static std::atomic<uint64_t> number{0};  // (of any queue)
  auto state =
      std::make_shared<DrawState>(DrawState{++number, draw, vertex_stage, std::move(pixels), DrawState::Origin::of(context)});
  state->draw.vertices = {};
  state->draw.vertex_stage = nullptr, state->draw.pixel_stage = nullptr, state->draw.lines_end = nullptr;
  context.last_state = std::move(state);
}

}  // namespace Atoll::sea_islands
