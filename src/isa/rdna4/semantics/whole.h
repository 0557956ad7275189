// isa/amd/semantics/whole.h for RDNA4's waves, which have 32 or 64 lanes, with NULL and the apertures. RDNA4 ISA 3.3, 6.2, 6.10.
#pragma once
#include "isa/amd/semantics/whole.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/registers.h"

namespace Atoll::rdna4 {

inline bool is_wave64(const wave::Wave& wave) { return wave.lanes == 64; }
inline uint32_t& lane_of(wave::Wave& wave, uint32_t vgpr, uint32_t lane) {
  return amd::lane_of(wave, vgpr, lane, is_wave64(wave));
}
inline uint64_t exec_of(wave::Wave& wave) { return mask_of(wave, EXEC_LO, is_wave64(wave)); }
inline uint32_t register_of(wave::Wave& wave, uint32_t operand) {
  return operand == NULL_SGPR ? 0 : wave::word_of(wave, scalar_cell(operand));
}

inline uint32_t scalar_value(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  switch (operand) {
    case NULL_SGPR: return 0;
    case SHARED_LIMIT:
    case PRIVATE_LIMIT: return ~0u;  // the low halves of the apertures
    default: return amd::scalar_value(wave, operand, literal, floats_of_rdna4, is_wave64(wave));
  }
}
inline uint64_t scalar_value64(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  switch (operand) {
    case NULL_SGPR: return 0;
    case SHARED_BASE: return uint64_t(wave.flat_shared_high) << 32;
    case SHARED_LIMIT: return uint64_t(wave.flat_shared_high) << 32 | 0xffffffffu;
    case PRIVATE_BASE: return uint64_t(wave.flat_private_high) << 32;
    case PRIVATE_LIMIT: return uint64_t(wave.flat_private_high) << 32 | 0xffffffffu;
    default: return amd::scalar_value64(wave, operand, literal, floats_of_rdna4, is_wave64(wave));
  }
}
// Writes of NULL and, outside of the trap handler, of trap registers are dropped.
inline void set_scalar_value(wave::Wave& wave, uint32_t operand, uint32_t value) {
  const bool guarded = operand >= TTMP0 && operand < NULL_SGPR && !wave.privileged;
  if (operand < kScalarCount && operand != NULL_SGPR && !guarded) wave::word_of(wave, scalar_cell(operand)) = value;
}

}  // namespace Atoll::rdna4
