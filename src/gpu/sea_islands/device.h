// A Sea Islands chip as gpu::Device: queues for submissions, and MMIO with the rings that registers point at.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "gpu/device/device.h"
#include "gpu/sea_islands/chips.h"

namespace Atoll::sea_islands {

// An error: no such chip.
Expected<std::unique_ptr<gpu::Device>> make_device(std::string_view name, const gpu::Options& options);

}  // namespace Atoll::sea_islands
