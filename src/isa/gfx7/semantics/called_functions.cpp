#include "isa/gfx7/semantics/called_functions.h"

#include "isa/gfx7/semantics/transcendental.h"
#include "wave/four_lanes.h"

namespace Atoll::gfx7 {
namespace {

using wave::FourFloats, wave::FourLanes;

// The part of an adaptor that elementary functions use.
template <class E>
struct FourAdaptor {
  using Core = E;
  using F32 = typename E::F32;
  using SF32 = typename E::SF32;
  using F64 = typename E::F64;
  using U32 = typename E::U32;
  using S32 = typename E::S32;
  using U64 = typename E::U64;
  E core;
};

template <CalledFunction function, bool careful, bool flushes>
FourFloats compute(FourFloats x) {
  FourAdaptor<FourLanes<careful, flushes>> e;
  const auto operand = e.core.lanes(x);
  FourFloats result;
  if constexpr (function == CalledFunction::reciprocal_root)
    result = amd::reciprocal_root(e, operand).v;
  else if constexpr (function == CalledFunction::exponential)
    result = amd::exponential(e, operand).v;
  else if constexpr (function == CalledFunction::logarithm)
    result = amd::logarithm(e, operand).v;
  else if constexpr (function == CalledFunction::sine)
    result = sine_within_256(e, operand).v;
  else
    result = cosine_within_256(e, operand).v;
  if constexpr (!careful)
    if (e.core.in_doubt()) [[unlikely]]
      return compute<function, true, flushes>(x);
  return result;
}
template <CalledFunction function, bool flushes>
FourFloats compute_exactly(FourFloats x) {
  const FourFloats result = compute<function, false, flushes>(x);
  return _mm_movemask_ps((FourFloats)(result != result)) ? compute<function, true, flushes>(x) : result;
}

template <bool flushes>
const wave::LaneFunction& chosen(CalledFunction function) {
#define ATOLL_CALLED(name)                                                                         \
  case CalledFunction::name: {                                                                     \
    static constexpr wave::LaneFunction made{#name, compute<CalledFunction::name, false, flushes>, \
                                             compute_exactly<CalledFunction::name, flushes>};      \
    return made;                                                                                   \
  }
  switch (function) {
    ATOLL_CALLED(reciprocal_root)
    ATOLL_CALLED(exponential)
    ATOLL_CALLED(logarithm)
    ATOLL_CALLED(sine)
    ATOLL_CALLED(cosine)
  }
#undef ATOLL_CALLED
  __builtin_unreachable();
}

}  // namespace

const wave::LaneFunction& called_function(CalledFunction function, bool flushes) {
  return flushes ? chosen<true>(function) : chosen<false>(function);
}

}  // namespace Atoll::gfx7
