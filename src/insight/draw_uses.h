// The programs and structures that the draw or dispatch at hand uses, each once (gpu/device/uses.h).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/uses.h"

namespace Atoll::insight {

struct UsedProgram {
  uint64_t address = 0, bytes = 0;                          // on the GPU; 0: it stands in registers
  uint64_t hash = 0;                                        // of its words and where it begins
  const char* isa = "";                                     // its instruction set
  std::shared_ptr<const std::vector<std::string>> lines{};  // disassembled
};
// A structure in memory that describes something to the GPU, by its name.
struct UsedStructure {
  uint64_t address = 0;  // 0: not known
  std::shared_ptr<const std::pair<std::string, std::vector<uint32_t>>> words{};
};

// Both in the order of their first use.
struct DrawUses {
  std::vector<UsedProgram> programs;
  std::vector<UsedStructure> structures;  // the first most_structures
};

class UseCollector {
public:
  static constexpr size_t most_lines = 1 << 21, most_words = 1 << 24, most_structures = 64;

  UseCollector();
  UseCollector(const UseCollector&) = delete;
  UseCollector& operator=(const UseCollector&) = delete;
  // For gpu::Options::uses.
  const gpu::Uses& uses() const { return uses_; }
  // Those since the last call.
  DrawUses take();

private:
  gpu::Uses uses_;
  std::mutex mutex_;
  DrawUses now_;
  uint64_t last_ = 0;  // hash of a structure: waves ask for one again and again
  size_t lines_ = 0, words_ = 0;
  std::map<uint64_t, std::shared_ptr<const std::vector<std::string>>> programs_;  // by hash
  using Words = std::shared_ptr<const std::pair<std::string, std::vector<uint32_t>>>;
  std::map<uint64_t, Words> structures_;  // by hash

  void take_program(const wave::Program& program, uint64_t begin, uint64_t address);
  void take_structure(std::string_view name, uint64_t address, std::span<const uint32_t> words);
};

}  // namespace Atoll::insight
