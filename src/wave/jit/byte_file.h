// Registers that are bytes (RegisterFile::whole_wave) in a region's function. The stretches of the file that the region touches live
// in allocas, which LLVM takes apart into values; what was written goes back to the wave when the region is done, so that until
// then it can be run again from its start.
#pragma once
#include <vector>

#include "wave/jit/function_builder.h"

namespace Atoll::wave {

class ByteFile {
public:
  using V = llvm::Value*;
  ByteFile(FunctionBuilder& f, const std::vector<V>& values) : f_(f), b_(f.ir), values_(values) {}

  // Finds the region's stretches; in the function's first block.
  void begin(const CodeRegion& region);
  void load();    // what the region finds
  void commit();  // what it leaves

  V pointer(uint64_t cell);  // where the region has it
  V read_word(uint64_t cell);
  void write_word(uint64_t cell, V word);
  V read_region(const Node& node);
  void write_region(const Node& node);
  // Bits of a word as the current number of lanes, and back.
  V mask_of(V word);
  V word_of(V mask);

private:
  struct Stretch {
    uint64_t begin, end;
    V home = nullptr;
  };
  // Accesses that overlap one another, or one after the other the next one.
  struct Chain {
    uint64_t begin, end;
  };
  // Where a region's elements stand.
  struct Shape {
    uint32_t count = 0;   // elements from the first to the last in the file
    bool row = false;     // lane l has element l
    bool single = false;  // all have one
    std::vector<int> element;
  };

  FunctionBuilder& f_;
  llvm::IRBuilder<>& b_;
  const std::vector<V>& values_;
  std::vector<Stretch> stretches_, written_;  // what the region touches, and of that what it writes and somebody reads
  std::vector<Chain> long_chains_;            // too long for values: they stay in memory

  V resized(V vector, size_t length);
  void find_long_chains();
  bool stays_in_memory(uint64_t cell) const;
  V load(llvm::Type* type, uint64_t cell, unsigned alignment);
  void store(V value, uint64_t cell, unsigned alignment);
  static void join(std::vector<Stretch>& stretches, uint64_t touching);
  Stretch& stretch_of(uint64_t cell);
  static Shape shape_of(const Region& r);
};

}  // namespace Atoll::wave
