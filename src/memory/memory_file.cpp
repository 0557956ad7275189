#include "memory/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace Atoll {

uint64_t machine_memory_bytes() {
  struct sysinfo machine{};
  if (::sysinfo(&machine) != 0) return UINT64_MAX;
  return (uint64_t(machine.totalram) + machine.totalswap) * machine.mem_unit;
}

Expected<std::shared_ptr<MemoryFile>> MemoryFile::create() {
  int fd = ::memfd_create("atoll-gpu-memory", MFD_CLOEXEC);
  if (fd < 0)
    return fail("cannot create the GPU's memory file (memfd_create: {}){}", std::strerror(errno),
                errno == EMFILE ? ": raise the limit on open files (ulimit -n)" : "");
  return std::shared_ptr<MemoryFile>(new MemoryFile(fd));
}

MemoryFile::~MemoryFile() { ::close(fd_); }

Expected<uint64_t> MemoryFile::allocate(uint64_t bytes) {
  ATOLL_ASSERT(bytes % page_bytes == 0);
  std::lock_guard lock(mutex_);
  uint64_t machine = machine_memory_bytes();
  if (bytes > machine || allocated_ > machine - bytes)
    return fail("{} bytes of GPU memory asked for, {} in use, but this machine has {} bytes of RAM and swap: ask for less", bytes,
                allocated_, machine);
  for (auto hole = released_.begin(); hole != released_.end(); ++hole) {
    if (hole->second < bytes) continue;
    auto [offset, size] = *hole;
    released_.erase(hole);
    if (size > bytes) released_.emplace(offset + bytes, size - bytes);
    allocated_ += bytes;
    return offset;
  }
  if (::ftruncate(fd_, off_t(end_ + bytes)) != 0)
    return fail("cannot enlarge the GPU's memory file to {} bytes: {}{}", end_ + bytes, std::strerror(errno),
                errno == EFBIG ? ": raise the limit on file sizes (ulimit -f)" : "");
  uint64_t offset = end_;
  end_ += bytes;
  allocated_ += bytes;
  return offset;
}

void MemoryFile::release(uint64_t offset, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  // the pages read as zero when they are allocated again
  if (bytes) ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(offset), off_t(bytes));
  allocated_ -= bytes;
  if (!bytes) return;
  auto after = released_.lower_bound(offset);
  if (after != released_.end() && offset + bytes == after->first) {
    bytes += after->second;
    after = released_.erase(after);
  }
  if (after != released_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  released_.emplace(offset, bytes);
}

uint64_t MemoryFile::allocated_bytes() const {
  std::lock_guard lock(mutex_);
  return allocated_;
}

}  // namespace Atoll
