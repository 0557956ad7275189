// A function of the float in each lane, by itself, that compiled code calls for four lanes at a time: for hosts on which its steps in line
// would be many more than a call's (those without fused multiply-adds).
#pragma once
#include <type_traits>

#include "base/host_level.h"
#include "wave/float_mode.h"

namespace Atoll::wave {

typedef float FourFloats __attribute__((vector_size(16)));

struct LaneFunction {
  const char* name;
  FourFloats (*quick)(FourFloats x);  // any NaN where one comes out
  FourFloats (*exact)(FourFloats x);  // the one that nan.h says
};
// They round to the nearest. Denormals of f32 are numbers, or zeros as operands and results alike.
struct LaneFunctions {
  LaneFunction keeping, flushing;
  const LaneFunction& in(bool flushes) const { return flushes ? flushing : keeping; }
};

// True if the host has an instruction for fma: the recorder writes code for this host, too.
template <class A>
bool fma_is_cheap(A&) {
#ifdef __FMA__
  return true;
#else
  if constexpr (requires { A::Core::fma_is_dear; })
    return false;
  else
    return host_level() != HostLevel::Baseline;
#endif
}

// Rounding to the nearest, and denormals that are either numbers or zeros throughout.
template <class A>
bool symmetric(A& e) {
  const auto& mode = e.core.float_mode();
  using enum Rounding;
  return mode.round32 == NearestEven && mode.round64 == NearestEven && mode.flush_in32 == mode.flush_out32;
}

// The function of x, as the recorder writes it down: a node of a root's kind whose `extra` says of which function.
template <class Recorder, class F>
F call_for_lanes(Recorder& recorder, F x, const LaneFunction& function) {
  F result = sqrt(x);
  recorder.nodes.back().extra = &function;
  return result;
}

// A function of x: its steps, or a call where the recorder writes code for a host without fused multiply-adds.
template <class A, class F, class Steps>
F called_or(A& e, F x, [[maybe_unused]] const LaneFunctions& functions, Steps steps) {
  if constexpr (requires { e.core.nodes; } && std::is_same_v<F, typename A::F32>)
    if (!fma_is_cheap(e) && symmetric(e)) return call_for_lanes(e.core, x, functions.in(e.core.float_mode().flush_in32));
  return steps(x);
}

}  // namespace Atoll::wave

// For the rows of an ISA's called_functions.h, (name, the steps: an expression of e and x): a name of CalledFunction, and name_or_call(e, x).
#define ATOLL_CALLED_NAME(function, steps) function,
#define ATOLL_OR_CALL(function, steps)                                                                          \
  template <class A, class F>                                                                                   \
  F function##_or_call(A& e, F operand) {                                                                       \
    return wave::called_or(e, operand, called_functions(CalledFunction::function), [&](F x) { return steps; }); \
  }
