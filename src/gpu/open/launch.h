// Code objects and dispatches on whichever GPU runs them. The shared part of `atoll launch` and the C library.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "codeobject/code_object.h"
#include "gpu/chips/chip.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/run.h"
#include "gpu/hsa/target.h"
#include "memory/address_space.h"

namespace Atoll::gpu {

// An HSA code object; of a bundle the entry for any of the processors that the GPU runs. `name` stands for it in errors.
Expected<CodeObject> read_code_object_for(std::span<const uint8_t> bytes, const std::string& name, const Chip* chip);

// The properties of the chip's family (the chip launches()); for Intel's device binaries see dg1::launch_target().
hsa::Target hsa_target(const Chip& chip);

// Runs the dispatch on the chip. An error says why it could not run at all; a fault of the kernel is in the result.
Expected<hsa::RunResult> run_dispatch(const Chip& chip, const hsa::Dispatch& dispatch, AddressSpace& space,
                                      const hsa::RunOptions& options);

// The commands for a compute queue of the chip's device that carry a dispatch out: what its firmware makes of an AQL packet. An error:
// the family's are not known here.
Expected<std::vector<uint32_t>> dispatch_commands(const Chip& chip, const hsa::Dispatch& dispatch,
                                                  const hsa::ScratchMemory& scratch);

// A phrase without the kernel's name: "fault: store of 4 bytes at 0x…, instruction 0x… 'TEXT', group X,Y,Z lane N".
std::string describe(const Fault& fault);

}  // namespace Atoll::gpu
