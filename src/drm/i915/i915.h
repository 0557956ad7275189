// i915's ioctls by subject; uapi.cpp has the table. Linux include/uapi/drm/i915_drm.h, drivers/gpu/drm/i915, as of 6.1 on a
// discrete GPU.
#pragma once
#include "drm/core/uapi.h"

namespace Atoll::drm::i915 {

extern const Uapi uapi;

// info.cpp
int getparam(File& file, void* argument);
int query(File& file, void* argument);
int reg_read(File& file, void* argument);
int get_aperture(File& file, void* argument);

// memory.cpp
int gem_create(File& file, void* argument);
int gem_create_ext(File& file, void* argument);
int gem_mmap_offset(File& file, void* argument);
int gem_userptr(File& file, void* argument);
int gem_busy(File& file, void* argument);
int gem_wait(File& file, void* argument);
int gem_madvise(File& file, void* argument);

// context_ioctls.cpp
int context_create(File& file, void* argument);
int context_destroy(File& file, void* argument);
int context_getparam(File& file, void* argument);
int context_setparam(File& file, void* argument);
int vm_create(File& file, void* argument);
int vm_destroy(File& file, void* argument);
int get_reset_stats(File& file, void* argument);

// submit.cpp
int execbuffer2(File& file, void* argument);

}  // namespace Atoll::drm::i915
