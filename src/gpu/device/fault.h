// The fault that ended a program on a GPU, as values that outlive its wave.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "wave/wave.h"

namespace Atoll::gpu {

enum class FaultKind : uint8_t { Load, Store, Atomic, InstructionFetch, IllegalInstruction, Other };

struct Fault {
  FaultKind kind = FaultKind::Other;
  uint64_t address = 0;  // GPU address of the access
  uint32_t bytes = 0;
  uint64_t pc_offset = 0;  // of the instruction, from the program's first
  std::string instruction_text;
  std::array<uint32_t, 3> group{};  // of a dispatch
  int lane = 0;                     // -1: not that of a lane
  std::string other;                // the reason, if the kind does not say everything
};

// The fault of a wave that stopped with Stop::Fault, or that waits at a barrier (Stop::Barrier) which nobody completes. `entry`:
// GPU address of the program's first instruction.
Fault fault_of(const wave::Wave& wave, uint64_t entry);

}  // namespace Atoll::gpu
