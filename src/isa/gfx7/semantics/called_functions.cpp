#include "isa/gfx7/semantics/called_functions.h"

#include "isa/gfx7/semantics/transcendental.h"
#include "wave/four_functions.h"

namespace Atoll::gfx7 {
namespace {

#define ATOLL_STEPS(function, steps)                     \
  struct function {                                      \
    static constexpr const char* name = #function;       \
    template <class A>                                   \
    static typename A::F32 of(A& e, typename A::F32 x) { \
      return steps(e, x);                                \
    }                                                    \
  };
namespace steps {
ATOLL_STEPS(reciprocal_root, amd::reciprocal_root)
ATOLL_STEPS(exponential, amd::exponential)
ATOLL_STEPS(logarithm, amd::logarithm)
ATOLL_STEPS(sine, sine_within_256)
ATOLL_STEPS(cosine, cosine_within_256)
}  // namespace steps
#undef ATOLL_STEPS

}  // namespace

const wave::LaneFunctions& called_functions(CalledFunction function) {
  switch (function) {
    case CalledFunction::reciprocal_root: return wave::lane_functions<steps::reciprocal_root>;
    case CalledFunction::exponential: return wave::lane_functions<steps::exponential>;
    case CalledFunction::logarithm: return wave::lane_functions<steps::logarithm>;
    case CalledFunction::sine: return wave::lane_functions<steps::sine>;
    case CalledFunction::cosine: return wave::lane_functions<steps::cosine>;
  }
  __builtin_unreachable();
}

}  // namespace Atoll::gfx7
