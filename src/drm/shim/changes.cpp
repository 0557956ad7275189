// The C library's functions that change what a path names: what stands in the tree of device files is read-only for a program, as a
// kernel's would be on a read-only mount (EROFS, path_resolution(7)), also where it comes along relative paths. Else `chmod -R` or
// `rm -r` of /dev/dri would change the stand-ins of all later programs, or a GPU that the machine really has.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>
#include <utime.h>

#include "drm/shim/shim.h"

using namespace Atoll::drm::shim;

namespace {

int refused() {
  errno = EROFS;
  return -1;
}

}  // namespace

// NAME: its parameters, its arguments, and whether one of its paths lies in the tree.
#define READ_ONLY(name, parameters, arguments, inside) \
  SHIM_EXPORT int name parameters {                    \
    if (inside) return refused();                      \
    static auto real = next<int(*) parameters>(#name); \
    return real arguments;                             \
  }
#define READ_ONLY_PATH(name, parameters, arguments) READ_ONLY(name, parameters, arguments, in_tree(AT_FDCWD, path))
#define READ_ONLY_AT(name, parameters, arguments) READ_ONLY(name, parameters, arguments, in_tree(folder, path))

READ_ONLY_PATH(chmod, (const char* path, mode_t mode), (path, mode))
READ_ONLY_PATH(lchmod, (const char* path, mode_t mode), (path, mode))
READ_ONLY_AT(fchmodat, (int folder, const char* path, mode_t mode, int flags), (folder, path, mode, flags))
READ_ONLY_PATH(chown, (const char* path, uid_t user, gid_t group), (path, user, group))
READ_ONLY_PATH(lchown, (const char* path, uid_t user, gid_t group), (path, user, group))
READ_ONLY_AT(fchownat, (int folder, const char* path, uid_t user, gid_t group, int flags), (folder, path, user, group, flags))
READ_ONLY_PATH(utime, (const char* path, const struct utimbuf* times), (path, times))
READ_ONLY_PATH(utimes, (const char* path, const struct timeval* times), (path, times))
READ_ONLY_PATH(lutimes, (const char* path, const struct timeval* times), (path, times))
READ_ONLY_AT(futimesat, (int folder, const char* path, const struct timeval* times), (folder, path, times))
READ_ONLY_AT(utimensat, (int folder, const char* path, const struct timespec* times, int flags), (folder, path, times, flags))
READ_ONLY_PATH(truncate, (const char* path, off_t bytes), (path, bytes))
READ_ONLY_PATH(truncate64, (const char* path, off64_t bytes), (path, bytes))
READ_ONLY_PATH(unlink, (const char* path), (path))
READ_ONLY_AT(unlinkat, (int folder, const char* path, int flags), (folder, path, flags))
READ_ONLY_PATH(remove, (const char* path), (path))
READ_ONLY_PATH(rmdir, (const char* path), (path))
READ_ONLY_PATH(mkdir, (const char* path, mode_t mode), (path, mode))
READ_ONLY_AT(mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode))
READ_ONLY_PATH(mkfifo, (const char* path, mode_t mode), (path, mode))
READ_ONLY_AT(mkfifoat, (int folder, const char* path, mode_t mode), (folder, path, mode))
READ_ONLY_PATH(mknod, (const char* path, mode_t mode, dev_t device), (path, mode, device))
READ_ONLY_AT(mknodat, (int folder, const char* path, mode_t mode, dev_t device), (folder, path, mode, device))
READ_ONLY_PATH(symlink, (const char* target, const char* path), (target, path))
READ_ONLY_AT(symlinkat, (const char* target, int folder, const char* path), (target, folder, path))
READ_ONLY_PATH(link, (const char* old, const char* path), (old, path))
READ_ONLY_AT(linkat, (int from, const char* old, int folder, const char* path, int flags), (from, old, folder, path, flags))
READ_ONLY(rename, (const char* from, const char* to), (from, to), in_tree(AT_FDCWD, from) || in_tree(AT_FDCWD, to))
READ_ONLY(renameat, (int from_folder, const char* from, int folder, const char* to), (from_folder, from, folder, to),
          in_tree(from_folder, from) || in_tree(folder, to))
READ_ONLY(renameat2, (int from_folder, const char* from, int folder, const char* to, unsigned flags),
          (from_folder, from, folder, to, flags), in_tree(from_folder, from) || in_tree(folder, to))
