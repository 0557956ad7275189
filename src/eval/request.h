// What `atoll eval` is asked and what it answers, as plain structs: a few instructions on given registers and memory.
// `atoll eval --help` says what registers are called; those that are not given are 0, but for EXEC and MODE.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wave/executor.h"

namespace Atoll::eval {

// The value of a register: one number, or as many as the register has places (lanes of a VGPR, x y z w, dwords).
struct RegisterValue {
  std::string name = {};
  std::vector<uint64_t> values = {};
  bool list = false;  // otherwise `values` has one element, which in a request stands for all places
};

struct MemoryBytes {
  uint64_t address = 0;
  std::vector<uint8_t> bytes = {};
};

struct MemoryRange {
  uint64_t address = 0, bytes = 0;
};

struct Request {
  std::string isa = {};  // a name of find_target()
  unsigned wave = 0;     // lanes; 0: what the ISA has by default
  // The code: words, or text, one instruction each.
  std::vector<uint32_t> words = {};
  std::vector<std::string> text = {};
  std::vector<RegisterValue> registers = {};  // all others are 0, but for the execution mask and the mode
  std::vector<MemoryBytes> memory = {};       // pages that are named here or in read_memory are mapped; all others fault
  std::vector<uint8_t> lds = {};              // from offset 0 on
  std::vector<uint8_t> gds = {};              // of Sea Islands' global data share, from offset 0 on
  std::vector<std::string> out = {};
  bool changed = false;  // answer every register that changed, too
  std::vector<MemoryRange> read_memory = {};
  std::optional<MemoryRange> read_lds = {}, read_gds = {};
  wave::EngineChoice engine = wave::EngineChoice::Interpreter;
};

struct Result {
  std::vector<RegisterValue> registers = {};  // those of `out` in its order, or those that changed
  std::vector<MemoryBytes> memory = {};       // as read_memory
  std::vector<uint8_t> lds = {}, gds = {};    // as read_lds, read_gds
};

}  // namespace Atoll::eval
