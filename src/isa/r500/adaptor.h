// R5xx's view of an engine: a source's channel as a value, a half's results into registers and predicate bits.
//   e.operand(h, n, channel)      source n of a half with swizzle and modifiers, an F32
//   e.put(h, channel, x)          OMOD, clamp, then every register and predicate bit that the half writes in this channel
#pragma once
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
  explicit Adaptor(E& engine) : core(engine) {}

  F32 operand(const Half& h, int n, int channel) {
    const Source& s = h.source[n];
    F32 x = component(s, s.swizzle[channel]);
    if (s.modifiers & MOD_ABSOLUTE) x = fabs(x);
    if (s.modifiers & MOD_NEGATE) x = -x;
    return x;
  }
  F32 component(const Source& s, uint8_t swizzle) {
    if (swizzle == SWIZZLE_ZERO) return core.f32(0.0f);
    if (swizzle == SWIZZLE_HALF) return core.f32(0.5f);
    if (swizzle == SWIZZLE_ONE) return core.f32(1.0f);
    if (s.bank == Bank::Constant) return as_f32(core.splat(core.scalar(constant_cell(s.index, swizzle))));
    return as_f32(core.lanes(s.bank == Bank::Input ? input_cell(s.index, swizzle) : temporary_cell(s.index, swizzle)));
  }

  M predicate(const Half& h, int channel) {
    if (h.predicate == PREDICATE_NONE) return core.m(true);
    M p = core.mask(predicate_cell(h.predicate == PREDICATE_OWN ? uint32_t(channel) : uint32_t(h.predicate - PREDICATE_R)));
    return h.predicate_inverted ? ~p : p;
  }

  void put(const Half& h, int channel, F32 x) {
    uint32_t c = uint32_t(channel);
    bool extra = h.extra != Extra::None && h.extra_mask >> c & 1;
    if (!(h.mask >> c & 1) && !extra) return;
    static constexpr float factors[] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f, 1};
    if (h.omod != OMOD_NONE && h.omod != OMOD_EXACT) x = x * factors[h.omod];
    if (h.clamp) x = select(x > 0, select(x < 1, x, core.f32(1.0f)), core.f32(0.0f));  // NaN becomes 0
    M enabled = predicate(h, channel);
    if (h.mask >> c & 1) core.set_lanes_if(enabled, temporary_cell(h.destination, c), as_u32(x));
    if (!extra) return;
    if (h.extra == Extra::Output) return core.set_lanes_if(enabled, output_cell(h.target, c), as_u32(x));
    M written = enabled & core.active(), old = core.mask(predicate_cell(c));
    core.set_mask(predicate_cell(c), (old & ~written) | (compared(Compare(h.target), x) & written));
  }
  M compared(Compare compare, F32 x) {
    switch (compare) {
      case Compare::Equal: return x == 0;
      case Compare::Less: return x < 0;
      case Compare::GreaterEqual: return x >= 0;
      case Compare::NotEqual: break;
    }
    return x != 0;
  }
};

}  // namespace Atoll::r500
