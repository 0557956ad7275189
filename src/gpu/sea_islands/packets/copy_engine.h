// The copy engines (SDMA): their own packets over linear memory. Linux drivers/gpu/drm/radeon/cikd.h (SDMA_*),
// drivers/gpu/drm/amd/amdgpu/cik_sdma.c; sub-window copies: Mesa 22.3.6 src/gallium/drivers/radeonsi/cik_sdma.c of older
// releases.
#pragma once
#include <span>
#include <vector>

#include "gpu/sea_islands/packets/context.h"

namespace Atoll::sea_islands {

// Executes the buffers, or packets at hand. False: the context is lost.
bool run_copy_engine(Context& context, std::span<const gpu::CommandBuffer> buffers);
bool run_copy_engine(Context& context, uint64_t address, std::vector<uint32_t> words);

}  // namespace Atoll::sea_islands
