// The wave's state registers as AMD's instruction sets share them: S_GETREG's STATUS, and what S_SETREG may write. Linux
// drivers/gpu/drm/amd/include/asic_reg/gca/gfx_7_2_sh_mask.h (SQ_WAVE_*); RDNA4 ISA 3.4.
#pragma once
#include <span>

#include "isa/amd/semantics/whole.h"
#include "wave/work_group.h"

namespace Atoll::amd {

// Waves on their own have nobody to wait for: their barriers do nothing.
inline bool in_group(const wave::Wave& wave) { return wave.group && wave.group->members > 1; }

// STATUS, as far as its bits are the same.
inline uint32_t status(wave::Wave& wave, bool wave64) {
  uint32_t value = wave::word_of(wave, status_cell) | 1u << 16;  // VALID
  if (!mask_of(wave, EXEC_LO, wave64)) value |= 1u << 9;
  if (!mask_of(wave, VCC_LO, wave64)) value |= 1u << 10;
  if (in_group(wave)) value |= 1u << 11;  // IN_TG
  return value;
}

// A hardware register that stands in a cell, and its bits that a program may write.
struct WritableRegister {
  uint32_t number, cell, bits;
};
inline constexpr uint32_t mode_number = 1;
// Writes the bits of `mask`; a register that is not in the list stays. `mode` becomes true when MODE was written.
inline void write_hardware_register(wave::Wave& wave, std::span<const WritableRegister> list, uint32_t number, uint32_t mask,
                                    uint32_t value, bool& mode) {
  mode = number == mode_number;
  for (const WritableRegister& r : list) {
    if (r.number != number) continue;
    uint32_t& word = wave::word_of(wave, r.cell);
    word = (word & ~(mask & r.bits)) | (value & mask & r.bits);
  }
}

}  // namespace Atoll::amd
