// The C library's functions that take a path: what Debian's libdrm, Mesa, Vulkan loader and libudev import (nm -D).
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "drm/shim/shim.h"

using namespace Atoll::drm;
using namespace Atoll::drm::shim;

namespace {

// ROCm's way to a GPU (Linux drivers/gpu/drm/amd/amdkfd), which not every GPU has.
void report_no_kfd(const char* path) {
  static bool told;
  if (!same(path, "/dev/kfd") || !active() || __atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) return;
  Text<256> line;
  say(line << "/dev/kfd, which ROCm asks for, is hawaii's, gfx1200's and gfx1201's alone: process " << uint64_t(getpid())
           << " does not reach this GPU by it (OpenCL does through Mesa, code objects do by atoll launch)");
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  char room[path_bytes];
  if (!(flags & O_PATH))
    if (Node node = node_of(path); node != Node::none && active()) return open_node(node, flags);
  if (path && starts_with(path, "/dev/k") && node_of(path) == Node::none) report_no_kfd(path);
  if (const int made = open_host_file(path, flags); made >= 0) return made;
  const char* where = redirect(path, room);
  struct stat status;
  if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC))
    if (in_tree(folder, path)) {
      // a node's stand-in is opened below; all else in the tree is read-only (changes.cpp)
      bool there = raw_stat(folder, where, &status, 0) == 0;
      if (!there && !(flags & O_CREAT)) return -1;
      if (!there || node_of(status) == Node::none) {
        errno = EROFS;
        return -1;
      }
      flags &= ~(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC);
      flags |= O_RDWR;
    }
  int descriptor = int(raw_open(folder, where, flags, mode));
  if (descriptor < 0 || (flags & O_PATH) || !path || !active()) return descriptor;
  if (where == path && (path[0] == '/' || (folder == AT_FDCWD && !may_stand_in_tree()))) return descriptor;
  // "renderD128", seen from an open /dev/dri or from inside it, or through a link of /dev/dri/by-path
  if (raw_stat(descriptor, "", &status, AT_EMPTY_PATH) != 0) return descriptor;
  Node node = node_of(status);
  if (node == Node::none) return descriptor;
  close_quietly(descriptor);
  return open_node(node, flags);
}

// The node that a status is of, as a path or a descriptor led to it.
Node node_behind(int folder, const char* path, const struct stat& status) {
  if (Node node = node_of(status); node != Node::none || !may_be_session_file(status) || !active()) return node;
  const int saved = errno;
  const uint64_t position = position_at(folder, path);
  errno = saved;
  return is_device(position) ? node_at(position) : Node::none;
}

int stat_at(int folder, const char* path, struct stat* out, int flags) {
  char room[path_bytes];
  int result = int(raw_stat(folder, redirect(path, room), out, flags));
  if (result != 0) return result;
  if (Node node = node_behind(folder, path, *out); node != Node::none) show_as_device(*out, node);
  return result;
}

struct stat* narrow(struct stat64* status) { return reinterpret_cast<struct stat*>(status); }
static_assert(sizeof(struct stat) == sizeof(struct stat64));

}  // namespace

#define READ_MODE                        \
  mode_t mode = 0;                       \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list rest;                        \
    va_start(rest, flags);               \
    mode = va_arg(rest, mode_t);         \
    va_end(rest);                        \
  }

SHIM_EXPORT int open(const char* path, int flags, ...) { READ_MODE return open_at(AT_FDCWD, path, flags, mode); }
SHIM_EXPORT int open64(const char* path, int flags, ...) { READ_MODE return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
SHIM_EXPORT int openat(int folder, const char* path, int flags, ...) { READ_MODE return open_at(folder, path, flags, mode); }
SHIM_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  READ_MODE return open_at(folder, path, flags | O_LARGEFILE, mode);
}
SHIM_EXPORT int __open_2(const char* path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
SHIM_EXPORT int __open64_2(const char* path, int flags) { return open_at(AT_FDCWD, path, flags | O_LARGEFILE, 0); }
SHIM_EXPORT int __openat_2(int folder, const char* path, int flags) { return open_at(folder, path, flags, 0); }
SHIM_EXPORT int __openat64_2(int folder, const char* path, int flags) { return open_at(folder, path, flags | O_LARGEFILE, 0); }

SHIM_EXPORT int creat(const char* path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
SHIM_EXPORT int creat64(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC | O_LARGEFILE, mode);
}

SHIM_EXPORT int stat(const char* path, struct stat* out) { return stat_at(AT_FDCWD, path, out, 0); }
SHIM_EXPORT int stat64(const char* path, struct stat64* out) { return stat_at(AT_FDCWD, path, narrow(out), 0); }
SHIM_EXPORT int lstat(const char* path, struct stat* out) { return stat_at(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
SHIM_EXPORT int lstat64(const char* path, struct stat64* out) {
  return stat_at(AT_FDCWD, path, narrow(out), AT_SYMLINK_NOFOLLOW);
}
SHIM_EXPORT int fstat(int descriptor, struct stat* out) { return stat_at(descriptor, "", out, AT_EMPTY_PATH); }
SHIM_EXPORT int fstat64(int descriptor, struct stat64* out) { return stat_at(descriptor, "", narrow(out), AT_EMPTY_PATH); }
SHIM_EXPORT int fstatat(int folder, const char* path, struct stat* out, int flags) { return stat_at(folder, path, out, flags); }
SHIM_EXPORT int fstatat64(int folder, const char* path, struct stat64* out, int flags) {
  return stat_at(folder, path, narrow(out), flags);
}
// programs linked with a C library before 2.33
SHIM_EXPORT int __xstat(int, const char* path, struct stat* out) { return stat_at(AT_FDCWD, path, out, 0); }
SHIM_EXPORT int __xstat64(int, const char* path, struct stat64* out) { return stat_at(AT_FDCWD, path, narrow(out), 0); }
SHIM_EXPORT int __lxstat(int, const char* path, struct stat* out) { return stat_at(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
SHIM_EXPORT int __lxstat64(int, const char* path, struct stat64* out) {
  return stat_at(AT_FDCWD, path, narrow(out), AT_SYMLINK_NOFOLLOW);
}
SHIM_EXPORT int __fxstat(int, int descriptor, struct stat* out) { return stat_at(descriptor, "", out, AT_EMPTY_PATH); }
SHIM_EXPORT int __fxstat64(int, int descriptor, struct stat64* out) {
  return stat_at(descriptor, "", narrow(out), AT_EMPTY_PATH);
}
SHIM_EXPORT int __fxstatat(int, int folder, const char* path, struct stat* out, int flags) {
  return stat_at(folder, path, out, flags);
}
SHIM_EXPORT int __fxstatat64(int, int folder, const char* path, struct stat64* out, int flags) {
  return stat_at(folder, path, narrow(out), flags);
}

SHIM_EXPORT int statx(int folder, const char* __restrict path, int flags, unsigned mask, struct statx* __restrict out) {
  char room[path_bytes];
  const char* where = redirect(path, room);
  int result = int(syscall(SYS_statx, folder, where, flags, mask, out));
  if (result != 0 || !S_ISREG(out->stx_mode) || !active()) return result;
  struct stat status{};
  status.st_mode = out->stx_mode;
  status.st_size = off_t(out->stx_size);
  status.st_dev = makedev(out->stx_dev_major, out->stx_dev_minor);
  status.st_ino = out->stx_ino;
  const Node node = node_behind(folder, path, status);
  if (node == Node::none) return result;
  out->stx_mode = S_IFCHR | 0666;
  out->stx_rdev_major = node == Node::kfd ? kfd_major : drm_major;
  out->stx_rdev_minor = node == Node::kfd ? 0 : unsigned(node);
  out->stx_size = 0;
  return result;
}

SHIM_EXPORT int access(const char* path, int mode) {
  char room[path_bytes];
  return int(syscall(SYS_access, redirect(path, room), mode));
}
SHIM_EXPORT int faccessat(int folder, const char* path, int mode, int flags) {
  char room[path_bytes];
  const char* where = redirect(path, room);
  if (flags == 0) return int(syscall(SYS_faccessat, folder, where, mode));
  int saved = errno;
  long result = syscall(SYS_faccessat2, folder, where, mode, flags);  // Linux 5.8
  if (result == 0 || errno != ENOSYS) return int(result);
  errno = saved;
  return int(syscall(SYS_faccessat, folder, where, mode));
}

SHIM_EXPORT ssize_t readlink(const char* __restrict path, char* __restrict out, size_t bytes) {
  char room[path_bytes];
  return syscall(SYS_readlink, redirect(path, room), out, bytes);
}
SHIM_EXPORT ssize_t __readlink_chk(const char* path, char* out, size_t bytes, size_t) { return readlink(path, out, bytes); }
SHIM_EXPORT ssize_t readlinkat(int folder, const char* __restrict path, char* __restrict out, size_t bytes) {
  char room[path_bytes];
  return syscall(SYS_readlinkat, folder, redirect(path, room), out, bytes);
}
SHIM_EXPORT ssize_t __readlinkat_chk(int folder, const char* path, char* out, size_t bytes, size_t) {
  return readlinkat(folder, path, out, bytes);
}

SHIM_EXPORT char* realpath(const char* __restrict path, char* __restrict out) {
  static auto real = next<char* (*)(const char*, char*)>("realpath");  // the current version: with a null `out` it allocates
  char room[path_bytes];
  const char* where = redirect(path, room);
  char* found = real(where, out);
  if (found && where != path) restore(found);
  return found;
}
SHIM_EXPORT char* __realpath_chk(const char* path, char* out, size_t) { return realpath(path, out); }
SHIM_EXPORT char* canonicalize_file_name(const char* path) {
  static auto real = next<char* (*)(const char*)>("canonicalize_file_name");
  char room[path_bytes];
  const char* where = redirect(path, room);
  char* found = real(where);
  if (found && where != path) restore(found);
  return found;
}

SHIM_EXPORT DIR* opendir(const char* path) {
  static auto real = next<DIR* (*)(const char*)>("opendir");
  char room[path_bytes];
  return real(redirect(path, room));
}
SHIM_EXPORT int scandir(const char* __restrict path, struct dirent*** __restrict list, int (*filter)(const struct dirent*),
                        int (*order)(const struct dirent**, const struct dirent**)) {
  static auto real = next<decltype(&scandir)>("scandir");
  char room[path_bytes];
  return real(redirect(path, room), list, filter, order);
}
SHIM_EXPORT int scandir64(const char* __restrict path, struct dirent64*** __restrict list, int (*filter)(const struct dirent64*),
                          int (*order)(const struct dirent64**, const struct dirent64**)) {
  static auto real = next<decltype(&scandir64)>("scandir64");
  char room[path_bytes];
  return real(redirect(path, room), list, filter, order);
}
// A stream of a file that tells of this machine, opened through /proc as the one that it is; null for any other.
template <class Open>
static FILE* stream_of_host(const char* path, Open open) {
  const int descriptor = open_host_file(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  Text<64> link;
  link << "/proc/self/fd/" << uint64_t(descriptor);
  FILE* stream = open(link.text());
  close_quietly(descriptor);
  return stream;
}

// A stream that would change what stands in the tree.
static bool refuses(const char* path, const char* mode) {
  bool writes = mode && mode[0] != 'r';
  for (; mode && *mode; ++mode) writes |= *mode == '+';
  if (!writes || !in_tree(AT_FDCWD, path)) return false;
  errno = EROFS;
  return true;
}

SHIM_EXPORT FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  static auto real = next<FILE* (*)(const char*, const char*)>("fopen");
  char room[path_bytes];
  if (refuses(path, mode)) return nullptr;
  if (FILE* made = stream_of_host(path, [&](const char* link) { return real(link, mode); })) return made;
  return real(redirect(path, room), mode);
}
SHIM_EXPORT FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  static auto real = next<FILE* (*)(const char*, const char*)>("fopen64");
  char room[path_bytes];
  if (refuses(path, mode)) return nullptr;
  if (FILE* made = stream_of_host(path, [&](const char* link) { return real(link, mode); })) return made;
  return real(redirect(path, room), mode);
}
SHIM_EXPORT FILE* freopen(const char* __restrict path, const char* __restrict mode, FILE* __restrict stream) {
  static auto real = next<FILE* (*)(const char*, const char*, FILE*)>("freopen");
  char room[path_bytes];
  return refuses(path, mode) ? nullptr : real(redirect(path, room), mode, stream);
}
SHIM_EXPORT FILE* freopen64(const char* __restrict path, const char* __restrict mode, FILE* __restrict stream) {
  static auto real = next<FILE* (*)(const char*, const char*, FILE*)>("freopen64");
  char room[path_bytes];
  return refuses(path, mode) ? nullptr : real(redirect(path, room), mode, stream);
}
