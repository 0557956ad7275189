// Data from lane to lane, and registers by index. RDNA4 ISA 7.9, 7.11, 12.5.2, 16.7, 16.8, 16.12, 16.15.
#pragma once
#include <bit>

#include "isa/amd/semantics/indexed.h"
#include "isa/rdna4/adaptor.h"
#include "wave/lane_moves.h"

namespace Atoll::rdna4 {

// --- one lane, active or not
template <class A>
void v_readlane_b32(A& e, const Instruction& i) {
  e.set_scalar_register(i.dst, e.core.lane(vgpr_cell(i.src[0] - VGPR0, e.wave64()), e.s32(i, 1)));
}
// The first active lane's, lane 0's if none is.
template <class A>
void v_readfirstlane_b32(A& e, const Instruction& i) {
  auto lane = e.wave64() ? low(ctz(e.scalar_pair(EXEC_LO))) : ctz(e.scalar_register(EXEC_LO));
  e.set_scalar_register(i.dst, e.core.lane(vgpr_cell(i.src[0] - VGPR0, e.wave64()), lane));
}
template <class A>
void v_writelane_b32(A& e, const Instruction& i) {
  e.core.set_lane(vgpr_cell(i.dst, e.wave64()), e.s32(i, 1), e.s32(i, 0));
}

// --- all lanes; these run once an instruction (SCALAR). RDNA4 ISA 7.9, 12.5.2.
template <class A>
typename A::Core::Whole whole(A& e, uint32_t vgpr) {
  return e.core.whole(vgpr_cell(vgpr, e.wave64()));
}
// The register's active lanes, the others 0.
template <class A>
typename A::Core::Whole active_lanes_of(A& e, uint32_t vgpr) {
  return e.core.each([](auto x, auto active) { return select(active != 0u, x, 0u); }, whole(e, vgpr), e.core.active_words());
}

// Rows of 16: `select` has the lane within the row that a lane reads. OP_SEL 0 is FETCH_INACTIVE, 1 is BOUND_CTRL: from an
// inactive lane without the first comes 0 with the second, else the lane keeps what it had (as DPP does, RDNA4 ISA 7.9.1).
template <class A>
void permute_rows(A& e, const Instruction& i, uint32_t other_row, const typename A::Core::Whole& select_lane) {
  auto from =
      e.core.each([&](auto lane, auto s) { return ((lane & ~15u) ^ other_row) | (s & 15u); }, e.core.lane_numbers(), select_lane);
  const uint32_t cell = vgpr_cell(i.dst, e.wave64());
  if (i.op_sel & 1) return e.core.set_active(cell, e.core.pick(whole(e, i.src[0] - VGPR0), from));
  auto value = e.core.pick(active_lanes_of(e, i.src[0] - VGPR0), from);
  if (i.op_sel & 2) return e.core.set_active(cell, value);
  auto readable = e.core.pick(e.core.active_words(), from);
  e.core.set_active(cell, e.core.each([](auto x, auto good, auto old) { return select(good != 0u, x, old); }, value, readable,
                                      whole(e, i.dst)));
}
// Four bits a lane of the row, from two scalars.
template <class A>
void permute_by_scalars(A& e, const Instruction& i, uint32_t other_row) {
  auto first = e.core.splat(e.s32(i, 1)), second = e.core.splat(e.s32(i, 2));
  permute_rows(e, i, other_row,
               e.core.each([&](auto lane) { return select((lane & 8u) == 0u, first, second) >> ((lane & 7u) << 2); },
                           e.core.lane_numbers()));
}
template <class A>
void permute_by_lanes(A& e, const Instruction& i, uint32_t other_row) {
  if (i.src[1] >= VGPR0) return permute_rows(e, i, other_row, whole(e, i.src[1] - VGPR0));
  auto same = e.core.splat(e.s32(i, 1));
  permute_rows(e, i, other_row, e.core.each([&](auto) { return same; }, e.core.lane_numbers()));
}
template <class A>
void v_permlane16_b32(A& e, const Instruction& i) {
  permute_by_scalars(e, i, 0);
}
template <class A>
void v_permlanex16_b32(A& e, const Instruction& i) {
  permute_by_scalars(e, i, 16);
}
template <class A>
void v_permlane16_var_b32(A& e, const Instruction& i) {
  permute_by_lanes(e, i, 0);
}
template <class A>
void v_permlanex16_var_b32(A& e, const Instruction& i) {
  permute_by_lanes(e, i, 16);
}
// Reads lanes of the other half whether they are active or not; wave32 has no other half.
template <class A>
void v_permlane64_b32(A& e, const Instruction& i) {
  if (!e.wave64()) return;
  auto other = e.core.each([](auto lane) { return lane ^ 32u; }, e.core.lane_numbers());
  e.core.set_active(vgpr_cell(i.dst, true), e.core.pick(whole(e, i.src[0] - VGPR0), other));
}

// The lane named by the byte index in ADDR plus the offset; inactive ones give 0.
template <class A>
void pick_by_address(A& e, const Instruction& i, const typename A::Core::Whole& data) {
  auto lane = e.core.each([&](auto address) { return (address + uint32_t(i.offset)) >> 2; }, whole(e, i.address));
  e.core.set_active(vgpr_cell(i.dst, e.wave64()), e.core.pick(data, lane));
}
template <class A>
void ds_bpermute_b32(A& e, const Instruction& i) {
  pick_by_address(e, i, active_lanes_of(e, i.data));
}
template <class A>
void ds_bpermute_fi_b32(A& e, const Instruction& i) {
  pick_by_address(e, i, whole(e, i.data));
}

// The lane of its group of 32 that lane `n` (0-31) reads (RDNA4 ISA 16.15, DS_SWIZZLE_B32).
constexpr uint32_t swizzled(uint32_t offset, uint32_t n) {
  uint32_t mask = offset & 31;
  if (offset >= 0xe000) {  // FFT
    uint32_t reversed = __builtin_bitreverse32(n) >> 27;
    return (reversed >> std::popcount(mask)) | (n & mask);
  }
  if (offset >= 0xc000) {  // rotate
    uint32_t by = offset >> 5 & 31;
    return ((n & mask) | ((offset >> 10 & 1 ? n - by : n + by) & ~mask)) & 31;
  }
  if (offset & 0x8000) return (n & ~3u) | (offset >> 2 * (n & 3) & 3);  // any of four
  return ((n & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
}
template <class A>
void ds_swizzle_b32(A& e, const Instruction& i) {
  wave::LaneMap map;
  for (uint32_t n = 0; n < 32; n++) map.from[n] = int8_t(swizzled(uint32_t(i.offset) & 0xffff, n));
  e.core.set_active(vgpr_cell(i.dst, e.wave64()),
                    e.core.each([&](auto x) { return e.core.moved(x, map); }, active_lanes_of(e, i.address)));
}

// The other way round: active lanes give theirs to the lane named by ADDR plus the offset; of several the highest one, and what no
// one is given is 0 (cross_lane_whole.cpp).
void ds_permute_b32(wave::Wave& wave, const Instruction& i);

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
// clang-format off: a list
#define ATOLL_CROSS_LANE(SCALAR, LANES, WHOLE) \
  SCALAR(v_readlane_b32) SCALAR(v_readfirstlane_b32) SCALAR(v_writelane_b32) SCALAR(v_permlane16_b32) SCALAR(v_permlanex16_b32) \
  SCALAR(v_permlane16_var_b32) SCALAR(v_permlanex16_var_b32) SCALAR(v_permlane64_b32) SCALAR(ds_bpermute_b32) \
  SCALAR(ds_bpermute_fi_b32) SCALAR(ds_swizzle_b32) ATOLL_DIRECT_ENTRY(ds_permute_b32) \
  ATOLL_VGPR_INDEXED(ATOLL_LIST_INDEXED) LANES(v_swaprel_b32)
// clang-format on

}  // namespace Atoll::rdna4
