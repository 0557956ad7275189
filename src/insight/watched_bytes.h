// Bytes of a recording's memory that are compared with what they were: by their place in the memory file, so that no address space
// has to map them any more.
#pragma once
#include <cstdint>
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

  // Within one page of the file each; false: they cannot be looked at.
  bool add(const MemoryFile& memory, uint64_t offset, uint64_t bytes);
  // Whether they differ from when they were looked at last; they count as looked at then.
  bool changed();
  void look();
  // Copies what stands at an offset of the file; false: it is not among them.
  bool read(uint64_t offset, uint8_t* to, size_t bytes) const;

private:
  struct Range {
    uint64_t offset = 0;      // of the file
    uint8_t* page = nullptr;  // mapped for reading
    uint64_t begin = 0;       // in it
    std::vector<uint8_t> last;
  };
  std::vector<Range> ranges_;
};

}  // namespace Atoll::insight
