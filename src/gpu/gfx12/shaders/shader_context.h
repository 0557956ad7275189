// The context of running shaders beside the registers: the programs, and images that their descriptors
// name.
#pragma once
#include <memory>

#include "gpu/gfx12/state/register_context.h"

namespace Atoll::gpu::amd {
class Images;  // images.h
}

namespace Atoll::gfx12 {

using gpu::amd::Images;
class ShaderCache;  // shaders.h

struct ShaderContext : RegisterContext {
  ShaderContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                std::atomic<int>& stop);
  ~ShaderContext();

  std::shared_ptr<ShaderCache> shaders;
  const std::unique_ptr<Images> images;
};

}  // namespace Atoll::gfx12
