// A function of the float in each lane, by itself, that compiled code calls for four lanes at a time: for hosts on which its steps in line
// would be many more than a call's (those without fused multiply-adds).
#pragma once

namespace Atoll::wave {

typedef float FourFloats __attribute__((vector_size(16)));

struct LaneFunction {
  const char* name;
  FourFloats (*quick)(FourFloats x);  // any NaN where one comes out
  FourFloats (*exact)(FourFloats x);  // the one that nan.h says
};

// The function of x, as the recorder writes it down: a node of a root's kind whose `extra` says of which function.
template <class Recorder, class F>
F call_for_lanes(Recorder& recorder, F x, const LaneFunction& function) {
  F result = sqrt(x);
  recorder.nodes.back().extra = &function;
  return result;
}

}  // namespace Atoll::wave
