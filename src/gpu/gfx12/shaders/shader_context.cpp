#include "gpu/gfx12/shaders/shader_context.h"

#include "gpu/amd/images.h"
#include "gpu/rdna4/image_descriptors.h"

namespace Atoll::gfx12 {

ShaderContext::ShaderContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                             std::atomic<int>& stop)
    : RegisterContext(chip, kind, space, options, stop),
      images(std::make_unique<Images>(space, *this, rdna4::image_descriptors())) {
  images->tell(options.uses);
}

ShaderContext::~ShaderContext() = default;

}  // namespace Atoll::gfx12
