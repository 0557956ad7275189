// Extended attributes and file systems of the tree of device files: what `ls -l`, `stat -f`, `df`, cp and archivers ask beside
// stat(). A device file or a file of sysfs has no attributes (xattr(7)), whatever the file system has on which the tree stands.
#include <errno.h>
#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "drm/shim/shim.h"

using namespace Atoll::drm;
using namespace Atoll::drm::shim;

namespace {

// The result of a call on a path of the tree: -1 with ENOENT and the like where there is nothing, else `error`, or 0 for none.
int answer_at(const char* where, int flags, int error) {
  struct stat status;
  if (raw_stat(AT_FDCWD, where, &status, flags) != 0) return -1;
  if (error == 0) return 0;
  errno = error;
  return -1;
}

ssize_t attributes(long call, const char* path, int flags, int error, const void* a, const void* b, size_t bytes, int more) {
  char room[path_bytes];
  const char* where = redirect(path, room);
  if (where != path) return answer_at(where, flags, error);
  return syscall(call, path, a, b, bytes, more);
}

ssize_t attributes(long call, int descriptor, int error, const void* a, const void* b, size_t bytes, int more) {
  if (!is_device(position_of(descriptor))) return syscall(call, descriptor, a, b, bytes, more);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

constexpr int nofollow = AT_SYMLINK_NOFOLLOW;

}  // namespace

SHIM_EXPORT ssize_t getxattr(const char* path, const char* name, void* value, size_t bytes) noexcept {
  return attributes(SYS_getxattr, path, 0, ENODATA, name, value, bytes, 0);
}
SHIM_EXPORT ssize_t lgetxattr(const char* path, const char* name, void* value, size_t bytes) noexcept {
  return attributes(SYS_lgetxattr, path, nofollow, ENODATA, name, value, bytes, 0);
}
SHIM_EXPORT ssize_t fgetxattr(int descriptor, const char* name, void* value, size_t bytes) noexcept {
  return attributes(SYS_fgetxattr, descriptor, ENODATA, name, value, bytes, 0);
}
SHIM_EXPORT ssize_t listxattr(const char* path, char* list, size_t bytes) noexcept {
  return attributes(SYS_listxattr, path, 0, 0, list, reinterpret_cast<void*>(bytes), 0, 0);
}
SHIM_EXPORT ssize_t llistxattr(const char* path, char* list, size_t bytes) noexcept {
  return attributes(SYS_llistxattr, path, nofollow, 0, list, reinterpret_cast<void*>(bytes), 0, 0);
}
SHIM_EXPORT ssize_t flistxattr(int descriptor, char* list, size_t bytes) noexcept {
  return attributes(SYS_flistxattr, descriptor, 0, list, reinterpret_cast<void*>(bytes), 0, 0);
}
SHIM_EXPORT int setxattr(const char* path, const char* name, const void* value, size_t bytes, int flags) noexcept {
  return int(attributes(SYS_setxattr, path, 0, EROFS, name, value, bytes, flags));
}
SHIM_EXPORT int lsetxattr(const char* path, const char* name, const void* value, size_t bytes, int flags) noexcept {
  return int(attributes(SYS_lsetxattr, path, nofollow, EROFS, name, value, bytes, flags));
}
SHIM_EXPORT int fsetxattr(int descriptor, const char* name, const void* value, size_t bytes, int flags) noexcept {
  return int(attributes(SYS_fsetxattr, descriptor, EROFS, name, value, bytes, flags));
}
SHIM_EXPORT int removexattr(const char* path, const char* name) noexcept {
  return int(attributes(SYS_removexattr, path, 0, EROFS, name, nullptr, 0, 0));
}
SHIM_EXPORT int lremovexattr(const char* path, const char* name) noexcept {
  return int(attributes(SYS_lremovexattr, path, nofollow, EROFS, name, nullptr, 0, 0));
}
SHIM_EXPORT int fremovexattr(int descriptor, const char* name) noexcept {
  return int(attributes(SYS_fremovexattr, descriptor, EROFS, name, nullptr, 0, 0));
}

namespace {

// As Linux has them (include/uapi/linux/magic.h): programs tell by this whether a folder below /sys is the kernel's.
constexpr long sysfs_magic = 0x62656572, tmpfs_magic = 0x01021994;

int file_system(const char* path, struct statfs* out) {
  char room[path_bytes];
  const char* where = redirect(path, room);
  int result = int(syscall(SYS_statfs, where, out));
  if (result == 0 && where != path) out->f_type = starts_with(path, "/sys") ? sysfs_magic : tmpfs_magic;
  return result;
}

}  // namespace

static_assert(sizeof(struct statfs) == sizeof(struct statfs64) && sizeof(struct statvfs) == sizeof(struct statvfs64));

SHIM_EXPORT int statfs(const char* path, struct statfs* out) noexcept { return file_system(path, out); }
SHIM_EXPORT int statfs64(const char* path, struct statfs64* out) noexcept {
  return file_system(path, reinterpret_cast<struct statfs*>(out));
}
SHIM_EXPORT int statvfs(const char* __restrict path, struct statvfs* __restrict out) noexcept {
  static auto real = next<int (*)(const char*, struct statvfs*)>("statvfs");
  char room[path_bytes];
  return real(redirect(path, room), out);
}
SHIM_EXPORT int statvfs64(const char* __restrict path, struct statvfs64* __restrict out) noexcept {
  return statvfs(path, reinterpret_cast<struct statvfs*>(out));
}
