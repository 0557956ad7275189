// isa/amd/semantics/whole.h for Sea Islands' waves, which have 64 lanes, and LDS_DIRECT. Sea Islands register guide section 4.
#pragma once
#include <cstring>

#include "isa/amd/semantics/whole.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

using amd::pair_of;

inline uint32_t& lane_of(wave::Wave& wave, uint32_t vgpr, uint32_t lane) { return amd::lane_of(wave, vgpr, lane, true); }
inline uint32_t register_of(wave::Wave& wave, uint32_t operand) { return wave::word_of(wave, scalar_cell(operand)); }
inline uint64_t exec_of(wave::Wave& wave) { return pair_of(wave, EXEC_LO); }

// The value that LDS_DIRECT reads (adaptor.h).
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

inline uint32_t scalar_value(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  return amd::scalar_value(wave, operand, literal, amd::floats_of_sea_islands, true);
}
inline uint64_t scalar_value64(wave::Wave& wave, uint32_t operand, uint32_t literal) {
  return amd::scalar_value64(wave, operand, literal, amd::floats_of_sea_islands, true);
}
// Writes of trap registers outside of the trap handler are dropped.
inline void set_scalar_value(wave::Wave& wave, uint32_t operand, uint32_t value) {
  bool trap_register = operand >= TBA_LO && operand < M0;
  if (operand < kScalarCount && (!trap_register || wave.privileged)) wave::word_of(wave, scalar_cell(operand)) = value;
}

}  // namespace Atoll::gfx7
