// The register file of an R5xx context.
#pragma once
#include "gpu/amd/register_file.h"

namespace Atoll::r5xx {

using gpu::amd::RegisterFile;

// Registers stand at byte addresses below this.
inline constexpr uint32_t registers_end = 0xc000;

}  // namespace Atoll::r5xx
