// The device files of a GPU: what libdrm, libudev and loaders find in /dev/dri and sysfs.
#pragma once
#include <string>

#include "base/expected.h"
#include "gpu/chips/chip.h"

namespace Atoll::drm {

// Writes the tree into `folder`, which is made: dev/dri/card0, sys/class/drm/…
Expected<void> write_device_tree(const std::string& folder, const gpu::Chip& chip);

}  // namespace Atoll::drm
