// A program that knows DRM nodes only, run by the tests with the library preloaded: node_program MODE. Says "fine", or what is
// wrong.
#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "pass_descriptors.h"

namespace {

#define NEED(condition)                                                     \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
      std::exit(1);                                                         \
    }                                                                       \
  } while (0)

constexpr size_t bytes = 3 * 4096;

int open_node() {
  int fd = ::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  NEED(fd >= 0);
  return fd;
}

uint32_t create(int fd) {
  drm_amdgpu_gem_create a{};
  a.in.bo_size = bytes;
  a.in.alignment = 4096;
  a.in.domains = AMDGPU_GEM_DOMAIN_VRAM;
  NEED(::ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &a) == 0);
  return a.out.handle;
}

char* map(int fd, uint32_t handle) {
  drm_amdgpu_gem_mmap a{};
  a.in.handle = handle;
  NEED(::ioctl(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &a) == 0);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off_t(a.out.addr_ptr));
  NEED(at != MAP_FAILED);
  return static_cast<char*>(at);
}

int export_dma_buf(int fd, uint32_t handle) {
  drm_prime_handle a{handle, DRM_CLOEXEC | DRM_RDWR, -1};
  NEED(::ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &a) == 0);
  return a.fd;
}

void node() {
  int fd = open_node(), copy = ::dup(fd), other = open_node();
  struct stat status;
  NEED(::fstat(copy, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(226, 128));
  uint32_t handle = create(fd);
  std::strcpy(map(copy, handle), "through a copy of the descriptor");
  NEED(std::strcmp(map(fd, handle), "through a copy of the descriptor") == 0);
  drm_amdgpu_gem_mmap a{};
  a.in.handle = handle;
  NEED(::ioctl(other, DRM_IOCTL_AMDGPU_GEM_MMAP, &a) == -1 && errno == ENOENT);  // handles are an open file's own
  char byte;
  NEED(::read(fd, &byte, 1) == 0);
  NEED(::ioctl(fd, _IO('d', 0xff)) == -1 && errno == EINVAL);
}

void dma_buf() {
  int fd = open_node();
  uint32_t handle = create(fd);
  std::strcpy(map(fd, handle) + 4096, "second page");
  int buffer = ::dup(export_dma_buf(fd, handle));
  NEED(::lseek(buffer, 0, SEEK_END) == off_t(bytes));
  NEED(::lseek(buffer, 0, SEEK_SET) == 0);
  NEED(::lseek(buffer, 5, SEEK_SET) == -1 && errno == EINVAL);
  void* at = ::mmap(nullptr, 8192, PROT_READ, MAP_SHARED, buffer, 4096);
  NEED(at != MAP_FAILED && std::strcmp(static_cast<char*>(at), "second page") == 0);
  NEED(::mmap(nullptr, bytes + 4096, PROT_READ, MAP_SHARED, buffer, 0) == MAP_FAILED);
  drm_prime_handle import{0, 0, buffer};
  NEED(::ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import) == 0 && import.handle == handle);
}

// A process that never opened the node: as X clients, it gets descriptors.
void receiver(int socket) {
  int fds[2];
  NEED(Atoll::drm::test::receive_descriptors(socket, fds));
  struct stat status;
  NEED(::fstat(fds[0], &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(226, 128));
  NEED(::lseek(fds[1], 0, SEEK_END) == off_t(bytes));
  drm_prime_handle import{0, 0, fds[1]};
  NEED(::ioctl(fds[0], DRM_IOCTL_PRIME_FD_TO_HANDLE, &import) == 0);
  ::close(fds[1]);
  char* at = map(fds[0], import.handle);
  NEED(std::strcmp(at, "from the parent") == 0);
  std::strcpy(at, "from the child");
}

void socket_pair(const char* self) {
  int fd = open_node();
  uint32_t handle = create(fd);
  char* at = map(fd, handle);
  std::strcpy(at, "from the parent");
  int sockets[2];
  NEED(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::execl(self, self, "receiver", std::to_string(sockets[1]).c_str(), nullptr);
    ::_exit(1);
  }
  int fds[2] = {open_node(), export_dma_buf(fd, handle)};
  NEED(Atoll::drm::test::send_descriptors(sockets[0], fds));
  int status = 0;
  NEED(::waitpid(child, &status, 0) == child && status == 0);
  NEED(std::strcmp(at, "from the child") == 0);
}

// The child of a fork has no GPU until it opens the node itself; the parent goes on.
void fork_child() {
  int fd = open_node();
  uint32_t handle = create(fd);
  pid_t child = ::fork();
  if (child == 0) {
    drm_amdgpu_gem_mmap a{};
    a.in.handle = handle;
    NEED(::ioctl(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &a) == -1 && errno == ENODEV);
    int own = open_node();
    std::strcpy(map(own, create(own)), "the child's");
    std::exit(0);
  }
  int status = 0;
  NEED(::waitpid(child, &status, 0) == child && status == 0);
  NEED(map(fd, handle)[0] == 0);
}

// Sync files say whether they are done and are merged; a socket that is no sync file is refused as the kernel refuses it.
void sync_files() {
  int fd = open_node(), files[2];
  for (int& file : files) {
    drm_syncobj_create object{0, DRM_SYNCOBJ_CREATE_SIGNALED};
    NEED(::ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &object) == 0);
    drm_syncobj_handle a{object.handle, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, -1, 0};
    NEED(::ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &a) == 0);
    file = a.fd;
  }
  sync_merge_data merge{};
  merge.fd2 = files[1];
  NEED(::ioctl(files[0], SYNC_IOC_MERGE, &merge) == 0);
  pollfd one{merge.fence, POLLIN, 0};
  NEED(::poll(&one, 1, 10'000) == 1);
  sync_file_info info{};
  NEED(::ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info) == 0 && info.status == 1 && info.num_fences == 1);
  int sockets[2];
  NEED(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  NEED(::ioctl(sockets[0], SYNC_IOC_FILE_INFO, &info) == -1 && errno == ENOTTY);
}

// Requests that a kernel grants and Atoll refuses.
void refused() {
  int fd = open_node();
  drm_amdgpu_gem_create a{};
  a.in = {4096, 4096, AMDGPU_GEM_DOMAIN_GDS, 0};
  for (int i = 0; i < 2; ++i) NEED(::ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &a) == -1 && errno == EINVAL);
  // nobody has that one
  NEED(::ioctl(fd, _IO('d', 0x8f)) == -1 && errno == EINVAL);
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "node") node();
  if (mode == "dma-buf") dma_buf();
  if (mode == "sockets") socket_pair(argv[0]);
  if (mode == "fork") fork_child();
  if (mode == "sync-files") sync_files();
  if (mode == "refused") refused();
  if (mode == "receiver") {
    receiver(std::atoi(argv[2]));
    return 0;
  }
  std::puts("fine");
}
