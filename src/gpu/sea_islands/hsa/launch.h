// HSA dispatches on a Sea Islands chip: the registers and the packet that a kernel driver's firmware would make of the AQL packet
// and the kernel's descriptor, through a compute queue of the device.
// LLVM docs AMDGPUUsage, "Initial Kernel Execution State" (GFX6-GFX8), "Kernel Descriptor", "Flat Scratch".
#pragma once
#include <vector>

#include "base/expected.h"
#include "gpu/chips/chip.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/run.h"
#include "memory/address_space.h"

namespace Atoll::sea_islands {

// The code objects that a chip runs.
hsa::Target hsa_target(const gpu::Chip& chip);

// The commands for a compute queue that carry the dispatch out.
std::vector<uint32_t> dispatch_commands(const hsa::Dispatch& dispatch, const hsa::ScratchMemory& scratch);

// An error says why the dispatch could not run at all; a fault of the kernel is in the result.
Expected<hsa::RunResult> run_hsa(const gpu::Chip& chip, const hsa::Dispatch& dispatch, AddressSpace& space,
                                 const hsa::RunOptions& options);

}  // namespace Atoll::sea_islands
