#include "drm/radeon.h"

#include <libdrm/radeon_drm.h>

#include "drm/file.h"

namespace Atoll::drm {
namespace {

constexpr unsigned first = DRM_COMMAND_BASE;

constexpr Ioctl table[] = {
    {first + DRM_RADEON_GEM_INFO, sizeof(drm_radeon_gem_info), "GEM_INFO", radeon::gem_info},
    {first + DRM_RADEON_GEM_CREATE, sizeof(drm_radeon_gem_create), "GEM_CREATE", radeon::gem_create},
    {first + DRM_RADEON_GEM_MMAP, sizeof(drm_radeon_gem_mmap), "GEM_MMAP", radeon::gem_mmap},
    {first + DRM_RADEON_GEM_PREAD, sizeof(drm_radeon_gem_pread), "GEM_PREAD", radeon::not_there},
    {first + DRM_RADEON_GEM_PWRITE, sizeof(drm_radeon_gem_pwrite), "GEM_PWRITE", radeon::not_there},
    {first + DRM_RADEON_GEM_SET_DOMAIN, sizeof(drm_radeon_gem_set_domain), "GEM_SET_DOMAIN", radeon::gem_set_domain},
    {first + DRM_RADEON_GEM_WAIT_IDLE, sizeof(drm_radeon_gem_wait_idle), "GEM_WAIT_IDLE", radeon::gem_wait_idle},
    {first + DRM_RADEON_CS, sizeof(drm_radeon_cs), "CS", radeon::cs},
    {first + DRM_RADEON_INFO, sizeof(drm_radeon_info), "INFO", radeon::info},
    {first + DRM_RADEON_GEM_SET_TILING, sizeof(drm_radeon_gem_set_tiling), "GEM_SET_TILING", radeon::gem_set_tiling},
    {first + DRM_RADEON_GEM_GET_TILING, sizeof(drm_radeon_gem_get_tiling), "GEM_GET_TILING", radeon::gem_get_tiling},
    {first + DRM_RADEON_GEM_BUSY, sizeof(drm_radeon_gem_busy), "GEM_BUSY", radeon::gem_busy},
    {first + DRM_RADEON_GEM_VA, sizeof(drm_radeon_gem_va), "GEM_VA", radeon::gem_va},
    {first + DRM_RADEON_GEM_OP, sizeof(drm_radeon_gem_op), "GEM_OP", radeon::gem_op},
    {first + DRM_RADEON_GEM_USERPTR, sizeof(drm_radeon_gem_userptr), "GEM_USERPTR", radeon::gem_userptr},
};

}  // namespace

std::span<const Ioctl> radeon_ioctls() { return table; }

}  // namespace Atoll::drm
