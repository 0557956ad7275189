// Messages to shared functions. Reads and writes of lanes at addresses, of blocks and of barriers are said in the words of the
// engine, so that the JIT compiles them; all others are called (send_called.h).
#pragma once
#include "base/removable_check.h"
#include "isa/xe_lp/data_message.h"
#include "isa/xe_lp/semantics/operands.h"
#include "isa/xe_lp/semantics/recorded_images.h"
#include "isa/xe_lp/semantics/send_called.h"
#include "isa/xe_lp/surface_state.h"
#include "memory/address_space.h"
#include "wave/work_group.h"

namespace Atoll::xe_lp {

// The upper halves of addresses as the window has them (memory/address_space.h, Sections).
template <class A>
typename A::U32 window_high(A& e, typename A::U32 high) {
  high = high & 0xffffu;
  const Sections sections = Sections::of_window(e.core.wave.window);
  if (!sections.shifts) return high;
  return high + e.core.constant_word(sections.words(), sections.log_count(), high >> (sections.bits - 32u));
}
// An address of the ThreadContext: the window's.
template <class A>
auto context_address(A& e, size_t offset) {
  const uint32_t cell = context_field(offset);
  return join(e.core.scalar(cell), e.core.scalar(cell + 4));
}

// The memory that a message's lanes access: bytes of shared local memory, or of memory from `low` and `high` on.
template <class A>
struct MessagePlace {
  using U32 = typename A::U32;
  wave::Space space = wave::Space::Global;
  bool bounded = false;  // of a surface: `offset` must lie below its `bytes`
  U32 offset, low, high;
  typename A::S32 bytes;

  // Lanes whose `size` bytes from byte `from` of their place on are there.
  typename A::M inside(A& e, uint32_t from, uint32_t size) const {
    if (!bounded || ATOLL_CHECK_REMOVED("xe_lp.surface.lanes")) return e.core.m(true);
    auto end = e.core.s32(from + size);
    return offset < e.core.splat(select(bytes >= end, bytes - end + 1u, e.core.s32(0)));
  }
};

// The address of `offset` in a surface of bytes. The same as buffer_surface() of send_called.h.
template <class A>
MessagePlace<A> surface_place(A& e, uint8_t bti, typename A::U32 offset) {
  auto& core = e.core;
  if (bti < kept_surfaces) {
    const auto field = [&](size_t at) { return core.scalar(uint32_t(surfaces_cell + bti * sizeof(KeptSurface) + at)); };
    MessagePlace<A> place;
    place.bounded = true;
    place.offset = offset;
    place.bytes = field(offsetof(KeptSurface, bytes));
    auto address =
        core.splat(join(field(offsetof(KeptSurface, address)), field(offsetof(KeptSurface, address) + 4))) + widen(offset);
    place.low = low(address), place.high = high(address);
    return place;
  }
  using S = SurfaceState;
  auto entry = core.scalar_load(context_address(e, offsetof(ThreadContext, binding_table)), bti * 4, 4);
  auto state = context_address(e, offsetof(ThreadContext, surface_state_base)) + widen(entry & ~63u);
  auto word = [&](int n) { return core.scalar_load(state, n * 4, 4); };
  constexpr unsigned base = S::Surface_Base_Address::low / 32;
  auto w0 = word(0), w2 = word(2), w3 = word(3), base_low = word(base), base_high = word(base + 1);
  auto known = [&](unsigned n) { return n == 0 ? w0 : n == 2 ? w2 : w3; };
  auto entries = widen(S::Depth::of(known)) << core.s64(21);
  entries = entries + widen(S::Height::of(known) << core.s32(7) | (S::Width::of(known) & 0x7fu)) + core.s64(1);
  auto stride = select(S::Surface_Format::of(known) == dg1::SURFACE_FORMAT::RAW, core.s32(1), S::Surface_Pitch::of(known) + 1u);
  auto size = entries * widen(stride);
  auto bytes = select(high(size) == 0u, low(size), core.s32(~0u));
  MessagePlace<A> place;
  place.bounded = true;
  place.offset = offset;
  place.bytes = select(S::Surface_Type::of(known) == S::Surface_Type::SURFTYPE_BUFFER, bytes, core.s32(0));
  auto address = join(core.splat(base_low), window_high(e, core.splat(base_high))) + widen(offset);
  place.low = low(address), place.high = high(address);
  return place;
}

// Takes 32-bit addresses in bytes.
template <class A>
MessagePlace<A> place_of_offsets(A& e, uint8_t bti, typename A::U32 offset) {
  auto& core = e.core;
  if (!is_stateless(bti) && bti != BTI_SLM) return surface_place(e, bti, offset);
  MessagePlace<A> place;
  place.offset = offset, place.bytes = core.s32(0);
  if (bti == BTI_SLM) {
    place.space = wave::Space::Lds;
    place.low = offset & 0xffffu, place.high = core.u32(0);
  } else {
    auto address = core.splat(context_address(e, offsetof(ThreadContext, general_state_base))) + widen(offset);
    place.low = low(address), place.high = high(address);
  }
  return place;
}
template <class A>
MessagePlace<A> place_of_address(A& e, typename A::U32 low, typename A::U32 high) {
  MessagePlace<A> place;
  place.offset = low, place.low = low, place.high = window_high(e, high), place.bytes = e.core.s32(0);
  return place;
}

// A word of each lane from a register on: lane l's stands `stride` words after lane l - 1's.
inline wave::Region lane_words(unsigned reg, unsigned lanes, unsigned stride = 1, unsigned first = 0) {
  wave::Region r;
  r.cell = grf_cell + reg * kRegisterBytes + first * 4;
  r.lanes = uint8_t(lanes);
  if (stride != 1) r.vertical = uint16_t(stride), r.width = 1;
  return r;
}

// A message of lanes as the engine's words have it.
struct LaneMessage {
  unsigned lanes = 0;         // of the instruction that may act
  unsigned address = 0;       // register
  unsigned data = 0;          // register, of source 0 or 1, or of the destination
  unsigned element_regs = 0;  // registers from element to element
};
// False: it has to be called.
static inline bool lane_message(const Instruction& i, const DataMessage& m, LaneMessage& out) {
  if (i.descriptor_in_register || i.extended_descriptor_in_register || m.bti == BTI_BINDLESS) return false;
  if (m.access != DataAccess::Untyped && m.access != DataAccess::Scattered) return false;
  if (m.elements > (m.element_bytes == 8 ? 2 : 4)) return false;
  if (m.header && is_stateless(m.bti) && !m.a64 && m.access == DataAccess::Scattered) return false;
  const unsigned first = m.header, addresses = m.lanes / (m.a64 ? 4u : 8u), length = m.address_length;
  out.lanes = i.lanes < m.lanes ? i.lanes : m.lanes;
  out.element_regs = m.lanes / 8u;
  auto place = [&](unsigned n) { return n < length ? i.src[0].number + n : i.src[1].number + n - length; };
  if (first < length && first + addresses > length) return false;
  out.address = place(first);
  const unsigned data = first + addresses, count = m.elements * m.lanes / (m.element_bytes == 8 ? 4u : 8u);
  if (m.write && data < length && data + count > length) return false;
  out.data = m.write ? place(data) : i.dst.number;
  return ATOLL_CHECK("xe_lp.send.lanes", out.address + addresses <= kRegisters && out.data + count <= kRegisters);
}

template <class A>
void access_lanes(A& e, const Instruction& i, const DataMessage& m, const LaneMessage& l) {
  using U32 = typename A::U32;
  auto& core = e.core;
  auto on = e.enabled(i);
  if (l.lanes < i.lanes) on = on & (core.lane_id() < uint32_t(l.lanes));
  MessagePlace<A> place = [&] {
    if (m.a64)
      return place_of_address(e, region32(core, lane_words(l.address, l.lanes, 2)),
                              region32(core, lane_words(l.address, l.lanes, 2, 1)));
    U32 offset = region32(core, lane_words(l.address, l.lanes));
    if (m.address_shift) offset = offset << uint32_t(m.address_shift);
    return place_of_offsets(e, m.bti, offset);
  }();
  // 64-bit elements as two words each.
  const bool wide = m.element_bytes == 8;
  const unsigned words = m.elements * (wide ? 2u : 1u), bytes = wide ? 4 : m.element_bytes;
  auto words_at = [&](unsigned n) {
    if (!wide) return lane_words(l.data + n * l.element_regs, l.lanes);
    return lane_words(l.data + n / 2 * l.element_regs * 2, l.lanes, 2, n % 2);
  };
  // The components of xyzw that the message has. Lanes that read fewer than four are taken to read rows of neighbours, not a row of vectors.
  unsigned channel[4] = {0, 1, 2, 3};
  if (m.access == DataAccess::Untyped)
    for (unsigned n = 0, bit = 0; n < words; bit++)
      if (m.channels >> bit & 1) channel[n++] = bit;
  const bool rows = m.access == DataAccess::Untyped && !m.write && words < 4;
  wave::MemoryAccess access{.space = place.space, .bytes = uint8_t(bytes), .stride = uint8_t(rows ? 4 : words * bytes)};
  if (m.write) {
    access.parts = uint8_t(words);
    for (unsigned n = 0; n < words; n++) {
      access.offset = int32_t(channel[n] * bytes), access.part = uint8_t(n);
      core.store_if(on & place.inside(e, channel[n] * bytes, bytes), access, place.low, place.high, region32(core, words_at(n)));
    }
    return;
  }
  if (i.dst.file == File::Null) return;
  U32 loaded[4] = {core.u32(0), core.u32(0), core.u32(0), core.u32(0)};
  for (unsigned n = 0; n < words; n++) {
    access.offset = int32_t(channel[n] * bytes);
    auto there = on & place.inside(e, channel[n] * bytes, bytes);
    loaded[n] = core.load_if(there, access, place.low, place.high);
    if (place.bounded) loaded[n] = select(there, loaded[n], core.u32(0));
  }
  for (unsigned n = 0; n < words; n++) set_region32(core, words_at(n), on, loaded[n]);
}

// False: it has to be called.
static inline bool block_message(const Instruction& i, const DataMessage& m) {
  if (i.descriptor_in_register || i.extended_descriptor_in_register || m.bti == BTI_BINDLESS) return false;
  if (m.access != DataAccess::Block || !m.header || !i.no_mask || i.predicate || m.elements > kChannels) return false;
  if (is_stateless(m.bti) && !m.a64) return false;
  if (!m.write && i.dst.file == File::Null) return true;
  const unsigned first = !m.write ? i.dst.number : m.address_length > 1 ? i.src[0].number + 1u : i.src[1].number;
  return ATOLL_CHECK("xe_lp.send.block", first + (m.elements + 7u) / 8 <= kRegisters);
}

template <class A>
void access_block(A& e, const Instruction& i, const DataMessage& m) {
  auto& core = e.core;
  const uint32_t header = grf_cell + i.src[0].number * kRegisterBytes;
  work_on(core, m.elements <= 8 ? 8 : m.elements <= 16 ? 16 : 32);
  auto on = core.lane_id() < uint32_t(m.elements);
  auto in_row = core.lane_id() << 2u;
  MessagePlace<A> place = [&] {
    if (m.a64) {
      auto address = core.splat(join(core.scalar(header), core.scalar(header + 4))) + widen(in_row);
      return place_of_address(e, low(address), high(address));
    }
    auto start = core.splat(core.scalar(header + 8) << core.s32(m.address_shift));
    return place_of_offsets(e, m.bti, start + in_row);
  }();
  const unsigned payload = m.address_length > 1 ? i.src[0].number + 1u : i.src[1].number;
  const auto words = lane_words(m.write ? payload : i.dst.number, m.elements, 1, m.high_half ? 4 : 0);
  const wave::MemoryAccess access{.space = place.space, .bytes = 4, .stride = 4};
  auto there = on & place.inside(e, 0, 4);
  if (m.write) return core.store_if(there, access, place.low, place.high, region32(core, words));
  if (i.dst.file == File::Null) return;
  auto loaded = core.load_if(there, access, place.low, place.high);
  if (place.bounded) loaded = select(there, loaded, core.u32(0));
  set_region32(core, words, on, loaded);
}

template <class A>
void call_send(A& e, const Instruction& i) {
  if constexpr (A::Core::recording) {
    e.core.call_instead();
  } else {
    SendCall call{e.core.wave, i};
    const uint32_t* a0 = &wave::word_of(e.core.wave, address_cell);
    call.descriptor = i.descriptor_in_register ? a0[0] : i.descriptor;
    call.extended = i.extended_descriptor_in_register ? a0[i.extended_descriptor % 8] : i.extended_descriptor;
    call.enabled = e.enabled(i).bits;
    call.probing = e.core.probing;
    if (call.enabled) run_send(call);
    if (call.fault != wave::FaultKind::None) return e.core.fault(call.fault, call.address, call.bytes, call.lane, call.reason);
    if (i.end_of_thread) e.core.stop(wave::Stop::End);
  }
}

template <class A>
void send(A& e, const Instruction& i) {
  const auto function = Sfid(i.function);
  if (is_fixed_function(function)) return call_send(e, i);
  if (i.end_of_thread) return e.core.stop(wave::Stop::End);
  if (function == Sfid::Gateway) {  // the only one that decodes is the barrier's
    if constexpr (A::Core::recording) {
      if (i.predicate || !i.no_mask) return e.core.call_instead();
      return e.core.signal_barrier();
    } else {
      if (e.enabled(i).bits) wave::signal(*e.core.wave.group);
      return;
    }
  }
  if constexpr (A::Core::recording)
    if (function == Sfid::Sampler && record_sampler_message(e, i)) return;
  DataMessage m;
  const bool data = function == Sfid::DataPort0 || function == Sfid::DataPort1 || function == Sfid::ConstantPort;
  if (!data || i.descriptor_in_register || read_data_message(function, i.descriptor, m)) return call_send(e, i);
  if (m.access == DataAccess::Fence) return;  // memory is what it is, and nobody reads what says that it was waited for
  LaneMessage lanes;
  if (lane_message(i, m, lanes)) return access_lanes(e, i, m, lanes);
  if (block_message(i, m)) return access_block(e, i, m);
  if constexpr (A::Core::recording)
    if (record_typed_message(e, i, m)) return;
  call_send(e, i);
}

}  // namespace Atoll::xe_lp
