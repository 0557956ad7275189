// Bytes of a recording's memory that are compared with what they were: by their place in the memory file, so that no address space
// has to map them any more.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "memory/memory_file.h"

namespace Atoll::insight {

class WatchedBytes {
public:
  WatchedBytes() = default;
  WatchedBytes(WatchedBytes&& other) noexcept { *this = std::move(other); }
  WatchedBytes& operator=(WatchedBytes&& other) noexcept;
  ~WatchedBytes();

  // False: they cannot be looked at, since the file does not reach so far. `zeros`: they count as zeros so far, as memory is at first.
  bool add(const MemoryFile& memory, uint64_t offset, uint64_t bytes, bool zeros = false);
  // True if they differ from the last look; they count as looked at then.
  bool changed();
  void look();
  // The parts that differ, by their place in the file, with what they were and are; parts with less than `gap` equal bytes between are
  // one. Then they count as looked at.
  using Changed = std::function<void(uint64_t offset, std::span<const uint8_t> before, std::span<const uint8_t> after)>;
  void look(const Changed& changed, size_t gap = 4);
  // Copies what stands at an offset of the file; false: it is not among them.
  bool read(uint64_t offset, uint8_t* to, size_t bytes) const;
  bool read_last(uint64_t offset, uint8_t* to, size_t bytes) const;  // as they were when they were looked at

private:
  struct Range {
    uint64_t offset = 0;      // of the file
    uint8_t* page = nullptr;  // the first one, mapped for reading
    uint64_t mapped = 0;      // bytes of all pages
    uint64_t begin = 0;       // in the first one
    std::vector<uint8_t> last;
  };
  std::vector<Range> ranges_;
};

}  // namespace Atoll::insight
