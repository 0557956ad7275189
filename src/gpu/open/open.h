// Devices by name: every GPU that can execute what a driver submits.
#pragma once
#include <memory>
#include <string_view>

#include "base/expected.h"
#include "gpu/device/device.h"

namespace Atoll::gpu {

// An error: no such GPU, or one that executes nothing yet.
Expected<std::unique_ptr<Device>> open_device(std::string_view name, const Options& options);

}  // namespace Atoll::gpu
