// The GPUs that the kernel's compute driver amdkfd knows, and what it tells of them in its ioctls and in its sysfs files.
#pragma once
#include <cstdint>
#include <string_view>

#include "gpu/chips/chip.h"

namespace Atoll::drm {

struct KfdFacts {
  std::string_view processor;
  uint32_t target;  // gfx_target_version: major * 10000 + minor * 100 + stepping (kfd_device.c, kgd2kfd_probe)
  unsigned minor;   // KFD_IOCTL_MINOR_VERSION of the kernel that knows it: Linux 6.1's, 6.13's
  // A chip whose parts discovery tells (KFD_IS_SOC15): doorbells have 64 bits, queues' pointers go on counting, and programs use the
  // processor's addresses for the GPU.
  bool discovered;
  unsigned simds, waves;  // of a compute unit, of a SIMD (gfx_v7_0.c, gfx_v12_0.c, their get_cu_info)
  unsigned cache_kib;     // of a unit's vector cache (kfd_crat.c, kaveri_cache_info; Mesa 25.0.7 ac_gpu_info.c, tcp_cache_size)
  // Queues of an engine, without the graphics driver's (kfd_device.c, kfd_device_info_set_sdma_info).
  unsigned copy_queues;
  unsigned hardware_queues;  // pipes and queues of the first MEC (gfx_v7_0.c, gfx_v7_0_mec_init; gfx_v12_0.c, gfx_v12_0_sw_init)
  // How large programs make what a compute queue is saved into (kfd_queue.c, kfd_queue_ctx_save_restore_size). 0: it is not saved.
  unsigned save_bytes, control_bytes;  // of a compute unit, of a wave

  // amdgpu keeps a queue for each of its own rings (amdgpu_amdkfd_device_init).
  unsigned compute_queues(const gpu::Chip& chip) const { return hardware_queues - chip.amdgpu.compute_rings; }
};

// Null: amdkfd does not know the chip. Kaveri is missing: there amdkfd needs the host's own page tables (IOMMU version 2), and programs
// take every address of theirs for one of the GPU.
inline const KfdFacts* kfd_facts(const gpu::Chip& chip) {
  // VGPRs, SGPRs, LDS and other state of a unit
  constexpr unsigned gfx12_state = 0x60000 + 0x4000 + 0x10000 + 0x1000;
  static constexpr KfdFacts known[] = {{"gfx701", 70001, 11, false, 4, 10, 16, 2, 32, 0, 0},
                                       {"gfx1200", 120000, 17, true, 2, 16, 32, 6, 8, gfx12_state, 12},
                                       {"gfx1201", 120001, 17, true, 2, 16, 32, 6, 8, gfx12_state, 12}};
  if (chip.processors.empty() || chip.integrated || !chip.uapis.contains("amdgpu")) return nullptr;
  for (auto& row : known)
    if (row.processor == chip.processors.front()) return &row;
  return nullptr;
}

inline constexpr unsigned kfd_copy_engines = 2;

constexpr unsigned kfd_units(const gpu::Chip& chip) { return chip.shader_engines * chip.shader_arrays * chip.compute_units; }

// The areas that a compute queue is made with; all 0 where queues are not saved.
struct KfdSaveSizes {
  uint64_t all, control, debug;
};
constexpr KfdSaveSizes kfd_save_sizes(const KfdFacts& facts, const gpu::Chip& chip) {
  if (!facts.save_bytes) return {};
  constexpr uint64_t page = 4096, header = 40;  // SIZEOF_HSA_USER_CONTEXT_SAVE_AREA_HEADER
  auto whole = [](uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; };
  const uint64_t units = kfd_units(chip), waves = units * 32;
  const uint64_t control = whole(header + waves * facts.control_bytes + 8, page);
  return {control + whole(units * facts.save_bytes, page), control, whole(waves * 32, 64)};
}
inline constexpr uint64_t kfd_end_of_pipe_bytes = 4096;  // eop_buffer_size there

// gpu_id by the number of the GPU in its session. (The kernel makes a hash of a GPU's properties; programs only compare it.)
constexpr uint32_t kfd_gpu_id(unsigned device) { return 0xa701 + device; }

// Places of the apertures that flat addresses have for LDS and private memory, 4 GiB each (Linux kfd_flat_memory.c,
// MAKE_LDS_APP_BASE_VI and _V9, and SCRATCH).
constexpr uint64_t kfd_lds_base(const KfdFacts& facts) { return uint64_t(1) << (facts.discovered ? 48 : 61); }
constexpr uint64_t kfd_scratch_base(const KfdFacts& facts) {
  return facts.discovered ? uint64_t(2) << 48 : kfd_lds_base(facts) + (uint64_t(1) << 32);
}
inline constexpr uint64_t kfd_aperture_mask = 0xffffffff;
inline constexpr uint64_t kfd_first_address = 0x1000000;  // SVM_USER_BASE
// The last address of programs' memory, which they use for the processor's mapping as well: all that the processor has (AMDGPU_GMC_HOLE_START),
// or a quarter of what page tables of 40 bits reach.
constexpr uint64_t kfd_last_address(const KfdFacts& facts) { return (uint64_t(1) << (facts.discovered ? 47 : 38)) - 1; }
// Doorbells of a process: one for each of 1,024 queues, whole pages (kfd_doorbell.c, kfd_doorbell_process_slice).
inline constexpr unsigned kfd_most_queues = 1024;  // KFD_MAX_NUM_OF_QUEUES_PER_PROCESS
constexpr uint64_t kfd_doorbell_bytes(const KfdFacts& facts) { return kfd_most_queues * (facts.discovered ? 8 : 4); }

}  // namespace Atoll::drm
