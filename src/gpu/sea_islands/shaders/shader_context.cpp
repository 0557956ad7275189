#include "gpu/sea_islands/shaders/shader_context.h"

#include <algorithm>

#include "gpu/amd/images.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

ShaderContext::ShaderContext(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options,
                             std::atomic<int>& stop)
    : RegisterContext(chip, kind, space, options, stop),
      descriptors(config),
      images(std::make_unique<Images>(space, *this, descriptors)) {
  images->tell(options.uses);
}

ShaderContext::~ShaderContext() = default;

wave::GlobalPart ShaderContext::global_part() const {
  using wave::GlobalShare;
  wave::GlobalPart part;
  if (!share) return part;
  const auto sync = registers.read<GDS_GWS_VMID>(0);
  part.share = share;
  part.base = registers.get<GDS_VMID_BASE::BASE>(0) & ~3u;
  part.bytes = std::min(registers.get<GDS_VMID_SIZE::SIZE>(0), GlobalShare::bytes - part.base);
  part.first_resource = GDS_GWS_VMID::BASE::get(sync);
  part.resources = std::min(GDS_GWS_VMID::SIZE::get(sync), GlobalShare::resources - part.first_resource);
  return part;
}

}  // namespace Atoll::sea_islands
