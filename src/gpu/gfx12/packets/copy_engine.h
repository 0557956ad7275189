// The copy engine (SDMA 7): packets of their own, which read and write memory alone.
// Mesa 25.0.7 src/amd/vulkan/radv_sdma.c, src/amd/common/sid.h; Linux drivers/gpu/drm/amd/amdgpu/sdma_v6_0_0_pkt_open.h.
#pragma once
#include <span>

#include "gpu/gfx12/packets/context.h"

namespace Atoll::gfx12 {

// False: the context is lost.
bool run_copy_engine(Context& context, std::span<const gpu::CommandBuffer> buffers);

}  // namespace Atoll::gfx12
