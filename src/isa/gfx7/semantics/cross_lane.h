// Data from lane to lane, and registers by index. Sea Islands register guide section 4 (SQ_V_READLANE_B32, SQ_V_MOVREL*,
// SQ_S_MOVREL*).
#pragma once
#include "isa/amd/semantics/indexed.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// Functions on the whole wave (cross_lane_whole.cpp).
#define ATOLL_CROSS_LANE_WHOLE(NAME) \
  NAME(v_readlane_b32)               \
  NAME(v_readfirstlane_b32)          \
  NAME(v_writelane_b32) NAME(s_movrels_b32) NAME(s_movrels_b64) NAME(s_movreld_b32) NAME(s_movreld_b64)
#define ATOLL_DECLARE_WHOLE(name) void name(wave::Wave& wave, const Instruction& i);
ATOLL_CROSS_LANE_WHOLE(ATOLL_DECLARE_WHOLE)
#undef ATOLL_DECLARE_WHOLE

template <class A>
void v_movreld_b32(A& e, const Instruction& i) {
  move_by_m0(e, i, false, true);
}
template <class A>
void v_movrels_b32(A& e, const Instruction& i) {
  move_by_m0(e, i, true, false);
}
template <class A>
void v_movrelsd_b32(A& e, const Instruction& i) {
  move_by_m0(e, i, true, true);
}

#define ATOLL_CROSS_LANE(SCALAR, LANES, WHOLE) \
  ATOLL_CROSS_LANE_WHOLE(WHOLE) LANES(v_movreld_b32) LANES(v_movrels_b32) LANES(v_movrelsd_b32)

}  // namespace Atoll::gfx7
