// Sea Islands' view of an engine: isa/amd/adaptor.h with this GPU's registers and special sources. Waves have 64 lanes.
// Sea Islands register guide section 4 (SRC0, SDST).
#pragma once
#include "isa/amd/adaptor.h"
#include "isa/gfx7/instruction.h"
#include "isa/gfx7/registers.h"

namespace Atoll::gfx7 {

template <class E>
struct Adaptor : amd::Adaptor<Adaptor<E>, E, Instruction> {
  using Base = amd::Adaptor<Adaptor<E>, E, Instruction>;
  using Base::core;
  using typename Base::F32;
  using typename Base::F64;
  using typename Base::M;
  using typename Base::S32;
  using typename Base::S64;
  using typename Base::U32;
  explicit Adaptor(E& engine) : Base(engine) {}

  static constexpr uint32_t m0 = M0;
  static constexpr bool as_gfx1201 = false;
  static constexpr bool wave64() { return true; }
  static constexpr bool is_inline_float(uint32_t operand) { return gfx7::is_inline_float(operand); }
  // TBA, TMA and TTMP0-11 belong to the trap handler.
  bool is_guarded(uint32_t operand) const { return operand >= TBA_LO && operand < M0 && !core.wave.privileged; }
  bool writable(uint32_t operand) const { return operand < kScalarCount && !is_guarded(operand); }

  S32 scalar_register(uint32_t operand) { return core.scalar(scalar_cell(operand)); }
  S32 special(uint32_t operand) {
    if (operand == SRC_SCC || operand == SRC_VCCZ || operand == SRC_EXECZ) return this->condition_code(operand);
    core.illegal("source operand of no meaning");
    return core.s32(0);
  }
  S64 special64(uint32_t operand) { return widen(special(operand)); }

  // SIMM16, sign-extended.
  S32 immediate(const Instruction& i) { return core.s32(uint32_t(int32_t(int16_t(i.simm16)))); }

  // Source 0 of vector instructions may be LDS_DIRECT: the value at byte M0[15:0] of LDS for all lanes, of the type M0[18:16]
  // (unsigned and signed bytes and shorts, dword: Southern Islands ISA, "LDS Direct Read").
  U32 u32(const Instruction& i, int n) {
    uint32_t operand = i.src[n];
    if (operand >= VGPR0) return this->vgpr(operand - VGPR0);
    if (operand == LDS_DIRECT) [[unlikely]]
      return lds_direct(core);
    return core.splat(this->scalar_operand(operand, i.literal));
  }
  F32 f32(const Instruction& i, int n) { return this->modified(i, n, as_f32(u32(i, n))); }
  [[gnu::noinline]] static U32 lds_direct(E& core) {
    S32 place = core.scalar(scalar_cell(M0)), type = place >> 16 & 7u;
    U32 address = core.splat(place & 0xffffu), zero = core.u32(0);
    U32 word = core.load({.space = wave::Space::Lds}, address & ~3u, zero) >> ((address & 3u) << 3);
    auto is = [&](uint32_t n) { return core.splat(type) == n; };
    return select(is(0), word & 0xffu,
                  select(is(1), word & 0xffffu, select(is(4), ashr(word << 24, 24), select(is(5), ashr(word << 16, 16), word))));
  }
  // A half is the low 16 bits of a source, as an F32 that holds it exactly; denormals flushed when MODE says so.
  F32 f16(const Instruction& i, int n) {
    U32 half = is_inline_float(i.src[n]) ? core.u32(amd::inline_f16[i.src[n] - FLOAT_HALF]) : u32(i, n) & 0xffffu;
    if (core.float_mode().flush_in64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    return this->modified(i, n, cvt_f32_f16(half));
  }
  // Written as 32 bits, the upper ones 0.
  void set_f16(const Instruction& i, F32 x) {
    U32 half = cvt_f16_f32(output_modified(i, x));
    if (core.float_mode().flush_out64) half = select((half & 0x7c00u) == 0u, half & 0x8000u, half);
    this->set_u32(i, half);
  }
  static U32 align_count(const Instruction&, U32 count) { return count; }
  U32 source_vgpr(const Instruction&, int, uint32_t vgpr_number) { return this->vgpr(vgpr_number); }
  void set_vgpr(uint32_t n, U32 x) { core.set_lanes(vgpr_cell(n), x); }
  // Output modifiers do nothing where the mode keeps denormals in results, or with IEEE set (GCN3 ISA 6.2.2, "Output modifiers").
  template <class F>
  F output_modified(const Instruction& i, F x) {
    if (!(i.omod | i.clamp)) [[likely]]
      return x;
    const auto& mode = core.float_mode();
    constexpr bool is_double = std::is_same_v<F, typename Base::F64>;
    if (i.omod && (is_double ? mode.flush_out64 : mode.flush_out32)) {
      F scaled = x * (i.omod == 1 ? 2.0f : i.omod == 2 ? 4.0f : 0.5f);
      scaled = select(~(fabs(scaled) < (is_double ? 0x1p-1022 : 0x1p-126)), scaled, 0);
      x = select(mode_has(MODE_IEEE), x, scaled);
    }
    return i.clamp ? clamped(x) : x;
  }
  M mode_has(uint32_t bits) { return core.splat(core.scalar(mode_cell) & bits) != 0u; }
  void set_f32(const Instruction& i, F32 x) { set_vgpr(i.dst, as_u32(output_modified(i, x))); }
  void set_f64(const Instruction& i, F64 x) { this->set_u64(i, as_u64(output_modified(i, x))); }
  // Without DX10_CLAMP a NaN passes (Southern Islands ISA, MODE register).
  template <class F>
  F clamped(F x) {
    auto held = select(x > 0, select(x < 1, x, 1), 0);
    return select(isnan(x) & ~mode_has(MODE_DX10_CLAMP), x, held);
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
  // V_CMPX_* write EXEC besides their destination.
  void set_comparison(const Instruction& i, M m) {
    set_mask(i.sdst, m);
    if (i.opcode->has(Flag::WritesExec)) set_mask(EXEC_LO, m);
  }
};

}  // namespace Atoll::gfx7
