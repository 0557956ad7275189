// Lists of structures by which i915's arguments are extended (Linux drivers/gpu/drm/i915/i915_user_extensions.c).
#pragma once
#include <libdrm/i915_drm.h>

#include <cerrno>

#include "drm/core/file.h"

namespace Atoll::drm::i915 {

// `each`(name, address of the whole structure) answers 0 or a negative errno, which ends it.
template <class Each>
int each_extension(uint64_t address, Each&& each) {
  constexpr unsigned most = 512;  // as the kernel has it
  for (unsigned count = 0; address; ++count) {
    if (count == most) return -E2BIG;
    i915_user_extension extension;
    if (!read_user(&extension, address, sizeof extension)) return -EFAULT;
    if (extension.flags || extension.rsvd[0] || extension.rsvd[1] || extension.rsvd[2] || extension.rsvd[3]) return -EINVAL;
    if (int error = each(extension.name, address)) return error;
    address = extension.next_extension;
  }
  return 0;
}

}  // namespace Atoll::drm::i915
