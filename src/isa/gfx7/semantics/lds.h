// The local data share. Sea Islands register guide section 4 (SQ_DS_0); M0 bounds every address: Southern Islands ISA 9.2 ("M0 is
// used for LDS clamping"), to which drivers give all ones. With GDS set the same templates run on the global data share, which
// then stands in LDS's place (global_share.h).
#pragma once
#include "isa/amd/semantics/vector_memory.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

using amd::LaneAddress;

template <class A>
void ds_nop(A&, const Instruction&) {}

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
template <class A>
void lds_load_two(A& e, const Instruction& i, unsigned unit, unsigned dwords) {
  auto at0 = lds_address0(e, i, unit), at1 = lds_address1(e, i, unit);
  auto dword = [&](const LaneAddress<A>& at, int n) { return amd::load(e, at.plus(4 * n), 4, false, 4 * dwords); };
  auto a = dword(at0, 0), b = dwords > 1 ? dword(at0, 1) : a, c = dword(at1, 0), d = dwords > 1 ? dword(at1, 1) : c;
  uint32_t to = i.dst;
  e.set_vgpr(to++, a);
  if (dwords > 1) e.set_vgpr(to++, b);
  e.set_vgpr(to++, c);
  if (dwords > 1) e.set_vgpr(to, d);
}
template <class A>
void lds_store_two(A& e, const Instruction& i, unsigned unit, unsigned dwords) {
  amd::store_dwords_at_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i.data, i.data1, dwords);
}
// Both old values are those before either exchange.
template <class A>
void lds_exchange_two(A& e, const Instruction& i, unsigned unit, unsigned dwords) {
  auto swap = [&](const LaneAddress<A>& at, uint32_t data) {
    return e.core.atomic(
        wave::AtomicAccess{.op = wave::AtomicOp::Swap, .space = at.space, .bytes = uint8_t(4 * dwords), .offset = at.offset},
        at.low, at.high, e.vgpr(data), dwords > 1 ? e.vgpr(data + 1) : e.core.u32(0), e.core.u32(0), e.core.u32(0));
  };
  auto first = swap(amd::in_one_address(e, lds_address0(e, i, unit)), i.data);
  auto second = swap(amd::in_one_address(e, lds_address1(e, i, unit)), i.data1);
  if (i.offset0 == i.offset1) second = first;
  uint32_t to = i.dst;
  e.set_vgpr(to++, first.low);
  if (dwords > 1) e.set_vgpr(to++, first.high);
  e.set_vgpr(to++, second.low);
  if (dwords > 1) e.set_vgpr(to, second.high);
}
// X(name after ds_read, exchange, unit, dwords)
#define ATOLL_LDS_TWO_ADDRESSES(X) \
  X(2_b32, wrxchg2_rtn_b32, 4, 1)  \
  X(2_b64, wrxchg2_rtn_b64, 8, 2)  \
  X(2st64_b32, wrxchg2st64_rtn_b32, 256, 1) X(2st64_b64, wrxchg2st64_rtn_b64, 512, 2)
#define ATOLL_DEFINE(name, exchange, unit, dwords)  \
  template <class A>                                \
  void ds_read##name(A& e, const Instruction& i) {  \
    lds_load_two(e, i, unit, dwords);               \
  }                                                 \
  template <class A>                                \
  void ds_write##name(A& e, const Instruction& i) { \
    lds_store_two(e, i, unit, dwords);              \
  }                                                 \
  template <class A>                                \
  void ds_##exchange(A& e, const Instruction& i) {  \
    lds_exchange_two(e, i, unit, dwords);           \
  }
ATOLL_LDS_TWO_ADDRESSES(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// --- atomics

template <class A>
void lds_atomic(A& e, const Instruction& i, wave::AtomicOp op, unsigned bytes, const amd::AtomicOperands& operands) {
  amd::atomic(e, lds_address(e, i), op, bytes, operands);
}
// X(name, name with return, name of the form with two places in LDS, operation, bytes)
#define ATOLL_LDS_ATOMICS(X)                              \
  X(add_u32, add_rtn_u32, add_src2_u32, Add, 4)           \
  X(sub_u32, sub_rtn_u32, sub_src2_u32, Sub, 4)           \
  X(rsub_u32, rsub_rtn_u32, rsub_src2_u32, ReverseSub, 4) \
  X(inc_u32, inc_rtn_u32, inc_src2_u32, IncrementWrap, 4) \
  X(dec_u32, dec_rtn_u32, dec_src2_u32, DecrementWrap, 4) \
  X(min_i32, min_rtn_i32, min_src2_i32, SMin, 4)          \
  X(max_i32, max_rtn_i32, max_src2_i32, SMax, 4)          \
  X(min_u32, min_rtn_u32, min_src2_u32, UMin, 4)          \
  X(max_u32, max_rtn_u32, max_src2_u32, UMax, 4)          \
  X(and_b32, and_rtn_b32, and_src2_b32, And, 4)           \
  X(or_b32, or_rtn_b32, or_src2_b32, Or, 4)               \
  X(xor_b32, xor_rtn_b32, xor_src2_b32, Xor, 4)           \
  X(min_f32, min_rtn_f32, min_src2_f32, MinF32, 4)        \
  X(max_f32, max_rtn_f32, max_src2_f32, MaxF32, 4)        \
  X(add_u64, add_rtn_u64, add_src2_u64, Add, 8)           \
  X(sub_u64, sub_rtn_u64, sub_src2_u64, Sub, 8)           \
  X(rsub_u64, rsub_rtn_u64, rsub_src2_u64, ReverseSub, 8) \
  X(inc_u64, inc_rtn_u64, inc_src2_u64, IncrementWrap, 8) \
  X(dec_u64, dec_rtn_u64, dec_src2_u64, DecrementWrap, 8) \
  X(min_i64, min_rtn_i64, min_src2_i64, SMin, 8)          \
  X(max_i64, max_rtn_i64, max_src2_i64, SMax, 8)          \
  X(min_u64, min_rtn_u64, min_src2_u64, UMin, 8)          \
  X(max_u64, max_rtn_u64, max_src2_u64, UMax, 8)          \
  X(and_b64, and_rtn_b64, and_src2_b64, And, 8)           \
  X(or_b64, or_rtn_b64, or_src2_b64, Or, 8)               \
  X(xor_b64, xor_rtn_b64, xor_src2_b64, Xor, 8)           \
  X(min_f64, min_rtn_f64, min_src2_f64, MinF64, 8)        \
  X(max_f64, max_rtn_f64, max_src2_f64, MaxF64, 8)
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
#define ATOLL_DEFINE(name, rtn_name, src2_name, op, bytes)                                        \
  template <class A>                                                                              \
  void ds_##name(A& e, const Instruction& i) {                                                    \
    lds_atomic(e, i, wave::AtomicOp::op, bytes, {.data = i.data});                                \
  }                                                                                               \
  template <class A>                                                                              \
  void ds_##rtn_name(A& e, const Instruction& i) {                                                \
    lds_atomic(e, i, wave::AtomicOp::op, bytes, {.data = i.data, .returns = true, .dst = i.dst}); \
  }                                                                                               \
  template <class A>                                                                              \
  void ds_##src2_name(A& e, const Instruction& i) {                                               \
    lds_atomic_of_two_places(e, i, wave::AtomicOp::op, bytes);                                    \
  }
ATOLL_LDS_ATOMICS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
template <class A>
void ds_write_src2_b32(A& e, const Instruction& i) {
  lds_atomic_of_two_places(e, i, wave::AtomicOp::Swap, 4);
}
template <class A>
void ds_write_src2_b64(A& e, const Instruction& i) {
  lds_atomic_of_two_places(e, i, wave::AtomicOp::Swap, 8);
}
template <class A>
void ds_wrxchg_rtn_b32(A& e, const Instruction& i) {
  lds_atomic(e, i, wave::AtomicOp::Swap, 4, {.data = i.data, .returns = true, .dst = i.dst});
}
template <class A>
void ds_wrxchg_rtn_b64(A& e, const Instruction& i) {
  lds_atomic(e, i, wave::AtomicOp::Swap, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// Two data operands. Compare and store: DATA0 is compared, DATA1 the new value. Masked or: DATA0 is the mask, DATA1 the bits.
#define ATOLL_LDS_TWO_OPERANDS(X)                \
  X(cmpst_b32, cmpst_rtn_b32, CompareSwap, 4)    \
  X(cmpst_f32, cmpst_rtn_f32, CompareSwapF32, 4) \
  X(cmpst_f64, cmpst_rtn_f64, CompareSwapF64, 8) \
  X(mskor_b32, mskor_rtn_b32, OrMasked, 4) X(cmpst_b64, cmpst_rtn_b64, CompareSwap, 8) X(mskor_b64, mskor_rtn_b64, OrMasked, 8)
#define ATOLL_DEFINE(name, rtn_name, op, bytes)                                                             \
  template <class A>                                                                                        \
  void ds_##name(A& e, const Instruction& i) {                                                              \
    lds_atomic(e, i, wave::AtomicOp::op, bytes, {.data = i.data1, .compare = i.data, .has_compare = true}); \
  }                                                                                                         \
  template <class A>                                                                                        \
  void ds_##rtn_name(A& e, const Instruction& i) {                                                          \
    lds_atomic(e, i, wave::AtomicOp::op, bytes,                                                             \
               {.data = i.data1, .compare = i.data, .has_compare = true, .returns = true, .dst = i.dst});   \
  }
ATOLL_LDS_TWO_OPERANDS(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// Two dwords, each exchanged if bit 31 of its data is set.
template <class A>
void ds_condxchg32_rtn_b64(A& e, const Instruction& i) {
  lds_atomic(e, i, wave::AtomicOp::ExchangeMarked, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// --- plain functions (lds_whole.cpp): what the value language has no atomic for, and moves between lanes

void ds_wrap_rtn_b32(wave::Wave& wave, const Instruction& i);
void ds_condxchg32_rtn_b128(wave::Wave& wave, const Instruction& i);
// The number of active lanes added to or taken from a dword at M0[15:0] plus the offset (GDS: at the offset from the base that M0
// has); every active lane gets the old value.
void ds_append(wave::Wave& wave, const Instruction& i);
void ds_consume(wave::Wave& wave, const Instruction& i);
// No LDS is touched: lanes get the value of another lane of their group of 32 (OFFSET bit 15: of their quad), 0 of inactive ones.
void ds_swizzle_b32(wave::Wave& wave, const Instruction& i);

#define ATOLL_LIST_DWORDS(size, ...) ATOLL_LANES_ENTRY(ds_read_##size) ATOLL_LANES_ENTRY(ds_write_##size)
#define ATOLL_LIST_LOAD(name, ...) ATOLL_LANES_ENTRY(ds_read_##name)
#define ATOLL_LIST_STORE(name, ...) ATOLL_LANES_ENTRY(ds_write_##name)
#define ATOLL_LIST_TWO(name, exchange, ...) \
  ATOLL_LANES_ENTRY(ds_read##name) ATOLL_LANES_ENTRY(ds_write##name) ATOLL_LANES_ENTRY(ds_##exchange)
#define ATOLL_LIST_ATOMIC(name, rtn_name, src2_name, ...) \
  ATOLL_LANES_ENTRY(ds_##name) ATOLL_LANES_ENTRY(ds_##rtn_name) ATOLL_CALLED_ENTRY(ds_##src2_name)
#define ATOLL_LIST_OPERANDS(name, rtn_name, ...) ATOLL_LANES_ENTRY(ds_##name) ATOLL_LANES_ENTRY(ds_##rtn_name)
#define ATOLL_LDS(SCALAR, LANES, WHOLE)       \
  SCALAR(ds_nop)                              \
  ATOLL_LDS_DWORDS(ATOLL_LIST_DWORDS)         \
  ATOLL_LDS_NARROW_LOADS(ATOLL_LIST_LOAD)     \
  ATOLL_LDS_NARROW_STORES(ATOLL_LIST_STORE)   \
  ATOLL_LDS_TWO_ADDRESSES(ATOLL_LIST_TWO)     \
  ATOLL_LDS_ATOMICS(ATOLL_LIST_ATOMIC)        \
  ATOLL_CALLED_ENTRY(ds_write_src2_b32)       \
  ATOLL_CALLED_ENTRY(ds_write_src2_b64)       \
  LANES(ds_wrxchg_rtn_b32)                    \
  LANES(ds_wrxchg_rtn_b64)                    \
  ATOLL_LDS_TWO_OPERANDS(ATOLL_LIST_OPERANDS) \
  LANES(ds_condxchg32_rtn_b64)                \
  WHOLE(ds_wrap_rtn_b32) WHOLE(ds_condxchg32_rtn_b128) WHOLE(ds_append) WHOLE(ds_consume) WHOLE(ds_swizzle_b32)

}  // namespace Atoll::gfx7
