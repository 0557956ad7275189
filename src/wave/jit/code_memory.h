// Memory for machine code: one memory file, mapped twice, once to be written and once to be executed. So
// new code needs no change of protection while other threads run older code in the same pages, and no page is ever both.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/expected.h"

namespace Atoll::wave {

class CodeMemory {
public:
  // A stretch of it; null where there is none.
  struct Block {
    uint8_t* written = nullptr;   // what code is put through
    uint8_t* executed = nullptr;  // where it runs
    size_t bytes = 0;
  };
  CodeMemory() = default;
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  // At least `bytes`, aligned to 64, below 2 GiB from any other part of the same block. Fails when the system has no memory.
  Expected<Block> allocate(size_t bytes);
  // Nothing runs in it any more. Slabs that are now wholly free go back to the system, but for one that is kept ready.
  void release(const Block& block);
  // Taken from the system.
  size_t bytes() const;

private:
  struct Slab {
    uint8_t* written;
    uint8_t* executed;
    size_t bytes;
    std::map<size_t, size_t> free;  // offset to length; neighbours are joined
    bool empty() const { return free.size() == 1 && free.begin()->second == bytes; }
  };
  void give_back_empty();
  std::vector<Slab> slabs_;
};

}  // namespace Atoll::wave
