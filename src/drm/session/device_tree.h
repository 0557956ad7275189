// The device files of a GPU: what libdrm, libudev and loaders find in /dev/dri and sysfs.
#pragma once
#include <span>
#include <string>

#include "base/expected.h"
#include "gpu/chips/chip.h"

namespace Atoll::drm {

// Writes the tree of GPUs, numbered as they come, into `folder`, which is made: dev/dri/card0, sys/class/drm/…
Expected<void> write_device_tree(const std::string& folder, std::span<const gpu::Chip* const> chips);

}  // namespace Atoll::drm
