// The local data share: VDS. RDNA4 ISA 3.3.5, 12.5, 16.15. Lane permutes (ds_permute, ds_bpermute, ds_swizzle) touch no LDS and
// stand with the other cross-lane instructions.
#pragma once
#include "isa/rdna4/semantics/vector_memory.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

// One address: VGPR plus {OFFSET1, OFFSET0} bytes. Two addresses: each offset counts units of `unit` bytes.
template <class A>
LaneAddress<A> lds_address(A& e, const Instruction& i) {
  return {e.vgpr(i.address), e.core.u32(0), wave::Space::Lds, i.offset & 0xffff};
}
template <class A>
LaneAddress<A> lds_address0(A& e, const Instruction& i, int unit) {
  return {e.vgpr(i.address), e.core.u32(0), wave::Space::Lds, i.offset0 * unit};
}
template <class A>
LaneAddress<A> lds_address1(A& e, const Instruction& i, int unit) {
  return {e.vgpr(i.address), e.core.u32(0), wave::Space::Lds, i.offset1 * unit};
}

template <class A>
void ds_nop(A&, const Instruction&) {}

// --- loads and stores

#define ATOLL_DEFINE_DWORDS(family, size, dwords)       \
  template <class A>                                    \
  void ds_load_##size(A& e, const Instruction& i) {     \
    load_dwords(e, lds_address(e, i), i.dst, dwords);   \
  }                                                     \
  template <class A>                                    \
  void ds_store_##size(A& e, const Instruction& i) {    \
    store_dwords(e, lds_address(e, i), i.data, dwords); \
  }
ATOLL_MEMORY_DWORDS(ATOLL_DEFINE_DWORDS, ds)
#undef ATOLL_DEFINE_DWORDS

#define ATOLL_LDS_NARROW_LOADS(X) X(load_u8, 1, false) X(load_i8, 1, true) X(load_u16, 2, false) X(load_i16, 2, true)
#define ATOLL_LDS_D16_LOADS(X)     \
  X(load_u8_d16, 1, false, false)  \
  X(load_i8_d16, 1, true, false)   \
  X(load_u16_d16, 2, false, false) \
  X(load_u8_d16_hi, 1, false, true) X(load_i8_d16_hi, 1, true, true) X(load_u16_d16_hi, 2, false, true)
#define ATOLL_LDS_NARROW_STORES(X) \
  X(store_b8, 1, false) X(store_b16, 2, false) X(store_b8_d16_hi, 1, true) X(store_b16_d16_hi, 2, true)
#define ATOLL_DEFINE_NARROW_LOAD(name, bytes, sign)        \
  template <class A>                                       \
  void ds_##name(A& e, const Instruction& i) {             \
    load_narrow(e, lds_address(e, i), i.dst, bytes, sign); \
  }
#define ATOLL_DEFINE_D16_LOAD(name, bytes, sign, high)        \
  template <class A>                                          \
  void ds_##name(A& e, const Instruction& i) {                \
    load_d16(e, lds_address(e, i), i.dst, bytes, sign, high); \
  }
#define ATOLL_DEFINE_NARROW_STORE(name, bytes, high)         \
  template <class A>                                         \
  void ds_##name(A& e, const Instruction& i) {               \
    store_narrow(e, lds_address(e, i), i.data, bytes, high); \
  }
ATOLL_LDS_NARROW_LOADS(ATOLL_DEFINE_NARROW_LOAD)
ATOLL_LDS_D16_LOADS(ATOLL_DEFINE_D16_LOAD)
ATOLL_LDS_NARROW_STORES(ATOLL_DEFINE_NARROW_STORE)
#undef ATOLL_DEFINE_NARROW_LOAD
#undef ATOLL_DEFINE_D16_LOAD
#undef ATOLL_DEFINE_NARROW_STORE

// Two addresses, `dwords` (1 or 2) at each.
template <class A>
void lds_load_two(A& e, const Instruction& i, int unit, unsigned dwords) {
  auto at0 = lds_address0(e, i, unit), at1 = lds_address1(e, i, unit);
  auto dword = [&](const LaneAddress<A>& at, int n) { return load(e, at.plus(4 * n), 4, false, 4 * dwords); };
  auto a = dword(at0, 0), b = dwords > 1 ? dword(at0, 1) : a, c = dword(at1, 0), d = dwords > 1 ? dword(at1, 1) : c;
  uint32_t to = i.dst;
  e.set_vgpr(to++, a);
  if (dwords > 1) e.set_vgpr(to++, b);
  e.set_vgpr(to++, c);
  if (dwords > 1) e.set_vgpr(to, d);
}
template <class A>
void lds_store_two(A& e, const Instruction& i, int unit, unsigned dwords) {
  store_dwords_at_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i.data, i.data1, dwords);
}
// Both old values are read before either new one is written: at one and the same address the second swap must not see the
// first's.
template <class A>
void lds_exchange_two(A& e, const Instruction& i, int unit, unsigned dwords) {
  auto swap = [&](const LaneAddress<A>& at, uint32_t data) {
    return e.core.atomic(
        wave::AtomicAccess{.op = wave::AtomicOp::Swap, .space = at.space, .bytes = uint8_t(4 * dwords), .offset = at.offset},
        at.low, at.high, e.vgpr(data), dwords > 1 ? e.vgpr(data + 1) : e.core.u32(0), e.core.u32(0), e.core.u32(0));
  };
  auto first = swap(lds_address0(e, i, unit), i.data), second = swap(lds_address1(e, i, unit), i.data1);
  if (i.offset0 == i.offset1) second = first;
  uint32_t to = i.dst;
  e.set_vgpr(to++, first.low);
  if (dwords > 1) e.set_vgpr(to++, first.high);
  e.set_vgpr(to++, second.low);
  if (dwords > 1) e.set_vgpr(to, second.high);
}
#define ATOLL_LDS_TWO_ADDRESSES(X)  \
  X(2addr_b32, 2addr_rtn_b32, 4, 1) \
  X(2addr_b64, 2addr_rtn_b64, 8, 2) \
  X(2addr_stride64_b32, 2addr_stride64_rtn_b32, 256, 1) X(2addr_stride64_b64, 2addr_stride64_rtn_b64, 512, 2)
#define ATOLL_DEFINE_TWO(name, rtn_name, unit, dwords)       \
  template <class A>                                         \
  void ds_load_##name(A& e, const Instruction& i) {          \
    lds_load_two(e, i, unit, dwords);                        \
  }                                                          \
  template <class A>                                         \
  void ds_store_##name(A& e, const Instruction& i) {         \
    lds_store_two(e, i, unit, dwords);                       \
  }                                                          \
  template <class A>                                         \
  void ds_storexchg_##rtn_name(A& e, const Instruction& i) { \
    lds_exchange_two(e, i, unit, dwords);                    \
  }
ATOLL_LDS_TWO_ADDRESSES(ATOLL_DEFINE_TWO)
#undef ATOLL_DEFINE_TWO

// The address is 4 times the lane plus M0's 16 bits and the offset.
template <class A>
LaneAddress<A> lds_addtid_address(A& e, const Instruction& i) {
  auto base = e.core.splat(e.scalar_register(M0) & 0xffffu);
  return {base + (e.core.lane_id() << 2), e.core.u32(0), wave::Space::Lds, i.offset & 0xffff};
}
template <class A>
void ds_load_addtid_b32(A& e, const Instruction& i) {
  load_dwords(e, lds_addtid_address(e, i), i.dst, 1);
}
template <class A>
void ds_store_addtid_b32(A& e, const Instruction& i) {
  store_dwords(e, lds_addtid_address(e, i), i.data, 1);
}

// --- atomics: name without and with return, operation, bytes

// clang-format off: a list
#define ATOLL_LDS_ATOMICS(X) \
  X(add_u32, add_rtn_u32, Add, 4) X(sub_u32, sub_rtn_u32, Sub, 4) X(rsub_u32, rsub_rtn_u32, ReverseSub, 4) \
  X(inc_u32, inc_rtn_u32, IncrementWrap, 4) X(dec_u32, dec_rtn_u32, DecrementWrap, 4) X(min_i32, min_rtn_i32, SMin, 4) \
  X(max_i32, max_rtn_i32, SMax, 4) X(min_u32, min_rtn_u32, UMin, 4) X(max_u32, max_rtn_u32, UMax, 4) \
  X(and_b32, and_rtn_b32, And, 4) X(or_b32, or_rtn_b32, Or, 4) X(xor_b32, xor_rtn_b32, Xor, 4) \
  X(min_num_f32, min_num_rtn_f32, MinF32, 4) X(max_num_f32, max_num_rtn_f32, MaxF32, 4) X(add_f32, add_rtn_f32, AddF32, 4) \
  X(cond_sub_u32, cond_sub_rtn_u32, ConditionalSub, 4) X(sub_clamp_u32, sub_clamp_rtn_u32, SubClamp, 4) \
  X(pk_add_f16, pk_add_rtn_f16, PackedAddF16, 4) X(pk_add_bf16, pk_add_rtn_bf16, PackedAddBf16, 4) \
  X( add_u64, add_rtn_u64, Add, 8) X(sub_u64, sub_rtn_u64, Sub, 8) X(rsub_u64, rsub_rtn_u64, ReverseSub, 8) \
  X(inc_u64, inc_rtn_u64, IncrementWrap, 8) X(dec_u64, dec_rtn_u64, DecrementWrap, 8) X(min_i64, min_rtn_i64, SMin, 8) \
  X(max_i64, max_rtn_i64, SMax, 8) X(min_u64, min_rtn_u64, UMin, 8) X(max_u64, max_rtn_u64, UMax, 8) \
  X(and_b64, and_rtn_b64, And, 8) X(or_b64, or_rtn_b64, Or, 8) X(xor_b64, xor_rtn_b64, Xor, 8) \
  X(min_num_f64, min_num_rtn_f64, MinF64, 8) X(max_num_f64, max_num_rtn_f64, MaxF64, 8)
// clang-format on
#define ATOLL_DEFINE_ATOMIC(name, rtn_name, op, bytes)                                                        \
  template <class A>                                                                                          \
  void ds_##name(A& e, const Instruction& i) {                                                                \
    atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes, {.data = i.data});                                \
  }                                                                                                           \
  template <class A>                                                                                          \
  void ds_##rtn_name(A& e, const Instruction& i) {                                                            \
    atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes, {.data = i.data, .returns = true, .dst = i.dst}); \
  }
ATOLL_LDS_ATOMICS(ATOLL_DEFINE_ATOMIC)
#undef ATOLL_DEFINE_ATOMIC

template <class A>
void ds_storexchg_rtn_b32(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::Swap, 4, {.data = i.data, .returns = true, .dst = i.dst});
}
template <class A>
void ds_storexchg_rtn_b64(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::Swap, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// Two data operands. Compare-store: DATA0 is the new value, DATA1 is compared. Masked or: DATA0 is the mask, DATA1 the bits.
#define ATOLL_LDS_TWO_OPERANDS(X)                                    \
  X(cmpstore_b32, cmpstore_rtn_b32, CompareSwap, 4, i.data, i.data1) \
  X(mskor_b32, mskor_rtn_b32, OrMasked, 4, i.data1, i.data)          \
  X(cmpstore_b64, cmpstore_rtn_b64, CompareSwap, 8, i.data, i.data1) X(mskor_b64, mskor_rtn_b64, OrMasked, 8, i.data1, i.data)
#define ATOLL_DEFINE_ATOMIC(name, rtn_name, op, bytes, first, second)                                                 \
  template <class A>                                                                                                  \
  void ds_##name(A& e, const Instruction& i) {                                                                        \
    atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes, {.data = first, .compare = second, .has_compare = true}); \
  }                                                                                                                   \
  template <class A>                                                                                                  \
  void ds_##rtn_name(A& e, const Instruction& i) {                                                                    \
    atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes,                                                           \
           {.data = first, .compare = second, .has_compare = true, .returns = true, .dst = i.dst});                   \
  }
ATOLL_LDS_TWO_OPERANDS(ATOLL_DEFINE_ATOMIC)
#undef ATOLL_DEFINE_ATOMIC

// Two dwords, each exchanged if bit 31 of its data is set; the sum of address and offset is cut to 16 bits and aligned to 8.
template <class A>
void ds_condxchg32_rtn_b64(A& e, const Instruction& i) {
  auto address = (e.vgpr(i.address) + uint32_t(i.offset & 0xffff)) & 0xfff8u;
  LaneAddress<A> at{address, e.core.u32(0), wave::Space::Lds, 0};
  atomic(e, at, wave::AtomicOp::ExchangeMarked, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// The number of active lanes added to or taken from a dword at the offset; every active lane gets the old value (lds_count.cpp).
void ds_append(wave::Wave& wave, const Instruction& i);
void ds_consume(wave::Wave& wave, const Instruction& i);

// The manual leaves open how an entry of the ray-tracing stack is found from the packed address (DECODE_ADDR) and what marks an
// invalid node, so these stop the program with a clear reason.
#define ATOLL_LDS_STACK(X) \
  X(ds_bvh_stack_push4_pop1_rtn_b32) X(ds_bvh_stack_push8_pop1_rtn_b32) X(ds_bvh_stack_push8_pop2_rtn_b64)
#define ATOLL_DEFINE_STACK(name)                                                     \
  template <class A>                                                                 \
  void name(A& e, const Instruction&) {                                              \
    e.core.illegal(#name ": the layout of the ray-tracing stack is not documented"); \
  }
ATOLL_LDS_STACK(ATOLL_DEFINE_STACK)
#undef ATOLL_DEFINE_STACK

// --- the list

#define ATOLL_LDS_DWORDS_ENTRIES(family, size, dwords) ATOLL_LANES_ENTRY(ds_load_##size) ATOLL_LANES_ENTRY(ds_store_##size)
#define ATOLL_LDS_ENTRY(name, ...) ATOLL_LANES_ENTRY(ds_##name)
#define ATOLL_LDS_TWO_ENTRIES(name, rtn_name, ...) \
  ATOLL_LANES_ENTRY(ds_load_##name) ATOLL_LANES_ENTRY(ds_store_##name) ATOLL_LANES_ENTRY(ds_storexchg_##rtn_name)
#define ATOLL_LDS_ATOMIC_ENTRIES(name, rtn_name, ...) ATOLL_LANES_ENTRY(ds_##name) ATOLL_LANES_ENTRY(ds_##rtn_name)

// clang-format off: a list
#define ATOLL_LDS(SCALAR, LANES, WHOLE) \
  SCALAR(ds_nop) ATOLL_MEMORY_DWORDS(ATOLL_LDS_DWORDS_ENTRIES, ds) ATOLL_LDS_NARROW_LOADS(ATOLL_LDS_ENTRY) \
  ATOLL_LDS_D16_LOADS(ATOLL_LDS_ENTRY) ATOLL_LDS_NARROW_STORES(ATOLL_LDS_ENTRY) \
  ATOLL_LDS_TWO_ADDRESSES(ATOLL_LDS_TWO_ENTRIES) LANES(ds_load_addtid_b32) LANES(ds_store_addtid_b32) \
  ATOLL_LDS_ATOMICS(ATOLL_LDS_ATOMIC_ENTRIES) LANES(ds_storexchg_rtn_b32) LANES(ds_storexchg_rtn_b64) \
  ATOLL_LDS_TWO_OPERANDS(ATOLL_LDS_ATOMIC_ENTRIES) LANES(ds_condxchg32_rtn_b64) WHOLE(ds_append) WHOLE(ds_consume) \
  ATOLL_LDS_STACK(SCALAR)
// clang-format on

}  // namespace Atoll::rdna4
