// Scalar memory loads. RDNA4 ISA 8, 16.6. All dwords are read before the first register is written: a load may overwrite its
// base.
#pragma once
#include <array>

#include "base/removable_check.h"
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/semantics/window.h"

namespace Atoll::rdna4 {

// Address components ignore the bits below the size of what is loaded (RDNA4 ISA 8.1.1): 4 bytes for dwords, 2, or 1.
constexpr uint32_t ignored_bits(int bytes) { return bytes >= 4 ? 3u : uint32_t(bytes - 1); }

template <class A>
void set_loaded(A& e, const Instruction& i, const std::array<typename A::S32, 16>& words, int count) {
  for (int n = 0; n < count; n++)
    if (i.dst == NULL_SGPR)
      continue;  // NULL: loaded for the cache's sake
    else if (i.dst + n < 128)
      e.set_scalar_register(i.dst + n, words[n]);
}

template <class A>
void scalar_load(A& e, const Instruction& i, int bytes, bool sign_extend = false) {
  uint32_t ignored = ignored_bits(bytes);
  int count = (bytes + 3) / 4, unit = bytes < 4 ? bytes : 4;
  auto address = (e.scalar_pair(i.saddr) & ~uint64_t(ignored)) + widen(e.scalar_register(i.soffset) & ~ignored);
  address = window_address(e, address);
  int32_t offset = i.offset & ~int32_t(ignored);
  std::array<typename A::S32, 16> words{};
  for (int n = 0; n < count; n++) words[n] = e.core.scalar_load(address, offset + 4 * n, unit, sign_extend);
  set_loaded(e, i, words, count);
}

// Through a V#, of which base, stride and number of records count: what lies outside reads 0 (RDNA4 ISA 8.1.2, 8.4.1).
template <class A>
void buffer_load(A& e, const Instruction& i, int bytes, bool sign_extend = false) {
  if (i.offset < 0) return e.core.illegal("s_buffer_load with a negative IOFFSET");
  uint32_t ignored = ignored_bits(bytes);
  int count = (bytes + 3) / 4, unit = bytes < 4 ? bytes : 4;
  auto high = e.scalar_register(i.saddr + 1), stride = high >> 16 & 0x3fffu;
  auto base = join(e.scalar_register(i.saddr), high & 0xffffu) & ~uint64_t(ignored);
  auto records = widen(e.scalar_register(i.saddr + 2));
  auto size = select(stride == 0u, records, records * widen(stride)) & ~uint64_t(ignored);
  auto offset = widen(e.scalar_register(i.soffset) & ~ignored) + uint64_t(uint32_t(i.offset) & ~ignored);
  std::array<typename A::S32, 16> words{};
  for (int n = 0; n < count; n++) {
    auto at = offset + uint64_t(4 * n), address = window_address(e, base + at);
    if (ATOLL_CHECK_REMOVED("scalar_buffer.records"))
      words[n] = e.core.scalar_load(address, 0, unit, sign_extend);
    else
      words[n] = e.core.scalar_load_if(at < size, address, 0, unit, sign_extend);
  }
  set_loaded(e, i, words, count);
}

// OP(suffix, bytes, sign extension)
#define ATOLL_SMEM_LOADS(OP) \
  OP(b32, 4, false)          \
  OP(b64, 8, false)          \
  OP(b96, 12, false)         \
  OP(b128, 16, false) OP(b256, 32, false) OP(b512, 64, false) OP(i8, 1, true) OP(u8, 1, false) OP(i16, 2, true) OP(u16, 2, false)
#define ATOLL_DEFINE_SMEM(suffix, bytes, sign)              \
  template <class A>                                        \
  void s_load_##suffix(A& e, const Instruction& i) {        \
    scalar_load(e, i, bytes, sign);                         \
  }                                                         \
  template <class A>                                        \
  void s_buffer_load_##suffix(A& e, const Instruction& i) { \
    buffer_load(e, i, bytes, sign);                         \
  }
ATOLL_SMEM_LOADS(ATOLL_DEFINE_SMEM)
#undef ATOLL_DEFINE_SMEM

// There is no cache to fill or empty.
#define ATOLL_SMEM_CACHE_ONLY(NAME) \
  NAME(s_dcache_inv)                \
  NAME(s_prefetch_inst)             \
  NAME(s_prefetch_inst_pc_rel)      \
  NAME(s_prefetch_data) NAME(s_buffer_prefetch_data) NAME(s_prefetch_data_pc_rel) NAME(s_atc_probe) NAME(s_atc_probe_buffer)
#define ATOLL_DEFINE_CACHE_ONLY(name) \
  template <class A>                  \
  void name(A&, const Instruction&) {}
ATOLL_SMEM_CACHE_ONLY(ATOLL_DEFINE_CACHE_ONLY)
#undef ATOLL_DEFINE_CACHE_ONLY

#define ATOLL_LIST_SMEM(suffix, bytes, sign) ATOLL_SCALAR_ENTRY(s_load_##suffix) ATOLL_SCALAR_ENTRY(s_buffer_load_##suffix)
#define ATOLL_SMEM(SCALAR, LANES, WHOLE) ATOLL_SMEM_LOADS(ATOLL_LIST_SMEM) ATOLL_SMEM_CACHE_ONLY(SCALAR)

}  // namespace Atoll::rdna4
