// A Sea Islands chip as gpu::Device: queues for submissions, and MMIO with the rings that registers point at.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "gpu/chips/chip.h"
#include "gpu/device/device.h"
#include "gpu/sea_islands/state/chip_config.h"

namespace Atoll::sea_islands {

// `chip` is of the family.
Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options);

}  // namespace Atoll::sea_islands
