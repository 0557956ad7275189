#include "isa/r500/semantics/called_functions.h"

#include "isa/r500/semantics/functions.h"
#include "wave/four_functions.h"

namespace Atoll::r500 {
namespace {
ATOLL_R500_CALLED_FUNCTIONS(ATOLL_LANE_STEPS)
}  // namespace

const wave::LaneFunctions& called_functions(CalledFunction function) {
  switch (function) { ATOLL_R500_CALLED_FUNCTIONS(ATOLL_LANE_STEPS_CASE) }
  __builtin_unreachable();
}

}  // namespace Atoll::r500
