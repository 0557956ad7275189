// DS instructions that see the whole wave: lanes one after the other, as LDS is one work-group's, whose waves take turns. Sea
// Islands register guide section 4 (SQ_DS_0).
#include <bit>
#include <cstring>

#include "isa/gfx7/semantics/lds.h"
#include "isa/gfx7/semantics/whole.h"

namespace Atoll::gfx7 {
namespace {

// `bytes` of LDS at the lane's address plus offset; null out of bounds.
uint8_t* lds_at(wave::Wave& wave, const Instruction& i, uint32_t lane, uint32_t bytes) {
  uint32_t address = lane_of(wave, i.address, lane) + i.ds_offset();
  if (address >= register_of(wave, M0) || uint64_t(address) + bytes > wave.lds_bytes) return nullptr;
  return wave.lds + address;
}

// Lets `change` turn the dwords at each active lane's place into new ones; the old ones are returned.
template <unsigned dwords, class Change>
void exchange(wave::Wave& wave, const Instruction& i, Change change) {
  for (uint64_t rest = exec_of(wave); rest; rest &= rest - 1) {
    uint32_t lane = uint32_t(std::countr_zero(rest)), old[dwords] = {}, now[dwords];
    uint8_t* place = lds_at(wave, i, lane, sizeof old);
    if (place) std::memcpy(old, place, sizeof old);
    std::memcpy(now, old, sizeof old);
    change(lane, now);
    if (place) std::memcpy(place, now, sizeof now);
    for (unsigned n = 0; n < dwords; n++) lane_of(wave, i.dst + n, lane) = old[n];
  }
}

void count(wave::Wave& wave, const Instruction& i, bool append) {
  uint64_t active = exec_of(wave);
  if (!active) return;
  uint32_t base = i.gds ? 0 : register_of(wave, M0) & 0xffff;
  uint32_t address = (base + i.ds_offset()) & ~3u, lanes = uint32_t(std::popcount(active)), old = 0;
  if (uint64_t(address) + 4 <= wave.lds_bytes)
    old = __atomic_fetch_add(reinterpret_cast<uint32_t*>(wave.lds + address), append ? lanes : 0u - lanes, __ATOMIC_SEQ_CST);
  for (uint64_t rest = active; rest; rest &= rest - 1) lane_of(wave, i.dst, uint32_t(std::countr_zero(rest))) = old;
}

}  // namespace

void ds_wrap_rtn_b32(wave::Wave& wave, const Instruction& i) {
  exchange<1>(wave, i, [&](uint32_t lane, uint32_t* word) {
    uint32_t least = lane_of(wave, i.data, lane);
    *word = *word >= least ? *word - least : *word + lane_of(wave, i.data1, lane);
  });
}
void ds_condxchg32_rtn_b128(wave::Wave& wave, const Instruction& i) {
  exchange<4>(wave, i, [&](uint32_t lane, uint32_t* words) {
    for (unsigned n = 0; n < 4; n++) {
      uint32_t data = lane_of(wave, i.data + n, lane);
      if (data >> 31) words[n] = data & 0x7fffffff;
    }
  });
}
void ds_append(wave::Wave& wave, const Instruction& i) { count(wave, i, true); }
void ds_consume(wave::Wave& wave, const Instruction& i) { count(wave, i, false); }

}  // namespace Atoll::gfx7
