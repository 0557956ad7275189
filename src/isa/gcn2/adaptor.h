// Sea Islands' view of an engine: isa/amd/adaptor.h with this GPU's registers and special sources. Waves have 64 lanes.
// Sea Islands register guide section 4 (SRC0, SDST).
#pragma once
#include "isa/amd/adaptor.h"
#include "isa/gcn2/instruction.h"
#include "isa/gcn2/registers.h"

namespace Atoll::gcn2 {

template <class E>
struct Adaptor : amd::Adaptor<Adaptor<E>, E, Instruction> {
  using Base = amd::Adaptor<Adaptor<E>, E, Instruction>;
  using Base::core;
  using typename Base::F32;
  using typename Base::M;
  using typename Base::S32;
  using typename Base::S64;
  using typename Base::U32;
  explicit Adaptor(E& engine) : Base(engine) {}

  static constexpr uint32_t m0 = M0;
  static constexpr bool wave64() { return true; }
  static constexpr bool is_inline_float(uint32_t operand) { return operand >= FLOAT_HALF && operand <= FLOAT_MINUS_4; }
  // TBA, TMA and TTMP0-11 belong to the trap handler.
  static constexpr bool is_trap_register(uint32_t operand) { return operand >= TBA_LO && operand < M0; }
  static constexpr bool writable(uint32_t operand) { return operand < kScalarCount && !is_trap_register(operand); }

  S32 scalar_register(uint32_t operand) { return core.scalar(scalar_cell(operand)); }
  S32 special(uint32_t operand) {
    if (operand == SRC_SCC || operand == SRC_VCCZ || operand == SRC_EXECZ) return this->condition_code(operand);
    core.illegal("source operand of no meaning");
    return core.s32(0);
  }
  S64 special64(uint32_t operand) { return widen(special(operand)); }

  // Source 0 of vector instructions may be LDS_DIRECT: the value at byte M0[15:0] of LDS for all lanes, of the type M0[18:16]
  // (unsigned and signed bytes and shorts, dword: Southern Islands ISA, "LDS Direct Read").
  U32 u32(const Instruction& i, int n) {
    if (i.src[n] == LDS_DIRECT) [[unlikely]]
      return lds_direct(core);
    return Base::u32(i, n);
  }
  F32 f32(const Instruction& i, int n) { return this->modified(i, n, as_f32(u32(i, n))); }
  [[gnu::noinline]] static U32 lds_direct(E& core) {
    S32 place = core.scalar(scalar_cell(M0)), type = place >> 16 & 7u;
    U32 address = core.splat(place & 0xffffu), zero = core.u32(0);
    U32 word = core.load({.space = wave::Space::Lds, .stride = 0}, address & ~3u, zero) >> ((address & 3u) << 3);
    auto is = [&](uint32_t n) { return core.splat(type) == n; };
    return select(is(0), word & 0xffu,
                  select(is(1), word & 0xffffu, select(is(4), ashr(word << 24, 24), select(is(5), ashr(word << 16, 16), word))));
  }
  U32 source_vgpr(const Instruction&, int, uint32_t vgpr_number) { return this->vgpr(vgpr_number); }
  void set_vgpr(uint32_t n, U32 x) { core.set_lanes(vgpr_cell(n), x); }
  // Without DX10_CLAMP a NaN passes (Southern Islands ISA, MODE register).
  template <class F>
  F clamped(F x) {
    auto held = select(x > 0, select(x < 1, x, 1), 0);
    auto mode = core.scalar(mode_cell) & uint32_t(MODE_DX10_CLAMP);
    return select(isnan(x) & (core.splat(mode) == 0u), x, held);
  }

  M mask(uint32_t operand) {
    if (operand < kScalarCount) return core.mask(scalar_cell(operand));
    if (amd::is_inline_integer(operand) && (amd::inline_integer(operand) == 0 || amd::inline_integer(operand) == -1))
      return core.m(amd::inline_integer(operand) != 0);
    core.illegal("lane mask from an operand that is no register");
    return core.m(false);
  }
  void set_mask(uint32_t operand, M m) {
    if (writable(operand)) core.set_mask(scalar_cell(operand), m & core.active());
  }
};

}  // namespace Atoll::gcn2
