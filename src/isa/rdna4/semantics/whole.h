// What functions on a whole wave need of its registers: scalars by operand number, lanes of VGPRs. RDNA4 ISA 3.3, 6.2.
// (Templates have the adaptor; these are the plain C++ counterpart for instructions that move data between lanes or by index.)
#pragma once
#include "base/removable_check.h"
#include "isa/rdna4/inline_constants.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/registers.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

inline bool is_wave64(const wave::Wave& wave) { return wave.lanes == 64; }
// Whatever the numbers are: a lane of one of the wave's VGPRs.
inline uint32_t& lane_of(wave::Wave& wave, uint32_t vgpr, uint32_t lane) {
  bool wave64 = is_wave64(wave);
  uint32_t there = ATOLL_CHECK_REMOVED("lane.select") ? lane : lane & (wave64 ? 63u : 31u);
  return wave::word_of(wave, vgpr_cell(vgpr % kVgprCount, wave64) + there * 4);
}
inline uint64_t exec_of(wave::Wave& wave) {
  uint64_t low = wave::word_of(wave, scalar_cell(EXEC_LO));
  return is_wave64(wave) ? low | uint64_t(wave::word_of(wave, scalar_cell(EXEC_HI))) << 32 : low;
}
inline uint32_t register_of(wave::Wave& wave, uint32_t operand) {
  return operand == NULL_SGPR ? 0 : wave::word_of(wave, scalar_cell(operand));
}

// A 32-bit scalar operand. Float constants have the bits of an f32.
inline uint32_t scalar_value(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  if (operand < 128) return register_of(wave, operand);
  if (is_inline_integer(operand)) return uint32_t(inline_integer(operand));
  if (is_inline_float(operand)) return inline_f32[operand - FLOAT_HALF];
  switch (operand) {
    case LITERAL: return literal;
    case SRC_SCC: return wave::word_of(wave, scc_cell);
    case SRC_VCCZ:
      return !(wave::word_of(wave, scalar_cell(VCC_LO)) | (is_wave64(wave) ? wave::word_of(wave, scalar_cell(VCC_HI)) : 0));
    case SRC_EXECZ: return !exec_of(wave);
    case SHARED_LIMIT:
    case PRIVATE_LIMIT: return ~0u;  // the low halves of the apertures
    default: return 0;
  }
}
inline uint64_t scalar_value64(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  if (operand == NULL_SGPR) return 0;
  if (operand < 128) return register_of(wave, operand) | uint64_t(register_of(wave, operand + 1)) << 32;
  if (is_inline_integer(operand)) return uint64_t(int64_t(inline_integer(operand)));
  if (is_inline_float(operand)) return inline_f64[operand - FLOAT_HALF];
  switch (operand) {
    case SHARED_BASE: return uint64_t(wave.flat_shared_high) << 32;
    case SHARED_LIMIT: return uint64_t(wave.flat_shared_high) << 32 | 0xffffffffu;
    case PRIVATE_BASE: return uint64_t(wave.flat_private_high) << 32;
    case PRIVATE_LIMIT: return uint64_t(wave.flat_private_high) << 32 | 0xffffffffu;
    default: return scalar_value(wave, operand, literal);
  }
}
// Writes of NULL and, outside of the trap handler, of trap registers are dropped.
inline void set_scalar_value(wave::Wave& wave, uint32_t operand, uint32_t value) {
  if (operand < TTMP0 || (operand > NULL_SGPR && operand < 128)) wave::word_of(wave, scalar_cell(operand)) = value;
}

}  // namespace Atoll::rdna4
