// VGPRs by index, which is known only when the instruction runs. RDNA4 ISA 3.3.2, 16.8; Sea Islands register guide section 4
// (SQ_V_MOVREL*).
#pragma once
#include "base/removable_check.h"
#include "isa/amd/adaptor.h"

namespace Atoll::amd {

// The VGPR `index` above `base`; 256 when the wave has none of that number.
template <class A>
uint32_t indexed_vgpr(A& e, uint32_t base, uint32_t index, bool checked) {
  uint32_t allocated = e.core.scalar(vgpr_count_cell).v;
  if (!allocated || allocated > kVgprCount) allocated = kVgprCount;
  if (!checked) return base + index;
  return index > 255 || base + index >= allocated ? kVgprCount : base + index;
}
template <class A>
void move_indexed(A& e, const typename A::Instruction& i, uint32_t source_index, uint32_t index, bool index_source) {
  uint32_t to = indexed_vgpr(e, i.dst, index, !ATOLL_CHECK_REMOVED("movrel.vgpr.destination"));
  if (to == kVgprCount) return;  // no such destination: nothing happens
  if (!index_source) return e.set_vgpr(to, e.u32(i, 0));
  uint32_t from = indexed_vgpr(e, i.src[0] - VGPR0, source_index, !ATOLL_CHECK_REMOVED("movrel.vgpr.source"));
  e.set_vgpr(to, e.source_vgpr(i, 0, from == kVgprCount ? 0 : from));  // no such source: v0
}
// The same with M0 as the index of the source, of the destination or of both.
template <class A>
void move_by_m0(A& e, const typename A::Instruction& i, bool source, bool destination) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    uint32_t m0 = e.scalar_register(A::m0).v;
    move_indexed(e, i, source ? m0 : 0, destination ? m0 : 0, source);
  }
}

}  // namespace Atoll::amd
