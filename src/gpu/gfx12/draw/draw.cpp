#include "gpu/gfx12/draw/draw.h"

namespace Atoll::gfx12 {

bool draw(DrawContext& context, const DrawCall& call) {
  if (!call.mesh && (!call.count || !call.instances)) return true;
  return context.lose("draws of GFX12 are not executed yet");
}

std::vector<gpu::Picture> pictures(DrawContext&) { return {}; }

}  // namespace Atoll::gfx12
