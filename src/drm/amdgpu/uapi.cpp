#include <libdrm/amdgpu_drm.h>

#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/contexts.h"
#include "gpu/chips/kernel_facts.h"

namespace Atoll::drm::amdgpu {
namespace {

constexpr unsigned first = DRM_COMMAND_BASE;

constexpr Ioctl table[] = {
    {first + DRM_AMDGPU_GEM_CREATE, sizeof(drm_amdgpu_gem_create), "GEM_CREATE", gem_create},
    {first + DRM_AMDGPU_GEM_MMAP, sizeof(drm_amdgpu_gem_mmap), "GEM_MMAP", gem_mmap},
    {first + DRM_AMDGPU_CTX, sizeof(drm_amdgpu_ctx), "CTX", context},
    {first + DRM_AMDGPU_BO_LIST, sizeof(drm_amdgpu_bo_list), "BO_LIST", bo_list},
    {first + DRM_AMDGPU_CS, sizeof(drm_amdgpu_cs), "CS", cs},
    {first + DRM_AMDGPU_INFO, sizeof(drm_amdgpu_info), "INFO", info},
    {first + DRM_AMDGPU_GEM_METADATA, sizeof(drm_amdgpu_gem_metadata), "GEM_METADATA", gem_metadata},
    {first + DRM_AMDGPU_GEM_WAIT_IDLE, sizeof(drm_amdgpu_gem_wait_idle), "GEM_WAIT_IDLE", gem_wait_idle},
    {first + DRM_AMDGPU_GEM_VA, sizeof(drm_amdgpu_gem_va), "GEM_VA", gem_va},
    {first + DRM_AMDGPU_WAIT_CS, sizeof(drm_amdgpu_wait_cs), "WAIT_CS", wait_cs},
    {first + DRM_AMDGPU_GEM_OP, sizeof(drm_amdgpu_gem_op), "GEM_OP", gem_op},
    {first + DRM_AMDGPU_GEM_USERPTR, sizeof(drm_amdgpu_gem_userptr), "GEM_USERPTR", gem_userptr},
    {first + DRM_AMDGPU_WAIT_FENCES, sizeof(drm_amdgpu_wait_fences), "WAIT_FENCES", wait_fences},
    {first + DRM_AMDGPU_VM, sizeof(drm_amdgpu_vm), "VM", vm},
    {first + DRM_AMDGPU_FENCE_TO_HANDLE, sizeof(drm_amdgpu_fence_to_handle), "FENCE_TO_HANDLE", fence_to_handle},
    {first + DRM_AMDGPU_SCHED, sizeof(drm_amdgpu_sched), "SCHED", sched},
};

}  // namespace

// As Linux 6.1 has it, which Mesa 22.3 knows all of; of chips that came later as a Linux that has them.
const Uapi uapi{.name = "amdgpu",
                .major = 3,
                .minor = 49,
                .patch = 0,
                .date = "20150101",
                .description = "AMD GPU",
                .ioctls = table,
                .has_timelines = true,
                .make_state = []() -> std::unique_ptr<FileState> { return std::make_unique<Contexts>(); },
                .minor_of = [](const gpu::Chip& chip) { return int(gpu::kernel_facts(chip).drm_minor); }};

}  // namespace Atoll::drm::amdgpu
