// The rule of --check=waits for Sea Islands (isa/amd/wait_counters.h).
#pragma once
#include <memory>

#include "wave/findings.h"

namespace Atoll::gfx7 {

std::shared_ptr<wave::WaitRule> wait_counters();

}  // namespace Atoll::gfx7
