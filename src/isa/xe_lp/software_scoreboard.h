// The rule of --check=waits for Xe-LP: what an instruction may not touch until its SWSB annotation, or one before it, has waited.
// Instructions of the ALU are done in order, and @N waits for the Nth of them before; messages and math are done in any order, and
// each sets a token that $N.dst (it has written) and $N.src (it has read) wait for.
#pragma once
#include <memory>

#include "wave/findings.h"

namespace Atoll::xe_lp {

std::shared_ptr<wave::WaitRule> software_scoreboard();

}  // namespace Atoll::xe_lp
