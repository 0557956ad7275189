#include "drm/file.h"

namespace Atoll::drm {

std::span<const Ioctl> radeon_ioctls() { return {}; }

}  // namespace Atoll::drm
