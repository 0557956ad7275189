// The physical memory of emulated GPUs: one anonymous memory file, of which address spaces map pages. The same pages may
// stand at several GPU addresses and in several address spaces, as page tables allow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/expected.h"

namespace Atoll {

inline constexpr uint64_t page_bytes = 4096;

constexpr uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
constexpr uint64_t round_down(uint64_t value, uint64_t to) { return value / to * to; }

class MemoryFile {
public:
  // Fails when the kernel gives no memory file.
  static Expected<std::shared_ptr<MemoryFile>> create();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // `bytes` (whole pages) of zeroed memory; answers their offset in the file. Refuses what would take more than the
  // machine's RAM and swap together, since touching such pages would end the process instead of failing.
  Expected<uint64_t> allocate(uint64_t bytes);

  // Gives pages back. Mappings of them must be gone.
  void release(uint64_t offset, uint64_t bytes);

  int descriptor() const { return fd_; }
  uint64_t allocated_bytes() const;

private:
  explicit MemoryFile(int fd) : fd_(fd) {}

  int fd_;
  mutable std::mutex mutex_;
  uint64_t end_ = 0;  // the file's size so far
  uint64_t allocated_ = 0;
  std::map<uint64_t, uint64_t> released_;  // offset → bytes of pages given back, neighbours joined
};

}  // namespace Atoll
