// Buffers through a resource descriptor (V#): VBUFFER, untyped, with the descriptor's format, and with the instruction's. RDNA4
// ISA 9, 16.16.
//
// The fields that choose code (swizzling, the way bounds are counted, the format) are looked at when the instruction runs, or taken for granted in
// code that is made for it (`buffer_kind`); base, stride and number of records are numbers.
// TFE has no effect: nothing is partially resident, and the status register is written only where a fetch was refused.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/removable_check.h"
#include "isa/amd/semantics/buffer_memory.h"
#include "isa/rdna4/buffer_format.h"
#include "isa/rdna4/semantics/vector_memory.h"
#include "isa/rdna4/semantics/window.h"
#include "wave/program.h"
#include "wave/sampled_texture.h"

namespace Atoll::rdna4 {

// --- addresses and bounds (RDNA4 ISA 9.4)

// The bits of words 1 and 3 that code is made for: SWIZZLE_ENABLE; DST_SEL, FORMAT, the stride's scale, INDEX_STRIDE,
// ADD_TID_ENABLE, OOB_SELECT, TYPE. A step that has met some notes them (Step::texture_form) with a bit more.
inline constexpr uint32_t kind_bits1 = 0xc0000000, kind_bits3 = 0xf0efffff;
inline constexpr uint64_t kind_met = uint64_t(1) << 40;

// The resource as far as it chooses code: base, stride and records are 0.
template <class A>
BufferResource buffer_kind(A& e, const Instruction& i) {
  auto word1 = e.scalar_register(i.saddr + 1u), word3 = e.scalar_register(i.saddr + 3u);
  uint32_t words[4] = {};
  if constexpr (A::Core::recording) {
    const uint64_t met = wave::met_form(*e.core.step);
    if (met == wave::no_form || met == wave::many_forms) {
      e.core.call_instead();
      return buffer_resource(words);
    }
    words[1] = uint32_t(met >> 32) << 30, words[3] = uint32_t(met);
    e.core.expect(word1, kind_bits1, words[1]);
    e.core.expect(word3, kind_bits3, words[3]);
  } else {
    words[1] = word1.v & kind_bits1, words[3] = word3.v & kind_bits3;
    wave::note_form(e.core.wave, uint64_t(words[1] >> 30) << 32 | words[3] | kind_met);
  }
  return buffer_resource(words);
}

template <class A>
struct BufferLanes {
  using M = typename A::M;
  BufferResource kind;
  bool bound;  // false: an unbound resource, whose every access is out of range
  typename A::S32 stride, records;
  typename A::S64 raw_bytes;  // size of a raw buffer, less SOFFSET
  typename A::U32 index;      // record
  typename A::U64 offset;     // bytes, as far as the range check counts them
  LaneAddress<A> at;

  // Lanes of which bytes [byte, byte + bytes) of the access are in range (table 56).
  M in_range(A& e, uint32_t byte, uint32_t bytes) const {
    if (!bound) return e.core.m(false);
    if (ATOLL_CHECK_REMOVED("buffer.records")) return e.core.m(true);
    auto& core = e.core;
    auto end = offset + uint64_t(byte + bytes);
    auto record_exists = [&] { return index < core.splat(records); };
    auto in_record = [&] { return record_exists() & (end <= core.splat(widen(stride))); };
    switch (kind.out_of_bounds) {
      case 0: return in_record();
      case 1: return record_exists();
      case 2: return core.splat(records) != 0u;
      default: {
        auto in_raw = end <= core.splat(raw_bytes);
        if (!kind.element_bytes) return in_raw;
        auto raw = core.splat(stride) == 0u;
        return (raw & in_raw) | (~raw & in_record());
      }
    }
  }
};

template <class A>
BufferLanes<A> buffer_lanes(A& e, const Instruction& i) {
  auto& core = e.core;
  BufferResource v = buffer_kind(e, i);
  auto word1 = e.scalar_register(i.saddr + 1u), records = e.scalar_register(i.saddr + 2u);
  auto base = join(e.scalar_register(i.saddr), word1 & 0xffffu);
  auto stride = (word1 >> 16 & 0x3fffu) * v.stride_scale;
  auto scalar_offset = e.scalar_register(i.soffset);
  auto zero = core.u32(0);
  auto index = i.idxen ? e.vgpr(i.address) : zero;
  auto lane_offset = i.offen ? e.vgpr(i.address + (i.idxen ? 1u : 0u)) : zero;
  // On cards of gfx1201 and gfx1100 an index of the instruction stands instead of the lane's, a buffer without either is linear, and
  // SOFFSET stays outside of the swizzle and of the bounds that records have (11.2, against 9.4.2): docs/errata.md, "Swizzled buffers".
  if (v.add_lane && !i.idxen) index = core.lane_id();
  if (!i.idxen && !v.add_lane) v.element_bytes = 0;
  // (A lane's offset below 0 and the instruction's make one within the buffer: 9.4.2 gives the sum 32 bits, and Mesa 25's
  // aco_optimizer.cpp joins such sums in linear buffers, too.)
  auto offset = i.offen ? widen(lane_offset + uint32_t(i.offset)) : core.u64(uint64_t(int64_t(i.offset)));
  auto address = offset;
  if (v.element_bytes) {  // 9.4.2: records interleaved by `index_stride`
    offset = widen(low(offset));
    int element_shift = v.element_bytes == 16 ? 4 : 2, index_shift = std::countr_zero(v.index_stride);
    auto record = widen(index);
    auto block = (record >> index_shift) * core.splat(widen(stride)) + (offset >> element_shift << element_shift);
    address = (block << index_shift) + ((record & uint64_t(v.index_stride - 1)) << element_shift) +
              (offset & uint64_t(v.element_bytes - 1));
  } else if (v.out_of_bounds != 3) {  // a raw buffer's stride is ignored (9.4.1.2)
    address = address + widen(index) * core.splat(widen(stride));
  }
  address = address + core.splat(base + widen(scalar_offset));
  bool bound = v.format != 0 || v.add_lane;
  auto raw_bytes = widen(select(records > scalar_offset, records - scalar_offset, core.s32(0)));
  return {v,         bound, stride, records,
          raw_bytes, index, offset, {low(address), window_high(e, high(address)), wave::Space::Global, 0}};
}

// Runs `body` on the lanes of a buffer. An instruction on a resource of another kind is ignored (9.6).
template <class A, class Body>
void with_buffer(A& e, const Instruction& i, Body body) {
  auto b = buffer_lanes(e, i);
  if (b.kind.type == 0) body(b);
}

// half: 0 the whole register, 1 its low half, 2 its high half.
template <class A>
void buffer_load_small(A& e, const Instruction& i, unsigned bytes, bool sign_extend, int half) {
  with_buffer(e, i, [&](const auto& b) {
    auto x = amd::buffer_load_narrow(e, b, bytes, sign_extend), old = e.vgpr(i.dst);
    e.set_vgpr(i.dst, half == 0 ? x : half == 1 ? (old & 0xffff0000u) | (x & 0xffffu) : (old & 0xffffu) | x << 16);
  });
}

// --- with a format: a texel is in range as a whole

enum class Into : uint8_t { Dwords, Halves, HighHalf };  // a component a register, two in a register, the upper half of one

// The format and the component selection, of the instruction (tbuffer) or of the resource. Null: unbound, or reported as illegal.
template <class A>
const BufferFormat* format_of(A& e, const Instruction& i, BufferLanes<A>& b, bool typed) {
  static constexpr uint8_t identity[] = {4, 5, 6, 7};
  if (typed) std::copy_n(identity, 4, b.kind.select);
  unsigned number = typed ? i.format : b.kind.format;
  b.bound = b.bound && number != 0;
  const BufferFormat* format = buffer_format(number);
  if (!format && number) e.core.illegal("a data format that buffers do not have");
  return format;
}

template <class A>
void buffer_load_format(A& e, const Instruction& i, unsigned components, Into into, bool typed) {
  with_buffer(e, i, [&](auto b) {
    static constexpr BufferFormat nothing{"INVALID", {32}, Number::Uint};
    const BufferFormat* found = format_of(e, i, b, typed);
    if (!found && b.bound) return;
    const BufferFormat& format = found ? *found : nothing;
    Width width = into == Into::Dwords ? Width::Bits32 : Width::Bits16;
    typename A::U32 out[4];
    buffer_load_texel(e, b, b.in_range(e, 0, format.bytes()), {format, width, b.kind.select}, components, out);
    if (into == Into::Dwords) {
      for (unsigned c = 0; c < components; c++) e.set_vgpr(i.dst + c, out[c]);
    } else if (into == Into::HighHalf) {
      e.set_vgpr(i.dst, (e.vgpr(i.dst) & 0xffffu) | out[0] << 16);
    } else {
      for (unsigned c = 0; c < components; c += 2)
        e.set_vgpr(i.dst + c / 2,
                   c + 1 < components ? out[c] | out[c + 1] << 16 : (e.vgpr(i.dst + c / 2) & 0xffff0000u) | out[c]);
    }
  });
}

// Components that the instruction does not give take the first one's value (RDNA4 ISA 9.3).
template <class A>
void buffer_store_format(A& e, const Instruction& i, unsigned components, Into from, bool typed) {
  with_buffer(e, i, [&](auto b) {
    const BufferFormat* format = format_of(e, i, b, typed);
    if (!format) return;
    typename A::U32 given[4];
    for (unsigned c = 0; c < 4; c++) {
      if (c >= components)
        given[c] = given[0];
      else if (from == Into::Dwords)
        given[c] = e.vgpr(i.data + c);
      else if (from == Into::HighHalf)
        given[c] = e.vgpr(i.data) >> 16;
      else
        given[c] = c & 1 ? e.vgpr(i.data + c / 2) >> 16 : e.vgpr(i.data + c / 2) & 0xffffu;
    }
    Width width = from == Into::Dwords ? Width::Bits32 : Width::Bits16;
    buffer_store_texel(e, b, {*format, width, b.kind.select}, given);
  });
}

// --- the instructions

#define ATOLL_DEFINE_DWORDS(family, size, dwords)                                              \
  template <class A>                                                                           \
  void family##_load_##size(A& e, const Instruction& i) {                                      \
    with_buffer(e, i, [&](const auto& b) {                                                     \
      auto loaded = amd::buffer_load_dwords(e, b, dwords);                                     \
      for (unsigned n = 0; n < dwords; n++) e.set_vgpr(i.dst + n, loaded.x[n]);                \
    });                                                                                        \
  }                                                                                            \
  template <class A>                                                                           \
  void family##_store_##size(A& e, const Instruction& i) {                                     \
    with_buffer(e, i, [&](const auto& b) { amd::buffer_store_dwords(e, b, i.data, dwords); }); \
  }
#define ATOLL_DEFINE_NARROW_LOAD(family, name, bytes, sign) \
  template <class A>                                        \
  void family##_##name(A& e, const Instruction& i) {        \
    buffer_load_small(e, i, bytes, sign, 0);                \
  }
#define ATOLL_DEFINE_D16_LOAD(family, name, bytes, sign, high) \
  template <class A>                                           \
  void family##_##name(A& e, const Instruction& i) {           \
    buffer_load_small(e, i, bytes, sign, high ? 2 : 1);        \
  }
#define ATOLL_DEFINE_NARROW_STORE(family, name, bytes, high)     \
  template <class A>                                             \
  void family##_##name(A& e, const Instruction& i) {             \
    with_buffer(e, i, [&](const auto& b) {                       \
      auto x = e.vgpr(i.data);                                   \
      amd::buffer_store_narrow(e, b, bytes, high ? x >> 16 : x); \
    });                                                          \
  }
#define ATOLL_DEFINE_ATOMIC(family, name, op, bytes)                                                                         \
  template <class A>                                                                                                         \
  void family##_##name(A& e, const Instruction& i) {                                                                         \
    with_buffer(e, i, [&](const auto& b) { amd::buffer_atomic(e, b, wave::AtomicOp::op, bytes, i.data, i.th & 1, i.dst); }); \
  }
ATOLL_MEMORY_DWORDS(ATOLL_DEFINE_DWORDS, buffer)
ATOLL_MEMORY_NARROW_LOADS(ATOLL_DEFINE_NARROW_LOAD, buffer)
ATOLL_MEMORY_D16_LOADS(ATOLL_DEFINE_D16_LOAD, buffer)
ATOLL_MEMORY_NARROW_STORES(ATOLL_DEFINE_NARROW_STORE, buffer)
ATOLL_MEMORY_ATOMICS(ATOLL_DEFINE_ATOMIC, buffer)
#undef ATOLL_DEFINE_DWORDS
#undef ATOLL_DEFINE_NARROW_LOAD
#undef ATOLL_DEFINE_D16_LOAD
#undef ATOLL_DEFINE_NARROW_STORE
#undef ATOLL_DEFINE_ATOMIC

// X(name after load_/store_, components, registers)
// clang-format off: a list
#define ATOLL_BUFFER_FORMATS(X, family, typed) \
  X(family, format_x, 1, Dwords, typed) X(family, format_xy, 2, Dwords, typed) X(family, format_xyz, 3, Dwords, typed) \
  X(family, format_xyzw, 4, Dwords, typed) X(family, d16_format_x, 1, Halves, typed) \
  X(family, d16_format_xy, 2, Halves, typed) X(family, d16_format_xyz, 3, Halves, typed) \
  X(family, d16_format_xyzw, 4, Halves, typed)
// clang-format on
#define ATOLL_BUFFER_ALL_FORMATS(X) \
  ATOLL_BUFFER_FORMATS(X, buffer, false) ATOLL_BUFFER_FORMATS(X, tbuffer, true) X(buffer, d16_hi_format_x, 1, HighHalf, false)
#define ATOLL_DEFINE_FORMAT(family, name, components, into, typed) \
  template <class A>                                               \
  void family##_load_##name(A& e, const Instruction& i) {          \
    buffer_load_format(e, i, components, Into::into, typed);       \
  }                                                                \
  template <class A>                                               \
  void family##_store_##name(A& e, const Instruction& i) {         \
    buffer_store_format(e, i, components, Into::into, typed);      \
  }
ATOLL_BUFFER_ALL_FORMATS(ATOLL_DEFINE_FORMAT)
#undef ATOLL_DEFINE_FORMAT

// --- the list

#define ATOLL_BUFFER_DWORDS_ENTRIES(family, size, dwords) \
  ATOLL_LANES_ENTRY(family##_load_##size) ATOLL_LANES_ENTRY(family##_store_##size)
#define ATOLL_BUFFER_ENTRY(family, name, ...) ATOLL_LANES_ENTRY(family##_##name)
#define ATOLL_BUFFER_FORMAT_ENTRIES(family, name, ...) \
  ATOLL_LANES_ENTRY(family##_load_##name) ATOLL_LANES_ENTRY(family##_store_##name)

#define ATOLL_BUFFER_MEMORY(SCALAR, LANES, WHOLE)          \
  ATOLL_MEMORY_DWORDS(ATOLL_BUFFER_DWORDS_ENTRIES, buffer) \
  ATOLL_MEMORY_NARROW_LOADS(ATOLL_BUFFER_ENTRY, buffer)    \
  ATOLL_MEMORY_D16_LOADS(ATOLL_BUFFER_ENTRY, buffer)       \
  ATOLL_MEMORY_NARROW_STORES(ATOLL_BUFFER_ENTRY, buffer)   \
  ATOLL_MEMORY_ATOMICS(ATOLL_BUFFER_ENTRY, buffer) ATOLL_BUFFER_ALL_FORMATS(ATOLL_BUFFER_FORMAT_ENTRIES)

}  // namespace Atoll::rdna4
