// The memories that buffers may be placed in: the system's and the GPU's.
#pragma once
#include <libdrm/i915_drm.h>

#include <array>

#include "gpu/chips/chip.h"

namespace Atoll::drm::i915 {

struct Region {
  uint16_t memory_class;
  uint64_t bytes;
  uint64_t domain() const { return uint64_t(1) << memory_class; }  // of Session::Request
};

// Both have pages of 4 KB: only later chips want 64 KB of their own memory (Linux drivers/gpu/drm/i915/gt/intel_region_lmem.c,
// HAS_64K_PAGES).
inline std::array<Region, 2> regions(const gpu::Chip& chip) {
  return {{{I915_MEMORY_CLASS_SYSTEM, chip.gtt_bytes}, {I915_MEMORY_CLASS_DEVICE, chip.vram_bytes}}};
}

}  // namespace Atoll::drm::i915
