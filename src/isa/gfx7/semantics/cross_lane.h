// Data from lane to lane, and registers by index. Sea Islands register guide section 4 (SQ_V_READLANE_B32, SQ_V_MOVREL*,
// SQ_S_MOVREL*).
#pragma once
#include "isa/amd/semantics/indexed.h"
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/semantics/whole.h"

namespace Atoll::gfx7 {

// --- one lane, active or not. LDS_DIRECT and scalars give all lanes the same.
template <class A>
void set_from_lane(A& e, const Instruction& i, typename A::S32 lane) {
  if (i.src[0] >= VGPR0)
    e.set_scalar_register(i.dst, e.core.lane(vgpr_cell(i.src[0] - VGPR0), lane));
  else if (i.src[0] != LDS_DIRECT)
    e.set_scalar_register(i.dst, e.s32(i, 0));
  else if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    e.set_scalar_register(i.dst, e.core.s32(lds_direct_value(e.core.wave)));
}
template <class A>
void v_readlane_b32(A& e, const Instruction& i) {
  set_from_lane(e, i, e.s32(i, 1));
}
// The first active lane's, lane 0's if none is.
template <class A>
void v_readfirstlane_b32(A& e, const Instruction& i) {
  set_from_lane(e, i, low(ctz(e.scalar_pair(EXEC_LO))));
}
template <class A>
void v_writelane_b32(A& e, const Instruction& i) {
  e.core.set_lane(vgpr_cell(i.dst), e.s32(i, 1), e.s32(i, 0));
}

// Functions on the whole wave (cross_lane_whole.cpp).
#define ATOLL_CROSS_LANE_WHOLE(NAME) NAME(s_movrels_b32) NAME(s_movrels_b64) NAME(s_movreld_b32) NAME(s_movreld_b64)
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
  SCALAR(v_readlane_b32)                       \
  SCALAR(v_readfirstlane_b32)                  \
  SCALAR(v_writelane_b32) ATOLL_CROSS_LANE_WHOLE(WHOLE) LANES(v_movreld_b32) LANES(v_movrels_b32) LANES(v_movrelsd_b32)

}  // namespace Atoll::gfx7
