// A structure in global memory that one lane reads, in the interpreter's checked way. Compiled for each host level.
#pragma once
#include "wave/interpreter/lane_access.h"

namespace Atoll::wave::ATOLL_LEVEL {

// Has the host fetch it beforehand, so that lanes' misses of the caches overlap.
inline void prefetch_block(const Interpreter& e, uint64_t address, unsigned bytes) {
  if (address >= e.wave.window_bytes || e.wave.window_bytes - address < bytes) return;
  for (unsigned n = 0; n < bytes; n += 64) __builtin_prefetch(e.wave.window + address + n);
}

// `bytes` at `address` for lane `lane` of the chunk; a fault where they are not all there. Nothing is read while probing.
inline void load_block(Interpreter& e, unsigned lane, uint64_t address, unsigned bytes, void* out) {
  if (!ATOLL_CHECK("interpreter.global.window", address < e.wave.window_bytes && e.wave.window_bytes - address >= bytes) ||
      (e.probing && !is_mapped(e.wave, FaultKind::Load, address, bytes)))
    return e.fault(FaultKind::Load, address, bytes, int(lane) + e.chunk * kLanes);
  if (!e.probing) std::memcpy(out, e.wave.window + address, bytes);
}

}  // namespace Atoll::wave::ATOLL_LEVEL
