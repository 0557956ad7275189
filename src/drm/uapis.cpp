// The kernel drivers that Atoll can be.
#include "drm/amdgpu/amdgpu.h"
#include "drm/core/uapi.h"
#include "drm/i915/i915.h"
#include "drm/radeon/radeon.h"

namespace Atoll::drm {

const Uapi* find_uapi(std::string_view name) {
  static constexpr const Uapi* all[] = {&amdgpu::uapi, &radeon::uapi, &i915::uapi};
  for (auto* one : all)
    if (one->name == name) return one;
  return nullptr;
}

}  // namespace Atoll::drm
