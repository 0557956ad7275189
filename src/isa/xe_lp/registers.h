// The Xe-LP thread's registers as byte offsets ("cells") into wave::Wave: the 4 KiB register file, byte-addressed, the
// architecture registers, and the divergence state.
#pragma once
#include <cstdint>

#include "isa/xe_lp/instruction.h"
#include "wave/wave.h"

namespace Atoll::xe_lp {

inline constexpr uint32_t kChannels = 32, kGrfCount = 128, kGrfBytes = 32;
inline constexpr uint32_t grf_cell = wave::register_file_offset;
inline constexpr uint32_t address_cell = grf_cell + kGrfCount * kGrfBytes;  // a0: 16 words
inline constexpr uint32_t accumulator_cell = address_cell + 32;             // acc0, acc1
inline constexpr uint32_t kAccumulators = 2;
inline constexpr uint32_t flag_cell = accumulator_cell + kAccumulators * 32;  // f0, f1: 32 bits each
inline constexpr uint32_t control_cell = flag_cell + 32;                      // cr0
// Channels that execute, one bit each. A channel that branched away from the others waits: its word holds the low half of the
// address at which it goes on, with bit 0 set, and bit 1 where it left a loop by `break`.
inline constexpr uint32_t active_cell = control_cell + 32;
inline constexpr uint32_t waiting_cell = active_cell + 32;
inline constexpr uint32_t register_file_bytes = waiting_cell + kChannels * 4 - wave::register_file_offset;
enum Waiting : uint32_t { WAITS = 1, LEFT_LOOP = 2 };

// cr0.0: rounding in bits 5:4 (nearest even, up, down, toward zero), bit 7: f32 denormals are kept.
inline constexpr uint32_t CONTROL_DENORMALS_KEPT = 0x4c0;

// Where an operand's first byte stands; it names a register that exists (decode.cpp).
constexpr uint32_t operand_cell(const Operand& o) {
  if (o.grf) return grf_cell + o.number * kGrfBytes + o.byte;
  uint32_t n = o.number & 15;
  switch (Arf(o.number >> 4)) {
    case Arf::a: return address_cell + o.byte;
    case Arf::acc: return accumulator_cell + n * 32 + o.byte;
    case Arf::f: return flag_cell + n * 4 + o.byte;
    case Arf::cr: return control_cell + o.byte;
    case Arf::null: break;
  }
  return 0;
}

}  // namespace Atoll::xe_lp
