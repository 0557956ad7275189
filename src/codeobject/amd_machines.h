// Processor names of AMD GPU code objects: the EF_AMDGPU_MACH numbers of e_flags (LLVM docs AMDGPUUsage, "ELF header";
// LLVM's BinaryFormat/ELF.h).
#pragma once
#include <cstdint>
#include <string_view>

namespace Atoll {

// "gfx1201" for e_flags whose lowest byte is 0x4e; empty for a number without a name here.
std::string_view amd_processor(uint32_t flags);

}  // namespace Atoll
