// The chips of R5xx as devices: queues of command buffers, and registers to write, the ring buffer among them.
#pragma once
#include <memory>

#include "base/expected.h"
#include "gpu/chips/chip.h"
#include "gpu/device/device.h"

namespace Atoll::r5xx {

// `chip` is of the family.
Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options);

}  // namespace Atoll::r5xx
