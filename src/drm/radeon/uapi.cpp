#include <libdrm/radeon_drm.h>

#include "drm/radeon/radeon.h"
#include "drm/radeon/rings.h"

namespace Atoll::drm::radeon {
namespace {

constexpr unsigned first = DRM_COMMAND_BASE;

constexpr Ioctl table[] = {
    {first + DRM_RADEON_GEM_INFO, sizeof(drm_radeon_gem_info), "GEM_INFO", gem_info},
    {first + DRM_RADEON_GEM_CREATE, sizeof(drm_radeon_gem_create), "GEM_CREATE", gem_create},
    {first + DRM_RADEON_GEM_MMAP, sizeof(drm_radeon_gem_mmap), "GEM_MMAP", gem_mmap},
    {first + DRM_RADEON_GEM_PREAD, sizeof(drm_radeon_gem_pread), "GEM_PREAD", not_there},
    {first + DRM_RADEON_GEM_PWRITE, sizeof(drm_radeon_gem_pwrite), "GEM_PWRITE", not_there},
    {first + DRM_RADEON_GEM_SET_DOMAIN, sizeof(drm_radeon_gem_set_domain), "GEM_SET_DOMAIN", gem_set_domain},
    {first + DRM_RADEON_GEM_WAIT_IDLE, sizeof(drm_radeon_gem_wait_idle), "GEM_WAIT_IDLE", gem_wait_idle},
    {first + DRM_RADEON_CS, sizeof(drm_radeon_cs), "CS", cs},
    {first + DRM_RADEON_INFO, sizeof(drm_radeon_info), "INFO", info},
    {first + DRM_RADEON_GEM_SET_TILING, sizeof(drm_radeon_gem_set_tiling), "GEM_SET_TILING", gem_set_tiling},
    {first + DRM_RADEON_GEM_GET_TILING, sizeof(drm_radeon_gem_get_tiling), "GEM_GET_TILING", gem_get_tiling},
    {first + DRM_RADEON_GEM_BUSY, sizeof(drm_radeon_gem_busy), "GEM_BUSY", gem_busy},
    {first + DRM_RADEON_GEM_VA, sizeof(drm_radeon_gem_va), "GEM_VA", gem_va},
    {first + DRM_RADEON_GEM_OP, sizeof(drm_radeon_gem_op), "GEM_OP", gem_op},
    {first + DRM_RADEON_GEM_USERPTR, sizeof(drm_radeon_gem_userptr), "GEM_USERPTR", gem_userptr},
};

}  // namespace

const Uapi uapi{.name = "radeon",
                .major = 2,
                .minor = 50,
                .patch = 0,
                .date = "20080528",
                .description = "ATI Radeon",
                .ioctls = table,
                .has_timelines = false,
                .make_state = []() -> std::unique_ptr<FileState> { return std::make_unique<Rings>(); }};

}  // namespace Atoll::drm::radeon
