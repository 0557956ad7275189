// What a draw's registers and programs come to, but for its vertices and the constants of its programs: found for one draw, and the
// next one's as well as long as nothing that it was found from changes. Drivers change little between small draws.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "gpu/r5xx/draw/pixel_stage.h"
#include "gpu/r5xx/draw/raster_state.h"
#include "gpu/r5xx/draw/targets.h"
#include "pipeline/draw.h"

namespace Atoll::r5xx {

class DrawEngine;

struct DrawState {
  uint64_t number = 0;  // pipeline::WaitingDraw::state
  const PrimitiveRow* primitive = nullptr;
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

// The last one, as long as it is the next draw's.
class KnownDrawState {
public:
  // Null: it is not the one of a draw of `primitive`.
  std::shared_ptr<const DrawState> of(const Context& context, const PrimitiveRow& primitive) const {
    return state_ && state_->primitive == &primitive && from_ == Origin::of(context) ? state_ : nullptr;
  }
  // `reports`: what the context had said when the state began to be found. One that was reported of is reported of at each draw.
  void keep(std::shared_ptr<const DrawState> state, const Context& context, uint64_t reports) {
    const bool is_kept = !state->clears && context.said() == reports;
    state_ = is_kept ? std::move(state) : nullptr;
    from_ = Origin::of(context);
  }
  void forget() { state_ = nullptr; }

private:
  struct Origin {
    uint64_t registers = 0, vertex_code = 0, pixel_code = 0;  // changes
    bool operator==(const Origin&) const = default;
    static Origin of(const Context& c) {
      return {c.registers.changes(), c.vertex_memory.code_changes, c.pixel_memory.code_changes};
    }
  };
  std::shared_ptr<const DrawState> state_;
  Origin from_;
};

}  // namespace Atoll::r5xx
