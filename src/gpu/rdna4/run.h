// Runs the waves of a dispatch on an engine.
#pragma once
#include "base/expected.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/run.h"
#include "memory/address_space.h"

namespace Atoll::rdna4 {

// An error says why the dispatch could not run at all; a fault of the kernel is in the result.
Expected<hsa::RunResult> run(const hsa::Dispatch& dispatch, AddressSpace& space, const hsa::RunOptions& options);

}  // namespace Atoll::rdna4
