// Functions of one operand whose steps compiled code does not have in line on hosts without fused multiply-adds: it calls them.
#pragma once
#include <cstdint>

#include "wave/lane_function.h"

namespace Atoll::gfx7 {

// ROW(name, the steps: an expression of the adaptor e and the operand x)
#define ATOLL_GFX7_CALLED_FUNCTIONS(ROW)           \
  ROW(reciprocal_root, amd::reciprocal_root(e, x)) \
  ROW(exponential, amd::exponential(e, x))         \
  ROW(logarithm, amd::logarithm(e, x))             \
  ROW(sine, sine_within_256(e, x))                 \
  ROW(cosine, cosine_within_256(e, x))

enum class CalledFunction : uint8_t { ATOLL_GFX7_CALLED_FUNCTIONS(ATOLL_CALLED_NAME) };
const wave::LaneFunctions& called_functions(CalledFunction function);

}  // namespace Atoll::gfx7
