// An Xe-LP EU thread as the engines see it: words to steps, registers, float mode. Stateless; a wave has 32 channels.
#pragma once
#include "wave/program.h"

namespace Atoll::xe_lp {

const wave::Isa& isa();

}  // namespace Atoll::xe_lp
