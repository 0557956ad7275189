// The current folder inside the tree of device files, as after `cd /dev/dri` in a shell, and patterns that are matched there.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/shim/shim.h"

using namespace Atoll::drm::shim;

namespace {

// 0 until it is known whether this process may stand in the tree: its parent may have.
enum Place : int { unknown, outside, perhaps };
int place;

bool leads_into_tree(int folder) {
  Text<64> link;
  link << "/proc/self/";
  if (folder == AT_FDCWD)
    link << "cwd";
  else
    link << "fd/" << uint64_t(folder);
  char target[path_bytes];
  long length = syscall(SYS_readlink, link.text(), target, sizeof target - 1);
  if (length <= 0) return false;
  target[length] = 0;
  const char* tree = tree_folder();
  size_t bytes = length_of(tree);
  return bytes && starts_with(target, tree) && (target[bytes] == 0 || target[bytes] == '/');
}

}  // namespace

namespace Atoll::drm::shim {

bool may_stand_in_tree() {
  int known = __atomic_load_n(&place, __ATOMIC_RELAXED);
  if (known == unknown && active()) {
    int saved = errno;
    __atomic_store_n(&place, known = leads_into_tree(AT_FDCWD) ? perhaps : outside, __ATOMIC_RELAXED);
    errno = saved;
  }
  return known == perhaps;
}

bool in_tree(int folder, const char* path) {
  if (!path) return false;
  if (path[0] == '/') {
    char room[path_bytes];
    return redirect(path, room) != path;
  }
  if (!active() || (folder == AT_FDCWD && !may_stand_in_tree())) return false;
  int saved = errno;
  bool inside = is_on_device_of_tree(folder) && leads_into_tree(folder);
  errno = saved;
  return inside;
}

}  // namespace Atoll::drm::shim

SHIM_EXPORT int chdir(const char* path) noexcept {
  char room[path_bytes];
  const char* where = redirect(path, room);
  int result = int(syscall(SYS_chdir, where));
  if (result == 0 && where != path) __atomic_store_n(&place, perhaps, __ATOMIC_RELAXED);
  return result;
}
SHIM_EXPORT int fchdir(int descriptor) noexcept {
  int result = int(syscall(SYS_fchdir, descriptor));
  if (result == 0 && active()) __atomic_store_n(&place, unknown, __ATOMIC_RELAXED);  // asked for when it matters
  return result;
}

SHIM_EXPORT char* getcwd(char* out, size_t bytes) noexcept {
  static auto real = next<char* (*)(char*, size_t)>("getcwd");
  char* found = real(out, bytes);
  if (found && may_stand_in_tree()) restore(found);
  // the tree's own path may not fit where the one it stands for does
  if (found || !out || errno != ERANGE || !may_stand_in_tree()) return found;
  char room[path_bytes];
  if (!real(room, sizeof room)) return nullptr;
  restore(room);
  if (length_of(room) >= bytes) {
    errno = ERANGE;
    return nullptr;
  }
  for (size_t i = 0;; ++i)
    if (!(out[i] = room[i])) return out;
}
SHIM_EXPORT char* __getcwd_chk(char* out, size_t bytes, size_t) { return getcwd(out, bytes); }
SHIM_EXPORT char* get_current_dir_name() noexcept {
  static auto real = next<char* (*)()>("get_current_dir_name");
  char* found = real();
  if (found && may_stand_in_tree()) restore(found);
  return found;
}

namespace {

// Programs that ask a folder for the type of an entry do not ask stat() then (readdir(3), d_type): stand-ins are regular files there.
template <class Entry>
Entry* shown(Entry* entry) {
  if (entry && entry->d_type == DT_REG && is_inode_of_node(entry->d_ino)) entry->d_type = DT_UNKNOWN;
  return entry;
}

// The C library's glob() calls its own opendir() and stat() unless it is given others (glob(3), GLOB_ALTDIRFUNC).
int match(const char* name, const char* pattern, int flags, int (*on_error)(const char*, int), glob_t* out) {
  auto real = next<int (*)(const char*, int, int (*)(const char*, int), glob_t*)>(name);
  if (!active() || flags & GLOB_ALTDIRFUNC || !pattern || !(starts_with(pattern, "/dev/") || starts_with(pattern, "/sys/")))
    return real(pattern, flags, on_error, out);
  out->gl_opendir = [](const char* path) { return static_cast<void*>(opendir(path)); };
  out->gl_readdir = [](void* folder) { return readdir(static_cast<DIR*>(folder)); };
  out->gl_closedir = [](void* folder) {
    static auto close = next<int (*)(void*)>("closedir");
    close(folder);
  };
  out->gl_stat = stat;
  out->gl_lstat = lstat;
  int result = real(pattern, flags | GLOB_ALTDIRFUNC, on_error, out);
  out->gl_flags &= ~GLOB_ALTDIRFUNC;
  return result;
}

}  // namespace

static_assert(sizeof(glob_t) == sizeof(glob64_t) && sizeof(struct dirent) == sizeof(struct dirent64));

SHIM_EXPORT struct dirent* readdir(DIR* folder) {
  static auto real = next<struct dirent* (*)(DIR*)>("readdir");
  return shown(real(folder));
}
SHIM_EXPORT struct dirent64* readdir64(DIR* folder) {
  static auto real = next<struct dirent64* (*)(DIR*)>("readdir64");
  return shown(real(folder));
}

SHIM_EXPORT int glob(const char* __restrict pattern, int flags, int (*on_error)(const char*, int), glob_t* __restrict out) {
  return match("glob", pattern, flags, on_error, out);
}
SHIM_EXPORT int glob64(const char* __restrict pattern, int flags, int (*on_error)(const char*, int), glob64_t* __restrict out) {
  return match("glob64", pattern, flags, on_error, reinterpret_cast<glob_t*>(out));
}

// The effective user's permissions.
SHIM_EXPORT int eaccess(const char* path, int mode) noexcept { return faccessat(AT_FDCWD, path, mode, AT_EACCESS); }
SHIM_EXPORT int euidaccess(const char* path, int mode) noexcept { return faccessat(AT_FDCWD, path, mode, AT_EACCESS); }

SHIM_EXPORT int inotify_add_watch(int descriptor, const char* path, uint32_t mask) noexcept {
  char room[path_bytes];
  return int(syscall(SYS_inotify_add_watch, descriptor, redirect(path, room), mask));
}
