// The new value of each atomic operation, and the update of memory with it. Semantics: RDNA4 ISA 16.15/16.20
// pseudocode and 13 (float atomics); the same operations exist on the other GPUs.
#pragma once
#include <cstdint>

#include "wave/memory_access.h"

namespace Atoll::wave {

// Denormals that a float operation reads or writes as zeros of their sign (RDNA4 ISA 13.2): LDS obeys the wave's mode, memory
// never flushes. f64 additions do not flush either; minima and maxima look at `in` only.
struct AtomicFlush {
  bool in = false, out = false;
};
// True if the operation's floats obey the mode of f32, or that of f64 and f16; false for integers.
bool obeys_mode32(AtomicOp op);
bool obeys_mode64(AtomicOp op);

// The new value of `bytes` (4 or 8) at an address that held `old`. Sums are rounded to nearest even whatever the host's mode.
uint64_t atomic_result(AtomicOp op, unsigned bytes, uint64_t old, uint64_t data, uint64_t compare, AtomicFlush flush = {});

// Applies it to host memory, atomically against other threads; gives the old value. `at` is aligned to `bytes`.
uint64_t atomic_update(AtomicOp op, unsigned bytes, uint8_t* at, uint64_t data, uint64_t compare, AtomicFlush flush = {});

}  // namespace Atoll::wave
