// The ioctls that every DRM driver has: version, capabilities, handles, names, dma-bufs (Linux include/uapi/drm/drm.h,
// drivers/gpu/drm/drm_ioctl.c, drm_gem.c, drm_prime.c; dma-buf: include/uapi/linux/dma-buf.h).
#include <fcntl.h>
#include <libdrm/drm.h>
#include <linux/dma-buf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/log.h"
#include "drm/core/file.h"
#include "drm/session/sync_file.h"

namespace Atoll::drm {
namespace {

// A string of an answer: as much as fits, and its whole length.
bool put(char* to, __kernel_size_t& length, std::string_view text) {
  size_t room = to ? std::min(size_t(length), text.size()) : 0;
  length = text.size();
  return write_user(reinterpret_cast<uint64_t>(to), text.data(), room);
}

int version(File& file, void* argument) {
  auto& a = *static_cast<drm_version*>(argument);
  const Uapi& uapi = file.process().uapi();
  a.version_major = uapi.major;
  a.version_minor = minor_version(uapi, file.process().chip());
  a.version_patchlevel = uapi.patch;
  bool done =
      put(a.name, a.name_len, uapi.name) && put(a.date, a.date_len, uapi.date) && put(a.desc, a.desc_len, uapi.description);
  return done ? 0 : -EFAULT;
}

int get_unique(File& file, void* argument) {
  auto& a = *static_cast<drm_unique*>(argument);
  const std::string name = std::string("pci:") + pci_slots[device_of(file.position())];
  // all of it or nothing
  if (a.unique_len >= name.size() && !write_user(reinterpret_cast<uint64_t>(a.unique), name.data(), name.size())) return -EFAULT;
  a.unique_len = name.size();
  return 0;
}

int get_magic(File& file, void* argument) {
  static_cast<drm_auth*>(argument)->magic = 1;
  return 0;
}

int get_client(File& file, void* argument) {
  auto& a = *static_cast<drm_client*>(argument);
  if (a.idx != 0) return -EINVAL;
  a.auth = 1;
  a.pid = ::getpid();
  a.uid = ::getuid();
  a.magic = a.iocs = 0;
  return 0;
}

int set_version(File& file, void* argument) {
  auto& a = *static_cast<drm_set_version*>(argument);
  a.drm_di_major = 1;
  a.drm_di_minor = 4;
  a.drm_dd_major = file.process().uapi().major;
  a.drm_dd_minor = minor_version(file.process().uapi(), file.process().chip());
  return 0;
}

int nothing_to_do(File& file, void* argument) { return 0; }

int get_cap(File& file, void* argument) {
  auto& a = *static_cast<drm_get_cap*>(argument);
  a.value = 0;
  switch (a.capability) {
    case DRM_CAP_PRIME: a.value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC: a.value = 1; return 0;
    case DRM_CAP_SYNCOBJ: a.value = 1; return 0;
    case DRM_CAP_SYNCOBJ_TIMELINE: a.value = file.process().uapi().has_timelines; return 0;
    // of a display engine, which is not there
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_DUMB_PREFERRED_DEPTH:
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_PAGE_FLIP_TARGET:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT: return 0;
    default: return -EINVAL;
  }
}

int set_client_cap(File& file, void* argument) { return -EOPNOTSUPP; }

int gem_close(File& file, void* argument) { return file.close_buffer(static_cast<drm_gem_close*>(argument)->handle); }

// A name that every process of the session understands: where the allocation stands in the table.
int gem_flink(File& file, void* argument) {
  auto& a = *static_cast<drm_gem_flink*>(argument);
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  Session::Lock lock(file.session());
  buffer->shared().shared = 1;
  a.name = buffer->index();
  return 0;
}

int gem_open(File& file, void* argument) {
  auto& a = *static_cast<drm_gem_open*>(argument);
  if (a.name == 0 || a.name > max_allocations || !file.session().allocation(a.name).shared) return -ENOENT;
  auto buffer = file.process().import(a.name, file.session().allocation(a.name).generation);
  if (!buffer) return -ENOENT;
  a.size = buffer->bytes();
  a.handle = file.add_buffer(std::move(buffer));
  return 0;
}

int prime_handle_to_fd(File& file, void* argument) {
  auto& a = *static_cast<drm_prime_handle*>(argument);
  if (a.flags & ~uint32_t(O_CLOEXEC | O_RDWR)) return -EINVAL;
  auto buffer = file.find_buffer(a.handle);
  if (!buffer) return -ENOENT;
  auto fd = file.session().export_dma_buf(buffer->index(), a.flags & O_CLOEXEC);
  if (!fd) {
    log(LogLevel::warn, "drm", "{}", fd.error().message);
    return -EMFILE;
  }
  // whoever imports it waits for what runs already
  auto uses = buffer->uses();
  if (!uses.empty()) buffer->add_use(uses.back(), file.process().last_submission());
  a.fd = *fd;
  return 0;
}

int prime_fd_to_handle(File& file, void* argument) {
  auto& a = *static_cast<drm_prime_handle*>(argument);
  long position = file.session().is_own(a.fd) ? ::syscall(SYS_lseek, a.fd, 0, SEEK_CUR) : 0;
  uint32_t index = 0;
  const SharedAllocation* found = position > 0 ? file.session().find_dma_buf(uint64_t(position), index) : nullptr;
  if (!found) {
    log(LogLevel::warn, "drm", "descriptor {} is no dma-buf of this session: not imported", a.fd);
    return -EINVAL;
  }
  auto buffer = file.process().import(index, found->generation);
  if (!buffer) return -EINVAL;
  a.handle = file.add_buffer(std::move(buffer));
  return 0;
}

constexpr Ioctl table[] = {
    {0x00, sizeof(drm_version), "VERSION", version},
    {0x01, sizeof(drm_unique), "GET_UNIQUE", get_unique},
    {0x02, sizeof(drm_auth), "GET_MAGIC", get_magic},
    {0x05, sizeof(drm_client), "GET_CLIENT", get_client},
    {0x07, sizeof(drm_set_version), "SET_VERSION", set_version},
    {0x09, sizeof(drm_gem_close), "GEM_CLOSE", gem_close},
    {0x0a, sizeof(drm_gem_flink), "GEM_FLINK", gem_flink},
    {0x0b, sizeof(drm_gem_open), "GEM_OPEN", gem_open},
    {0x0c, sizeof(drm_get_cap), "GET_CAP", get_cap},
    {0x0d, sizeof(drm_set_client_cap), "SET_CLIENT_CAP", set_client_cap},
    {0x11, sizeof(drm_auth), "AUTH_MAGIC", nothing_to_do},
    {0x1e, 0, "SET_MASTER", nothing_to_do},
    {0x1f, 0, "DROP_MASTER", nothing_to_do},
    {0x2d, sizeof(drm_prime_handle), "PRIME_HANDLE_TO_FD", prime_handle_to_fd},
    {0x2e, sizeof(drm_prime_handle), "PRIME_FD_TO_HANDLE", prime_fd_to_handle},
};

}  // namespace

std::span<const Ioctl> drm_ioctls() { return table; }

namespace {

// The work that uses the buffer, as a sync file, and a sync file as such work (Linux 6.0: drivers/dma-buf/dma-buf.c,
// dma_buf_export_sync_file, dma_buf_import_sync_file). Readers and writers are not told apart here: all of them count.
int export_sync_file(Process& process, Buffer& buffer, uint64_t argument) {
  dma_buf_export_sync_file a;
  if (!read_user(&a, argument, sizeof a)) return -EFAULT;
  if (a.flags == 0 || a.flags & ~uint32_t(DMA_BUF_SYNC_RW)) return -EINVAL;
  a.fd = make_sync_file(process.session(), std::make_shared<FenceSet>(buffer.uses()));
  if (a.fd < 0) return a.fd;
  if (write_user(argument, &a, sizeof a)) return 0;
  ::close(a.fd);
  return -EFAULT;
}

int import_sync_file(Buffer& buffer, uint64_t argument) {
  dma_buf_import_sync_file a;
  if (!read_user(&a, argument, sizeof a)) return -EFAULT;
  if (a.flags == 0 || a.flags & ~uint32_t(DMA_BUF_SYNC_RW)) return -EINVAL;
  if (!is_sync_file(a.fd)) return -EINVAL;
  buffer.add_use(std::make_shared<DescriptorFence>(a.fd));
  return 0;
}

}  // namespace

int dma_buf_ioctl(Process& process, uint64_t position, unsigned long request, void* argument) {
  uint32_t index = 0;
  const SharedAllocation* found = process.session()->find_dma_buf(position, index);
  if (!found) return -ENOTTY;
  auto buffer = process.import(index, found->generation);
  if (!buffer) return -ENOTTY;
  switch (_IOC_NR(unsigned(request))) {
    case _IOC_NR(DMA_BUF_IOCTL_SYNC): {
      dma_buf_sync sync;
      if (!read_user(&sync, reinterpret_cast<uint64_t>(argument), sizeof sync)) return -EFAULT;
      if (!(sync.flags & DMA_BUF_SYNC_END)) wait_all(*process.session(), buffer->uses(), UINT64_MAX);
      return 0;
    }
    case _IOC_NR(DMA_BUF_SET_NAME): return 0;
    case _IOC_NR(DMA_BUF_IOCTL_EXPORT_SYNC_FILE): return export_sync_file(process, *buffer, reinterpret_cast<uint64_t>(argument));
    case _IOC_NR(DMA_BUF_IOCTL_IMPORT_SYNC_FILE): return import_sync_file(*buffer, reinterpret_cast<uint64_t>(argument));
    default: return -ENOTTY;
  }
}

}  // namespace Atoll::drm
