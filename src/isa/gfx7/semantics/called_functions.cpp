#include "isa/gfx7/semantics/called_functions.h"

#include "isa/gfx7/semantics/transcendental.h"
#include "wave/four_functions.h"

namespace Atoll::gfx7 {
namespace {
ATOLL_GFX7_CALLED_FUNCTIONS(ATOLL_LANE_STEPS)
}  // namespace

const wave::LaneFunctions& called_functions(CalledFunction function) {
  switch (function) { ATOLL_GFX7_CALLED_FUNCTIONS(ATOLL_LANE_STEPS_CASE) }
  __builtin_unreachable();
}

}  // namespace Atoll::gfx7
