// What each atomic operation makes of the old value, and the update of memory with it. Semantics: RDNA4 ISA 16.15/16.20
// pseudocode and 13 (float atomics); the same operations exist on the other GPUs.
#pragma once
#include <cstdint>
#include <cstring>

#include "wave/memory_access.h"

namespace Atoll::wave {

// The new value of `bytes` (4 or 8) at an address that held `old`.
uint64_t atomic_result(AtomicOp op, unsigned bytes, uint64_t old, uint64_t data, uint64_t compare);

// Applies it to host memory, atomically against other threads; gives the old value. `at` is aligned to `bytes`.
uint64_t atomic_update(AtomicOp op, unsigned bytes, uint8_t* at, uint64_t data, uint64_t compare);

}  // namespace Atoll::wave
