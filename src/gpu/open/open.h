// Devices: every GPU that can execute what a driver submits.
#pragma once
#include <memory>
#include <string_view>

#include "base/expected.h"
#include "gpu/chips/chip.h"
#include "gpu/device/device.h"

namespace Atoll::gpu {

// An error: a chip that executes nothing yet.
Expected<std::unique_ptr<Device>> open_device(const Chip& chip, const Options& options);
// Opens a device by the name that a recording has. No such GPU is an error as well.
Expected<std::unique_ptr<Device>> open_device(std::string_view name, const Options& options);

}  // namespace Atoll::gpu
