#include "plain_machine.h"

namespace Atoll::attacker {

// Numbers of ordinary size mostly: what programs compute should not all be NaN.
void PlainMachine::fill_registers(wave::Wave& w, Random& r, uint32_t) const {
  wave::RegisterFile file = isa_.register_file();
  for (uint32_t at = 0; at + 4 <= file.bytes; at += 4)
    wave::word_of(w, wave::register_file_offset + at) = r.chance(70) ? 0x3f000000u + (r.next() & 0x01ffffffu) : r.word();
  wave::word_of(w, file.active_cell) = r.chance(60) ? ~0u : r.next();
}

}  // namespace Atoll::attacker
