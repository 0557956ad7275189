// Flat memory: an address of 64 bits a lane, which may lie in the LDS or private aperture. Sea Islands register guide section 4
// (SQ_FLAT_0, SQ_FLAT_1); no offset.
#pragma once
#include "isa/amd/semantics/vector_memory.h"
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/semantics/memory_lists.h"

namespace Atoll::gfx7 {

template <class A>
amd::LaneAddress<A> flat_address(A& e, const Instruction& i) {
  return {e.vgpr(i.address), e.vgpr(i.address + 1u), wave::Space::Flat, 0};
}

#define ATOLL_DEFINE(suffix, dwords)                          \
  template <class A>                                          \
  void flat_load_##suffix(A& e, const Instruction& i) {       \
    amd::load_dwords(e, flat_address(e, i), i.dst, dwords);   \
  }                                                           \
  template <class A>                                          \
  void flat_store_##suffix(A& e, const Instruction& i) {      \
    amd::store_dwords(e, flat_address(e, i), i.data, dwords); \
  }
ATOLL_MEMORY_DWORDS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_DEFINE(suffix, bytes, sign)                        \
  template <class A>                                             \
  void flat_load_##suffix(A& e, const Instruction& i) {          \
    amd::load_narrow(e, flat_address(e, i), i.dst, bytes, sign); \
  }
ATOLL_MEMORY_NARROW_LOADS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_DEFINE(suffix, bytes)                                 \
  template <class A>                                                \
  void flat_store_##suffix(A& e, const Instruction& i) {            \
    amd::store_narrow(e, flat_address(e, i), i.data, bytes, false); \
  }
ATOLL_MEMORY_NARROW_STORES(ATOLL_DEFINE)
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
ATOLL_MEMORY_ATOMICS(ATOLL_DEFINE)
#undef ATOLL_DEFINE

#define ATOLL_LIST_FLAT_DWORDS(suffix, ...) ATOLL_LANES_ENTRY(flat_load_##suffix) ATOLL_LANES_ENTRY(flat_store_##suffix)
#define ATOLL_LIST_FLAT_LOAD(suffix, ...) ATOLL_LANES_ENTRY(flat_load_##suffix)
#define ATOLL_LIST_FLAT_STORE(suffix, ...) ATOLL_LANES_ENTRY(flat_store_##suffix)
#define ATOLL_LIST_FLAT_ATOMIC(suffix, ...) ATOLL_LANES_ENTRY(flat_atomic_##suffix)
#define ATOLL_FLAT_MEMORY(SCALAR, LANES, WHOLE)   \
  ATOLL_MEMORY_DWORDS(ATOLL_LIST_FLAT_DWORDS)     \
  ATOLL_MEMORY_NARROW_LOADS(ATOLL_LIST_FLAT_LOAD) \
  ATOLL_MEMORY_NARROW_STORES(ATOLL_LIST_FLAT_STORE) ATOLL_MEMORY_ATOMICS(ATOLL_LIST_FLAT_ATOMIC)

}  // namespace Atoll::gfx7
