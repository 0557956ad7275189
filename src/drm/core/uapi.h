// A kernel driver's interface: one object each, in the folder of its name. Code outside that folder does not depend on
// which one it is; drm/uapis.cpp lists them, and gpus/families.tsv says which GPUs have which.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "drm/session/fence.h"

namespace Atoll::gpu {
struct Chip;
}

namespace Atoll::drm {

class Buffer;
class File;

// The ioctls by subject, each a table of numbers and functions.
struct Ioctl {
  unsigned number;
  unsigned bytes;  // of the argument as we know it; a program's may be shorter or longer
  const char* name;
  int (*handle)(File& file, void* argument);
};
// The ioctls that every driver has.
std::span<const Ioctl> drm_ioctls();
std::span<const Ioctl> syncobj_ioctls();

// A driver's own state of an open file besides buffers, page tables and sync objects: its contexts and rings.
class FileState {
public:
  virtual ~FileState() = default;  // ends what its rings have under way
  // Appends the submissions that are not done.
  virtual void add_running(std::vector<FencePtr>& fences) const = 0;
  // Called when the file's handle of a buffer is gone: removes it from address spaces that the driver keeps beside the
  // file's own.
  virtual void forget(const Buffer& /*buffer*/, const std::vector<FencePtr>& /*running*/) {}
};

struct Uapi {
  std::string_view name;  // of gpus/families.tsv, DRM_IOCTL_VERSION and sysfs
  int major, minor, patch;
  std::string_view date, description;
  std::span<const Ioctl> ioctls;
  bool has_timelines;  // DRM_CAP_SYNCOBJ_TIMELINE
  std::unique_ptr<FileState> (*make_state)();
  int (*minor_of)(const gpu::Chip& chip) = nullptr;  // if it differs from chip to chip; null: it is `minor`
};

// DRM_IOCTL_VERSION's minor number on that chip.
inline int minor_version(const Uapi& uapi, const gpu::Chip& chip) { return uapi.minor_of ? uapi.minor_of(chip) : uapi.minor; }

// Null: there is none of that name.
const Uapi* find_uapi(std::string_view name);

}  // namespace Atoll::drm
