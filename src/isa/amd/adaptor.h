// AMD's view of an engine: operands, modifiers and results by the fields of a decoded instruction. Semantics are written over an
// adaptor; it is the only place that knows how an operand number becomes a value. This is the part that the instruction sets
// share; each derives its own (`Self`) with what differs. Sea Islands register guide section 4; RDNA4 ISA 6.2, 7.2, 7.4.
//
//   scalar sources   e.s32(i, n) e.s64(i, n) e.s64_signed(i, n) e.sf32(i, n)
//   lane sources     e.u32(i, n) e.u64(i, n) e.pair(i, n) e.f32(i, n) e.f64(i, n) with NEG and ABS applied to floats
//   results          e.set_u32(i, x) e.set_u64(i, x) e.set_pair(i, lo, hi); Self has e.set_f32(i, x) e.set_f64(i, x), with OMOD and CLAMP
//   masks            e.mask(operand) e.set_mask(operand, m) (inactive lanes become 0)
//   scalar results   e.set_s32(i, x) e.set_s64(i, x) e.set_scalar_register(operand, x), e.scc() e.set_scc(c)
//   VGPRs by number  e.vgpr(n), e.set_vgpr(n, x)
// `e.core` is the engine itself (engine.h). Self provides
//   using Instruction; wave64(); scalar_register(operand); special(operand), special64(operand): sources that are neither
//   registers nor constants; source_vgpr(i, n, vgpr); set_vgpr(n, x); writable(operand); clamped(x); is_inline_float(operand);
//   mask(operand), set_mask(operand, m)
#pragma once
#include <type_traits>

#include "isa/amd/inline_constants.h"
#include "isa/amd/registers.h"
#include "wave/engine.h"
#include "wave/float_mode.h"

namespace Atoll::amd {

// True if `x`, rounded with an exponent of any size, is below the normal numbers of a type: `least` is the first of those, `last` the number
// with all bits before it, `middle` stands between the two.
template <class F>
auto is_tiny(F x, wave::Rounding rounding, double last, double middle, double least) {
  switch (rounding) {
    case wave::Rounding::Up: return (x <= last) & (x > -least);
    case wave::Rounding::Down: return (x >= -last) & (x < least);
    case wave::Rounding::TowardZero: return fabs(x) < least;
    default: return fabs(x) < middle;
  }
}
template <class Self, class E, class I>
struct Adaptor {
  using Core = E;
  using Instruction = I;
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
  Self& self() { return static_cast<Self&>(*this); }

  // --- scalar sources -------------------------------------------------------------------------------------------------------
  S32 s32(const I& i, int n) { return scalar_operand(i.src[n], i.literal); }
  S32 scalar_operand(uint32_t operand, uint32_t literal) {
    if (operand < kScalarCount) [[likely]]
      return self().scalar_register(operand);
    if (operand == LITERAL) return core.s32(literal);
    return constant_operand(core, operand);
  }
  // Rare cases stay out of line, so that the common path through an instruction is short. They take the engine and not the adaptor,
  // whose members can then live in registers.
  [[gnu::noinline]] static S32 constant_operand(E& core, uint32_t operand) {
    if (is_inline_integer(operand)) return core.s32(uint32_t(inline_integer(operand)));
    if (Self::is_inline_float(operand)) return core.s32(inline_f32[operand - FLOAT_HALF]);
    return Self(core).special(operand);
  }
  // SCC, VCCZ, EXECZ.
  S32 condition_code(uint32_t operand) {
    if (operand == SRC_SCC) return core.scalar(scc_cell);
    return select(mask_word_is_zero(operand == SRC_VCCZ ? VCC_LO : EXEC_LO), core.s32(1), core.s32(0));
  }
  S1 mask_word_is_zero(uint32_t operand) {
    S32 word = self().scalar_register(operand);
    if (self().wave64()) word = word | self().scalar_register(operand + 1);
    return word == 0u;
  }
  S64 scalar_pair(uint32_t operand) { return join(self().scalar_register(operand), self().scalar_register(operand + 1)); }
  // 64 bits; a literal is zero-extended, an inline integer sign-extended (RDNA4 ISA 6.2.1).
  S64 s64(const I& i, int n) { return scalar_operand64(i.src[n], uint64_t(i.literal)); }
  S64 s64_signed(const I& i, int n) { return scalar_operand64(i.src[n], uint64_t(int64_t(int32_t(i.literal)))); }
  S64 scalar_operand64(uint32_t operand, uint64_t literal) {
    if (operand < kScalarCount) return self().scalar_pair(operand);
    if (is_inline_integer(operand)) return core.s64(uint64_t(int64_t(inline_integer(operand))));
    if (Self::is_inline_float(operand)) return core.s64(inline_f64[operand - FLOAT_HALF]);
    if (operand == LITERAL) return core.s64(literal);
    if (operand == SRC_SCC || operand == SRC_VCCZ || operand == SRC_EXECZ) return widen(self().special(operand));
    return self().special64(operand);
  }
  SF32 sf32(const I& i, int n) { return as_f32(s32(i, n)); }

  // --- lane sources ---------------------------------------------------------------------------------------------------------
  U32 vgpr(uint32_t n) { return core.lanes(vgpr_cell(n, self().wave64())); }
  U32 u32(const I& i, int n) {
    uint32_t operand = i.src[n];
    if (operand >= VGPR0) return self().source_vgpr(i, n, operand - VGPR0);
    return core.splat(scalar_operand(operand, i.literal));
  }
  Pair pair(const I& i, int n) { return pair_of(i, n, uint64_t(i.literal)); }
  Pair pair_of(const I& i, int n, uint64_t literal) {
    uint32_t operand = i.src[n];
    if (operand >= VGPR0) return {self().source_vgpr(i, n, operand - VGPR0), self().source_vgpr(i, n, operand - VGPR0 + 1)};
    S64 s = scalar_operand64(operand, literal);
    return {core.splat(low(s)), core.splat(high(s))};
  }
  Pair signed_pair(const I& i, int n) { return pair_of(i, n, uint64_t(int64_t(int32_t(i.literal)))); }
  U64 u64(const I& i, int n) {
    Pair p = pair(i, n);
    return join(p.low, p.high);
  }
  F32 f32(const I& i, int n) { return modified(i, n, as_f32(u32(i, n))); }
  F64 f64(const I& i, int n) {
    Pair p = pair_of(i, n, uint64_t(i.literal) << 32);  // a literal is the high half (RDNA4 ISA 7.2.2)
    return modified(i, n, as_f64(join(p.low, p.high)));
  }
  template <class F>
  F modified(const I& i, int n, F x) {
    if ((i.abs | i.neg) >> n & 1) [[unlikely]] {
      asm volatile("");  // a branch, not both results and a choice: most instructions have no modifier
      if (i.abs >> n & 1) x = fabs(x);
      if (i.neg >> n & 1) x = -x;
    }
    return x;
  }

  // --- lane results ---------------------------------------------------------------------------------------------------------
  void set_u32(const I& i, U32 x) { self().set_vgpr(i.dst, x); }
  void set_pair(const I& i, U32 lo, U32 hi) {
    self().set_vgpr(i.dst, lo);
    self().set_vgpr(i.dst + 1u, hi);
  }
  void set_u64(const I& i, U64 x) { set_pair(i, low(x), high(x)); }

  // --- masks ----------------------------------------------------------------------------------------------------------------
  void set_comparison(const I& i, M m) { self().set_mask(i.sdst, m); }

  // --- scalar results -------------------------------------------------------------------------------------------------------
  // Writes of trap registers are dropped outside of the trap handler (RDNA4 ISA 3.3.1.3).
  void set_scalar_register(uint32_t operand, S32 x) {
    if (self().writable(operand)) core.set_scalar(scalar_cell(operand), x);
  }
  void set_scalar_pair(uint32_t operand, S64 x) {
    set_scalar_register(operand, low(x));
    set_scalar_register(operand + 1, high(x));
  }
  void set_s32(const I& i, S32 x) { self().set_scalar_register(i.dst, x); }
  void set_s64(const I& i, S64 x) { self().set_scalar_pair(i.dst, x); }
  S1 scc() { return core.scalar(scc_cell) != 0u; }
  void set_scc(S1 c) { core.set_scalar(scc_cell, select(c, core.s32(1), core.s32(0))); }
};

}  // namespace Atoll::amd
