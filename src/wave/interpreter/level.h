// The host levels the interpreter is built for, and the entry points of the one in use.
#pragma once
#include <cstdint>

#include "base/host_level.h"
#include "wave/memory_access.h"
#include "wave/program.h"
#include "wave/wave.h"
#include "wave/whole_calls.h"

namespace Atoll::wave {

using Level = HostLevel;

// As Atoll::host_level(); the code generator asks its opener (jit/host_functions.h).
Level host_level();

// The entry points of a level: compiled once each, chosen once at start.
struct LevelEntries {
  // Runs the wave from wave.pc with the interpreter until it stops, for `steps` instructions at most, or until a jump is taken.
  void (*run)(Wave& wave, const Program& program, uint64_t steps, bool until_jump);
  // Runs the single instruction at wave.pc; returns with wave.pc on the next one (what the JIT calls).
  void (*run_one)(Wave& wave, const Program& program, const Step& step, const FloatMode& mode);
  // As `run`, for a region whose compiled code met a fault: lanes below `first_lane` do not touch memory any more.
  void (*replay)(Wave& wave, const Program& program, uint64_t steps, uint32_t first_lane);
  // After a memory fault in `step`: finds the lane (from `first_lane` on) and address without touching memory; gives wave.fault.
  void (*probe)(Wave& wave, const Program& program, const Step& step, uint32_t first_lane);
  // Compiled code's way to memory where no fast form fits: 16 lanes, addresses and values in arrays of 16, for the step at `pc`.
  void (*load16)(Wave& wave, const MemoryAccess& access, uint64_t pc, const uint32_t* low, const uint32_t* high,
                 uint32_t first_lane, uint32_t live, uint32_t* out);
  void (*store16)(Wave& wave, const MemoryAccess& access, uint64_t pc, const uint32_t* low, const uint32_t* high,
                  uint32_t first_lane, uint32_t live, const uint32_t* value);
  // The atomic of the step at `pc`, where all before it is done; `kept`: its slots. wave.stop says whether it went well.
  void (*atomic)(Wave& wave, const AtomicCall& call, uint64_t pc, const uint32_t* kept);
  InterpretFunction decode_then_run, raise_illegal, raise_fetch_fault;
};
const LevelEntries& level_entries();

}  // namespace Atoll::wave
