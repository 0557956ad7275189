// Buffers through a resource descriptor (V#): MUBUF, untyped and with the descriptor's format, and MTBUF with the instruction's.
// Sea Islands register guide section 4 (SQ_MUBUF, SQ_MTBUF) and 5 (SQ_BUF_RSRC_WORD0-3); addresses and bounds: Southern Islands
// ISA 8.1.5 ("Buffer addressing", "Range checking"), Mesa 22.3.6 si_state.c si_make_buffer_descriptor (units of NUM_RECORDS).
//
// TFE has no effect but a status of 0 behind the data: nothing is partially resident.
#pragma once
#include <array>
#include <cstring>

#include "base/removable_check.h"
#include "isa/amd/semantics/buffer_memory.h"
#include "isa/gfx7/adaptor.h"
#include "isa/gfx7/buffer_format.h"
#include "isa/gfx7/semantics/memory_lists.h"
#include "wave/program.h"
#include "wave/sampled_texture.h"

namespace Atoll::gfx7 {

// --- addresses and bounds

template <class A>
struct BufferLanes {
  using U32 = typename A::U32;
  using U64 = typename A::U64;
  using S32 = typename A::S32;
  using M = typename A::M;
  bool checked = true;           // false: ADDR64, whose addresses have no bounds
  bool uniform = false;          // the offset is the instruction's alone: the same in all lanes
  uint32_t constant_offset = 0;  // then it
  S32 w1, records;               // SQ_BUF_RSRC_WORD1; NUM_RECORDS
  S32 raw_bytes;                 // of a raw buffer, less SOFFSET
  U32 index;                     // record
  U64 offset;                    // bytes, as far as the range check counts them
  amd::LaneAddress<A> at;

  // Lanes of which bytes [byte, byte + bytes) of the access are in range. Raw buffers (STRIDE 0) are counted in bytes; of others
  // the record must exist, and where they are swizzled the bytes must lie in it.
  M in_range(A& e, uint32_t byte, uint32_t bytes) const {
    if (!checked || ATOLL_CHECK_REMOVED("buffer.records")) return e.core.m(true);
    S32 stride = w1 >> 16 & 0x3fffu;
    if (uniform) {  // no index but the lane's number
      S32 end = e.core.s32(constant_offset + byte + bytes), none = e.core.s32(0);
      S32 raw = select(end <= raw_bytes, e.core.s32(~0u), none);
      S32 in_records = select((w1 >> 31 == 0u) | (end <= stride), records, none);
      return index < e.core.splat(select(stride == 0u, raw, in_records));
    }
    auto end = offset + uint64_t(byte + bytes);
    auto raw = e.core.splat(stride) == 0u, linear = e.core.splat(w1 >> 31) == 0u;
    auto in_raw = end <= e.core.splat(widen(raw_bytes));
    auto in_record = (index < e.core.splat(records)) & (linear | (end <= e.core.splat(widen(stride))));
    return (raw & in_raw) | (~raw & in_record);
  }
};

// The lanes' numbers, as lane_id() gives them; the interpreter, which makes those one by one, copies them here: private memory
// is reached through them all the time.
template <class A>
typename A::U32 lane_numbers(A& e) {
  if constexpr (A::Core::recording) {
    return e.core.lane_id();
  } else {
    static constexpr auto numbers = [] {
      std::array<uint32_t, 64> all{};
      for (uint32_t n = 0; n < 64; n++) all[n] = n;
      return all;
    }();
    typename A::U32 lanes;
    std::memcpy(&lanes.v, numbers.data() + e.core.chunk * 32, sizeof lanes.v);
    return lanes;
  }
}

template <class A>
BufferLanes<A> buffer_lanes(A& e, const Instruction& i) {
  auto& core = e.core;
  auto w0 = e.scalar_register(i.resource), w1 = e.scalar_register(i.resource + 1u), records = e.scalar_register(i.resource + 2u),
       w3 = e.scalar_register(i.resource + 3u);
  auto base = join(w0, w1 & 0xffffu);
  auto scalar_offset = e.scalar_operand(i.soffset, 0);
  auto zero = core.u32(0);
  if (i.addr64) {
    auto address = join(e.vgpr(i.address), e.vgpr(i.address + 1u)) + core.splat(base + widen(scalar_offset)) + uint64_t(i.offset);
    return {.checked = false,
            .w1 = w1,
            .records = records,
            .raw_bytes = records,
            .index = zero,
            .offset = core.u64(0),
            .at = {low(address), high(address), wave::Space::Global, 0}};
  }
  auto add_lane = core.s32(0) - (w3 >> 23 & 1u);  // all ones with ADD_TID_ENABLE
  auto index = lane_numbers(e) & core.splat(add_lane);
  if (i.idxen) index = index + e.vgpr(i.address);
  // Swizzled (SWIZZLE_ENABLE): records are interleaved in groups of INDEX_STRIDE (8, 16, 32, 64), pieces of ELEMENT_SIZE (2, 4,
  // 8, 16 bytes) of each after those of the others. Linear buffers have groups of one record.
  auto is_linear = w1 >> 31 == 0u;
  auto stride = w1 >> 16 & 0x3fffu;
  auto index_shift = select(is_linear, core.s32(0), (w3 >> 21 & 3u) + 3u), element_shift = (w3 >> 19 & 3u) + 1u;
  auto in_group_mask = ~(core.s32(~0u) << index_shift), in_element_mask = ~(core.s32(~0u) << element_shift);
  auto group = index >> core.splat(index_shift);
  auto in_group = (index & core.splat(in_group_mask)) << core.splat(element_shift);
  auto raw_bytes = select(records > scalar_offset, records - scalar_offset, core.s32(0));
  auto start = base + widen(scalar_offset);
  auto lanes = [&](auto address, auto offset, bool uniform) -> BufferLanes<A> {
    return {.uniform = uniform,
            .constant_offset = i.offset,
            .w1 = w1,
            .records = records,
            .raw_bytes = raw_bytes,
            .index = index,
            .offset = offset,
            .at = {low(address), high(address), wave::Space::Global, 0}};
  };
  if (!i.idxen && !i.offen) {  // as compilers reach private memory: the records are the lanes, which 32 bits can count
    auto offset = core.s32(i.offset);
    start = start + (widen(offset & ~in_element_mask) << widen(index_shift)) + widen(offset & in_element_mask);
    return lanes(core.splat(start) + widen(group * core.splat(stride << index_shift) + in_group), core.u64(0), true);
  }
  auto offset = widen(i.offen ? e.vgpr(i.address + (i.idxen ? 1u : 0u)) : zero) + uint64_t(i.offset);
  // A lane's offset below 0 and the instruction's make one within the buffer: in linear buffers the sum has 32 bits (Mesa 22.3.6
  // aco_optimizer.cpp, which joins such sums in all but swizzled ones of this family).
  if (i.offen && i.offset) offset = offset & core.splat(join(core.s32(~0u), select(is_linear, core.s32(0), core.s32(~0u))));
  auto element_mask = core.splat(widen(in_element_mask));
  auto block = widen(group) * core.splat(widen(stride)) + (offset & ~element_mask);
  auto address = core.splat(start) + (block << core.splat(widen(index_shift))) + (offset & element_mask) + widen(in_group);
  return lanes(address, offset, false);
}

// Puts loaded data into VGPRs, or with LDS into the LDS at M0[15:0] plus the instruction's offset plus 4 times the lane.
template <class A>
void set_buffer_data(A& e, const Instruction& i, const typename A::U32* x, unsigned count) {
  if (i.lds) {
    auto at = e.core.splat((e.scalar_register(M0) & 0xffffu) + uint32_t(i.offset)) + (e.core.lane_id() << 2);
    e.core.store({.space = wave::Space::Lds}, at, e.core.u32(0), x[0]);
    return;
  }
  for (unsigned n = 0; n < count; n++) e.set_vgpr(i.data + n, x[n]);
  if (i.tfe) e.set_vgpr(i.data + count, e.core.u32(0));
}

// --- with a format

// The format bits of SQ_BUF_RSRC_WORD3: DST_SEL_X to W, NUM_FORMAT, DATA_FORMAT. A step that has met a format notes it
// (Step::texture_form) with a bit more, since 0 is one as well.
inline constexpr uint32_t format_bits = 0x7ffff;
inline constexpr uint64_t format_met = format_bits + 1;

// SQ_BUF_RSRC_WORD3 as far as it is the format; in code that of the resource met last, and code for no other. False: called.
template <class A>
bool format_word(A& e, const Instruction& i, bool typed, uint32_t& word) {
  if constexpr (A::Core::recording) {
    word = 0;
    if (typed) return true;
    const uint64_t met = wave::met_form(*e.core.step);
    if (met == wave::no_form || met == wave::many_forms) return false;
    word = uint32_t(met) & format_bits;
    e.core.expect(e.scalar_register(i.resource + 3u), format_bits, word);
  } else {
    word = e.scalar_register(i.resource + 3u).v & format_bits;
    if (!typed) wave::note_form(e.core.wave, word | format_met);
  }
  return true;
}

// The format and the component selection, of the instruction or of the resource. Null: unbound, or reported as illegal.
template <class A>
const amd::BufferFormat* format_of(A& e, const Instruction& i, bool typed, uint8_t select[4], bool& bound) {
  uint32_t w3 = 0;
  bound = true;
  if (!format_word(e, i, typed, w3)) {
    e.core.illegal("a format that was not met");
    return nullptr;
  }
  unsigned data_format = typed ? i.dfmt : w3 >> 15 & 15, number_format = typed ? i.nfmt : w3 >> 12 & 7;
  for (unsigned c = 0; c < 4; c++) select[c] = uint8_t(typed ? 4 + c : w3 >> 3 * c & 7);
  bound = data_format != 0;
  const amd::BufferFormat* format = buffer_format(data_format, number_format);
  if (!format && bound) e.core.illegal("a data and number format that buffers do not have");
  return format;
}

template <class A>
void buffer_load_format(A& e, const Instruction& i, unsigned components, bool typed) {
  uint8_t from[4];
  bool bound;
  // Code for it may come to stand in a region of either class's mode.
  if constexpr (A::Core::recording) {
    const wave::FloatMode& mode = e.core.float_mode();
    if (mode.round32 != wave::Rounding::NearestEven || mode.round64 != wave::Rounding::NearestEven) return e.core.call_instead();
  }
  const amd::BufferFormat* found = format_of(e, i, typed, from, bound);
  if (!found && bound) return;
  static constexpr amd::BufferFormat nothing{"INVALID", {32}, amd::Number::Float};
  const amd::BufferFormat& format = found ? *found : nothing;
  auto b = buffer_lanes(e, i);
  // The two bits of 2_10_10_10's alpha count as unsigned even in signed formats (Mesa 22.3.6 si_shader_llvm_vs.c, alpha_adjust).
  bool signed_number = format.number == amd::Number::Snorm || format.number == amd::Number::SnormOgl ||
                       format.number == amd::Number::Sscaled || format.number == amd::Number::Sint;
  const amd::BufferFormat* unsigned_alpha =
      format.bits[3] == 2 && signed_number ? buffer_format(two_ten_ten_ten, unsigned_of(format.number)) : nullptr;
  typename A::U32 out[4];
  amd::buffer_load_texel(e, b, b.in_range(e, 0, format.bytes()) & e.core.m(bound),
                         {format, amd::Width::Bits32, from, unsigned_alpha}, components, out);
  set_buffer_data(e, i, out, components);
}

// Components that the instruction does not give take the first one's value (as RDNA4 ISA 9.3 has it; the guide is silent).
template <class A>
void buffer_store_format(A& e, const Instruction& i, unsigned components, bool typed) {
  uint8_t from[4];
  bool bound;
  const amd::BufferFormat* format = format_of(e, i, typed, from, bound);
  if (!format) return;
  typename A::U32 given[4];
  for (unsigned c = 0; c < 4; c++) given[c] = e.vgpr(i.data + (c < components ? c : 0));
  amd::buffer_store_texel(e, buffer_lanes(e, i), {*format, amd::Width::Bits32, from}, given);
}

// --- the instructions

#define ATOLL_DEFINE(size, dwords)                                        \
  template <class A>                                                      \
  void buffer_load_##size(A& e, const Instruction& i) {                   \
    auto loaded = amd::buffer_load_dwords(e, buffer_lanes(e, i), dwords); \
    set_buffer_data(e, i, loaded.x, dwords);                              \
  }                                                                       \
  template <class A>                                                      \
  void buffer_store_##size(A& e, const Instruction& i) {                  \
    amd::buffer_store_dwords(e, buffer_lanes(e, i), i.data, dwords);      \
  }
ATOLL_MEMORY_DWORDS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_DEFINE(name, bytes, sign)                                   \
  template <class A>                                                      \
  void buffer_load_##name(A& e, const Instruction& i) {                   \
    auto x = amd::buffer_load_narrow(e, buffer_lanes(e, i), bytes, sign); \
    set_buffer_data(e, i, &x, 1);                                         \
  }
ATOLL_MEMORY_NARROW_LOADS(ATOLL_DEFINE)
#undef ATOLL_DEFINE
#define ATOLL_DEFINE(name, bytes)                                           \
  template <class A>                                                        \
  void buffer_store_##name(A& e, const Instruction& i) {                    \
    amd::buffer_store_narrow(e, buffer_lanes(e, i), bytes, e.vgpr(i.data)); \
  }
ATOLL_MEMORY_NARROW_STORES(ATOLL_DEFINE)
#undef ATOLL_DEFINE
// The old value comes back with GLC.
#define ATOLL_DEFINE(name, op, bytes)                                                            \
  template <class A>                                                                             \
  void buffer_atomic_##name(A& e, const Instruction& i) {                                        \
    amd::buffer_atomic(e, buffer_lanes(e, i), wave::AtomicOp::op, bytes, i.data, i.glc, i.data); \
  }
ATOLL_MEMORY_ATOMICS(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// X(suffix, components)
#define ATOLL_BUFFER_FORMATS(X) X(x, 1) X(xy, 2) X(xyz, 3) X(xyzw, 4)
#define ATOLL_DEFINE(suffix, components)                           \
  template <class A>                                               \
  void buffer_load_format_##suffix(A& e, const Instruction& i) {   \
    buffer_load_format(e, i, components, false);                   \
  }                                                                \
  template <class A>                                               \
  void buffer_store_format_##suffix(A& e, const Instruction& i) {  \
    buffer_store_format(e, i, components, false);                  \
  }                                                                \
  template <class A>                                               \
  void tbuffer_load_format_##suffix(A& e, const Instruction& i) {  \
    buffer_load_format(e, i, components, true);                    \
  }                                                                \
  template <class A>                                               \
  void tbuffer_store_format_##suffix(A& e, const Instruction& i) { \
    buffer_store_format(e, i, components, true);                   \
  }
ATOLL_BUFFER_FORMATS(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// There is no cache to write back.
template <class A>
void buffer_wbinvl1(A&, const Instruction&) {}
template <class A>
void buffer_wbinvl1_vol(A&, const Instruction&) {}

#define ATOLL_LIST_BUFFER_DWORDS(size, dwords) ATOLL_LANES_ENTRY(buffer_load_##size) ATOLL_LANES_ENTRY(buffer_store_##size)
#define ATOLL_LIST_BUFFER_LOAD(name, ...) ATOLL_LANES_ENTRY(buffer_load_##name)
#define ATOLL_LIST_BUFFER_STORE(name, ...) ATOLL_LANES_ENTRY(buffer_store_##name)
#define ATOLL_LIST_BUFFER_ATOMIC(name, ...) ATOLL_LANES_ENTRY(buffer_atomic_##name)
#define ATOLL_LIST_FORMAT(suffix, components)      \
  ATOLL_LANES_ENTRY(buffer_load_format_##suffix)   \
  ATOLL_CALLED_ENTRY(buffer_store_format_##suffix) \
  ATOLL_LANES_ENTRY(tbuffer_load_format_##suffix) ATOLL_CALLED_ENTRY(tbuffer_store_format_##suffix)
#define ATOLL_BUFFER_MEMORY(SCALAR, LANES, WHOLE)     \
  ATOLL_MEMORY_DWORDS(ATOLL_LIST_BUFFER_DWORDS)       \
  ATOLL_MEMORY_NARROW_LOADS(ATOLL_LIST_BUFFER_LOAD)   \
  ATOLL_MEMORY_NARROW_STORES(ATOLL_LIST_BUFFER_STORE) \
  ATOLL_MEMORY_ATOMICS(ATOLL_LIST_BUFFER_ATOMIC)      \
  ATOLL_BUFFER_FORMATS(ATOLL_LIST_FORMAT) SCALAR(buffer_wbinvl1) SCALAR(buffer_wbinvl1_vol)

}  // namespace Atoll::gfx7
