#include <libdrm/i915_drm.h>

#include <cerrno>

#include "drm/i915/contexts.h"
#include "drm/i915/i915.h"

namespace Atoll::drm::i915 {
namespace {

constexpr unsigned first = DRM_COMMAND_BASE;

// Ioctls that the kernel has only for integrated and older GPUs; on a GPU with memory of its own it answers like this.
int not_on_discrete(File&, void*) { return -ENODEV; }
int not_supported(File&, void*) { return -EOPNOTSUPP; }
int nothing_to_do(File&, void*) { return 0; }
int no_counters(File& file, void*) {
  file.lacks("performance counters (PERF_OPEN)");
  return -ENODEV;
}

constexpr Ioctl table[] = {
    {first + DRM_I915_GETPARAM, sizeof(drm_i915_getparam), "GETPARAM", getparam},
    {first + DRM_I915_QUERY, sizeof(drm_i915_query), "QUERY", query},
    {first + DRM_I915_REG_READ, sizeof(drm_i915_reg_read), "REG_READ", reg_read},
    {first + DRM_I915_GEM_GET_APERTURE, sizeof(drm_i915_gem_get_aperture), "GEM_GET_APERTURE", get_aperture},
    {first + DRM_I915_GEM_CREATE, sizeof(drm_i915_gem_create), "GEM_CREATE", gem_create},
    {first + DRM_I915_GEM_CREATE_EXT, sizeof(drm_i915_gem_create_ext), "GEM_CREATE_EXT", gem_create_ext},
    {first + DRM_I915_GEM_MMAP_GTT, sizeof(drm_i915_gem_mmap_offset), "GEM_MMAP_OFFSET", gem_mmap_offset},
    {first + DRM_I915_GEM_USERPTR, sizeof(drm_i915_gem_userptr), "GEM_USERPTR", gem_userptr},
    {first + DRM_I915_GEM_BUSY, sizeof(drm_i915_gem_busy), "GEM_BUSY", gem_busy},
    {first + DRM_I915_GEM_WAIT, sizeof(drm_i915_gem_wait), "GEM_WAIT", gem_wait},
    {first + DRM_I915_GEM_MADVISE, sizeof(drm_i915_gem_madvise), "GEM_MADVISE", gem_madvise},
    {first + DRM_I915_GEM_CONTEXT_CREATE, sizeof(drm_i915_gem_context_create_ext), "GEM_CONTEXT_CREATE", context_create},
    {first + DRM_I915_GEM_CONTEXT_DESTROY, sizeof(drm_i915_gem_context_destroy), "GEM_CONTEXT_DESTROY", context_destroy},
    {first + DRM_I915_GEM_CONTEXT_GETPARAM, sizeof(drm_i915_gem_context_param), "GEM_CONTEXT_GETPARAM", context_getparam},
    {first + DRM_I915_GEM_CONTEXT_SETPARAM, sizeof(drm_i915_gem_context_param), "GEM_CONTEXT_SETPARAM", context_setparam},
    {first + DRM_I915_GEM_VM_CREATE, sizeof(drm_i915_gem_vm_control), "GEM_VM_CREATE", vm_create},
    {first + DRM_I915_GEM_VM_DESTROY, sizeof(drm_i915_gem_vm_control), "GEM_VM_DESTROY", vm_destroy},
    {first + DRM_I915_GET_RESET_STATS, sizeof(drm_i915_reset_stats), "GET_RESET_STATS", get_reset_stats},
    {first + DRM_I915_GEM_EXECBUFFER2, sizeof(drm_i915_gem_execbuffer2), "GEM_EXECBUFFER2", execbuffer2},
    {first + DRM_I915_GEM_SW_FINISH, sizeof(drm_i915_gem_sw_finish), "GEM_SW_FINISH", nothing_to_do},
    {first + DRM_I915_GEM_THROTTLE, 0, "GEM_THROTTLE", nothing_to_do},
    {first + DRM_I915_GEM_SET_DOMAIN, sizeof(drm_i915_gem_set_domain), "GEM_SET_DOMAIN", not_on_discrete},
    {first + DRM_I915_GEM_SET_CACHING, sizeof(drm_i915_gem_caching), "GEM_SET_CACHING", not_on_discrete},
    {first + DRM_I915_GEM_GET_CACHING, sizeof(drm_i915_gem_caching), "GEM_GET_CACHING", not_on_discrete},
    {first + DRM_I915_GEM_SET_TILING, sizeof(drm_i915_gem_set_tiling), "GEM_SET_TILING", not_supported},
    {first + DRM_I915_GEM_GET_TILING, sizeof(drm_i915_gem_get_tiling), "GEM_GET_TILING", not_supported},
    {first + DRM_I915_GEM_PREAD, sizeof(drm_i915_gem_pread), "GEM_PREAD", not_supported},
    {first + DRM_I915_GEM_PWRITE, sizeof(drm_i915_gem_pwrite), "GEM_PWRITE", not_supported},
    {first + DRM_I915_GEM_MMAP, sizeof(drm_i915_gem_mmap), "GEM_MMAP", not_supported},
    {first + DRM_I915_PERF_OPEN, sizeof(drm_i915_perf_open_param), "PERF_OPEN", no_counters},
    {first + DRM_I915_PERF_ADD_CONFIG, sizeof(drm_i915_perf_oa_config), "PERF_ADD_CONFIG", not_on_discrete},
    {first + DRM_I915_PERF_REMOVE_CONFIG, sizeof(uint64_t), "PERF_REMOVE_CONFIG", not_on_discrete},
};

}  // namespace

const Uapi uapi{.name = "i915",
                .major = 1,
                .minor = 6,
                .patch = 0,
                .date = "20201103",
                .description = "Intel Graphics",
                .ioctls = table,
                .has_timelines = true,
                .make_state = []() -> std::unique_ptr<FileState> { return std::make_unique<Contexts>(); }};

}  // namespace Atoll::drm::i915
