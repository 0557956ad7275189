#include "drm/amdgpu.h"

#include <libdrm/amdgpu_drm.h>

#include "drm/file.h"

namespace Atoll::drm {
namespace {

constexpr unsigned first = DRM_COMMAND_BASE;

constexpr Ioctl table[] = {
    {first + DRM_AMDGPU_GEM_CREATE, sizeof(drm_amdgpu_gem_create), "GEM_CREATE", amdgpu::gem_create},
    {first + DRM_AMDGPU_GEM_MMAP, sizeof(drm_amdgpu_gem_mmap), "GEM_MMAP", amdgpu::gem_mmap},
    {first + DRM_AMDGPU_CTX, sizeof(drm_amdgpu_ctx), "CTX", amdgpu::context},
    {first + DRM_AMDGPU_BO_LIST, sizeof(drm_amdgpu_bo_list), "BO_LIST", amdgpu::bo_list},
    {first + DRM_AMDGPU_CS, sizeof(drm_amdgpu_cs), "CS", amdgpu::cs},
    {first + DRM_AMDGPU_INFO, sizeof(drm_amdgpu_info), "INFO", amdgpu::info},
    {first + DRM_AMDGPU_GEM_METADATA, sizeof(drm_amdgpu_gem_metadata), "GEM_METADATA", amdgpu::gem_metadata},
    {first + DRM_AMDGPU_GEM_WAIT_IDLE, sizeof(drm_amdgpu_gem_wait_idle), "GEM_WAIT_IDLE", amdgpu::gem_wait_idle},
    {first + DRM_AMDGPU_GEM_VA, sizeof(drm_amdgpu_gem_va), "GEM_VA", amdgpu::gem_va},
    {first + DRM_AMDGPU_WAIT_CS, sizeof(drm_amdgpu_wait_cs), "WAIT_CS", amdgpu::wait_cs},
    {first + DRM_AMDGPU_GEM_OP, sizeof(drm_amdgpu_gem_op), "GEM_OP", amdgpu::gem_op},
    {first + DRM_AMDGPU_GEM_USERPTR, sizeof(drm_amdgpu_gem_userptr), "GEM_USERPTR", amdgpu::gem_userptr},
    {first + DRM_AMDGPU_WAIT_FENCES, sizeof(drm_amdgpu_wait_fences), "WAIT_FENCES", amdgpu::wait_fences},
    {first + DRM_AMDGPU_VM, sizeof(drm_amdgpu_vm), "VM", amdgpu::vm},
    {first + DRM_AMDGPU_FENCE_TO_HANDLE, sizeof(drm_amdgpu_fence_to_handle), "FENCE_TO_HANDLE", amdgpu::fence_to_handle},
    {first + DRM_AMDGPU_SCHED, sizeof(drm_amdgpu_sched), "SCHED", amdgpu::sched},
};

}  // namespace

std::span<const Ioctl> amdgpu_ioctls() { return table; }

}  // namespace Atoll::drm
