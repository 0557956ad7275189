// The local data share: VDS. RDNA4 ISA 3.3.5, 12.5, 16.15. Lane permutes (ds_permute, ds_bpermute, ds_swizzle) touch no LDS and
// stand with the other cross-lane instructions.
#pragma once
#include "isa/amd/semantics/lds.h"
#include "isa/rdna4/semantics/vector_memory.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

using namespace amd;

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
#define ATOLL_LDS_TWO_ADDRESSES(X)  \
  X(2addr_b32, 2addr_rtn_b32, 4, 1) \
  X(2addr_b64, 2addr_rtn_b64, 8, 2) \
  X(2addr_stride64_b32, 2addr_stride64_rtn_b32, 256, 1) X(2addr_stride64_b64, 2addr_stride64_rtn_b64, 512, 2)
#define ATOLL_DEFINE_TWO(name, rtn_name, unit, dwords)                                                   \
  template <class A>                                                                                     \
  void ds_load_##name(A& e, const Instruction& i) {                                                      \
    load_dwords_of_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i.dst, dwords);            \
  }                                                                                                      \
  template <class A>                                                                                     \
  void ds_store_##name(A& e, const Instruction& i) {                                                     \
    store_dwords_at_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i.data, i.data1, dwords); \
  }                                                                                                      \
  template <class A>                                                                                     \
  void ds_storexchg_##rtn_name(A& e, const Instruction& i) {                                             \
    exchange_two(e, lds_address0(e, i, unit), lds_address1(e, i, unit), i, dwords);                      \
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

// --- atomics beside those that all have

// clang-format off: a list
#define ATOLL_LDS_ATOMICS(X) \
  X(min_num, f32, MinF32, 4) X(max_num, f32, MaxF32, 4) X(add, f32, AddF32, 4) X(cond_sub, u32, ConditionalSub, 4) \
  X(sub_clamp, u32, SubClamp, 4) X(pk_add, f16, PackedAddF16, 4) X(pk_add, bf16, PackedAddBf16, 4) \
  X(min_num, f64, MinF64, 8) X(max_num, f64, MaxF64, 8)
// clang-format on
ATOLL_LDS_ATOMICS(ATOLL_DEFINE_LDS_ATOMIC)

template <class A>
void ds_storexchg_rtn_b32(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::Swap, 4, {.data = i.data, .returns = true, .dst = i.dst});
}
template <class A>
void ds_storexchg_rtn_b64(A& e, const Instruction& i) {
  atomic(e, lds_address(e, i), wave::AtomicOp::Swap, 8, {.data = i.data, .returns = true, .dst = i.dst});
}

// Compare-store: DATA0 is the new value, DATA1 is compared.
#define ATOLL_LDS_COMPARES(X) X(cmpstore, b32, CompareSwap, 4, i.data, i.data1) X(cmpstore, b64, CompareSwap, 8, i.data, i.data1)
ATOLL_LDS_COMPARES(ATOLL_DEFINE_LDS_OPERANDS)

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

// --- the list

#define ATOLL_LDS_DWORDS_ENTRIES(family, size, dwords) ATOLL_LANES_ENTRY(ds_load_##size) ATOLL_LANES_ENTRY(ds_store_##size)
#define ATOLL_LDS_ENTRY(name, ...) ATOLL_LANES_ENTRY(ds_##name)
#define ATOLL_LDS_TWO_ENTRIES(name, rtn_name, ...) \
  ATOLL_LANES_ENTRY(ds_load_##name) ATOLL_LANES_ENTRY(ds_store_##name) ATOLL_LANES_ENTRY(ds_storexchg_##rtn_name)

// clang-format off: a list
#define ATOLL_LDS(SCALAR, LANES, WHOLE) \
  ATOLL_COMMON_LDS(SCALAR) ATOLL_MEMORY_DWORDS(ATOLL_LDS_DWORDS_ENTRIES, ds) ATOLL_LDS_NARROW_LOADS(ATOLL_LDS_ENTRY) \
  ATOLL_LDS_D16_LOADS(ATOLL_LDS_ENTRY) ATOLL_LDS_NARROW_STORES(ATOLL_LDS_ENTRY) \
  ATOLL_LDS_TWO_ADDRESSES(ATOLL_LDS_TWO_ENTRIES) LANES(ds_load_addtid_b32) LANES(ds_store_addtid_b32) \
  ATOLL_LDS_ATOMICS(ATOLL_LIST_LDS_ATOMIC) LANES(ds_storexchg_rtn_b32) LANES(ds_storexchg_rtn_b64) \
  ATOLL_LDS_COMPARES(ATOLL_LIST_LDS_ATOMIC) LANES(ds_condxchg32_rtn_b64) WHOLE(ds_append) WHOLE(ds_consume)
// clang-format on

}  // namespace Atoll::rdna4
