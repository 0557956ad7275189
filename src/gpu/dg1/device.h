#pragma once
#include <memory>

#include "base/expected.h"
#include "gpu/chips/chip.h"
#include "gpu/device/device.h"

namespace Atoll::dg1 {

Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options);

}  // namespace Atoll::dg1
