// The local data share. Sea Islands register guide section 4 (SQ_DS_0); M0 bounds every address: Southern Islands ISA 9.2 ("M0 is
// used for LDS clamping"), to which drivers give all ones. With GDS set the same templates run on the global data share, which
// then stands in LDS's place (global_share.h).
#pragma once
#include "isa/amd/semantics/lds.h"
#include "isa/gfx7/adaptor.h"
#include "wave/lane_moves.h"

namespace Atoll::gfx7 {

using namespace amd;

// A byte address plus an offset. At or beyond M0 loads give 0 and stores do nothing.
template <class A>
LaneAddress<A> lds_place(A& e, typename A::U32 address, uint32_t offset) {
  return {address,         e.core.u32(0), wave::Space::Lds,
          int32_t(offset), true,          address + offset < e.core.splat(e.scalar_register(M0))};
}
// One address: VGPR plus OFFSET1:OFFSET0 bytes. Two addresses: each offset counts units of `unit` bytes.
template <class A>
LaneAddress<A> lds_address(A& e, const Instruction& i) {
  return lds_place(e, e.vgpr(i.address), i.ds_offset());
}
template <class A>
LaneAddress<A> lds_address0(A& e, const Instruction& i, unsigned unit) {
  return lds_place(e, e.vgpr(i.address), i.offset0 * unit);
}
template <class A>
LaneAddress<A> lds_address1(A& e, const Instruction& i, unsigned unit) {
  return lds_place(e, e.vgpr(i.address), i.offset1 * unit);
}
// --- loads and stores

template <class A>
void lds_load(A& e, const Instruction& i, unsigned dwords) {
  amd::load_dwords(e, lds_address(e, i), i.dst, dwords);
}
template <class A>
void lds_store(A& e, const Instruction& i, unsigned dwords) {
  amd::store_dwords(e, lds_address(e, i), i.data, dwords);
}
#define ATOLL_LDS_DWORDS(X) X(b32, 1) X(b64, 2) X(b96, 3) X(b128, 4)
#define ATOLL_DEFINE(size, dwords)                   \
  template <class A>                                 \
  void ds_read_##size(A& e, const Instruction& i) {  \
    lds_load(e, i, dwords);                          \
  }                                                  \
  template <class A>                                 \
  void ds_write_##size(A& e, const Instruction& i) { \
    lds_store(e, i, dwords);                         \
  }
ATOLL_LDS_DWORDS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_LDS_NARROW_LOADS(X) X(u8, 1, false) X(i8, 1, true) X(u16, 2, false) X(i16, 2, true)
#define ATOLL_DEFINE(name, bytes, sign)                         \
  template <class A>                                            \
  void ds_read_##name(A& e, const Instruction& i) {             \
    amd::load_narrow(e, lds_address(e, i), i.dst, bytes, sign); \
  }
ATOLL_LDS_NARROW_LOADS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_LDS_NARROW_STORES(X) X(b8, 1) X(b16, 2)
#define ATOLL_DEFINE(name, bytes)                                  \
  template <class A>                                               \
  void ds_write_##name(A& e, const Instruction& i) {               \
    amd::store_narrow(e, lds_address(e, i), i.data, bytes, false); \
  }
ATOLL_LDS_NARROW_STORES(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// Two addresses, `dwords` (1 or 2) at each.
// X(name after ds_read, exchange, unit, dwords)
#define ATOLL_LDS_TWO_ADDRESSES(X) \
  X(2_b32, wrxchg2_rtn_b32, 4, 1)  \
  X(2_b64, wrxchg2_rtn_b64, 8, 2)  \
  X(2st64_b32, wrxchg2st64_rtn_b32, 256, 1) X(2st64_b64, wrxchg2st64_rtn_b64, 512, 2)
#define ATOLL_DEFINE(name, exchange, unit, dwords)                                                       \
  template <class A>                                                                                     \
  void ds_read##name(A& e, const Instruction& i) {                                                       \
    load_dwords_of_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i.dst, dwords);            \
  }                                                                                                      \
  template <class A>                                                                                     \
  void ds_write##name(A& e, const Instruction& i) {                                                      \
    store_dwords_at_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i.data, i.data1, dwords); \
  }                                                                                                      \
  template <class A>                                                                                     \
  void ds_##exchange(A& e, const Instruction& i) {                                                       \
    exchange_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i, dwords);                      \
  }
ATOLL_LDS_TWO_ADDRESSES(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// --- atomics

#define ATOLL_LDS_FLOAT_ATOMICS(X) X(min, f32, MinF32, 4) X(max, f32, MaxF32, 4) X(min, f64, MinF64, 8) X(max, f64, MaxF64, 8)
ATOLL_LDS_FLOAT_ATOMICS(ATOLL_DEFINE_LDS_ATOMIC)
// The data stand in LDS themselves, signed dwords away: as OFFSET says, or with its top bit bits 31:17 of the address.
template <class A>
void lds_atomic_of_two_places(A& e, const Instruction& i, wave::AtomicOp op, unsigned bytes) {
  auto address = e.vgpr(i.address);
  auto distance = e.core.u32(uint32_t(int32_t(i.ds_offset() << 17) >> 17));
  if (i.offset1 & 0x80) distance = ashr(address, 17), address = address & 0x1ffffu;
  auto from = lds_place(e, address + (distance << 2), 0), to = amd::in_one_address(e, lds_place(e, address, 0));
  auto zero = e.core.u32(0), data = amd::load(e, from, 4, false, bytes);
  auto high = bytes == 8 ? amd::load(e, from.plus(4), 4, false, bytes) : zero;
  e.core.atomic(wave::AtomicAccess{.op = op, .space = to.space, .bytes = uint8_t(bytes)}, to.low, to.high, data, high, zero,
                zero);
}
#define ATOLL_DEFINE(name, type, op, bytes)                    \
  template <class A>                                           \
  void ds_##name##_src2_##type(A& e, const Instruction& i) {   \
    lds_atomic_of_two_places(e, i, wave::AtomicOp::op, bytes); \
  }
ATOLL_COMMON_LDS_ATOMICS(ATOLL_DEFINE)
ATOLL_LDS_FLOAT_ATOMICS(ATOLL_DEFINE)
ATOLL_DEFINE(write, b32, Swap, 4)
ATOLL_DEFINE(write, b64, Swap, 8)
#undef ATOLL_DEFINE
template <class A>
void ds_wrxchg_rtn_b32(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::Swap, 4, {.data = i.data, .returns = true, .dst = i.dst});
}
template <class A>
void ds_wrxchg_rtn_b64(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::Swap, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// Compare and store: DATA0 is compared, DATA1 the new value.
#define ATOLL_LDS_COMPARES(X)                       \
  X(cmpst, b32, CompareSwap, 4, i.data1, i.data)    \
  X(cmpst, f32, CompareSwapF32, 4, i.data1, i.data) \
  X(cmpst, f64, CompareSwapF64, 8, i.data1, i.data) \
  X(cmpst, b64, CompareSwap, 8, i.data1, i.data)
ATOLL_LDS_COMPARES(ATOLL_DEFINE_LDS_OPERANDS)

// Two dwords, each exchanged if bit 31 of its data is set.
template <class A>
void ds_condxchg32_rtn_b64(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::ExchangeMarked, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// --- plain functions (lds_whole.cpp): what the value language has no atomic for, and moves between lanes

void ds_wrap_rtn_b32(wave::Wave& wave, const Instruction& i);
void ds_condxchg32_rtn_b128(wave::Wave& wave, const Instruction& i);
// The number of active lanes added to or taken from a dword at M0[15:0] plus the offset (GDS: at the offset from the base that M0
// has); every active lane gets the old value.
void ds_append(wave::Wave& wave, const Instruction& i);
void ds_consume(wave::Wave& wave, const Instruction& i);

// No LDS is touched: lanes get the value of another lane of their group of 32 (OFFSET bit 15: of their quad), 0 of inactive ones.
// Runs once an instruction (SCALAR).
template <class A>
void ds_swizzle_b32(A& e, const Instruction& i) {
  const uint32_t offset = i.ds_offset();
  wave::LaneMap map;
  for (uint32_t n = 0; n < 32; n++)
    map.from[n] = int8_t(offset >> 15 ? (n & ~3u) | (offset >> 2 * (n & 3) & 3)
                                      : ((n & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
  e.core.set_active(vgpr_cell(i.dst),
                    e.core.each([&](auto x, auto active) { return e.core.moved(select(active != 0u, x, 0u), map); },
                                e.core.whole(vgpr_cell(i.address)), e.core.active_words()));
}

#define ATOLL_LIST_LDS_DWORDS(size, ...) ATOLL_LANES_ENTRY(ds_read_##size) ATOLL_LANES_ENTRY(ds_write_##size)
#define ATOLL_LIST_LDS_LOAD(name, ...) ATOLL_LANES_ENTRY(ds_read_##name)
#define ATOLL_LIST_LDS_STORE(name, ...) ATOLL_LANES_ENTRY(ds_write_##name)
#define ATOLL_LIST_TWO(name, exchange, ...) \
  ATOLL_LANES_ENTRY(ds_read##name) ATOLL_LANES_ENTRY(ds_write##name) ATOLL_LANES_ENTRY(ds_##exchange)
#define ATOLL_LIST_TWO_PLACES(name, type, ...) ATOLL_CALLED_ENTRY(ds_##name##_src2_##type)
// clang-format off: a list
#define ATOLL_LDS(SCALAR, LANES, WHOLE) \
  ATOLL_COMMON_LDS(SCALAR) ATOLL_LDS_DWORDS(ATOLL_LIST_LDS_DWORDS) ATOLL_LDS_NARROW_LOADS(ATOLL_LIST_LDS_LOAD) \
  ATOLL_LDS_NARROW_STORES(ATOLL_LIST_LDS_STORE) ATOLL_LDS_TWO_ADDRESSES(ATOLL_LIST_TWO) \
  ATOLL_LDS_FLOAT_ATOMICS(ATOLL_LIST_LDS_ATOMIC) ATOLL_LDS_COMPARES(ATOLL_LIST_LDS_ATOMIC) \
  ATOLL_COMMON_LDS_ATOMICS(ATOLL_LIST_TWO_PLACES) ATOLL_LDS_FLOAT_ATOMICS(ATOLL_LIST_TWO_PLACES) \
  ATOLL_LIST_TWO_PLACES(write, b32) ATOLL_LIST_TWO_PLACES(write, b64) LANES(ds_wrxchg_rtn_b32) LANES(ds_wrxchg_rtn_b64) \
  LANES(ds_condxchg32_rtn_b64) WHOLE(ds_wrap_rtn_b32) WHOLE(ds_condxchg32_rtn_b128) WHOLE(ds_append) WHOLE(ds_consume) \
  SCALAR(ds_swizzle_b32)
// clang-format on

}  // namespace Atoll::gfx7
