// The floating-point mode of a wave in neutral terms, with what else its code is made for, and the part that the host's MXCSR holds.
// AMD's MODE register bits 7:0 (RDNA4 ISA 3.4: round and denorm fields) map onto it one to one.
#pragma once
#include <cstdint>

namespace Atoll::wave {

enum class Rounding : uint8_t { NearestEven = 0, Up = 1, Down = 2, TowardZero = 3 };

struct FloatMode {
  Rounding round32 = Rounding::NearestEven;      // f32 results
  Rounding round64 = Rounding::NearestEven;      // f64 and f16 results
  bool flush_in32 = false, flush_out32 = false;  // f32 denormals read, written as zero
  bool flush_in64 = false, flush_out64 = false;  // f64 and f16 denormals
  bool clamp_halves = false;                     // f16 results that overflow are the largest half (MODE.FP16_OVFL of RDNA4)
  bool skip_vectors = false;                     // steps with Step::vector are skipped (MODE.VSKIP of Sea Islands)
  uint16_t vgprs = 0;                            // of waves that allocate registers as they run: how many lane registers
  bool operator==(const FloatMode&) const = default;
};

// The half of the mode that an instruction's arithmetic obeys: F64 stands for f64 and f16. Nearest obeys none, it rounds to nearest
// even and keeps denormals.
enum class FloatClass : uint8_t { None, F32, F64, Nearest };

// MXCSR (all exceptions masked) for arithmetic of the class: rounding in bits 14:13, FTZ bit 15, DAZ bit 6 (Intel SDM 10.2.3).
constexpr uint32_t mxcsr_for(const FloatMode& mode, FloatClass c) {
  constexpr uint32_t round[] = {0u << 13, 2u << 13, 1u << 13, 3u << 13};  // x86: 0 nearest, 1 down, 2 up, 3 zero
  if (c == FloatClass::Nearest) return 0x1f80u;
  bool f64 = c == FloatClass::F64;
  return 0x1f80u | round[int(f64 ? mode.round64 : mode.round32)] | ((f64 ? mode.flush_out64 : mode.flush_out32) ? 0x8000u : 0u) |
         ((f64 ? mode.flush_in64 : mode.flush_in32) ? 0x40u : 0u);
}
// True if the class of an instruction makes a difference in this mode.
constexpr bool classes_differ(const FloatMode& mode) {
  uint32_t f32 = mxcsr_for(mode, FloatClass::F32);
  return f32 != mxcsr_for(mode, FloatClass::F64) || f32 != mxcsr_for(mode, FloatClass::Nearest);
}

}  // namespace Atoll::wave
