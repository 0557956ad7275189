// The R5xx fragment shader as the engines see it: words to steps, registers, float mode. Stateless; a wave has 32 or 64 pixels.
#pragma once
#include "isa/r500/decoded.h"
#include "wave/program.h"

namespace Atoll::r500 {

// Programs run past their last word (for `eval`).
const wave::Isa& fragment_isa();
// Programs whose code stands from GPU address 0 on and ends with instruction `last` (0 to 511): a wave that comes behind it stops
// with Stop::End (US_CODE_ADDR.END_ADDR). Code behind it may be subroutines. `rule`: what US_CONFIG says in all waves, if that is
// known.
inline constexpr uint32_t no_last_instruction = 512;
const wave::Isa& fragment_isa(uint32_t last, ZeroRule rule = ZeroRule::by_register);

}  // namespace Atoll::r500
