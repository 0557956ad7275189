// The common part of AMD's vector memory instructions, however they find their addresses: loads, stores and
// atomics of one size at one address a lane. RDNA4 ISA 11.4 and the pseudocode of 16.15, 16.16, 16.20; Sea Islands register guide
// section 4 (SQ_MUBUF, SQ_DS, SQ_FLAT).
//
// A load writes its registers only when all of its dwords have arrived: the destination may hold the address, and after a fault
// the instruction is gone through again to find the lane.
#pragma once
#include "isa/amd/adaptor.h"
#include "wave/memory_access.h"

namespace Atoll::amd {

// An address a lane: low and high halves (high counts in Global and Flat only), and a constant offset that the engine adds.
// `bounded`: lanes that are not `within` load 0 and store nothing.
template <class A>
struct LaneAddress {
  typename A::U32 low, high;
  wave::Space space;
  int32_t offset = 0;
  bool bounded = false;
  typename A::M within{};
  LaneAddress plus(int32_t bytes) const {
    LaneAddress to = *this;
    to.offset += bytes;
    return to;
  }
};

template <class A>
typename A::U32 load(A& e, const LaneAddress<A>& at, unsigned bytes, bool sign_extend, unsigned stride) {
  wave::MemoryAccess access{
      .space = at.space, .bytes = uint8_t(bytes), .sign_extend = sign_extend, .stride = uint8_t(stride), .offset = at.offset};
  if (!at.bounded) return e.core.load(access, at.low, at.high);
  return select(at.within, e.core.load_if(at.within, access, at.low, at.high), 0u);
}
template <class A>
void store(A& e, const LaneAddress<A>& at, unsigned bytes, unsigned stride, typename A::U32 value, unsigned part = 0,
           unsigned parts = 1) {
  wave::MemoryAccess access{.space = at.space,
                            .bytes = uint8_t(bytes),
                            .stride = uint8_t(stride),
                            .offset = at.offset,
                            .part = uint8_t(part),
                            .parts = uint8_t(parts)};
  if (at.bounded)
    e.core.store_if(at.within, access, at.low, at.high, value);
  else
    e.core.store(access, at.low, at.high, value);
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
  for (unsigned n = 0; n < dwords; n++) store(e, at.plus(int32_t(4 * n)), 4, 4 * dwords, e.vgpr(vgpr + n), n, dwords);
}
// The same at two addresses, with a register each.
template <class A>
void store_dwords_at_two(A& e, const LaneAddress<A>& at0, const LaneAddress<A>& at1, uint32_t vgpr0, uint32_t vgpr1,
                         unsigned dwords) {
  for (unsigned n = 0; n < 2 * dwords; n++)
    store(e, (n < dwords ? at0 : at1).plus(int32_t(4 * (n % dwords))), 4, 4 * dwords,
          e.vgpr((n < dwords ? vgpr0 : vgpr1) + n % dwords), n, 2 * dwords);
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

// Operations that take a compare value besides the data.
constexpr bool has_compare(wave::AtomicOp op) {
  return op == wave::AtomicOp::CompareSwap || op == wave::AtomicOp::CompareSwapF32 || op == wave::AtomicOp::CompareSwapF64;
}

// The same without a condition, for LDS: lanes beyond the bound get an address that no LDS has.
template <class A>
LaneAddress<A> in_one_address(A& e, const LaneAddress<A>& at) {
  if (!at.bounded) return at;
  return {select(at.within, at.low, e.core.u32(0xff000000u - uint32_t(at.offset))), at.high, at.space, at.offset};
}

// The old value goes to `results` VGPRs from `dst` on.
template <class A>
void atomic_into(A& e, unsigned results, uint32_t dst, typename A::M condition, const wave::AtomicAccess& access,
                 const LaneAddress<A>& at, typename A::U32 data_low, typename A::U32 data_high, typename A::U32 compare_low,
                 typename A::U32 compare_high) {
  const uint32_t cells[2] = {vgpr_cell(dst, e.wave64()), vgpr_cell(dst + 1, e.wave64())};
  e.core.atomic_into(cells, results, condition, access, at.low, at.high, data_low, data_high, compare_low, compare_high);
}

// An atomic's operands, and the destination of its old value.
struct AtomicOperands {
  uint32_t data;         // VGPR
  uint32_t compare = 0;  // VGPR: compare value or mask, if the operation has one
  bool has_compare = false;
  bool returns = false;
  uint32_t dst = 0;  // VGPR
};
template <class A>
void atomic(A& e, const LaneAddress<A>& bounded_at, wave::AtomicOp op, unsigned bytes, const AtomicOperands& o) {
  auto at = in_one_address(e, bounded_at);
  auto zero = e.core.u32(0);
  bool wide = bytes == 8;
  atomic_into(e, o.returns ? bytes / 4 : 0, o.dst, e.core.m(true),
              wave::AtomicAccess{.op = op, .space = at.space, .bytes = uint8_t(bytes), .offset = at.offset}, at, e.vgpr(o.data),
              wide ? e.vgpr(o.data + 1) : zero, o.has_compare ? e.vgpr(o.compare) : zero,
              o.has_compare && wide ? e.vgpr(o.compare + 1) : zero);
}

}  // namespace Atoll::amd
