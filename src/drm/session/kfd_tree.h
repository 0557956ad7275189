// The part of the device files that ROCm reads: /dev/kfd's stand-in, amdkfd's topology in sysfs, and the module's name.
#pragma once
#include <filesystem>
#include <span>

#include "gpu/chips/chip.h"

namespace Atoll::drm {

// Nothing if amdkfd knows none of the chips. Throws as std::filesystem and streams do.
void write_kfd_tree(const std::filesystem::path& root, std::span<const gpu::Chip* const> chips);

}  // namespace Atoll::drm
