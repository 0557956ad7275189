// Descriptors of the session file, and the way to libatoll.so.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/installed_places.h"
#include "drm/shim/shim.h"

namespace Atoll::drm::shim {

const char* library_folder();

long raw_open(int folder, const char* path, int flags, mode_t mode) { return syscall(SYS_openat, folder, path, flags, mode); }
long raw_stat(int folder, const char* path, struct stat* out, int flags) {
  return syscall(SYS_newfstatat, folder, path, out, flags);
}
void close_quietly(int descriptor) {
  int saved = errno;
  syscall(SYS_close, descriptor);
  errno = saved;
}

namespace {

// The one session of this process. It is put together in memory of its own and appears whole, without a lock that a fork could
// leave held.
struct Session {
  int descriptor;
  dev_t device;
  ino_t inode;
};
Session* session;

bool is_file_of(const Session& of, int descriptor) {
  struct stat status;
  return raw_stat(descriptor, "", &status, AT_EMPTY_PATH) == 0 && status.st_dev == of.device && status.st_ino == of.inode;
}

// Away from the low numbers, which programs count on (and close).
int move_up(int descriptor) {
  constexpr int first_number = 700;
  int high = int(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, first_number));
  if (high < 0) return descriptor;
  close_quietly(descriptor);
  return high;
}

// Makes the file this process's session; false when it is no session file. Another thread may be quicker: then it has its own
// way.
bool take(int descriptor) {
  struct stat status;
  if (raw_stat(descriptor, "", &status, AT_EMPTY_PATH) != 0 || uint64_t(status.st_size) != session_file_bytes) return false;
  constexpr size_t page = 4096;
  long room = syscall(SYS_mmap, nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, off_t(0));
  if (room == -1) return false;
  auto* made = reinterpret_cast<Session*>(room);
  made->descriptor = move_up(descriptor);
  made->device = status.st_dev;
  made->inode = status.st_ino;
  Session* none = nullptr;
  if (!__atomic_compare_exchange_n(&session, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    close_quietly(made->descriptor);
    syscall(SYS_munmap, made, page);
  }
  return true;
}

int open_named() {
  const char* named = variable(session_variable);
  return named ? int(raw_open(AT_FDCWD, named, O_RDWR | O_CLOEXEC, 0)) : -1;
}

bool take_inherited() {
  if (!variable(session_variable)) return false;
  int copy = int(syscall(SYS_fcntl, inherited_session, F_DUPFD_CLOEXEC, inherited_session + 1));
  if (copy >= 0 && take(copy)) return true;
  if (copy >= 0) close_quietly(copy);
  return false;
}

// A file beyond the limit on sizes would not be made but end the program (setrlimit(2), RLIMIT_FSIZE: SIGXFSZ).
bool may_make_file() {
  struct rlimit most;
  if (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &most) != 0 || most.rlim_cur >= session_file_bytes) return true;
  Text<256> line;
  say(line << "cannot make the GPU's memory file of " << session_file_bytes
           << " bytes, sparse as it is: the limit on file sizes is " << uint64_t(most.rlim_cur)
           << " bytes: raise it (ulimit -f unlimited)");
  return false;
}

int make_file() {
  if (!may_make_file()) return -1;
  int descriptor = int(syscall(SYS_memfd_create, "atoll-gpu", MFD_CLOEXEC));
  if (descriptor < 0 || syscall(SYS_ftruncate, descriptor, session_file_bytes) == 0) return descriptor;
  Text<256> line;
  say(line << "cannot make the GPU's memory file of " << session_file_bytes << " bytes: error " << uint64_t(errno));
  close_quietly(descriptor);
  return -1;
}

// The session that the environment names; else, if `create`, one of this process alone.
bool open_session(bool create) {
  if (__atomic_load_n(&session, __ATOMIC_ACQUIRE)) return true;
  if (!active()) return false;
  int descriptor = open_named();
  if (descriptor >= 0 && take(descriptor)) return true;
  if (descriptor >= 0) close_quietly(descriptor);
  if (take_inherited()) return true;
  if (!create) return false;
  if (const char* named = variable(session_variable)) {
    static bool told;
    Text<path_bytes> line;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
      say(line << "the session " << named << " is gone (" << session_variable << "): process " << uint64_t(getpid())
               << " has a GPU of its own");
  }
  descriptor = make_file();
  if (descriptor >= 0 && take(descriptor)) return true;
  if (descriptor >= 0) close_quietly(descriptor);
  return false;
}

struct Library {
  IoctlEntry ioctl;
  DmaBufEntry dma_buf;
} library;
pthread_once_t library_once = PTHREAD_ONCE_INIT;

// The first ioctl on a GPU's descriptor: the program runs, and here its own allocator and linker may be used.
void load_library() {
  note_gpu_process();
  Text<path_bytes> path, line;
  for (const char* place : places_of_library) {
    path.cut(0);
    path << library_folder() << place << library_soname;
    struct stat status;
    if (raw_stat(AT_FDCWD, path.text(), &status, 0) == 0) break;
  }
  void* handle = dlopen(path.text(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    say(line << "the GPU cannot be loaded: " << (why ? why : path.text()));
    return;
  }
  library.ioctl = reinterpret_cast<IoctlEntry>(dlsym(handle, ioctl_entry));
  library.dma_buf = reinterpret_cast<DmaBufEntry>(dlsym(handle, dma_buf_entry));
  if (!library.ioctl || !library.dma_buf) say(line << path.text() << " is not of this version: build it again");
}

}  // namespace

// Programs that close what they do not know (daemons do) close it too. It is found again by its name;
// a session of the process alone is lost with it.
int session_descriptor() {
  Session* s = __atomic_load_n(&session, __ATOMIC_ACQUIRE);
  if (!s) return -1;
  int known = __atomic_load_n(&s->descriptor, __ATOMIC_ACQUIRE);
  if (is_file_of(*s, known)) return known;
  int again = open_named();
  if (again < 0) return known;
  if (!is_file_of(*s, again)) {
    close_quietly(again);
    return known;
  }
  again = move_up(again);
  if (__atomic_compare_exchange_n(&s->descriptor, &known, again, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return again;
  close_quietly(again);
  return known;
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
  Text<64> path;
  path << "/proc/self/fd/" << uint64_t(session_descriptor());
  int descriptor = int(raw_open(AT_FDCWD, path.text(), O_RDWR | (flags & (O_CLOEXEC | O_NONBLOCK)), 0));
  if (descriptor < 0) {
    int why = errno;
    static bool told;
    Text<256> line;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
      say(line << "process " << uint64_t(getpid()) << " cannot open " << path.text() << " (error " << uint64_t(why)
               << "), and so no GPU: it needs /proc, and a sandbox that lets it be opened (bwrap --proc /proc)");
    errno = why;
    return -1;
  }
  // processes of different PID namespaces may have the same number
  static uint32_t opened;
  if (!__atomic_load_n(&opened, __ATOMIC_RELAXED)) {
    struct timespec now;
    uint32_t none = 0;
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0)
      __atomic_compare_exchange_n(&opened, &none, uint32_t(now.tv_nsec), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  uint64_t id = uint64_t(getpid()) << 32 | __atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED);
  uint64_t position = position_ours | (id & position_id);
  if (node == Node::kfd)
    position |= position_kfd;
  else
    position |= (is_primary(node) ? position_primary : 0) | uint64_t(device_of(node)) << position_device_shift;
  if (syscall(SYS_lseek, descriptor, off_t(position), SEEK_SET) < 0) {
    close_quietly(descriptor);
    return -1;
  }
  return descriptor;
}

bool may_be_session_file(const struct stat& status) {
  return uint64_t(status.st_size) == session_file_bytes && S_ISREG(status.st_mode);
}

uint64_t position_of(int descriptor, const struct stat& status) {
  if (!may_be_session_file(status)) return 0;
  int saved = errno;
  // programs get node descriptors through sockets too, without ever opening one
  bool known = open_session(false);
  errno = saved;
  if (!known || status.st_dev != session->device || status.st_ino != session->inode) return 0;
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
