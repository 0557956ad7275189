// radeon's ioctls by subject; uapi.cpp has the table. Linux include/uapi/drm/radeon_drm.h, drivers/gpu/drm/radeon.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/expected.h"
#include "drm/core/uapi.h"

namespace Atoll::drm::radeon {

extern const Uapi uapi;

// info.cpp
int info(File& file, void* argument);
int gem_info(File& file, void* argument);

// memory.cpp
int gem_create(File& file, void* argument);
int gem_mmap(File& file, void* argument);
int gem_set_domain(File& file, void* argument);
int gem_wait_idle(File& file, void* argument);
int gem_busy(File& file, void* argument);
int gem_set_tiling(File& file, void* argument);
int gem_get_tiling(File& file, void* argument);
int gem_va(File& file, void* argument);
int gem_op(File& file, void* argument);
int gem_userptr(File& file, void* argument);
int not_there(File& file, void* argument);

// submit.cpp
int cs(File& file, void* argument);

// A buffer that a command stream of R5xx names.
struct Relocation {
  uint32_t address;  // GPU address
  uint32_t tiling;   // RADEON_TILING_*
};

// The unique resources of an R5xx that this file has been granted: hierarchical depth with the masks of cleared depth tiles, and those of colours.
struct Granted {
  bool hyperz = false, cmask = false;
};

// relocations.cpp: puts addresses into the stream where its packets name buffers, and refuses what the kernel refuses
// (Linux drivers/gpu/drm/radeon/r300.c, r300_packet0_check, r300_packet3_check; r100.c, r100_packet3_load_vbpntr).
Expected<void> relocate(std::span<uint32_t> stream, std::span<const Relocation> buffers, bool keep_tiling,
                        const Granted& granted = {});

}  // namespace Atoll::drm::radeon
