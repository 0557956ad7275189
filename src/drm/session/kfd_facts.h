// The GPUs that the kernel's compute driver amdkfd knows, and their names in its ioctls and in its sysfs files (Linux 6.1 drivers/gpu/drm/amd/amdkfd/kfd_device.c, kgd2kfd_probe).
#pragma once
#include <cstdint>
#include <string_view>

#include "gpu/chips/chip.h"

namespace Atoll::drm {

// gfx_target_version: major * 10000 + minor * 100 + stepping; 0: amdkfd does not know the chip. Kaveri is missing: there amdkfd needs the
// host's own page tables (IOMMU version 2), and programs take every address of theirs for one of the GPU.
inline uint32_t kfd_target(const gpu::Chip& chip) {
  constexpr struct {
    std::string_view processor;
    uint32_t version;
  } known[] = {{"gfx701", 70001}};
  if (chip.processors.empty() || chip.integrated || !chip.uapis.contains("amdgpu")) return 0;
  for (auto& row : known)
    if (row.processor == chip.processors.front()) return row.version;
  return 0;
}

// gpu_id by the number of the GPU in its session. (The kernel makes a hash of a GPU's properties; programs only compare it.)
constexpr uint32_t kfd_gpu_id(unsigned device) { return 0xa701 + device; }

// Places of the apertures that flat addresses have for LDS and private memory, 4 GiB each (Linux kfd_flat_memory.c,
// kfd_init_apertures_vi).
inline constexpr uint64_t kfd_lds_base = uint64_t(1) << 61, kfd_scratch_base = kfd_lds_base + (uint64_t(1) << 32);
inline constexpr uint64_t kfd_aperture_mask = 0xffffffff;
inline constexpr uint64_t kfd_first_address = 0x1000000;  // SVM_USER_BASE
// The last address of programs' memory, which they use for the processor's mapping as well: a quarter of what page tables of 40 bits reach.
inline constexpr uint64_t kfd_last_address = (uint64_t(1) << 38) - 1;

}  // namespace Atoll::drm
