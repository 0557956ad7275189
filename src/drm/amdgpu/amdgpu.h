// amdgpu's ioctls by subject; uapi.cpp has the table. Linux include/uapi/drm/amdgpu_drm.h, drivers/gpu/drm/amd/amdgpu.
#pragma once
#include "drm/core/uapi.h"
#include "gpu/chips/chip.h"

namespace Atoll::drm::amdgpu {

extern const Uapi uapi;

// Chips from GC 9 on whose IP blocks are found by a table of theirs; here GC 12's.
inline bool is_discovered(const gpu::Chip& chip) { return chip.graphics_major >= 12 && chip.amdgpu_family; }

// info.cpp
int info(File& file, void* argument);

// memory.cpp
int gem_create(File& file, void* argument);
int gem_mmap(File& file, void* argument);
int gem_metadata(File& file, void* argument);
int gem_wait_idle(File& file, void* argument);
int gem_va(File& file, void* argument);
int gem_op(File& file, void* argument);
int gem_userptr(File& file, void* argument);
int vm(File& file, void* argument);

// submit.cpp
unsigned rings_of(const gpu::Chip& chip, uint32_t type);  // of AMDGPU_HW_IP_*: how many a context has
int context(File& file, void* argument);
int bo_list(File& file, void* argument);
int cs(File& file, void* argument);
int wait_cs(File& file, void* argument);
int wait_fences(File& file, void* argument);
int fence_to_handle(File& file, void* argument);
int sched(File& file, void* argument);

}  // namespace Atoll::drm::amdgpu
