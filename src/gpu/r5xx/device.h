// The chips of R5xx as devices: queues of command buffers, and registers to write, the ring buffer among them.
#pragma once
#include <memory>
#include <string_view>

#include "base/expected.h"
#include "gpu/device/device.h"

namespace Atoll::r5xx {

// rv515, r520, rv530 or r580.
Expected<std::unique_ptr<gpu::Device>> make_device(std::string_view chip, const gpu::Options& options);

}  // namespace Atoll::r5xx
