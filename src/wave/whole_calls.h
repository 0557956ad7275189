// Functions that compiled code calls for a whole wave, once everything before them in the region is done: the wave's registers are
// then as the instruction finds them.
#pragma once
#include <cstdint>
#include <memory>

#include "wave/float_mode.h"
#include "wave/memory_access.h"
#include "wave/wave.h"

namespace Atoll::wave {

// A plain function on the wave that neither stops it nor touches memory nor writes scalar registers.
struct WholeCall {
  void (*run)(Wave& wave, const void* instruction) = nullptr;
  std::shared_ptr<const void> instruction;  // a copy
  size_t bytes = 0;                         // of it
};

// An atomic: what the lanes are given is kept in slots until all lanes have come so far.
enum AtomicSlot : uint8_t { kLow, kHigh, kDataLow, kDataHigh, kCompareLow, kCompareHigh, kCondition, kAtomicSlots };
struct AtomicCall {
  AtomicAccess access;
  FloatMode mode;
  uint8_t given = 0;                      // bit n: slot n is; of the others lanes have 0, and no condition
  uint8_t results = 0;                    // registers that get the old value
  uint32_t result[max_atomic_results]{};  // their cells
};
inline constexpr uint32_t atomic_slot_lanes = 64;  // a slot's words

}  // namespace Atoll::wave
