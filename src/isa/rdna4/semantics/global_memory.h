// Flat, global and scratch memory: VFLAT, VGLOBAL, VSCRATCH. RDNA4 ISA 11, 16.20.
#pragma once
#include <array>

#include "isa/rdna4/semantics/vector_memory.h"
#include "isa/rdna4/semantics/window.h"

namespace Atoll::rdna4 {

// --- addresses (RDNA4 ISA 11.2; the signed 24-bit IOFFSET is added by the engine)

// GV: 64 bits from two VGPRs. GVS: 64 bits from two SGPRs plus a 32-bit unsigned VGPR.
template <class A>
LaneAddress<A> global_address(A& e, const Instruction& i) {
  if (!i.saddr_valid) return {e.vgpr(i.address), signed_window_high(e, e.vgpr(i.address + 1u)), wave::Space::Global, i.offset};
  auto address = e.core.splat(e.scalar_pair(i.saddr)) + widen(e.vgpr(i.address));
  return {low(address), window_high(e, high(address)), wave::Space::Global, i.offset};
}
// GV, and the engine looks for the LDS and private apertures.
template <class A>
LaneAddress<A> flat_address(A& e, const Instruction& i) {
  return {e.vgpr(i.address), window_high(e, e.vgpr(i.address + 1u)), wave::Space::Flat, i.offset};
}
// SV, SS, SVS, ST: signed 32-bit offsets from a VGPR, an SGPR, both or neither, into the lane's private memory.
template <class A>
LaneAddress<A> scratch_address(A& e, const Instruction& i) {
  auto address = e.core.u32(0);
  if (i.saddr_valid) address = e.core.splat(e.scalar_register(i.saddr));
  if (i.vaddr_valid) address = i.saddr_valid ? address + e.vgpr(i.address) : e.vgpr(i.address);
  return {address, e.core.u32(0), wave::Space::Scratch, i.offset};
}
// GT: 64 bits from two SGPRs plus 4 times the lane.
template <class A>
LaneAddress<A> addtid_address(A& e, const Instruction& i) {
  auto address = e.core.splat(e.scalar_pair(i.saddr)) + widen(e.core.lane_id() << 2);
  return {low(address), window_high(e, high(address)), wave::Space::Global, i.offset};
}

// --- loads, stores, atomics

#define ATOLL_DEFINE_DWORDS(family, size, dwords)            \
  template <class A>                                         \
  void family##_load_##size(A& e, const Instruction& i) {    \
    load_dwords(e, family##_address(e, i), i.dst, dwords);   \
  }                                                          \
  template <class A>                                         \
  void family##_store_##size(A& e, const Instruction& i) {   \
    store_dwords(e, family##_address(e, i), i.data, dwords); \
  }
#define ATOLL_DEFINE_NARROW_LOAD(family, name, bytes, sign)     \
  template <class A>                                            \
  void family##_##name(A& e, const Instruction& i) {            \
    load_narrow(e, family##_address(e, i), i.dst, bytes, sign); \
  }
#define ATOLL_DEFINE_D16_LOAD(family, name, bytes, sign, high)     \
  template <class A>                                               \
  void family##_##name(A& e, const Instruction& i) {               \
    load_d16(e, family##_address(e, i), i.dst, bytes, sign, high); \
  }
#define ATOLL_DEFINE_NARROW_STORE(family, name, bytes, high)      \
  template <class A>                                              \
  void family##_##name(A& e, const Instruction& i) {              \
    store_narrow(e, family##_address(e, i), i.data, bytes, high); \
  }
#define ATOLL_DEFINE_ATOMIC(family, name, op, bytes)                        \
  template <class A>                                                        \
  void family##_##name(A& e, const Instruction& i) {                        \
    memory_atomic(e, i, family##_address(e, i), wave::AtomicOp::op, bytes); \
  }
#define ATOLL_DEFINE_FAMILY(family)                           \
  ATOLL_MEMORY_DWORDS(ATOLL_DEFINE_DWORDS, family)            \
  ATOLL_MEMORY_NARROW_LOADS(ATOLL_DEFINE_NARROW_LOAD, family) \
  ATOLL_MEMORY_D16_LOADS(ATOLL_DEFINE_D16_LOAD, family)       \
  ATOLL_MEMORY_NARROW_STORES(ATOLL_DEFINE_NARROW_STORE, family)
ATOLL_DEFINE_FAMILY(global)
ATOLL_DEFINE_FAMILY(flat)
ATOLL_DEFINE_FAMILY(scratch)
ATOLL_MEMORY_ATOMICS(ATOLL_DEFINE_ATOMIC, global)
ATOLL_MEMORY_ATOMICS(ATOLL_DEFINE_ATOMIC, flat)
#undef ATOLL_DEFINE_DWORDS
#undef ATOLL_DEFINE_NARROW_LOAD
#undef ATOLL_DEFINE_D16_LOAD
#undef ATOLL_DEFINE_NARROW_STORE
#undef ATOLL_DEFINE_ATOMIC
#undef ATOLL_DEFINE_FAMILY

template <class A>
void global_load_addtid_b32(A& e, const Instruction& i) {
  load_dwords(e, addtid_address(e, i), i.dst, 1);
}
template <class A>
void global_store_addtid_b32(A& e, const Instruction& i) {
  store_dwords(e, addtid_address(e, i), i.data, 1);
}

// The id in memory is kept below VGT_GS_MAX_WAVE_ID, a register of 12 bits that compute programs cannot set: all bits are taken
// as set.
template <class A>
void global_atomic_ordered_add_b64(A& e, const Instruction& i) {
  auto at = global_address(e, i);
  amd::atomic_into(e, i.th & 1 ? 2 : 0, i.dst, e.core.m(true),
                   wave::AtomicAccess{.op = wave::AtomicOp::OrderedAdd, .space = at.space, .bytes = 8, .offset = at.offset}, at,
                   e.vgpr(i.data), e.vgpr(i.data + 1u), e.core.u32(0xfff), e.core.u32(0));
}

// Caches: every access goes to memory in order, so there is nothing to write back or to forget.
template <class A>
void global_inv(A&, const Instruction&) {}
template <class A>
void global_wb(A&, const Instruction&) {}
template <class A>
void global_wbinv(A&, const Instruction&) {}

// --- blocks of up to 32 VGPRs, chosen by M0 (RDNA4 ISA 11.5)

// Registers beyond v255 are not loaded, and stored as v0.
template <class A>
void load_block(A& e, const Instruction& i, const LaneAddress<A>& at) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    uint32_t chosen = e.scalar_register(M0).v;
    typename A::U32 dwords[32];
    for (uint32_t n = 0; n < 32; n++)
      if (chosen >> n & 1 && i.dst + n < kVgprCount) dwords[n] = load(e, at.plus(int32_t(4 * n)), 4, false, 128);
    for (uint32_t n = 0; n < 32; n++)
      if (chosen >> n & 1 && i.dst + n < kVgprCount) e.set_vgpr(i.dst + n, dwords[n]);
  }
}
template <class A>
void store_block(A& e, const Instruction& i, const LaneAddress<A>& at) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    uint32_t chosen = e.scalar_register(M0).v;
    for (uint32_t n = 0; n < 32; n++)
      if (chosen >> n & 1) store(e, at.plus(int32_t(4 * n)), 4, 128, e.vgpr(i.data + n < kVgprCount ? i.data + n : 0));
  }
}
template <class A>
void global_load_block(A& e, const Instruction& i) {
  load_block(e, i, global_address(e, i));
}
template <class A>
void global_store_block(A& e, const Instruction& i) {
  store_block(e, i, global_address(e, i));
}
template <class A>
void scratch_load_block(A& e, const Instruction& i) {
  load_block(e, i, scratch_address(e, i));
}
template <class A>
void scratch_store_block(A& e, const Instruction& i) {
  store_block(e, i, scratch_address(e, i));
}

// --- 16x16 matrices, transposed (RDNA4 ISA 11.6.2)

// Each of lanes 0-31 reads 8 elements. With 16 bits, element n of a lane is the lane's own (its number modulo 8) of the 8 that
// lane n of its group of eight lanes read: dumped on gfx1201 (docs/errata.md), and not what the figure of 11.6.2 says. With 8
// bits they are of one K (column) and half of the M (rows), by the figure, and are stored as WMMA's A-matrix, by the table of
// 7.12.2. In a wave64 lanes 32-63 give no address but take the upper half of what lanes 0-31 of a wave32 do. Lanes that are off
// give zeros.
struct MatrixPlace {
  unsigned lane, vgpr, byte;
};
constexpr MatrixPlace byte_place(bool wave64, unsigned m, unsigned k) {
  auto bit = [k](int n) { return k >> n & 1; };
  if (wave64) return {bit(2) << 5 | bit(3) << 4 | m, 0, k & 3};
  return {bit(3) << 4 | m, bit(2), k & 3};
}

// By register and place in it, the lanes that give lanes 0 to 63 their elements.
using GivingLanes = std::array<std::array<std::array<uint32_t, 64>, 4>, 4>;
template <unsigned ElementBytes, bool Wave64>
inline constexpr GivingLanes giving_lanes = [] {
  GivingLanes lanes{};
  if (ElementBytes == 2) {
    for (unsigned lane = 0; lane < (Wave64 ? 64 : 32); lane++)
      for (unsigned n = 0; n < (Wave64 ? 4 : 8); n++) lanes[n / 2][n % 2][lane] = lane % 32 / 8 * 8 + lane / 32 * 4 + n;
    return lanes;
  }
  for (unsigned m = 0; m < 16; m++)
    for (unsigned k = 0; k < 16; k++) {
      const MatrixPlace to = byte_place(Wave64, m, k);
      lanes[to.vgpr][to.byte][to.lane] = k / 4 * 8 + m / 8 * 4 + k % 4;
    }
  return lanes;
}();
inline const GivingLanes& lanes_that_give(unsigned element_bytes, bool wave64) {
  if (element_bytes == 2) return wave64 ? giving_lanes<2, true> : giving_lanes<2, false>;
  return wave64 ? giving_lanes<1, true> : giving_lanes<1, false>;
}

// The same for the JIT: a lane takes each element out of one of the dwords that the giving lane has read.
template <class A>
void record_transposed(A& e, const Instruction& i, unsigned element_bytes) {
  using U32 = typename A::U32;
  auto& core = e.core;
  const bool wave64 = e.wave64();
  const unsigned dwords = 2 * element_bytes, elements = 4 / element_bytes;
  const GivingLanes& from = lanes_that_give(element_bytes, wave64);
  auto at = global_address(e, i);
  const U32 lane = core.lane_id(), byte = (lane & 7u) * element_bytes;
  const auto gives = core.active() & (lane < 32u);
  std::array<U32, 4> read{};
  for (unsigned n = 0; n < dwords; n++) {
    const wave::MemoryAccess access{
        .space = at.space, .bytes = 4, .stride = uint8_t(4 * dwords), .offset = at.offset + int32_t(4 * n)};
    read[n] = select(gives, core.load_if(lane < 32u, access, at.low, at.high), 0u);
  }
  std::array<U32, 4> placed{};
  for (unsigned n = 0; n < (wave64 ? dwords / 2 : dwords); n++) {
    placed[n] = core.u32(0);
    for (unsigned element = 0; element < elements; element++) {
      const U32 giver = core.constant_word(from[n][element].data(), 6, lane);
      U32 word = core.pick(read[0], giver);
      for (unsigned d = 1; d < dwords; d++) word = select((byte >> 2) == d, core.pick(read[d], giver), word);
      const U32 bits = (word >> ((byte & 3u) << 3)) & (element_bytes == 2 ? 0xffffu : 0xffu);
      placed[n] = placed[n] | bits << int(8 * element_bytes * element);
    }
  }
  for (unsigned n = 0; n < (wave64 ? dwords / 2 : dwords); n++) e.set_vgpr(i.dst + n, placed[n]);
}

// Runs once an instruction (SCALAR), since a wave64's two halves share the data.
template <class A>
void load_transposed(A& e, const Instruction& i, unsigned element_bytes) {
  if constexpr (A::Core::recording) {
    record_transposed(e, i, element_bytes);
  } else {
    auto at = global_address(e, i);
    unsigned dwords = 2 * element_bytes;
    typename A::U32 read[4], placed[2][4];
    for (auto& half : placed)
      for (auto& x : half) x = e.core.u32(0);
    for (unsigned n = 0; n < dwords; n++)
      read[n] = select(e.core.active(), load(e, at.plus(int32_t(4 * n)), 4, false, 4 * dwords), 0u);
    const unsigned registers = e.wave64() ? dwords / 2 : dwords, bits = 8 * element_bytes;
    const GivingLanes& from = lanes_that_give(element_bytes, e.wave64());
    for (unsigned lane = 0; lane < (e.wave64() ? 64u : 32u); lane++)
      for (unsigned n = 0; n < registers; n++)
        for (unsigned element = 0; element < 4 / element_bytes; element++) {
          const unsigned byte = lane % 8 * element_bytes;
          const uint32_t x = read[byte / 4].v[from[n][element][lane]] >> 8 * (byte % 4) & ((1u << bits) - 1);
          placed[lane / 32][n].v[lane % 32] |= x << bits * element;
        }
    for (unsigned half = 0; half < (e.wave64() ? 2u : 1u); half++) {
      e.core.set_chunk(int(half));
      for (unsigned n = 0; n < registers; n++) e.set_vgpr(i.dst + n, placed[half][n]);
    }
    e.core.set_chunk(0);
  }
}
template <class A>
void global_load_tr_b128(A& e, const Instruction& i) {
  load_transposed(e, i, 2);
}
template <class A>
void global_load_tr_b64(A& e, const Instruction& i) {
  load_transposed(e, i, 1);
}

// --- the list

#define ATOLL_DWORDS_ENTRIES(family, size, dwords) \
  ATOLL_LANES_ENTRY(family##_load_##size) ATOLL_LANES_ENTRY(family##_store_##size)
#define ATOLL_FAMILY_ENTRY(family, name, ...) ATOLL_LANES_ENTRY(family##_##name)
#define ATOLL_FAMILY_ENTRIES(family)                    \
  ATOLL_MEMORY_DWORDS(ATOLL_DWORDS_ENTRIES, family)     \
  ATOLL_MEMORY_NARROW_LOADS(ATOLL_FAMILY_ENTRY, family) \
  ATOLL_MEMORY_D16_LOADS(ATOLL_FAMILY_ENTRY, family) ATOLL_MEMORY_NARROW_STORES(ATOLL_FAMILY_ENTRY, family)

// clang-format off: a list
#define ATOLL_GLOBAL_MEMORY(SCALAR, LANES, WHOLE) \
  ATOLL_FAMILY_ENTRIES(global) ATOLL_FAMILY_ENTRIES(flat) ATOLL_FAMILY_ENTRIES(scratch) \
  ATOLL_MEMORY_ATOMICS(ATOLL_FAMILY_ENTRY, global) ATOLL_MEMORY_ATOMICS(ATOLL_FAMILY_ENTRY, flat) \
  LANES(global_atomic_ordered_add_b64) LANES(global_load_addtid_b32) LANES(global_store_addtid_b32) SCALAR(global_inv) \
  SCALAR(global_wb) SCALAR(global_wbinv) LANES(global_load_block) LANES(global_store_block) LANES(scratch_load_block) \
  LANES(scratch_store_block) SCALAR(global_load_tr_b128) SCALAR(global_load_tr_b64)
// clang-format on

}  // namespace Atoll::rdna4
