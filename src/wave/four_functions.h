// LaneFunctions made of the steps that semantics are written in, compiled for four lanes (four_lanes.h).
#pragma once
#include "wave/four_lanes.h"

namespace Atoll::wave {

// The part of an adaptor that functions of floats use.
template <class E>
struct FourAdaptor {
  using Core = E;
  using F32 = typename E::F32;
  using SF32 = typename E::SF32;
  using F64 = typename E::F64;
  using U32 = typename E::U32;
  using S32 = typename E::S32;
  using U64 = typename E::U64;
  using M = typename E::M;
  E core;
};

// `Steps`: a struct with a `name` and a static member `of(e, x)`.
template <class Steps, bool careful, bool flushes>
FourFloats four_results(FourFloats x) {
  FourAdaptor<FourLanes<careful, flushes>> e;
  const FourFloats result = Steps::of(e, e.core.lanes(x)).v;
  if constexpr (!careful)
    if (e.core.in_doubt()) [[unlikely]]
      return four_results<Steps, true, flushes>(x);
  return result;
}
template <class Steps, bool flushes>
FourFloats four_exact_results(FourFloats x) {
  const FourFloats result = four_results<Steps, false, flushes>(x);
  return _mm_movemask_ps((FourFloats)(result != result)) ? four_results<Steps, true, flushes>(x) : result;
}
template <class Steps>
inline constexpr LaneFunctions lane_functions{{Steps::name, four_results<Steps, false, false>, four_exact_results<Steps, false>},
                                              {Steps::name, four_results<Steps, false, true>, four_exact_results<Steps, true>}};

}  // namespace Atoll::wave

// For the rows of an ISA's called_functions.h, (name, the steps: an expression of e and x): the steps, and a case of called_functions().
#define ATOLL_LANE_STEPS(function, steps)                \
  struct function##_steps {                              \
    static constexpr const char* name = #function;       \
    template <class A>                                   \
    static typename A::F32 of(A& e, typename A::F32 x) { \
      return steps;                                      \
    }                                                    \
  };
#define ATOLL_LANE_STEPS_CASE(function, steps) \
  case CalledFunction::function: return wave::lane_functions<function##_steps>;
