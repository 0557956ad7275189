// Xe-LP's view of an engine: sources through their regions into f32 or integers of 32 or 64 bits, results into the destination's
// type, under the mask of the channels that are on. Lane l of every value is channel ChanOff + l. Everything is read before anything
// is written.
#pragma once
#include "isa/xe_lp/registers.h"
#include "isa/xe_lp/semantics/values.h"
#include "wave/byte_registers.h"

namespace Atoll::xe_lp {

template <class E>
struct Executed {
  using Core = E;
  using U32 = typename E::U32;
  using U64 = typename E::U64;
  using F32 = typename E::F32;
  using F64 = typename E::F64;
  using M = typename E::M;
  using S32 = typename E::S32;
  E& core;
  explicit Executed(E& engine) : core(engine) {}

  // --- which channels
  static constexpr uint32_t lanes_mask(const Instruction& i) { return i.lanes == 32 ? ~0u : (1u << i.lanes) - 1; }
  // The instruction's first flag among the 32 of its flag register.
  static constexpr int first_flag(const Instruction& i) { return (i.flag_half * 16 + i.channel) % 32; }

  // Bit l: what the predicate says of lane l.
  S32 predicate_word(const Instruction& i) {
    if (!i.predicate) return core.s32(~0u);
    constexpr unsigned each = 1, any_vertical = 2, all_vertical = 3, any_2 = 4;
    S32 flags = core.scalar(flag_cell(i.flag));
    if (i.predicate == any_vertical) flags = core.scalar(flag_cell(0)) | core.scalar(flag_cell(1));
    if (i.predicate == all_vertical) flags = core.scalar(flag_cell(0)) & core.scalar(flag_cell(1));
    if (i.predicate >= any_2) {  // any and all of 2, 4, 8, 16, 32: the first of each group gathers, then hands out
      const bool all = (i.predicate - any_2) % 2;
      const unsigned size = 2u << (i.predicate - any_2) / 2;
      const uint32_t group = size == 32 ? ~0u : (1u << size) - 1;
      if (all) flags = ~flags;
      for (unsigned n = 1; n < size; n *= 2) flags = flags | flags >> int(n);
      flags = (flags & ~0u / group) * group;
      if (all) flags = ~flags;
    }
    if (i.predicate != each || first_flag(i)) flags = flags >> first_flag(i);
    return i.predicate_inverted ? ~flags : flags;
  }
  S32 active_word(const Instruction& i) {
    if (i.no_mask) return core.s32(lanes_mask(i));
    S32 active = core.scalar(active_cell);
    if (i.channel) active = active >> int(i.channel);
    return active & lanes_mask(i);
  }
  // The lanes that the instruction writes: sel and csel do not mean their predicate so.
  S32 enabled_word(const Instruction& i) {
    S32 on = active_word(i);
    return i.predicate && i.op != Op::Sel ? on & predicate_word(i) : on;
  }
  M enabled(const Instruction& i) { return mask_of(core, enabled_word(i)); }
  M predicate(const Instruction& i) { return mask_of(core, predicate_word(i)); }

  // --- flags
  void set_flag(const Instruction& i, M on, M truth) {
    const uint32_t cell = flag_cell(i.flag), mask = lanes_mask(i);
    const int first = first_flag(i);
    S32 now = word_of(core, truth & on) & mask, changed = word_of(core, on) & mask;
    if (first) now = now << first, changed = changed << first;
    core.set_scalar(cell, (core.scalar(cell) & ~changed) | now);
  }

  // --- places
  wave::Region region(const Operand& o, uint8_t lanes, RegionShape shape) {
    wave::Region r;
    r.cell = cell_of(o.file) + byte_of(o);
    r.bytes = uint8_t(bytes_of(o.type));
    r.sign_extend = is_signed(o.type);
    r.lanes = lanes;
    r.width = shape.width, r.vertical = shape.vertical, r.horizontal = shape.horizontal;
    return r;
  }
  static wave::IndexedBytes window(const Operand& o, uint8_t lanes) {
    uint8_t bytes = uint8_t(bytes_of(o.type) == 8 ? 4 : bytes_of(o.type));
    return {grf_cell, kRegisters * kRegisterBytes, bytes, is_signed(o.type), lanes};
  }
  // The byte of an indirect operand's element for each lane: its row's address register, the offset, and the place in the row.
  U32 address(const Operand& o, uint8_t lanes, RegionShape shape) {
    wave::Region a{address_cell + o.number % 16 * 2u, 2, false, lanes, 0, 1, 0};
    const uint32_t width = shape.width ? shape.width : 1, bytes = bytes_of(o.type);
    if (shape.vertical == kVxH) a.vertical = 1, a.width = uint16_t(width);
    U32 byte = region32(core, a) + uint32_t(int32_t(o.offset));
    U32 lane = core.lane_id();
    if (shape.vertical == kVxH) return width == 1 ? byte : byte + (lane & (width - 1)) * (shape.horizontal * bytes);
    return byte + (lane >> int(std::countr_zero(width))) * (shape.vertical * bytes) +
           (lane & (width - 1)) * (shape.horizontal * bytes);
  }
  // Brings architecture registers up to date that are about to be read.
  void refresh(const Operand& o) {
    if (o.file == File::Ce) core.set_scalar(channel_enable_cell, core.scalar(active_cell));
    if (o.file == File::Ip)
      core.set_scalar(instruction_pointer_cell,
                      core.s32(uint32_t(core.pc())) - core.scalar(context_field(offsetof(ThreadContext, instruction_base))));
    if (o.file == File::Tm) {
      if constexpr (!E::recording) {
        uint64_t now = core.wave.environment->clock();
        core.set_scalar(timestamp_cell, core.s32(uint32_t(now)));
        core.set_scalar(timestamp_cell + 4, core.s32(uint32_t(now >> 32)));
      } else {
        core.call_instead();
      }
    }
  }

  // --- sources
  // Types of up to 32 bits are extended to 32 as the type says; of larger ones it is the low half.
  U32 bits(const Instruction& i, int n) {
    const Operand& o = i.src[n];
    if (bytes_of(o.type) == 8) return low(bits64(i, n));
    if (o.kind == Kind::Immediate) return immediate(i, o);
    if (o.file == File::Null) return core.u32(0);
    const RegionShape shape = shape_of(o, has_three_sources(i), unsigned(n));
    if (o.kind == Kind::Indirect) return indexed(core, window(o, i.lanes), address(o, i.lanes, shape));
    refresh(o);
    return region32(core, region(o, i.lanes, shape));
  }
  // The nibble of a vector of integers that a lane takes.
  U32 nibble(const Instruction& i, U32 word) { return word >> ((core.lane_id() * nibbles_apart(i) & 7u) << 2) & 15u; }
  U32 immediate(const Instruction& i, const Operand& o) {
    U32 word = core.u32(uint32_t(o.immediate));
    switch (o.type) {
      case Type::UB: return word & 0xffu;
      case Type::B: return core.u32(uint32_t(int32_t(int8_t(o.immediate))));
      case Type::UV: return nibble(i, word);
      case Type::V: return (nibble(i, word) ^ 8u) - 8u;
      case Type::VF: {  // sign, 3 bits of exponent (bias 3), 4 of fraction; 0 is 0
        U32 b = word >> ((core.lane_id() & 3u) << 3);
        U32 size = select((b & 0x7fu) == 0u, core.u32(0), ((b & 0x7fu) << 19) + (124u << 23));
        return (b & 0x80u) << 24 | size;
      }
      default: return word;
    }
  }
  U64 bits64(const Instruction& i, int n) {
    const Operand& o = i.src[n];
    if (bytes_of(o.type) < 8) return is_signed(o.type) || o.type == Type::V ? sign_widen(bits(i, n)) : widen(bits(i, n));
    if (o.kind == Kind::Immediate) return core.u64(o.immediate);
    if (o.file == File::Null) return core.u64(0);
    const RegionShape shape = shape_of(o, has_three_sources(i), unsigned(n));
    if (o.kind == Kind::Indirect) {
      U32 byte = address(o, i.lanes, shape);
      return join(indexed(core, window(o, i.lanes), byte), indexed(core, window(o, i.lanes), byte + 4u));
    }
    refresh(o);
    return region64(core, region(o, i.lanes, shape));
  }
  // Integers with their modifiers: exact in 64 bits, or modulo 2^32.
  template <class V>
  V integer(const Instruction& i, int n) {
    V x = raw<V>(i, n);
    const uint8_t modifiers = i.src[n].modifiers;
    if (modifiers & MOD_ABSOLUTE && is_signed(i.src[n].type)) x = select(slt(x, 0), zero<V>() - x, x);
    if (modifiers & MOD_NEGATE) x = zero<V>() - x;
    return x;
  }
  template <class V>
  V raw(const Instruction& i, int n) {
    if constexpr (std::is_same_v<V, U64>)
      return bits64(i, n);
    else
      return bits(i, n);
  }
  template <class V>
  V zero() {
    return number<V>(0);
  }
  template <class V>
  V number(uint64_t x) {
    if constexpr (std::is_same_v<V, U64>)
      return core.u64(x);
    else
      return core.u32(uint32_t(x));
  }
  F32 real(const Instruction& i, int n) {
    const Operand& o = i.src[n];
    U32 x = bits(i, n);
    if (o.type == Type::HF) {
      if (core.float_mode().flush_in64 && flushes_halves(i)) x = flushed_half(x);
      x = as_u32(cvt_f32_f16(x));
    } else if (!is_float(o.type)) {
      x = as_u32(is_signed(o.type) || o.type == Type::V ? cvt_f32_s32(x) : cvt_f32_u32(x));
    }
    if (o.modifiers & MOD_ABSOLUTE) x = x & 0x7fffffffu;
    if (o.modifiers & MOD_NEGATE) x = x ^ 0x80000000u;
    if (o.type == Type::F && is_alternate(core.float_mode(), i) && i.op != Op::Math && !moves_bits(i)) x = finite(i, x);
    return as_f32(x);
  }
  // A float as the alternate mode takes it: fmax for an infinity, +0 for a NaN. The host's arithmetic takes denormals for zeros; what
  // is moved otherwise is no raw move and shows them as zeros too.
  U32 finite(const Instruction& i, U32 x) {
    U32 size = x & 0x7fffffffu;
    U32 number = largest_for_infinity(x);
    if (i.op == Op::Mov || i.op == Op::Sel || i.op == Op::Csel) number = select(size < 0x00800000u, x & 0x80000000u, number);
    return select(size > 0x7f800000u, core.u32(0), number);
  }
  U32 largest_for_infinity(U32 x) { return select((x & 0x7fffffffu) == 0x7f800000u, x - 1u, x); }
  U32 flushed_half(U32 x) { return select((x & 0x7c00u) == 0u, x & 0x8000u, x); }

  // --- destinations
  void put(const Instruction& i, M on, U32 x) { put(i, i.dst, on, x); }
  void put(const Instruction& i, const Operand& dst, M on, U32 x) {
    if (dst.file == File::Null || is_pause(dst)) return;  // (no time passes here)
    const RegionShape shape{dst.horizontal, 1, 0};
    if (dst.kind == Kind::Indirect) return set_indexed(core, window(dst, i.lanes), on, address(dst, i.lanes, shape), x);
    set_region32(core, region(dst, i.lanes, shape), on, x);
    if (dst.file != File::Cr) return;
    if constexpr (E::recording)
      core.jump_to(core.s64(core.next_pc()));  // code of another mode
    else
      core.mode_changed();
  }
  void put64(const Instruction& i, M on, U64 x) {
    if (i.dst.file == File::Null) return;
    const RegionShape shape{i.dst.horizontal, 1, 0};
    if (i.dst.kind == Kind::Indirect) {
      U32 byte = address(i.dst, i.lanes, shape);
      set_indexed(core, window(i.dst, i.lanes), on, byte, low(x));
      return set_indexed(core, window(i.dst, i.lanes), on, byte + 4u, high(x));
    }
    set_region64(core, region(i.dst, i.lanes, shape), on, x);
  }
  // The upper half of what integer accumulators hold of a dword.
  void put_high(const Instruction& i, const Operand& accumulator, M on, U32 x) {
    wave::Region r = region(accumulator, i.lanes, {accumulator.horizontal, 1, 0});
    r.cell += accumulator_high_cell - accumulator_cell;
    set_region32(core, r, on, x);
  }
  static bool holds_high(const Operand& o) {
    return o.kind == Kind::Direct && (o.file == File::Acc || o.file == File::Mme) && (o.type == Type::D || o.type == Type::UD);
  }
  // The accumulator that mac, mach, addc, subb and AccWrEn mean without naming it: an element a lane from acc0 on.
  static Operand implicit_accumulator(Type type) {
    Operand o;
    o.kind = Kind::Direct, o.file = File::Acc, o.type = type, o.horizontal = 1, o.vertical = 1, o.width = 1;
    return o;
  }
  U64 accumulator(const Instruction& i, Type type) {
    const Operand o = implicit_accumulator(type);
    wave::Region r = region(o, i.lanes, {1, 1, 0});
    U32 word = region32(core, r);
    if (!holds_high(o)) return is_signed(type) ? sign_widen(word) : widen(word);
    r.cell += accumulator_high_cell - accumulator_cell;
    return join(word, region32(core, r));
  }
};

}  // namespace Atoll::xe_lp
