// The vector memory instructions of RDNA4: isa/amd/semantics/vector_memory.h has what they do at an address; here is what the
// instruction's fields say of atomics, and the lists of sizes. RDNA4 ISA 11.4 and the pseudocode of 16.15, 16.16, 16.20.
#pragma once
#include "isa/amd/semantics/vector_memory.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

using amd::atomic;
using amd::LaneAddress;
using amd::load;
using amd::load_d16;
using amd::load_dwords;
using amd::load_narrow;
using amd::store;
using amd::store_dwords;
using amd::store_narrow;

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
// clang-format off: a list
#define ATOLL_MEMORY_ATOMICS(X, family) \
  X(family, atomic_swap_b32, Swap, 4) X(family, atomic_cmpswap_b32, CompareSwap, 4) X(family, atomic_add_u32, Add, 4) \
  X(family, atomic_sub_u32, Sub, 4) X(family, atomic_sub_clamp_u32, SubClamp, 4) X(family, atomic_min_i32, SMin, 4) \
  X(family, atomic_min_u32, UMin, 4) X(family, atomic_max_i32, SMax, 4) X(family, atomic_max_u32, UMax, 4) \
  X(family, atomic_and_b32, And, 4) X(family, atomic_or_b32, Or, 4) X(family, atomic_xor_b32, Xor, 4) \
  X(family, atomic_inc_u32, IncrementWrap, 4) X(family, atomic_dec_u32, DecrementWrap, 4) \
  X(family, atomic_cond_sub_u32, ConditionalSub, 4) X(family, atomic_min_num_f32, MinF32, 4) \
  X(family, atomic_max_num_f32, MaxF32, 4) X(family, atomic_add_f32, AddF32, 4) \
  X(family, atomic_pk_add_f16, PackedAddF16, 4) X(family, atomic_pk_add_bf16, PackedAddBf16, 4) \
  X(family, atomic_swap_b64, Swap, 8) X(family, atomic_cmpswap_b64, CompareSwap, 8) X(family, atomic_add_u64, Add, 8) \
  X(family, atomic_sub_u64, Sub, 8) X(family, atomic_min_i64, SMin, 8) X(family, atomic_min_u64, UMin, 8) \
  X(family, atomic_max_i64, SMax, 8) X(family, atomic_max_u64, UMax, 8) X(family, atomic_and_b64, And, 8) \
  X(family, atomic_or_b64, Or, 8) X(family, atomic_xor_b64, Xor, 8) X(family, atomic_inc_u64, IncrementWrap, 8) \
  X(family, atomic_dec_u64, DecrementWrap, 8)
// clang-format on

}  // namespace Atoll::rdna4
