#include "isa/r500/semantics/called_functions.h"

#include "isa/r500/semantics/functions.h"
#include "wave/four_functions.h"

namespace Atoll::r500 {
namespace {

#define ATOLL_STEPS(function, steps)                     \
  struct function {                                      \
    static constexpr const char* name = #function;       \
    template <class A>                                   \
    static typename A::F32 of(A& e, typename A::F32 x) { \
      return steps;                                      \
    }                                                    \
  };
namespace steps {
ATOLL_STEPS(exponential, ex2(e, x))
ATOLL_STEPS(logarithm, ln2(e, x))
ATOLL_STEPS(reciprocal_root, rsq(e, x))
ATOLL_STEPS(sine, sine_of_turns(e, x))
ATOLL_STEPS(cosine, cosine_of_turns(e, x))
ATOLL_STEPS(sine_of_angle, r500::sine_of_angle(e, x, 0.0))
ATOLL_STEPS(cosine_of_angle, r500::sine_of_angle(e, x, 0.25))
}  // namespace steps
#undef ATOLL_STEPS

}  // namespace

const wave::LaneFunctions& called_functions(CalledFunction function) {
  switch (function) {
    case CalledFunction::exponential: return wave::lane_functions<steps::exponential>;
    case CalledFunction::logarithm: return wave::lane_functions<steps::logarithm>;
    case CalledFunction::reciprocal_root: return wave::lane_functions<steps::reciprocal_root>;
    case CalledFunction::sine: return wave::lane_functions<steps::sine>;
    case CalledFunction::cosine: return wave::lane_functions<steps::cosine>;
    case CalledFunction::sine_of_angle: return wave::lane_functions<steps::sine_of_angle>;
    case CalledFunction::cosine_of_angle: return wave::lane_functions<steps::cosine_of_angle>;
  }
  __builtin_unreachable();
}

}  // namespace Atoll::r500
