// The memories that buffers may be placed in: the system's and the GPU's.
#pragma once
#include <libdrm/i915_drm.h>

#include <array>

#include "gpu/chips/chip.h"

namespace Atoll::drm::i915 {

struct Region {
  uint16_t memory_class;
  uint64_t bytes;
  uint64_t page_bytes;                                             // sizes of buffers that may lie there are multiples of it
  uint64_t domain() const { return uint64_t(1) << memory_class; }  // of Session::Request
};

// Linux drivers/gpu/drm/i915/i915_pci.c (dg1_info, its page sizes), gt/intel_region_lmem.c
inline std::array<Region, 2> regions(const gpu::Chip& chip) {
  return {{{I915_MEMORY_CLASS_SYSTEM, chip.gtt_bytes, 4096}, {I915_MEMORY_CLASS_DEVICE, chip.vram_bytes, 65536}}};
}

}  // namespace Atoll::drm::i915
