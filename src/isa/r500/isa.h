// The R5xx fragment shader as the engines see it: words to steps, registers, float mode. Stateless; a wave has 32 pixels.
#pragma once
#include "wave/program.h"

namespace Atoll::r500 {

const wave::Isa& fragment_isa();

}  // namespace Atoll::r500
