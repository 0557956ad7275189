// The C library's functions that take a descriptor and mean something else on a GPU's: ioctl, and of a dma-buf its size and
// pages.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

#include "drm/shim/shim.h"

using namespace Atoll::drm;
using namespace Atoll::drm::shim;

namespace {

// A descriptor that somebody passed to the program: of a GPU that this machine really has.
void report_real_gpu(int descriptor) {
  static bool told;
  struct stat status;
  int saved = errno;
  if (!told && raw_stat(descriptor, "", &status, AT_EMPTY_PATH) == 0 && S_ISCHR(status.st_mode) &&
      major(status.st_rdev) == drm_major) {
    told = true;
    Text<160> line;
    say(line << "descriptor " << uint64_t(descriptor) << " of process " << uint64_t(getpid())
             << " is of a real GPU: what it is given does not reach the emulated one");
  }
  errno = saved;
}

bool is_sync_file(int descriptor) {
  struct timeval mark;
  socklen_t bytes = sizeof mark;
  int saved = errno;
  bool found = syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_SNDTIMEO, &mark, &bytes) == 0 && mark.tv_sec == sync_file_mark;
  errno = saved;
  return found;
}

}  // namespace

SHIM_EXPORT int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  unsigned type = _IOC_TYPE(unsigned(request));
  if (type == 'd' || type == 'b' || type == '>' || type == 'K') {  // DRM nodes, dma-bufs, sync files, /dev/kfd
    uint64_t position = type == '>' ? 0 : position_of(descriptor);
    if (type == 'K' && !is_kfd(position)) position = 0;  // (ioctls of the console have that letter as well)
    if (position || (type == '>' && active() && is_sync_file(descriptor))) {
      IoctlEntry entry = library_ioctl();
      int result = entry ? entry(session_descriptor(), descriptor, position, request, argument) : -ENODEV;
      if (result >= 0) return result;
      errno = -result;
      return -1;
    }
    if (type == 'd' && active()) report_real_gpu(descriptor);
  }
  return int(syscall(SYS_ioctl, descriptor, request, argument));
}

namespace {

// Identifies a descriptor that is a dma-buf; false for all others.
bool dma_buf_of(int descriptor, DmaBuf& found) {
  uint64_t position = position_of(descriptor);
  if (!is_dma_buf(position)) return false;
  DmaBufEntry entry = library_dma_buf();
  return entry && entry(session_descriptor(), position, &found) == 0;
}

// A dma-buf can be asked for its size and rewound (Linux drivers/dma-buf/dma-buf.c: dma_buf_llseek); its position stays ours.
off_t seek(int descriptor, off_t offset, int whence) {
  if (whence == SEEK_END || whence == SEEK_SET) {
    DmaBuf buffer;
    if (dma_buf_of(descriptor, buffer)) {
      if (offset == 0) return whence == SEEK_END ? off_t(buffer.bytes) : 0;
      errno = EINVAL;
      return -1;
    }
  }
  return syscall(SYS_lseek, descriptor, offset, whence);
}

void* map(void* address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  DmaBuf buffer;
  if (descriptor >= 0 && !(flags & MAP_ANONYMOUS) && dma_buf_of(descriptor, buffer)) {
    if (offset < 0 || uint64_t(offset) > buffer.bytes || bytes > buffer.bytes - uint64_t(offset)) {
      errno = EINVAL;
      return MAP_FAILED;
    }
    offset += off_t(buffer.offset);
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, descriptor, offset));
}

}  // namespace

SHIM_EXPORT off_t lseek(int descriptor, off_t offset, int whence) noexcept { return seek(descriptor, offset, whence); }
SHIM_EXPORT off64_t lseek64(int descriptor, off64_t offset, int whence) noexcept { return seek(descriptor, offset, whence); }
SHIM_EXPORT void* mmap(void* address, size_t bytes, int protection, int flags, int descriptor, off_t offset) noexcept {
  return map(address, bytes, protection, flags, descriptor, offset);
}
SHIM_EXPORT void* mmap64(void* address, size_t bytes, int protection, int flags, int descriptor, off64_t offset) noexcept {
  return map(address, bytes, protection, flags, descriptor, offset);
}
