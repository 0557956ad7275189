// Descriptors of the session file, and the way to libatoll.so.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/shim/shim.h"

namespace Atoll::drm::shim {

const char* library_folder();

long raw_open(int folder, const char* path, int flags, mode_t mode) { return syscall(SYS_openat, folder, path, flags, mode); }
long raw_stat(int folder, const char* path, struct stat* out, int flags) {
  return syscall(SYS_newfstatat, folder, path, out, flags);
}

namespace {

struct Session {
  bool known;  // device and inode are set
  int descriptor = -1;
  dev_t device;
  ino_t inode;
} session;
pthread_mutex_t session_mutex = PTHREAD_MUTEX_INITIALIZER;

bool take(int descriptor) {
  struct stat status;
  if (raw_stat(descriptor, "", &status, AT_EMPTY_PATH) != 0 || uint64_t(status.st_size) != session_file_bytes) return false;
  // away from the low numbers, which programs count on (and close)
  int high = int(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 700));
  if (high >= 0) {
    syscall(SYS_close, descriptor);
    descriptor = high;
  }
  session.device = status.st_dev;
  session.inode = status.st_ino;
  session.descriptor = descriptor;
  __atomic_store_n(&session.known, true, __ATOMIC_RELEASE);
  return true;
}

// The session that the environment names; else, if `create`, one of this process alone.
bool open_session(bool create) {
  if (__atomic_load_n(&session.known, __ATOMIC_ACQUIRE)) return true;
  if (!active()) return false;
  pthread_mutex_lock(&session_mutex);
  bool open = session.known;
  if (!open) {
    const char* named = getenv(session_variable);
    if (named && *named) {
      int descriptor = int(raw_open(AT_FDCWD, named, O_RDWR | O_CLOEXEC, 0));
      open = descriptor >= 0 && take(descriptor);
      if (!open) {
        if (descriptor >= 0) syscall(SYS_close, descriptor);
        static bool told;
        if (!told)
          fprintf(stderr, "atoll: the session %s is gone (%s=%s): this process is on its own\n", named, session_variable, named);
        told = true;
      }
    }
    if (!open && create) {
      int descriptor = int(syscall(SYS_memfd_create, "atoll-gpu", MFD_CLOEXEC));
      if (descriptor >= 0) {
        open = syscall(SYS_ftruncate, descriptor, session_file_bytes) == 0 && take(descriptor);
        if (!open) {
          fprintf(stderr,
                  "atoll: cannot make the GPU's memory file of %llu bytes: %s: raise the limit on file sizes (ulimit -f)\n",
                  (unsigned long long)session_file_bytes, strerror(errno));
          syscall(SYS_close, descriptor);
        }
      }
    }
  }
  pthread_mutex_unlock(&session_mutex);
  return open;
}

struct Library {
  IoctlEntry ioctl;
  DmaBufEntry dma_buf;
} library;
pthread_once_t library_once = PTHREAD_ONCE_INIT;

void load_library() {
  char path[path_bytes + 32];
  snprintf(path, sizeof path, "%s/libatoll.so", library_folder());
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "atoll: the GPU cannot be loaded: %s\n", dlerror());
    return;
  }
  library.ioctl = reinterpret_cast<IoctlEntry>(dlsym(handle, ioctl_entry));
  library.dma_buf = reinterpret_cast<DmaBufEntry>(dlsym(handle, dma_buf_entry));
  if (!library.ioctl || !library.dma_buf) fprintf(stderr, "atoll: %s is not of this version: build it again\n", path);
}

}  // namespace

// Programs that close what they do not know (daemons do) close it too. It is found again by its name;
// a session of the process alone is lost with it.
int session_descriptor() {
  struct stat status;
  auto is_ours = [&](int descriptor) {
    return raw_stat(descriptor, "", &status, AT_EMPTY_PATH) == 0 && status.st_dev == session.device &&
           status.st_ino == session.inode;
  };
  if (is_ours(session.descriptor)) return session.descriptor;
  pthread_mutex_lock(&session_mutex);
  if (!is_ours(session.descriptor)) {
    const char* named = getenv(session_variable);
    int descriptor = named && *named ? int(raw_open(AT_FDCWD, named, O_RDWR | O_CLOEXEC, 0)) : -1;
    if (descriptor >= 0 && !(is_ours(descriptor) && take(descriptor))) syscall(SYS_close, descriptor);
  }
  pthread_mutex_unlock(&session_mutex);
  return session.descriptor;
}

IoctlEntry library_ioctl() {
  pthread_once(&library_once, load_library);
  return library.ioctl;
}

DmaBufEntry library_dma_buf() {
  pthread_once(&library_once, load_library);
  return library.dma_buf;
}

int open_node(Node node, int flags) {
  if (!open_session(true)) {
    errno = ENODEV;
    return -1;
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", session_descriptor());
  int descriptor = int(raw_open(AT_FDCWD, path, O_RDWR | (flags & (O_CLOEXEC | O_NONBLOCK)), 0));
  if (descriptor < 0) return -1;
  static uint32_t opened;
  uint64_t id = uint64_t(getpid()) << 32 | __atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED);
  uint64_t position = position_ours | (node == Node::primary ? position_primary : 0) | (id & position_id & ~position_primary);
  if (syscall(SYS_lseek, descriptor, off_t(position), SEEK_SET) < 0) {
    int why = errno;
    syscall(SYS_close, descriptor);
    errno = why;
    return -1;
  }
  return descriptor;
}

uint64_t position_of(int descriptor, const struct stat& status) {
  if (uint64_t(status.st_size) != session_file_bytes || !S_ISREG(status.st_mode)) return 0;
  // programs get node descriptors through sockets too, without ever opening one
  if (!open_session(false) || status.st_dev != session.device || status.st_ino != session.inode) return 0;
  int saved = errno;
  long at = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  errno = saved;
  return at > 0 && uint64_t(at) & position_ours ? uint64_t(at) : 0;
}

uint64_t position_of(int descriptor) {
  if (descriptor < 0) return 0;
  int saved = errno;
  struct stat status;
  uint64_t position = raw_stat(descriptor, "", &status, AT_EMPTY_PATH) == 0 ? position_of(descriptor, status) : 0;
  errno = saved;
  return position;
}

}  // namespace Atoll::drm::shim
