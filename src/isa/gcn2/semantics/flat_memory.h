// Flat memory: an address of 64 bits a lane, which may lie in the LDS or private aperture. Sea Islands register guide section 4
// (SQ_FLAT_0, SQ_FLAT_1); no offset.
#pragma once
#include "isa/amd/semantics/vector_memory.h"
#include "isa/gcn2/adaptor.h"

namespace Atoll::gcn2 {

template <class A>
amd::LaneAddress<A> flat_address(A& e, const Instruction& i) {
  return {e.vgpr(i.address), e.vgpr(i.address + 1u), wave::Space::Flat, 0};
}

// X(suffix, dwords), X(suffix, bytes, sign extension), X(suffix, bytes), X(suffix, operation, bytes)
#define ATOLL_FLAT_DWORDS(X) X(dword, 1) X(dwordx2, 2) X(dwordx3, 3) X(dwordx4, 4)
#define ATOLL_FLAT_NARROW_LOADS(X) X(ubyte, 1, false) X(sbyte, 1, true) X(ushort, 2, false) X(sshort, 2, true)
#define ATOLL_FLAT_NARROW_STORES(X) X(byte, 1) X(short, 2)
#define ATOLL_FLAT_ATOMICS(X)                                                                                                    \
  X(swap, Swap, 4)                                                                                                               \
  X(cmpswap, CompareSwap, 4)                                                                                                     \
  X(add, Add, 4)                                                                                                                 \
  X(sub, Sub, 4)                                                                                                                 \
  X(smin, SMin, 4)                                                                                                               \
  X(umin, UMin, 4)                                                                                                               \
  X(smax, SMax, 4) X(umax, UMax, 4) X(and, And, 4) X(or, Or, 4) X(xor, Xor, 4) X(inc, IncrementWrap, 4) X(dec, DecrementWrap, 4) \
      X(fcmpswap, CompareSwapF32, 4) X(fmin, MinF32, 4) X(fmax, MaxF32, 4) X(fcmpswap_x2, CompareSwapF64, 8) X(swap_x2, Swap, 8) \
          X(cmpswap_x2, CompareSwap, 8) X(add_x2, Add, 8) X(sub_x2, Sub, 8) X(smin_x2, SMin, 8) X(umin_x2, UMin, 8)              \
              X(smax_x2, SMax, 8) X(umax_x2, UMax, 8) X(and_x2, And, 8) X(or_x2, Or, 8) X(xor_x2, Xor, 8)                        \
                  X(inc_x2, IncrementWrap, 8) X(dec_x2, DecrementWrap, 8) X(fmin_x2, MinF64, 8) X(fmax_x2, MaxF64, 8)
#define ATOLL_DEFINE(suffix, dwords)                          \
  template <class A>                                          \
  void flat_load_##suffix(A& e, const Instruction& i) {       \
    amd::load_dwords(e, flat_address(e, i), i.dst, dwords);   \
  }                                                           \
  template <class A>                                          \
  void flat_store_##suffix(A& e, const Instruction& i) {      \
    amd::store_dwords(e, flat_address(e, i), i.data, dwords); \
  }
ATOLL_FLAT_DWORDS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_DEFINE(suffix, bytes, sign)                        \
  template <class A>                                             \
  void flat_load_##suffix(A& e, const Instruction& i) {          \
    amd::load_narrow(e, flat_address(e, i), i.dst, bytes, sign); \
  }
ATOLL_FLAT_NARROW_LOADS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_DEFINE(suffix, bytes)                                 \
  template <class A>                                                \
  void flat_store_##suffix(A& e, const Instruction& i) {            \
    amd::store_narrow(e, flat_address(e, i), i.data, bytes, false); \
  }
ATOLL_FLAT_NARROW_STORES(ATOLL_DEFINE)
#undef ATOLL_DEFINE
// The old value comes back with GLC; a compare value follows the data.
template <class A>
void flat_atomic(A& e, const Instruction& i, wave::AtomicOp op, unsigned bytes) {
  bool compares = amd::has_compare(op);
  amd::atomic(e, flat_address(e, i), op, bytes,
              {.data = i.data, .compare = i.data + bytes / 4, .has_compare = compares, .returns = i.glc != 0, .dst = i.dst});
}
#define ATOLL_DEFINE(suffix, op, bytes)                   \
  template <class A>                                      \
  void flat_atomic_##suffix(A& e, const Instruction& i) { \
    flat_atomic(e, i, wave::AtomicOp::op, bytes);         \
  }
ATOLL_FLAT_ATOMICS(ATOLL_DEFINE)
#undef ATOLL_DEFINE

#define ATOLL_LIST_DWORDS(suffix, ...) ATOLL_LANES_ENTRY(flat_load_##suffix) ATOLL_LANES_ENTRY(flat_store_##suffix)
#define ATOLL_LIST_LOAD(suffix, ...) ATOLL_LANES_ENTRY(flat_load_##suffix)
#define ATOLL_LIST_STORE(suffix, ...) ATOLL_LANES_ENTRY(flat_store_##suffix)
#define ATOLL_LIST_ATOMIC(suffix, ...) ATOLL_LANES_ENTRY(flat_atomic_##suffix)
#define ATOLL_FLAT_MEMORY(SCALAR, LANES, WHOLE) \
  ATOLL_FLAT_DWORDS(ATOLL_LIST_DWORDS)          \
  ATOLL_FLAT_NARROW_LOADS(ATOLL_LIST_LOAD)      \
  ATOLL_FLAT_NARROW_STORES(ATOLL_LIST_STORE) ATOLL_FLAT_ATOMICS(ATOLL_LIST_ATOMIC)

}  // namespace Atoll::gcn2
