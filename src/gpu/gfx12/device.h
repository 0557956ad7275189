// A GFX12 chip as gpu::Device: queues for submissions.
#pragma once
#include <memory>

#include "gpu/chips/chip.h"
#include "gpu/device/device.h"

namespace Atoll::gfx12 {

// `chip` is of the family.
Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options);

}  // namespace Atoll::gfx12
