// The physical memory of emulated GPUs: one memory file whose pages address spaces map. The same pages may appear at several
// GPU addresses and in several address spaces, as page tables allow. The file is anonymous and this process's own, unless
// somebody derives from the class: drm/ has one that processes share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/expected.h"

namespace Atoll {

inline constexpr uint64_t page_bytes = 4096;

// RAM and swap of this machine; the largest number if the machine does not tell.
uint64_t machine_memory_bytes();

constexpr uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
constexpr uint64_t round_down(uint64_t value, uint64_t to) { return value / to * to; }

class MemoryFile {
public:
  // Fails when the kernel gives no memory file.
  static Expected<std::shared_ptr<MemoryFile>> create();
  virtual ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // `bytes` (whole pages) of zeroed memory; returns their offset in the file. Refuses to go beyond the
  // machine's RAM and swap together, since touching such pages would end the process instead of failing.
  virtual Expected<uint64_t> allocate(uint64_t bytes);

  // Frees pages. They must not be mapped any more.
  virtual void release(uint64_t offset, uint64_t bytes);

  int descriptor() const { return fd_; }
  virtual uint64_t allocated_bytes() const;

protected:
  // Takes the descriptor over.
  explicit MemoryFile(int fd) : fd_(fd) {}

private:
  int fd_;
  mutable std::mutex mutex_;
  uint64_t end_ = 0;  // the file's size so far
  uint64_t allocated_ = 0;
  std::map<uint64_t, uint64_t> released_;  // offset → bytes of pages given back, neighbours joined
};

}  // namespace Atoll
