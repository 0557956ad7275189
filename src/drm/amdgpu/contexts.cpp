#include "drm/amdgpu/contexts.h"

namespace Atoll::drm::amdgpu {

Ring* Context::find(uint32_t type, uint32_t number) {
  std::lock_guard lock(mutex);
  auto found = rings.find(type << 8 | number);
  return found == rings.end() ? nullptr : found->second.get();
}

}  // namespace Atoll::drm::amdgpu
