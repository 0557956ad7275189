// Kernels of Intel's device binaries (codeobject/intel_object.h) as `atoll launch` runs them: loaded and relocated, their arguments
// put into surfaces, samplers and payload, the grid run as thread groups.
#pragma once
#include <span>
#include <string>

#include "base/expected.h"
#include "codeobject/intel_object.h"
#include "gpu/hsa/dispatch.h"
#include "gpu/hsa/run.h"
#include "gpu/hsa/target.h"
#include "memory/address_space.h"

namespace Atoll::dg1 {

// How the launch's argument forms become values: what a family declares.
const hsa::Target& launch_target();

// `text` gets what the kernel printed; `problem` what kept the rest of it from being read. An error says why the kernel could not
// run at all; a fault of the kernel is in the result.
struct PrintedByKernel {
  std::string text, problem;
};
Expected<hsa::RunResult> launch(const intel::IntelObject& object, const intel::IntelKernel& kernel, const hsa::LaunchShape& shape,
                                std::span<const hsa::ArgumentValue> arguments, AddressSpace& space,
                                const hsa::RunOptions& options, PrintedByKernel& printed);

}  // namespace Atoll::dg1
