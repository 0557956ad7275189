// After a draw or dispatch, where somebody asks: what it drew into. `Context`: a queue's; `pictures_of(context)` stands in its family's room.
#pragma once
#include <vector>

#include "gpu/device/device.h"

namespace Atoll::gpu::amd {

template <class Context>
void hand_over_targets(Context& c) {
  if (!c.asked_for_draws() || !c.write_back_targets()) return;
  struct Drawn final : DrawnInto {
    explicit Drawn(Context& c) : context(c) {}
    std::vector<Picture> pictures() override { return pictures_of(context); }
    Context& context;
  } drawn(c);
  (*c.after_draw)(c.statistics.draws + c.statistics.dispatches, drawn);
}

}  // namespace Atoll::gpu::amd
