// The local data share, as AMD's instruction sets share it: two places an instruction, and the atomics that all have. The
// instruction set finds an address and its bounds: `lds_address(e, instruction)`. Sea Islands register guide section 4
// (SQ_DS_0); RDNA4 ISA 12.5, 16.15.
#pragma once
#include "isa/amd/semantics/vector_memory.h"

namespace Atoll::amd {

template <class A>
void ds_nop(A&, const typename A::Instruction&) {}

// `dwords` (1 or 2) from each of two addresses.
template <class A>
void load_dwords_of_two(A& e, const LaneAddress<A>& at0, const LaneAddress<A>& at1, uint32_t to, unsigned dwords) {
  auto dword = [&](const LaneAddress<A>& at, int n) { return amd::load(e, at.plus(4 * n), 4, false, 4 * dwords); };
  auto a = dword(at0, 0), b = dwords > 1 ? dword(at0, 1) : a, c = dword(at1, 0), d = dwords > 1 ? dword(at1, 1) : c;
  e.set_vgpr(to++, a);
  if (dwords > 1) e.set_vgpr(to++, b);
  e.set_vgpr(to++, c);
  if (dwords > 1) e.set_vgpr(to, d);
}
// Exchanges of `dwords` (1 or 2) at two addresses, whose base is one register.
template <class A>
void exchange_two(A& e, const LaneAddress<A>& bounded_at0, const LaneAddress<A>& bounded_at1, const typename A::Instruction& i,
                  unsigned dwords) {
  const auto at0 = in_one_address(e, bounded_at0), at1 = in_one_address(e, bounded_at1);
  auto high = [&](uint32_t data) { return dwords > 1 ? e.vgpr(data + 1) : e.core.u32(0); };
  uint32_t cells[wave::max_atomic_results];
  for (unsigned n = 0; n < 2 * dwords; n++) cells[n] = vgpr_cell(i.dst + n, e.wave64());
  e.core.atomic_into(cells, 2 * dwords, e.core.m(true),
                     wave::AtomicAccess{.op = wave::AtomicOp::SwapAtTwo,
                                        .space = wave::Space::Lds,
                                        .bytes = uint8_t(4 * dwords),
                                        .offset = at0.offset,
                                        .second_offset = at1.offset},
                     at0.low, at1.low, e.vgpr(i.data), high(i.data), e.vgpr(i.data1), high(i.data1));
}

// X(operation in the mnemonic, type, operation, bytes): ds_add_u32 and ds_add_rtn_u32.
// clang-format off: a list
#define ATOLL_COMMON_LDS_ATOMICS(X) \
  X(add, u32, Add, 4) X(sub, u32, Sub, 4) X(rsub, u32, ReverseSub, 4) X(inc, u32, IncrementWrap, 4) \
  X(dec, u32, DecrementWrap, 4) X(min, i32, SMin, 4) X(max, i32, SMax, 4) X(min, u32, UMin, 4) X(max, u32, UMax, 4) \
  X(and, b32, And, 4) X(or, b32, Or, 4) X(xor, b32, Xor, 4) \
  X(add, u64, Add, 8) X(sub, u64, Sub, 8) X(rsub, u64, ReverseSub, 8) X(inc, u64, IncrementWrap, 8) \
  X(dec, u64, DecrementWrap, 8) X(min, i64, SMin, 8) X(max, i64, SMax, 8) X(min, u64, UMin, 8) X(max, u64, UMax, 8) \
  X(and, b64, And, 8) X(or, b64, Or, 8) X(xor, b64, Xor, 8)
// clang-format on
#define ATOLL_DEFINE_LDS_ATOMIC(name, type, op, bytes)                                                             \
  template <class A>                                                                                               \
  void ds_##name##_##type(A& e, const typename A::Instruction& i) {                                                \
    amd::atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes, {.data = i.data});                                \
  }                                                                                                                \
  template <class A>                                                                                               \
  void ds_##name##_rtn_##type(A& e, const typename A::Instruction& i) {                                            \
    amd::atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes, {.data = i.data, .returns = true, .dst = i.dst}); \
  }
ATOLL_COMMON_LDS_ATOMICS(ATOLL_DEFINE_LDS_ATOMIC)

// Two data operands, `first` and `second`: the new value and what is compared, or the bits and their mask.
#define ATOLL_DEFINE_LDS_OPERANDS(name, type, op, bytes, first, second)                                                    \
  template <class A>                                                                                                       \
  void ds_##name##_##type(A& e, const typename A::Instruction& i) {                                                        \
    amd::atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes, {.data = first, .compare = second, .has_compare = true}); \
  }                                                                                                                        \
  template <class A>                                                                                                       \
  void ds_##name##_rtn_##type(A& e, const typename A::Instruction& i) {                                                    \
    amd::atomic(e, lds_address(e, i), wave::AtomicOp::op, bytes,                                                           \
                {.data = first, .compare = second, .has_compare = true, .returns = true, .dst = i.dst});                   \
  }
ATOLL_DEFINE_LDS_OPERANDS(mskor, b32, OrMasked, 4, i.data1, i.data)
ATOLL_DEFINE_LDS_OPERANDS(mskor, b64, OrMasked, 8, i.data1, i.data)

#define ATOLL_LIST_LDS_ATOMIC(name, type, ...) ATOLL_LANES_ENTRY(ds_##name##_##type) ATOLL_LANES_ENTRY(ds_##name##_rtn_##type)
#define ATOLL_COMMON_LDS(SCALAR) \
  SCALAR(ds_nop)                 \
  ATOLL_COMMON_LDS_ATOMICS(ATOLL_LIST_LDS_ATOMIC) ATOLL_LIST_LDS_ATOMIC(mskor, b32) ATOLL_LIST_LDS_ATOMIC(mskor, b64)

}  // namespace Atoll::amd
