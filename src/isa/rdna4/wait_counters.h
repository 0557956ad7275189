// The rule of --check=waits for RDNA4 (isa/amd/wait_counters.h).
#pragma once
#include <memory>

#include "wave/findings.h"

namespace Atoll::rdna4 {

std::shared_ptr<wave::WaitRule> wait_counters(unsigned wave_size);

}  // namespace Atoll::rdna4
