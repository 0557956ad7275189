// Scalar memory loads: SMRD. Sea Islands register guide section 4 (SQ_SMRD) and 5 (SQ_BUF_RSRC_WORD0-3). All dwords are read
// before the first register is written: a load may overwrite its base.
#pragma once
#include <array>

#include "base/removable_check.h"
#include "isa/gfx7/adaptor.h"
#include "wave/environment.h"

namespace Atoll::gfx7 {

// OFFSET in bytes: of dwords with IMM and as a literal, of bytes in an SGPR, whose two low bits do not count.
template <class A>
typename A::S32 scalar_offset(A& e, const Instruction& i) {
  if (i.imm) return e.core.s32(uint32_t(i.offset) * 4);
  if (i.offset == LITERAL) return e.core.s32(i.literal * 4);
  return e.scalar_register(i.offset) & ~3u;
}

template <class A>
void set_loaded(A& e, const Instruction& i, const std::array<typename A::S32, 16>& words, unsigned count) {
  for (unsigned n = 0; n < count; n++) e.set_scalar_register(i.dst + n, words[n]);
}

template <class A>
void scalar_load(A& e, const Instruction& i, unsigned count) {
  auto address = (e.scalar_pair(i.resource) & ~uint64_t(3)) + widen(scalar_offset(e, i));
  std::array<typename A::S32, 16> words{};
  for (unsigned n = 0; n < count; n++) words[n] = e.core.scalar_load(address, int32_t(4 * n), 4);
  set_loaded(e, i, words, count);
}

// Through a V#, of which base, stride and number of records count: NUM_RECORDS are bytes if STRIDE is 0, else records of STRIDE
// (Mesa 22.3.6 si_state.c si_make_buffer_descriptor). Dwords outside read as 0.
template <class A>
void scalar_buffer_load(A& e, const Instruction& i, unsigned count) {
  auto high = e.scalar_register(i.resource + 1u), stride = high >> 16 & 0x3fffu;
  auto base = join(e.scalar_register(i.resource), high & 0xffffu) & ~uint64_t(3);
  auto records = widen(e.scalar_register(i.resource + 2u));
  auto size = select(stride == 0u, records, records * widen(stride));
  auto offset = widen(scalar_offset(e, i));
  std::array<typename A::S32, 16> words{};
  for (unsigned n = 0; n < count; n++) {
    auto at = offset + uint64_t(4 * n);
    if (ATOLL_CHECK_REMOVED("scalar_buffer.records"))
      words[n] = e.core.scalar_load(base + at, 0, 4);
    else
      words[n] = e.core.scalar_load_if(at + uint64_t(4) <= size, base + at, 0, 4);
  }
  set_loaded(e, i, words, count);
}

// OP(suffix, dwords)
#define ATOLL_SMEM_LOADS(OP) OP(dword, 1) OP(dwordx2, 2) OP(dwordx4, 4) OP(dwordx8, 8) OP(dwordx16, 16)
#define ATOLL_DEFINE_SMEM(suffix, dwords)                   \
  template <class A>                                        \
  void s_load_##suffix(A& e, const Instruction& i) {        \
    scalar_load(e, i, dwords);                              \
  }                                                         \
  template <class A>                                        \
  void s_buffer_load_##suffix(A& e, const Instruction& i) { \
    scalar_buffer_load(e, i, dwords);                       \
  }
ATOLL_SMEM_LOADS(ATOLL_DEFINE_SMEM)
#undef ATOLL_DEFINE_SMEM

// There is no cache to empty.
template <class A>
void s_dcache_inv(A&, const Instruction&) {}
template <class A>
void s_dcache_inv_vol(A&, const Instruction&) {}

template <class A>
void s_memtime(A& e, const Instruction& i) {
  if constexpr (A::Core::recording)
    e.core.call_instead();
  else
    e.set_s64(i, e.core.s64(e.core.wave.environment->clock()));
}

#define ATOLL_LIST_SMEM(suffix, dwords) ATOLL_SCALAR_ENTRY(s_load_##suffix) ATOLL_SCALAR_ENTRY(s_buffer_load_##suffix)
#define ATOLL_SMEM(SCALAR, LANES, WHOLE) \
  ATOLL_SMEM_LOADS(ATOLL_LIST_SMEM) SCALAR(s_dcache_inv) SCALAR(s_dcache_inv_vol) SCALAR(s_memtime)

}  // namespace Atoll::gfx7
