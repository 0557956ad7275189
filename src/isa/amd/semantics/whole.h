// Access to a wave's registers for functions on a whole wave: scalars by operand number, lanes of VGPRs. (Templates have the adaptor;
// these are the plain C++ counterpart for instructions that move data between lanes or by index.) Sea Islands register guide
// section 4; RDNA4 ISA 3.3, 6.2.
#pragma once
#include "base/removable_check.h"
#include "isa/amd/inline_constants.h"
#include "isa/amd/registers.h"

namespace Atoll::amd {

// A lane of one of the wave's VGPRs, whatever the numbers are.
inline uint32_t& lane_of(wave::Wave& wave, uint32_t vgpr, uint32_t lane, bool wave64) {
  uint32_t there = ATOLL_CHECK_REMOVED("lane.select") ? lane : lane & (wave64 ? 63u : 31u);
  return wave::word_of(wave, vgpr_cell(vgpr % kVgprCount, wave64) + there * 4);
}
inline uint64_t pair_of(wave::Wave& wave, uint32_t operand) {
  return wave::word_of(wave, scalar_cell(operand)) | uint64_t(wave::word_of(wave, scalar_cell(operand + 1))) << 32;
}
// EXEC or VCC.
inline uint64_t mask_of(wave::Wave& wave, uint32_t operand, bool wave64) {
  return wave64 ? pair_of(wave, operand) : wave::word_of(wave, scalar_cell(operand));
}

// A 32-bit scalar operand. Float constants have the bits of an f32. An operand that not all instruction sets have is 0.
inline uint32_t scalar_value(wave::Wave& wave, uint32_t operand, uint32_t literal, unsigned floats, bool wave64) {
  if (operand < kScalarCount) return wave::word_of(wave, scalar_cell(operand));
  if (is_inline_integer(operand)) return uint32_t(inline_integer(operand));
  if (is_inline_float(operand, floats)) return inline_f32[operand - FLOAT_HALF];
  switch (operand) {
    case LITERAL: return literal;
    case SRC_SCC: return wave::word_of(wave, scc_cell);
    case SRC_VCCZ: return !mask_of(wave, VCC_LO, wave64);
    case SRC_EXECZ: return !mask_of(wave, EXEC_LO, wave64);
    default: return 0;
  }
}
inline uint64_t scalar_value64(wave::Wave& wave, uint32_t operand, uint32_t literal, unsigned floats, bool wave64) {
  if (operand < kScalarCount) return pair_of(wave, operand);
  if (is_inline_integer(operand)) return uint64_t(int64_t(inline_integer(operand)));
  if (is_inline_float(operand, floats)) return inline_f64[operand - FLOAT_HALF];
  return scalar_value(wave, operand, literal, floats, wave64);
}

}  // namespace Atoll::amd
