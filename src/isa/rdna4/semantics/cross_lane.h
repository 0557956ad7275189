// Data from lane to lane, and registers by index. RDNA4 ISA 7.9, 7.11, 12.5.2, 16.7, 16.8, 16.12, 16.15.
#pragma once
#include "isa/amd/semantics/indexed.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// Functions on the whole wave (cross_lane_whole.cpp).
// clang-format off: a list
#define ATOLL_CROSS_LANE_WHOLE(NAME) \
  NAME(v_readlane_b32) NAME(v_readfirstlane_b32) NAME(v_writelane_b32) NAME(v_permlane16_b32) NAME(v_permlanex16_b32) \
  NAME(v_permlane16_var_b32) NAME(v_permlanex16_var_b32) NAME(v_permlane64_b32) NAME(ds_permute_b32) NAME(ds_bpermute_b32) \
  NAME(ds_bpermute_fi_b32) NAME(ds_swizzle_b32)
// clang-format on
#define ATOLL_DECLARE_WHOLE(name) void name(wave::Wave& wave, const Instruction& i);
ATOLL_CROSS_LANE_WHOLE(ATOLL_DECLARE_WHOLE)
#undef ATOLL_DECLARE_WHOLE

// --- registers by index: known only when the instruction runs (isa/amd/semantics/indexed.h)
//
// OP(name, index of the source, index of the destination, whether the source has one); m0 is the register's value.
#define ATOLL_VGPR_INDEXED(OP)    \
  OP(v_movreld_b32, 0, m0, false) \
  OP(v_movrels_b32, m0, 0, true) OP(v_movrelsd_b32, m0, m0, true) OP(v_movrelsd_2_b32, m0 & 0x3ff, m0 >> 16 & 0x3ff, true)
#define ATOLL_DEFINE_INDEXED(name, source_index, index, index_source) \
  template <class A>                                                  \
  void name(A& e, const Instruction& i) {                             \
    if constexpr (A::Core::recording)                                 \
      e.core.call_instead();                                          \
    else {                                                            \
      [[maybe_unused]] uint32_t m0 = e.scalar_register(M0).v;         \
      move_indexed(e, i, source_index, index, index_source);          \
    }                                                                 \
  }
ATOLL_VGPR_INDEXED(ATOLL_DEFINE_INDEXED)
#undef ATOLL_DEFINE_INDEXED
template <class A>
void v_swaprel_b32(A& e, const Instruction& i) {
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else {
    uint32_t m0 = e.scalar_register(M0).v;
    uint32_t from = indexed_vgpr(e, i.src[0] - VGPR0, m0 & 0x3ff, true), to = indexed_vgpr(e, i.dst, m0 >> 16 & 0x3ff, true);
    if (from == kVgprCount || to == kVgprCount) return;
    auto a = e.vgpr(to), b = e.vgpr(from);
    e.set_vgpr(to, b);
    e.set_vgpr(from, a);
  }
}

#define ATOLL_LIST_INDEXED(name, source_index, index, index_source) ATOLL_LANES_ENTRY(name)
#define ATOLL_CROSS_LANE(SCALAR, LANES, WHOLE) \
  ATOLL_CROSS_LANE_WHOLE(WHOLE)                \
  ATOLL_VGPR_INDEXED(ATOLL_LIST_INDEXED) LANES(v_swaprel_b32)

}  // namespace Atoll::rdna4
