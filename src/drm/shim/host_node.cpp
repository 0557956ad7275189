// The processor's node in amdkfd's topology: its processors and its memory are this machine's, which the tree of device files cannot know.
// Whoever opens one of these files gets a copy in memory with those numbers in it (Linux kfd_crat.c, kfd_fill_cu_for_cpu and
// kfd_fill_mem_info_for_cpu: the processors that are online, the memory that the kernel manages).
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

#include "drm/shim/shim.h"

namespace Atoll::drm::shim {
namespace {

constexpr size_t most_bytes = 4096;

// The front of a file, as text; false where it cannot be read.
bool read_text(const char* path, char (&text)[most_bytes]) {
  const int descriptor = int(raw_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
  if (descriptor < 0) return false;
  const long length = syscall(SYS_read, descriptor, text, most_bytes - 1);
  close_quietly(descriptor);
  text[length > 0 ? length : 0] = 0;
  return length > 0;
}

// Counts a list like "0-3,6" (Linux Documentation/admin-guide/cputopology.rst); 1 where there is none.
uint64_t online_processors() {
  char text[most_bytes];
  if (!read_text("/sys/devices/system/cpu/online", text)) return 1;
  uint64_t count = 0, first = 0, number = 0;
  bool range = false;
  for (const char* at = text;; ++at) {
    if (*at >= '0' && *at <= '9') {
      number = number * 10 + uint64_t(*at - '0');
      continue;
    }
    if (*at == '-') {
      first = number, range = true;
    } else {
      count += range ? number - first + 1 : 1;
      range = false;
    }
    number = 0;
    if (*at != '-' && *at != ',') break;
  }
  return count;
}

uint64_t memory_bytes_of_host() {
  struct sysinfo info;
  return syscall(SYS_sysinfo, &info) == 0 ? uint64_t(info.totalram) * info.mem_unit : 0;
}

bool is_of_host(const char* path) {
  constexpr const char* folders[] = {"/sys/devices/virtual/kfd/kfd/topology/nodes/0/", "/sys/class/kfd/kfd/topology/nodes/0/"};
  for (const char* folder : folders)
    if (starts_with(path, folder)) {
      const char* name = path + length_of(folder);
      return same(name, "properties") || same(name, "mem_banks/0/properties");
    }
  return false;
}

}  // namespace

int open_host_file(const char* path, int flags) {
  if (!path || (flags & (O_ACCMODE | O_PATH)) != O_RDONLY || !is_of_host(path) || !active()) return -1;
  char room[path_bytes], text[most_bytes];
  const char* where = redirect(path, room);
  const int saved = errno;
  if (where == path || !read_text(where, text)) {
    errno = saved;
    return -1;
  }
  Text<most_bytes> made;
  for (const char* line = text; *line;) {
    if (starts_with(line, "cpu_cores_count "))
      made << "cpu_cores_count " << online_processors();
    else if (starts_with(line, "size_in_bytes "))
      made << "size_in_bytes " << memory_bytes_of_host();
    else
      for (const char* at = line; *at && *at != '\n'; ++at) made.put(*at);
    while (*line && *line != '\n') ++line;
    if (*line) made.put(*line++);
  }
  const int descriptor = int(syscall(SYS_memfd_create, "atoll-host", flags & O_CLOEXEC ? MFD_CLOEXEC : 0u));
  if (descriptor >= 0 && syscall(SYS_pwrite64, descriptor, made.text(), made.length, off_t(0)) != long(made.length)) {
    close_quietly(descriptor);
    errno = saved;
    return -1;
  }
  errno = saved;
  return descriptor;
}

}  // namespace Atoll::drm::shim
