// R5xx's view of an engine: a source's channel as a value, a half's results into registers and predicate bits.
//   e.operand(unit, n, channel)   operand n (A, B, C) of a unit with swizzle and modifiers, an F32
//   e.put(unit, channel, x)       OMOD, clamp, then every register and bit that the half writes in this channel
#pragma once
#include "isa/r500/decoded.h"
#include "isa/r500/registers.h"
#include "wave/engine.h"

namespace Atoll::r500 {

template <class E>
struct Adaptor {
  using Core = E;
  using U32 = typename E::U32;
  using F32 = typename E::F32;
  using F64 = typename E::F64;
  using M = typename E::M;

  E& core;
  ZeroRule zero_rule = ZeroRule::by_register;
  explicit Adaptor(E& engine) : core(engine) {}

  F32 operand(const Pair& p, bool alpha, int n, int channel) {
    const Half& h = alpha ? p.alpha : p.rgb;
    const Operand& o = h.operand[n];
    F32 x;
    if (is_quad(h.op) && n != 1) {
      x = as_f32(core.lanes(quad_cell(n == 0            ? QUAD_TOP_LEFT
                                      : h.op == Op::Mdh ? QUAD_TOP_RIGHT
                                                        : QUAD_BOTTOM_LEFT,
                                      uint32_t(channel))));
    } else {
      x = component(p, o.select, o.swizzle[alpha ? 0 : channel]);
    }
    if (o.modifiers & MOD_ABSOLUTE) x = fabs(x);
    if (o.modifiers & MOD_NEGATE) x = -x;
    return x;
  }
  F32 component(const Pair& p, uint8_t select, uint8_t swizzle) {
    if (swizzle == SWIZZLE_ZERO || swizzle == SWIZZLE_UNUSED) return core.f32(0.0f);
    if (swizzle == SWIZZLE_HALF) return core.f32(0.5f);
    if (swizzle == SWIZZLE_ONE) return core.f32(1.0f);
    const Slot* slots = p.slot[swizzle == SWIZZLE_A];
    if (select != SELECT_SRCP) return source(slots[select], swizzle);
    switch ((swizzle == SWIZZLE_A ? p.alpha : p.rgb).presubtract) {
      case PRESUBTRACT_1_2A0: return core.f32(1.0f) - source(slots[0], swizzle) * 2.0f;
      case PRESUBTRACT_A1_A0: return source(slots[1], swizzle) - source(slots[0], swizzle);
      case PRESUBTRACT_A1A0: return source(slots[1], swizzle) + source(slots[0], swizzle);
      default: return core.f32(1.0f) - source(slots[0], swizzle);
    }
  }
  F32 source(const Slot& s, uint8_t channel) {
    if (s.constant) return as_f32(core.splat(core.scalar(constant_cell(s.address, channel))));
    if (s.is_inline()) return core.f32(inline_value(s.address));
    return as_f32(core.lanes(temporary_cell(s.address, channel)));
  }
  // A * B of mad and of dot products; US_CONFIG.ZERO_TIMES_ANYTHING_EQUALS_ZERO is for them. Times 1, as most of Mesa's, needs no
  // multiplication.
  F32 product(const Pair& p, bool alpha, int channel) {
    const Half& h = alpha ? p.alpha : p.rgb;
    auto is_one = [&](int n) {
      return !is_quad(h.op) && h.operand[n].swizzle[alpha ? 0 : channel] == SWIZZLE_ONE && !(h.operand[n].modifiers & MOD_NEGATE);
    };
    if (is_one(0)) return operand(p, alpha, 1, channel);
    if (is_one(1)) return operand(p, alpha, 0, channel);
    F32 a = operand(p, alpha, 0, channel), b = operand(p, alpha, 1, channel);
    if (zero_rule == ZeroRule::off) return a * b;
    M neither = (a != 0) & (b != 0);
    if (zero_rule == ZeroRule::by_register) neither = neither | ((core.splat(core.scalar(config_cell)) & 2u) == 0u);
    return select(neither, a * b, core.f32(0.0f));
  }

  M predicate(const Half& h, int channel) {
    if (h.predicate == PREDICATE_NONE) return core.m(true);
    M p = core.mask(predicate_cell(h.predicate == PREDICATE_OWN ? uint32_t(channel) : uint32_t(h.predicate - PREDICATE_R)));
    return h.predicate_inverted ? ~p : p;
  }

  void put(const Pair& p, bool alpha, int channel, F32 x) {
    const Half& h = alpha ? p.alpha : p.rgb;
    uint32_t c = uint32_t(channel);
    bool mask = h.mask >> c & 1, extra = h.extra_mask >> c & 1, depth = alpha && p.depth;
    bool result = p.alu_result && c == (p.alu_result_alpha ? 3 : 0);
    if (!mask && !extra && !depth && !result) return;
    static constexpr float factors[] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f};
    if (h.omod != OMOD_NONE && h.omod != OMOD_EXACT) x = x * factors[h.omod];
    // Times 1 as well makes 0 of denormals and quiets NaNs, which matters where the operation has calculated nothing; the clamp
    // leaves neither. (Mesa's radeon_pair_translate.c, translate_omod.)
    if (h.omod == OMOD_NONE && !h.clamp && row_of(h.op).selects) x = standardised(x);
    if (h.clamp && h.omod != OMOD_EXACT) x = select(x > 0, select(x < 1, x, core.f32(1.0f)), core.f32(0.0f));  // NaN becomes 0
    M enabled = predicate(h, channel);
    if (mask) core.set_lanes_if(enabled, temporary_cell(h.destination, c), as_u32(x));
    if (extra && p.output) core.set_lanes_if(enabled, output_cell(h.target, c), as_u32(x));
    if (extra && !p.output) set_bits(predicate_cell(c), enabled & core.active(), compared(h.target, x));
    if (depth) core.set_lanes_if(enabled, depth_cell, as_u32(x));
    if (result) set_bits(alu_result_cell, core.active(), compared(p.alu_result_compare, x));
  }
  F32 standardised(F32 x) {
    U32 b = as_u32(x), size = b & 0x7fffffffu;
    b = select(size < 0x00800000u, b & 0x80000000u, b);
    return as_f32(select(size > 0x7f800000u, b | 0x00400000u, b));
  }
  void set_bits(uint32_t cell, M written, M value) {
    M old = core.mask(cell);
    core.set_mask(cell, (old & ~written) | (value & written));
  }
  M compared(uint8_t compare, F32 x) {
    switch (compare) {
      case COMPARE_EQ: return x == 0;
      case COMPARE_LT: return x < 0;
      case COMPARE_GE: return x >= 0;
      default: return x != 0;
    }
  }
};

}  // namespace Atoll::r500
