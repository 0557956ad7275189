// Finding out what a fault was. Ends of the road shared by the engines.
#pragma once
#include <cstdint>

#include "wave/environment.h"
#include "wave/wave.h"

namespace Atoll::wave {

inline bool is_mapped(const Wave& wave, uint64_t address, uint64_t bytes) { return wave.environment->mapped(address, bytes); }
inline const Program& program_of(const Wave& wave) { return *wave.program; }

// Abandons compiled code in the middle of a region: wave.fault is set. Goes where the runner's recovery point is (run.cpp).
[[noreturn]] void leave_by_fault(Wave& wave);

}  // namespace Atoll::wave
