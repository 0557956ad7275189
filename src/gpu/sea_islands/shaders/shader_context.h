// The context of running shaders beside the registers: the programs, images that their descriptors name, and the part of the
// global data share that is the queue's.
#pragma once
#include <memory>

#include "gpu/sea_islands/shaders/descriptors.h"
#include "gpu/sea_islands/state/register_context.h"
#include "wave/global_share.h"

namespace Atoll::gpu::amd {
class Images;  // images.h
}

namespace Atoll::sea_islands {

using gpu::amd::Images;
class ShaderCache;  // shaders.h

struct ShaderContext : RegisterContext {
  ShaderContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                std::atomic<int>& stop);
  ~ShaderContext();

  std::shared_ptr<ShaderCache> shaders;
  const Descriptors descriptors;
  const std::unique_ptr<Images> images;
  wave::GlobalShare* share = nullptr;    // of the device: GDS and GWS
  wave::GlobalPart global_part() const;  // what of it the queue has: GDS_VMID0_*, GDS_GWS_VMID0
};

}  // namespace Atoll::sea_islands
