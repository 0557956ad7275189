// The requests and answers of `atoll eval` as plain structs: a few instructions on given registers and memory.
// `atoll eval --help` says what registers are called; those that are not given are 0, but for EXEC and MODE.
#pragma once
#include <array>
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

// The wave of a graphics stage (RDNA4: pixel, geometry, mesh, hull), and what it starts with (eval/stage.h has the names).
struct Stage {
  std::string name = {};
  std::vector<RegisterValue> values = {};
};

// The exports of a graphics wave, in their order.
struct ExportValue {
  std::string target = {};  // as the assembler names it
  uint32_t enabled = 0;     // a bit for each of the four sources
  bool done = false;
  std::optional<uint32_t> row = {};
  uint64_t lanes = 0;  // that exported
  uint32_t order = 0;
  std::array<std::vector<uint32_t>, 4> values = {};  // one a lane, of the sources that are enabled
};

// A message that the wave sent (s_sendmsg), with M0.
struct MessageValue {
  uint32_t message = 0, m0 = 0;
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
  std::optional<Stage> stage = {};            // before `registers`, which may change what it starts with
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
  std::vector<ExportValue> exports = {};
  std::vector<MessageValue> messages = {};  // of graphics stages
};

}  // namespace Atoll::eval
