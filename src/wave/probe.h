// Finding out what a fault was; how both engines abandon a wave.
#pragma once
#include <cstdint>

#include "wave/environment.h"
#include "wave/wave.h"

namespace Atoll::wave {

// For an access of that kind.
inline bool is_mapped(const Wave& wave, FaultKind kind, uint64_t address, uint64_t bytes) {
  return wave.environment->mapped(address, bytes, kind == FaultKind::Store || kind == FaultKind::Atomic);
}
inline const Program& program_of(const Wave& wave) { return *wave.program; }

// Abandons compiled code in the middle of a region: wave.fault is set. Jumps to the executor's recovery point (executor.cpp).
[[noreturn]] void leave_by_fault(Wave& wave);

}  // namespace Atoll::wave
