// Functions of one operand whose steps compiled code does not have in line on hosts without fused multiply-adds: it calls them.
#pragma once
#include <cstdint>
#include <type_traits>

#include "isa/amd/semantics/elementary.h"
#include "wave/lane_function.h"

namespace Atoll::gfx7 {

enum class CalledFunction : uint8_t { reciprocal_root, exponential, logarithm, sine, cosine };
// Rounds to the nearest; `flushes`: f32's denormals are zeros.
const wave::LaneFunction& called_function(CalledFunction function, bool flushes);

// The function of x: its steps, or a call where the recorder writes code for such a host.
template <class A, class F, class Steps>
F called_or(A& e, F x, [[maybe_unused]] CalledFunction function, Steps steps) {
  if constexpr (requires { e.core.nodes; } && std::is_same_v<F, typename A::F32>)
    if (!amd::fma_is_cheap(e) && amd::symmetric(e))
      return wave::call_for_lanes(e.core, x, called_function(function, e.core.float_mode().flush_in32));
  return steps(x);
}

}  // namespace Atoll::gfx7
