// DS_APPEND and DS_CONSUME: one addition for the whole wave. RDNA4 ISA 16.15.
#include <bit>

#include "isa/rdna4/registers.h"
#include "isa/rdna4/semantics/lds.h"

namespace Atoll::rdna4 {
namespace {

void count(wave::Wave& wave, const Instruction& i, bool append) {
  bool wave64 = wave.lanes > 32;
  uint64_t active = wave::word_of(wave, scalar_cell(EXEC_LO));
  if (wave64) active |= uint64_t(wave::word_of(wave, scalar_cell(EXEC_HI))) << 32;
  if (!active) return;
  uint32_t address = uint32_t(i.offset) & 0xfffcu, lanes = uint32_t(std::popcount(active)), old = 0;
  if (address + 4 <= wave.lds_bytes)
    old = __atomic_fetch_add(reinterpret_cast<uint32_t*>(wave.lds + address), append ? lanes : 0u - lanes, __ATOMIC_SEQ_CST);
  for (uint64_t rest = active; rest; rest &= rest - 1)
    wave::word_of(wave, vgpr_cell(i.dst, wave64) + uint32_t(std::countr_zero(rest)) * 4) = old;
}

}  // namespace

void ds_append(wave::Wave& wave, const Instruction& i) { count(wave, i, true); }
void ds_consume(wave::Wave& wave, const Instruction& i) { count(wave, i, false); }

}  // namespace Atoll::rdna4
