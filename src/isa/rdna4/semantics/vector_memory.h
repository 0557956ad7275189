// What the vector memory instructions have in common, whichever way they find their addresses: loads, stores and atomics of one
// size at one address a lane. RDNA4 ISA 11.4 and the pseudocode of 16.15, 16.16, 16.20.
//
// A load writes its registers only when all of its dwords have arrived: the destination may hold the address, and after a fault
// the instruction is gone through again to find the lane.
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// An address a lane: low and high halves (high counts in Global and Flat only), and a constant offset that the engine adds.
template <class A>
struct LaneAddress {
  typename A::U32 low, high;
  wave::Space space;
  int32_t offset = 0;
  LaneAddress plus(int32_t bytes) const { return {low, high, space, offset + bytes}; }
};

template <class A>
typename A::U32 load(A& e, const LaneAddress<A>& at, unsigned bytes, bool sign_extend, unsigned stride) {
  return e.core.load(
      wave::MemoryAccess{
          .space = at.space, .bytes = uint8_t(bytes), .sign_extend = sign_extend, .stride = uint8_t(stride), .offset = at.offset},
      at.low, at.high);
}
template <class A>
void store(A& e, const LaneAddress<A>& at, unsigned bytes, unsigned stride, typename A::U32 value) {
  e.core.store(wave::MemoryAccess{.space = at.space, .bytes = uint8_t(bytes), .stride = uint8_t(stride), .offset = at.offset},
               at.low, at.high, value);
}

// `dwords` (1 to 4) from consecutive dwords of memory to consecutive VGPRs.
template <class A>
void load_dwords(A& e, const LaneAddress<A>& at, uint32_t vgpr, unsigned dwords) {
  auto dword = [&](unsigned n) { return load(e, at.plus(int32_t(4 * n)), 4, false, 4 * dwords); };
  auto x = dword(0);
  if (dwords == 1) return e.set_vgpr(vgpr, x);
  auto y = dword(1), z = dwords > 2 ? dword(2) : y, w = dwords > 3 ? dword(3) : y;
  e.set_vgpr(vgpr, x);
  e.set_vgpr(vgpr + 1, y);
  if (dwords > 2) e.set_vgpr(vgpr + 2, z);
  if (dwords > 3) e.set_vgpr(vgpr + 3, w);
}
template <class A>
void store_dwords(A& e, const LaneAddress<A>& at, uint32_t vgpr, unsigned dwords) {
  for (unsigned n = 0; n < dwords; n++) store(e, at.plus(int32_t(4 * n)), 4, 4 * dwords, e.vgpr(vgpr + n));
}

// One or two bytes, extended to 32 bits.
template <class A>
void load_narrow(A& e, const LaneAddress<A>& at, uint32_t vgpr, unsigned bytes, bool sign_extend) {
  e.set_vgpr(vgpr, load(e, at, bytes, sign_extend, bytes));
}
// "D16": extended to 16 bits, into one half of the VGPR; the other half stays.
template <class A>
void load_d16(A& e, const LaneAddress<A>& at, uint32_t vgpr, unsigned bytes, bool sign_extend, bool high_half) {
  auto x = load(e, at, bytes, sign_extend, bytes), old = e.vgpr(vgpr);
  e.set_vgpr(vgpr, high_half ? (old & 0xffffu) | x << 16 : (old & 0xffff0000u) | (x & 0xffffu));
}
// The low bytes of the VGPR, or ("D16_HI") of its high half.
template <class A>
void store_narrow(A& e, const LaneAddress<A>& at, uint32_t vgpr, unsigned bytes, bool high_half) {
  auto x = e.vgpr(vgpr);
  store(e, at, bytes, bytes, high_half ? x >> 16 : x);
}

// What an atomic takes and where its old value goes.
struct AtomicOperands {
  uint32_t data;         // VGPR
  uint32_t compare = 0;  // VGPR: compare value or mask, if the operation has one
  bool has_compare = false;
  bool returns = false;
  uint32_t dst = 0;  // VGPR
};
template <class A>
void atomic(A& e, const LaneAddress<A>& at, wave::AtomicOp op, unsigned bytes, const AtomicOperands& o) {
  auto zero = e.core.u32(0);
  bool wide = bytes == 8;
  auto old = e.core.atomic(wave::AtomicAccess{.op = op, .space = at.space, .bytes = uint8_t(bytes), .offset = at.offset}, at.low,
                           at.high, e.vgpr(o.data), wide ? e.vgpr(o.data + 1) : zero, o.has_compare ? e.vgpr(o.compare) : zero,
                           o.has_compare && wide ? e.vgpr(o.compare + 1) : zero);
  if (!o.returns) return;
  e.set_vgpr(o.dst, old.low);
  if (wide) e.set_vgpr(o.dst + 1, old.high);
}
// Atomics of buffers, flat and global memory: TH bit 0 asks for the old value (RDNA4 ISA 4.1.1); a compare value follows the
// data.
template <class A>
void memory_atomic(A& e, const Instruction& i, const LaneAddress<A>& at, wave::AtomicOp op, unsigned bytes) {
  atomic(e, at, op, bytes,
         {.data = i.data,
          .compare = i.data + bytes / 4,
          .has_compare = op == wave::AtomicOp::CompareSwap,
          .returns = (i.th & 1) != 0,
          .dst = i.dst});
}

// The sizes in which memory can be read and written, and the atomics, as one list for every family (flat, global, scratch,
// buffer): X(family, name, …).
#define ATOLL_MEMORY_DWORDS(X, family) X(family, b32, 1) X(family, b64, 2) X(family, b96, 3) X(family, b128, 4)
#define ATOLL_MEMORY_NARROW_LOADS(X, family) \
  X(family, load_u8, 1, false) X(family, load_i8, 1, true) X(family, load_u16, 2, false) X(family, load_i16, 2, true)
#define ATOLL_MEMORY_D16_LOADS(X, family)  \
  X(family, load_d16_u8, 1, false, false)  \
  X(family, load_d16_i8, 1, true, false)   \
  X(family, load_d16_b16, 2, false, false) \
  X(family, load_d16_hi_u8, 1, false, true) X(family, load_d16_hi_i8, 1, true, true) X(family, load_d16_hi_b16, 2, false, true)
#define ATOLL_MEMORY_NARROW_STORES(X, family) \
  X(family, store_b8, 1, false)               \
  X(family, store_b16, 2, false) X(family, store_d16_hi_b8, 1, true) X(family, store_d16_hi_b16, 2, true)
#define ATOLL_MEMORY_ATOMICS(X, family)                                                                                         \
  X(family, atomic_swap_b32, Swap, 4)                                                                                           \
  X(family, atomic_cmpswap_b32, CompareSwap, 4)                                                                                 \
  X(family, atomic_add_u32, Add, 4)                                                                                             \
  X(family, atomic_sub_u32, Sub, 4) X(family, atomic_sub_clamp_u32, SubClamp, 4) X(family, atomic_min_i32, SMin, 4)             \
      X(family, atomic_min_u32, UMin, 4) X(family, atomic_max_i32, SMax, 4) X(family, atomic_max_u32, UMax, 4)                  \
          X(family, atomic_and_b32, And, 4) X(family, atomic_or_b32, Or, 4) X(family, atomic_xor_b32, Xor, 4)                   \
              X(family, atomic_inc_u32, IncrementWrap, 4) X(family, atomic_dec_u32, DecrementWrap, 4)                           \
                  X(family, atomic_cond_sub_u32, ConditionalSub, 4) X(family, atomic_min_num_f32, MinF32, 4)                    \
                      X(family, atomic_max_num_f32, MaxF32, 4) X(family, atomic_add_f32, AddF32, 4)                             \
                          X(family, atomic_pk_add_f16, PackedAddF16, 4) X(family, atomic_pk_add_bf16, PackedAddBf16, 4)         \
                              X(family, atomic_swap_b64, Swap, 8) X(family, atomic_cmpswap_b64, CompareSwap, 8)                 \
                                  X(family, atomic_add_u64, Add, 8) X(family, atomic_sub_u64, Sub, 8)                           \
                                      X(family, atomic_min_i64, SMin, 8) X(family, atomic_min_u64, UMin, 8)                     \
                                          X(family, atomic_max_i64, SMax, 8) X(family, atomic_max_u64, UMax, 8)                 \
                                              X(family, atomic_and_b64, And, 8) X(family, atomic_or_b64, Or, 8)                 \
                                                  X(family, atomic_xor_b64, Xor, 8) X(family, atomic_inc_u64, IncrementWrap, 8) \
                                                      X(family, atomic_dec_u64, DecrementWrap, 8)

}  // namespace Atoll::rdna4
