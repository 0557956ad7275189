// RDNA4's view of an engine: isa/amd/adaptor.h with DPP, halves, apertures and NULL. RDNA4 ISA 6.2, 6.10, 7.2, 7.4, 7.9.
//
//   scalar sources   e.s16(i, n) e.sf16(i, n)
//   lane sources     e.u16(i, n) e.i16(i, n) e.bits16(i, n) e.f16(i, n) with OP_SEL; all go through DPP.
//                    A 16-bit source is a 32-bit value; f16 is an F32 that holds the half exactly
//   results          e.set_u16(i, x) e.set_f16(i, x) e.set_f16_narrowed(i, x) e.set_f16_selected(i, x): they keep
//                    the other half of the VGPR; e.set_sf16(i, x)
//
#pragma once
#include <limits>

#include "isa/amd/adaptor.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/registers.h"

namespace Atoll::rdna4 {

template <class E>
struct Adaptor : amd::Adaptor<Adaptor<E>, E, Instruction> {
  using Base = amd::Adaptor<Adaptor<E>, E, Instruction>;
  using Base::core;
  using Base::vgpr;
  using typename Base::F32;
  using typename Base::F64;
  using typename Base::M;
  using typename Base::Pair;
  using typename Base::S32;
  using typename Base::S64;
  using typename Base::SF32;
  using typename Base::U32;
  explicit Adaptor(E& engine) : Base(engine) {}

  static constexpr uint32_t m0 = M0;
  // Semantics that serve Sea Islands as well give here what cards of gfx1201 do, where that is not the manual's (docs/errata.md).
  static constexpr bool as_gfx1201 = true;
  bool wave64() const { return core.wide; }
  static constexpr bool is_inline_float(uint32_t operand) { return rdna4::is_inline_float(operand); }
  // TTMPs belong to the trap handler; nothing writes NULL.
  bool is_guarded(uint32_t operand) const { return operand >= TTMP0 && operand < NULL_SGPR && !core.wave.privileged; }
  bool writable(uint32_t operand) const { return operand != NULL_SGPR && !is_guarded(operand); }

  // --- scalar sources -------------------------------------------------------------------------------------------------------
  // NULL's cell is always zero; the JIT had better know that it is.
  S32 scalar_register(uint32_t operand) {
    if (E::recording && operand == NULL_SGPR) return core.s32(0);
    return core.scalar(scalar_cell(operand));
  }
  S64 scalar_pair(uint32_t operand) {
    if (operand == NULL_SGPR) return core.s64(0);
    return Base::scalar_pair(operand);
  }
  S32 special(uint32_t operand) {
    if (operand == SRC_SCC || operand == SRC_VCCZ || operand == SRC_EXECZ) return this->condition_code(operand);
    return low(special64(operand));
  }
  // Apertures (RDNA4 ISA 6.10): the base is the high half, the limit the last byte of 4 GiB.
  S64 special64(uint32_t operand) {
    switch (operand) {
      case SHARED_BASE: return core.s64(uint64_t(core.wave.flat_shared_high) << 32);
      case SHARED_LIMIT: return core.s64(uint64_t(core.wave.flat_shared_high) << 32 | 0xffffffffu);
      case PRIVATE_BASE: return core.s64(uint64_t(core.wave.flat_private_high) << 32);
      case PRIVATE_LIMIT: return core.s64(uint64_t(core.wave.flat_private_high) << 32 | 0xffffffffu);
      default: core.illegal("source operand of no meaning"); return core.s64(0);
    }
  }
  // SIMM16, sign-extended.
  S32 immediate(const Instruction& i) { return core.s32(uint32_t(i.immediate)); }
  // The half in the low bits of a scalar source.
  S32 s16(const Instruction& i, int n) {
    if (is_inline_float(i.src[n])) return core.s32(inline_f16[i.src[n] - FLOAT_HALF]);
    return this->s32(i, n) & 0xffffu;
  }
  SF32 sf16(const Instruction& i, int n) { return sf16_of(s16(i, n)); }
  SF32 sf16_of(S32 half) {
    if (core.float_mode().flush_in64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return cvt_f32_f16(half);
  }

  // --- lane sources ---------------------------------------------------------------------------------------------------------
  // Source 0 goes through DPP when the instruction has it; lanes that then must not be written fall out of `enabled`.
  M enabled = core.m(true);
  U32 source_vgpr(const Instruction& i, int n, uint32_t vgpr_number) {
    if (n == 0 && i.dpp != Dpp::None) [[unlikely]] {
      Moved moved = dpp(core, i, vgpr_number);
      enabled = enabled & moved.written;
      return moved.value;
    }
    return vgpr(vgpr_number);
  }
  struct Moved {
    U32 value;
    M written;
  };
  [[gnu::noinline]] static Moved dpp(E& core, const Instruction& i, uint32_t vgpr_number);  // dpp.h
  // 16 bits, zero-extended; OP_SEL picks the half of a register.
  U32 u16(const Instruction& i, int n) {
    uint32_t operand = i.src[n];
    if (is_inline_float(operand)) return core.u32(inline_f16[operand - FLOAT_HALF]);
    U32 x = this->u32(i, n);
    return i.op_sel >> n & 1 ? x >> 16 : x & 0xffffu;
  }
  U32 i16(const Instruction& i, int n) { return ashr(u16(i, n) << 16, 16); }
  // 16 bits that are only moved, with a half's modifiers: no NaN becomes quiet and no denormal zero.
  U32 bits16(const Instruction& i, int n) {
    U32 x = u16(i, n);
    if (i.abs >> n & 1) x = x & 0x7fffu;
    if (i.neg >> n & 1) x = x ^ 0x8000u;
    return x;
  }
  F32 f16(const Instruction& i, int n) { return this->modified(i, n, f16_of(u16(i, n))); }
  // The half in the low 16 bits as an F32, denormals flushed when MODE says so.
  template <class U>
  auto f16_of(U half) {
    if (core.float_mode().flush_in64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return cvt_f32_f16(half);
  }
  // The count of v_align* is a 16-bit operand: OPSEL picks its half (RDNA4 ISA 7.2.2.3, table 35).
  U32 align_count(const Instruction& i, U32 c) { return i.op_sel & 4 ? c >> 16 : c; }

  // --- lane results ---------------------------------------------------------------------------------------------------------
  // OMOD, then CLAMP, of a result that has its type: rounded, held and flushed as MODE says. Scaling moves the exponent alone. A
  // value below the normal numbers is +0, whatever its sign; one that halving makes too small keeps its sign; one that is too
  // large follows the mode's rounding; infinities and NaNs pass. Captured on gfx1201: docs/errata.md, F10. (A half's:
  // half_modified.)
  template <class F>
  F output_modified(const Instruction& i, F x) {
    if (!(i.omod | i.clamp)) [[likely]]
      return x;
    if (i.omod) x = scaled(i, x);
    if (i.clamp) x = clamped(x);
    return x;
  }
  template <class F>
  F scaled(const Instruction& i, F x) {
    constexpr bool is_double = std::is_same_v<F, F64> || std::is_same_v<F, typename E::SF64>;
    constexpr double least = is_double ? 0x1p-1022 : 0x1p-126, end = is_double ? 0x1p1023 : 0x1p127;
    const auto& mode = core.float_mode();
    const wave::Rounding rounding = is_double ? mode.round64 : mode.round32;
    F result = x * (i.omod == 1 ? 2.0f : i.omod == 2 ? 4.0f : 0.5f);
    if (i.omod == 3) {
      result = select(fabs(x) < 2 * least, x * 0.0f, result);
    } else if (rounding != wave::Rounding::NearestEven) {  // (the host may have another mode)
      constexpr double largest = is_double ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
      constexpr double infinity = std::numeric_limits<double>::infinity();
      auto beyond = (fabs(x) >= end / (i.omod == 1 ? 1 : 2)) & (fabs(x) <= largest);
      result = select(~(beyond & (x > 0)), result, rounding == wave::Rounding::Up ? infinity : largest);
      result = select(~(beyond & (x < 0)), result, rounding == wave::Rounding::Down ? -infinity : -largest);
    }
    return select(~(fabs(x) < least), result, 0);
  }
  void set_f32(const Instruction& i, F32 x) { set_vgpr(i.dst, as_u32(output_modified(i, x))); }
  void set_f64(const Instruction& i, F64 x) { this->set_u64(i, as_u64(output_modified(i, x))); }
  void set_vgpr(uint32_t n, U32 x) { core.set_lanes_if(enabled, vgpr_cell(n, wave64()), x); }
  void set_u16(const Instruction& i, U32 x) {
    U32 old = vgpr(i.dst);
    set_vgpr(i.dst, i.op_sel & 8 ? (old & 0xffffu) | x << 16 : (old & 0xffff0000u) | (x & 0xffffu));
  }
  // `x` is exact, or such that rounding it once more is harmless (semantics/half.h); rounded to a half here.
  void set_f16(const Instruction& i, F32 x) { set_u16(i, half_result(i, x)); }
  // The same where MODE flushes by what the result is with all its bits (docs/errata.md, F15).
  void set_f16_narrowed(const Instruction& i, F32 x) { set_u16(i, half_modified(i, x, narrowed_half(x))); }
  // A result that is one of the operands: denormals stay whatever MODE says (min, max, med).
  void set_f16_selected(const Instruction& i, F32 x) { set_u16(i, half_modified(i, x, cvt_f16_f32(x))); }
  template <class F>
  auto half_result(const Instruction& i, F x) {
    return half_modified(i, x, half_of(x));
  }
  // The half that `x` was rounded to, or with MODE.FP16_OVFL the largest one if only rounding made an infinity (RDNA4 ISA 3.4.3).
  template <class F, class U>
  U held(F x, U half) {
    if (!core.float_mode().clamp_halves) return half;
    auto overflowed = (fabs(x) <= 0x1.fffffep127f) & ((half & 0x7fffu) == 0x7c00u);
    return select(overflowed, (half & 0x8000u) | 0x7bffu, half);
  }
  template <class F>
  auto half_of(F x) {
    auto half = held(x, cvt_f16_f32(x));
    if (core.float_mode().flush_out64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return half;
  }
  template <class F>
  auto narrowed_half(F x) {
    auto half = half_of(x);
    return core.float_mode().flush_out64 ? select(is_tiny_half(x), half & 0x8000u, half) : half;
  }
  // True if `x`, rounded to a half's 11 bits with an exponent of any size, is below the normal halves.
  template <class F>
  auto is_tiny_half(F x) {
    return amd::is_tiny(x, core.float_mode().round64, 0x1.ffcp-15, 0x1.ffep-15, 0x1p-14);
  }
  // OMOD and CLAMP of a half that `x` was rounded to: output_modified() by its bits. FP16_OVFL holds what scaling makes too large.
  template <class F, class U>
  U half_modified(const Instruction& i, F x, U half) {
    if (!(i.omod | i.clamp)) [[likely]]
      return half;
    if (i.omod) {
      U sign = half & 0x8000u, exponent = half & 0x7c00u, scaled = half;
      if (i.omod == 3) {
        scaled = select(exponent == 0x400u, sign, half - 0x400u);
      } else {
        const auto& mode = core.float_mode();
        const uint32_t steps = uint32_t(i.omod) << 10;
        U beyond = sign | (mode.clamp_halves || mode.round64 == wave::Rounding::TowardZero ? 0x7bffu : 0x7c00u);
        if (!mode.clamp_halves && mode.round64 == wave::Rounding::Up) beyond = beyond - (sign >> 15);
        if (!mode.clamp_halves && mode.round64 == wave::Rounding::Down) beyond = beyond - ((sign ^ 0x8000u) >> 15);
        scaled = select(exponent >= 0x7c00u - steps, beyond, half + steps);
      }
      scaled = select((exponent == 0u) | is_tiny_half(x), sign ^ sign, scaled);
      half = select(exponent == 0x7c00u, half, scaled);
    }
    if (i.clamp) half = select((half & 0x8000u) != 0u, half ^ half, select(half > 0x3c00u, clamped_above(half), half));
    return half;
  }
  // 1 of a number above it, 0 of a NaN.
  template <class U>
  U clamped_above(U half) {
    return select(half > 0x7c00u, half ^ half, (half ^ half) | 0x3c00u);
  }
  // +0 for NaN and for -0 (RDNA4 ISA 7.2.3).
  template <class F>
  F clamped(F x) {
    return select(x > 0, select(x < 1, x, 1), 0);
  }

  // --- masks ----------------------------------------------------------------------------------------------------------------
  M mask(uint32_t operand) {
    if (operand < 128 && operand != NULL_SGPR) return core.mask(scalar_cell(operand));
    if (is_inline_integer(operand) && (inline_integer(operand) == 0 || inline_integer(operand) == -1))
      return core.m(inline_integer(operand) != 0);
    if (operand == NULL_SGPR) return core.m(false);
    core.illegal("lane mask from an operand that is no register");
    return core.m(false);
  }
  void set_mask(uint32_t operand, M m) {
    if (operand != NULL_SGPR) core.set_mask(scalar_cell(operand), m & core.active() & enabled);
  }

  // --- scalar results -------------------------------------------------------------------------------------------------------
  void set_scalar_pair(uint32_t operand, S64 x) {
    if (operand != NULL_SGPR) Base::set_scalar_pair(operand, x);
  }
  // A half in the low bits, zeros above (RDNA4 ISA 6.8).
  void set_sf16(const Instruction& i, SF32 x) {
    S32 half = cvt_f16_f32(x);
    if (core.float_mode().flush_out64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    this->set_s32(i, half);
  }
};

}  // namespace Atoll::rdna4
