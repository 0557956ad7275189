// Functions of one operand whose steps compiled code does not have in line on hosts without fused multiply-adds: it calls them.
#pragma once
#include <cstdint>

#include "wave/lane_function.h"

namespace Atoll::r500 {

// ROW(name, the steps: an expression of the adaptor e and the operand x)
#define ATOLL_R500_CALLED_FUNCTIONS(ROW)       \
  ROW(exponential, ex2(e, x))                  \
  ROW(logarithm, ln2(e, x))                    \
  ROW(reciprocal_root, rsq(e, x))              \
  ROW(sine, sine_of_turns(e, x))               \
  ROW(cosine, cosine_of_turns(e, x))           \
  ROW(sine_of_angle, sine_of_angle(e, x, 0.0)) \
  ROW(cosine_of_angle, sine_of_angle(e, x, 0.25))

enum class CalledFunction : uint8_t { ATOLL_R500_CALLED_FUNCTIONS(ATOLL_CALLED_NAME) };
const wave::LaneFunctions& called_functions(CalledFunction function);

}  // namespace Atoll::r500
