// What functions on a whole wave need of its registers: scalars by operand number, lanes of VGPRs. Sea Islands register guide
// section 4. (Templates have the adaptor; these are the plain C++ counterpart for instructions that move data between lanes or by
// index.)
#pragma once
#include <cstring>

#include "base/removable_check.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// Whatever the numbers are: a lane of one of the wave's VGPRs.
inline uint32_t& lane_of(wave::Wave& wave, uint32_t vgpr, uint32_t lane) {
  return wave::word_of(wave, lane_cell(vgpr_cell(vgpr % kVgprCount), ATOLL_CHECK_REMOVED("lane.select") ? lane : lane % 64));
}
inline uint32_t register_of(wave::Wave& wave, uint32_t operand) { return wave::word_of(wave, scalar_cell(operand)); }
inline uint64_t pair_of(wave::Wave& wave, uint32_t operand) {
  return register_of(wave, operand) | uint64_t(register_of(wave, operand + 1)) << 32;
}
inline uint64_t exec_of(wave::Wave& wave) { return pair_of(wave, EXEC_LO); }

// What LDS_DIRECT reads (adaptor.h).
inline uint32_t lds_direct_value(wave::Wave& wave) {
  uint32_t m0 = register_of(wave, M0), address = m0 & 0xffff, word = 0;
  if (uint64_t(address & ~3u) + 4 <= wave.lds_bytes) std::memcpy(&word, wave.lds + (address & ~3u), 4);
  word >>= (address & 3) * 8;
  switch (m0 >> 16 & 7) {
    case 0: return word & 0xff;
    case 1: return word & 0xffff;
    case 4: return uint32_t(int32_t(int8_t(word)));
    case 5: return uint32_t(int32_t(int16_t(word)));
    default: return word;
  }
}

// A 32-bit scalar operand. Float constants have the bits of an f32.
inline uint32_t scalar_value(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  if (operand < kScalarCount) return register_of(wave, operand);
  if (amd::is_inline_integer(operand)) return uint32_t(amd::inline_integer(operand));
  if (operand >= FLOAT_HALF && operand <= FLOAT_MINUS_4) return amd::inline_f32[operand - FLOAT_HALF];
  switch (operand) {
    case LITERAL: return literal;
    case SRC_SCC: return wave::word_of(wave, scc_cell);
    case SRC_VCCZ: return !pair_of(wave, VCC_LO);
    case SRC_EXECZ: return !exec_of(wave);
    default: return 0;
  }
}
inline uint64_t scalar_value64(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  if (operand < kScalarCount) return pair_of(wave, operand);
  if (amd::is_inline_integer(operand)) return uint64_t(int64_t(amd::inline_integer(operand)));
  if (operand >= FLOAT_HALF && operand <= FLOAT_MINUS_4) return amd::inline_f64[operand - FLOAT_HALF];
  return scalar_value(wave, operand, literal);
}
// Writes of trap registers outside of the trap handler are dropped.
inline void set_scalar_value(wave::Wave& wave, uint32_t operand, uint32_t value) {
  bool trap_register = operand >= TBA_LO && operand < M0;
  if (operand < kScalarCount && (!trap_register || wave.privileged)) wave::word_of(wave, scalar_cell(operand)) = value;
}

}  // namespace Atoll::gfx7
