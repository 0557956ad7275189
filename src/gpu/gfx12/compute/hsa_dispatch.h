// HSA dispatches as commands for a compute queue: what the hardware's firmware makes of an AQL packet and the kernel's descriptor.
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hsa/dispatch.h"

namespace Atoll::gfx12 {

std::vector<uint32_t> dispatch_commands(const hsa::Dispatch& dispatch);

}  // namespace Atoll::gfx12
