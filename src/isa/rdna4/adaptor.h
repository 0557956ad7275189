// RDNA4's view of an engine: operands, modifiers and results by the fields of a decoded instruction. Semantics are written over
// this adaptor; it is the only place that knows how an operand number becomes a value. RDNA4 ISA 6.2, 7.2, 7.4, 7.9.
//
//   scalar sources   e.s32(i, n) e.s64(i, n) e.s64_signed(i, n) e.sf32(i, n) e.sf16(i, n)
//   lane sources     e.u32(i, n) e.u16(i, n) e.i16(i, n) e.u64(i, n) e.pair(i, n) e.f32(i, n) e.f16(i, n) e.f64(i, n)
//                    with NEG, ABS, OP_SEL and DPP applied (integers: only OP_SEL and DPP). A 16-bit source is a 32-bit value;
//                    f16 is an F32 that holds the half exactly
//   results          e.set_u32(i, x) e.set_u16(i, x) e.set_u64(i, x) e.set_pair(i, lo, hi) e.set_f32(i, x) e.set_f16(i, x)
//   e.set_f64(i, x)
//                    floats with OMOD and CLAMP; 16-bit ones keep the other half of the VGPR
//   masks            e.mask(operand) e.set_mask(operand, m) (inactive lanes become 0), e.set_exec(m)
//   scalar results   e.set_s32(i, x) e.set_s64(i, x) e.set_sf16(i, x) e.set_scalar_register(operand, x), e.scc() e.set_scc(c)
//   VGPRs by number  e.vgpr(n), e.set_vgpr(n, x)
// `e.core` is the engine itself (engine.h).
#pragma once
#include <type_traits>

#include "isa/rdna4/inline_constants.h"
#include "isa/rdna4/instruction.h"
#include "isa/rdna4/registers.h"
#include "wave/engine.h"

namespace Atoll::rdna4 {

template <class E>
struct Adaptor {
  using Core = E;
  using S1 = typename E::S1;
  using S32 = typename E::S32;
  using S64 = typename E::S64;
  using SF32 = typename E::SF32;
  using U32 = typename E::U32;
  using U64 = typename E::U64;
  using F32 = typename E::F32;
  using F64 = typename E::F64;
  using M = typename E::M;
  struct Pair {
    U32 low, high;
  };

  E& core;
  explicit Adaptor(E& engine) : core(engine) {}
  bool wave64() const { return core.wide; }

  // --- scalar sources -------------------------------------------------------------------------------------------------------
  // NULL's cell is always zero; the JIT had better know that it is.
  S32 scalar_register(uint32_t operand) {
    if (E::recording && operand == NULL_SGPR) return core.s32(0);
    return core.scalar(scalar_cell(operand));
  }
  S32 s32(const Instruction& i, int n) { return scalar_operand(i.src[n], i.literal); }
  S32 scalar_operand(uint32_t operand, uint32_t literal) {
    if (operand < 128) [[likely]]
      return scalar_register(operand);
    if (operand == LITERAL) return core.s32(literal);
    return constant_operand(core, operand);
  }
  // What is rare stays out of line, so that the common way through an instruction is short; it takes the engine and not the
  // adaptor, whose members can then live in registers.
  [[gnu::noinline]] static S32 constant_operand(E& core, uint32_t operand) {
    if (is_inline_integer(operand)) return core.s32(uint32_t(inline_integer(operand)));
    if (is_inline_float(operand)) return core.s32(inline_f32[operand - FLOAT_HALF]);
    return Adaptor(core).special(operand);
  }
  S32 special(uint32_t operand) {
    switch (operand) {
      case SRC_SCC: return core.scalar(scc_cell);
      case SRC_VCCZ: return select(mask_word_is_zero(VCC_LO), core.s32(1), core.s32(0));
      case SRC_EXECZ: return select(mask_word_is_zero(EXEC_LO), core.s32(1), core.s32(0));
      default: return low(special64(operand));
    }
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
  S1 mask_word_is_zero(uint32_t operand) {
    S32 word = scalar_register(operand);
    if (wave64()) word = word | scalar_register(operand + 1);
    return word == 0u;
  }
  S64 scalar_pair(uint32_t operand) {
    if (operand == NULL_SGPR) return core.s64(0);
    return join(scalar_register(operand), scalar_register(operand + 1));
  }
  // 64 bits; a literal is zero-extended, an inline integer sign-extended (RDNA4 ISA 6.2.1).
  S64 s64(const Instruction& i, int n) { return scalar_operand64(i.src[n], uint64_t(i.literal)); }
  S64 s64_signed(const Instruction& i, int n) { return scalar_operand64(i.src[n], uint64_t(int64_t(int32_t(i.literal)))); }
  S64 scalar_operand64(uint32_t operand, uint64_t literal) {
    if (operand < 128) return scalar_pair(operand);
    if (is_inline_integer(operand)) return core.s64(uint64_t(int64_t(inline_integer(operand))));
    if (is_inline_float(operand)) return core.s64(inline_f64[operand - FLOAT_HALF]);
    if (operand == LITERAL) return core.s64(literal);
    if (operand == SRC_SCC || operand == SRC_VCCZ || operand == SRC_EXECZ) return widen(special(operand));
    return special64(operand);
  }
  SF32 sf32(const Instruction& i, int n) { return as_f32(s32(i, n)); }
  // The half in the low bits of a scalar source.
  S32 s16(const Instruction& i, int n) {
    if (is_inline_float(i.src[n])) return core.s32(inline_f16[i.src[n] - FLOAT_HALF]);
    return s32(i, n) & 0xffffu;
  }
  SF32 sf16(const Instruction& i, int n) { return sf16_of(s16(i, n)); }
  SF32 sf16_of(S32 half) {
    if (core.float_mode().flush_in64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return cvt_f32_f16(half);
  }

  // --- lane sources ---------------------------------------------------------------------------------------------------------
  U32 vgpr(uint32_t n) { return core.lanes(vgpr_cell(n, wave64())); }
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
  U32 u32(const Instruction& i, int n) {
    uint32_t operand = i.src[n];
    if (operand >= VGPR0) return source_vgpr(i, n, operand - VGPR0);
    return core.splat(scalar_operand(operand, i.literal));
  }
  Pair pair(const Instruction& i, int n) { return pair_of(i, n, uint64_t(i.literal)); }
  Pair pair_of(const Instruction& i, int n, uint64_t literal) {
    uint32_t operand = i.src[n];
    if (operand >= VGPR0) return {source_vgpr(i, n, operand - VGPR0), source_vgpr(i, n, operand - VGPR0 + 1)};
    S64 s = scalar_operand64(operand, literal);
    return {core.splat(low(s)), core.splat(high(s))};
  }
  Pair signed_pair(const Instruction& i, int n) { return pair_of(i, n, uint64_t(int64_t(int32_t(i.literal)))); }
  U64 u64(const Instruction& i, int n) {
    Pair p = pair(i, n);
    return join(p.low, p.high);
  }
  F32 f32(const Instruction& i, int n) { return modified(i, n, as_f32(u32(i, n))); }
  F64 f64(const Instruction& i, int n) {
    Pair p = pair_of(i, n, uint64_t(i.literal) << 32);  // a literal is the high half (RDNA4 ISA 7.2.2)
    return modified(i, n, as_f64(join(p.low, p.high)));
  }
  template <class F>
  F modified(const Instruction& i, int n, F x) {
    if ((i.abs | i.neg) >> n & 1) [[unlikely]] {
      asm volatile("");  // a branch, not both results and a choice: most instructions have no modifier
      if (i.abs >> n & 1) x = fabs(x);
      if (i.neg >> n & 1) x = -x;
    }
    return x;
  }
  // 16 bits, zero-extended; OP_SEL picks the half of a register.
  U32 u16(const Instruction& i, int n) {
    uint32_t operand = i.src[n];
    if (is_inline_float(operand)) return core.u32(inline_f16[operand - FLOAT_HALF]);
    U32 x = u32(i, n);
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
  F32 f16(const Instruction& i, int n) { return modified(i, n, f16_of(u16(i, n))); }
  // The half in the low 16 bits as an F32, denormals flushed when MODE says so.
  template <class U>
  auto f16_of(U half) {
    if (core.float_mode().flush_in64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return cvt_f32_f16(half);
  }

  // --- lane results ---------------------------------------------------------------------------------------------------------
  void set_vgpr(uint32_t n, U32 x) { core.set_lanes_if(enabled, vgpr_cell(n, wave64()), x); }
  void set_u32(const Instruction& i, U32 x) { set_vgpr(i.dst, x); }
  void set_u16(const Instruction& i, U32 x) {
    U32 old = vgpr(i.dst);
    set_vgpr(i.dst, i.op_sel & 8 ? (old & 0xffffu) | x << 16 : (old & 0xffff0000u) | (x & 0xffffu));
  }
  void set_pair(const Instruction& i, U32 lo, U32 hi) {
    set_vgpr(i.dst, lo);
    set_vgpr(i.dst + 1u, hi);
  }
  void set_u64(const Instruction& i, U64 x) { set_pair(i, low(x), high(x)); }
  void set_f32(const Instruction& i, F32 x) { set_vgpr(i.dst, as_u32(output_modified(i, x))); }
  void set_f64(const Instruction& i, F64 x) { set_u64(i, as_u64(output_modified(i, x))); }
  // `x` is exact, or such that rounding it once more is harmless (semantics/half.h); rounded to a half here.
  void set_f16(const Instruction& i, F32 x) { set_u16(i, half_scaled(i, half_of(output_modified(i, x)))); }
  // A result that is one of the operands: denormals stay whatever MODE says (min, max, med).
  void set_f16_selected(const Instruction& i, F32 x) { set_u16(i, half_scaled(i, cvt_f16_f32(output_modified(i, x)))); }
  template <class F>
  auto half_of(F x) {
    auto half = cvt_f16_f32(x);
    if (core.float_mode().flush_out64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return half;
  }
  template <class U>
  U half_scaled(const Instruction& i, U half) {
    return i.omod ? select((half & 0x7c00u) != 0u, half, 0) : half;
  }
  // OMOD then CLAMP (RDNA4 ISA 7.2.3). OMOD makes +0 of denormals and of -0; clamping gives +0 for NaN and for -0.
  template <class F>
  F output_modified(const Instruction& i, F x) {
    if (!(i.omod | i.clamp)) [[likely]]
      return x;
    if (i.omod) {
      x = x * (i.omod == 1 ? 2.0f : i.omod == 2 ? 4.0f : 0.5f);
      constexpr bool is_double = std::is_same_v<F, F64> || std::is_same_v<F, typename E::SF64>;
      x = select(~(fabs(x) < (is_double ? 0x1p-1022 : 0x1p-126)), x, 0);
    }
    if (i.clamp) x = clamped(x);
    return x;
  }
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
  // Writes of trap registers are dropped outside of the trap handler (RDNA4 ISA 3.3.1.3), where waves here always are.
  void set_scalar_register(uint32_t operand, S32 x) {
    if (operand < TTMP0 || operand > NULL_SGPR) core.set_scalar(scalar_cell(operand), x);
  }
  void set_scalar_pair(uint32_t operand, S64 x) {
    if (operand == NULL_SGPR) return;
    set_scalar_register(operand, low(x));
    set_scalar_register(operand + 1, high(x));
  }
  void set_s32(const Instruction& i, S32 x) { set_scalar_register(i.dst, x); }
  void set_s64(const Instruction& i, S64 x) { set_scalar_pair(i.dst, x); }
  // A half in the low bits, zeros above (RDNA4 ISA 6.8).
  void set_sf16(const Instruction& i, SF32 x) {
    S32 half = cvt_f16_f32(x);
    if (core.float_mode().flush_out64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    set_s32(i, half);
  }
  S1 scc() { return core.scalar(scc_cell) != 0u; }
  void set_scc(S1 c) { core.set_scalar(scc_cell, select(c, core.s32(1), core.s32(0))); }
  // A lane mask as a scalar: 32 or 64 bits by wave size (s_and_saveexec_b32/_b64 name their own width instead).
};

}  // namespace Atoll::rdna4
