// Attributes of pixels: DS_PARAM_LOAD brings a primitive's P0, P10 and P20 from LDS to lanes 0 to 2 of each quad, V_INTERP_*
// interpolates them, each lane with its own barycentrics. RDNA4 ISA 12.2 to 12.4, 15.4, 15.5, 16.13, 16.14.
#pragma once
#include "isa/amd/semantics/float_rules.h"
#include "isa/rdna4/semantics/quads.h"

namespace Atoll::rdna4 {

// --- loads. Whole quads are written where any of their lanes is active.

template <class A>
void set_quads(A& e, uint32_t vgpr, typename A::U32 x) {
  const uint32_t cell = vgpr_cell(vgpr, e.wave64());
  e.core.set_whole_lanes(cell, select(active_quads(e), x, e.core.whole_lanes(cell)));
}

// M0: {0, NEW_PRIM_MASK[15:1], LDS_PARAM_OFFSET[15:0]}. The mask has a bit for each quad that begins a primitive; the first quad always
// does. The primitives of each attribute stand one behind the other, 12 dwords each: P0.xyzw, P10.xyzw, P20.xyzw. The offset's
// bits 6:0 are to be zero; they are left out here, as is bit 31, in which the SGPR that pixel waves are given for M0 has
// BC_OPTIMIZE (3.5.3.1).
template <class A>
void ds_param_load(A& e, const Instruction& i) {
  auto& core = e.core;
  if (i.attr >= attribute_count) return core.illegal("ds_param_load of an attribute beyond attr32");
  constexpr uint32_t primitive_bytes = 12 * 4, parameter_bytes = 4 * 4;
  auto m0 = e.scalar_register(M0);
  auto begins = m0 >> 15 & (e.wave64() ? 0xfffeu : 0xfeu);
  auto attribute = (m0 & 0xff80u) + (popcount(begins) + 1u) * (uint32_t(i.attr) * primitive_bytes) + uint32_t(i.attrchan) * 4u;
  auto lane = core.lane_id(), part = lane & 3u;
  auto up_to = (core.u32(2) << (lane >> 2)) - 1u;
  auto primitive = popcount(core.splat(begins) & up_to);
  auto at = core.splat(attribute) + primitive * primitive_bytes + part * parameter_bytes;
  set_quads(e, i.dst, select(part == 3u, core.u32(0), core.shared_word(at)));
}

// One value for all (direct_load_whole.cpp).
void ds_direct_load(wave::Wave& wave, const Instruction& i);

// --- interpolation: fused multiply-adds, two sources of which are those of a lane of the quad, whether that is active or not

// Source n of lane `lane` of the quad.
template <class A>
typename A::U32 quad_source(A& e, const Instruction& i, int n, unsigned lane) {
  const uint32_t operand = i.src[n], vgpr = operand >= VGPR0 ? operand - VGPR0 : operand;
  return quad_lane(e.core.whole_lanes(vgpr_cell(vgpr, e.wave64())), lane);
}
template <class A>
typename A::F32 quad_f32(A& e, const Instruction& i, int n, unsigned lane) {
  return e.modified(i, n, as_f32(quad_source(e, i, n, lane)));
}
// The half that OPSEL picks.
template <class A>
typename A::F32 quad_f16(A& e, const Instruction& i, int n, unsigned lane) {
  auto x = quad_source(e, i, n, lane);
  return e.modified(i, n, e.f16_of(i.op_sel >> n & 1 ? x >> 16 : x & 0xffffu));
}

template <class A>
void v_interp_p10_f32(A& e, const Instruction& i) {
  e.set_f32(i, fma(quad_f32(e, i, 0, 1), e.f32(i, 1), quad_f32(e, i, 2, 0)));
}
template <class A>
void v_interp_p2_f32(A& e, const Instruction& i) {
  e.set_f32(i, fma(quad_f32(e, i, 0, 2), e.f32(i, 1), e.f32(i, 2)));
}
// Halves are interpolated in MODE's rounding for them, as its compilers take it (LLVM SIModeRegister.cpp of V_INTERP_P1LL_F16).
template <class A>
void v_interp_p10_f16_f32(A& e, const Instruction& i) {
  e.set_f32(i, fma(quad_f16(e, i, 0, 1), e.f32(i, 1), quad_f16(e, i, 2, 0)));
}
template <class A>
void v_interp_p2_f16_f32(A& e, const Instruction& i) {
  auto x = e.output_modified(i, fma(quad_f16(e, i, 0, 2), e.f32(i, 1), e.f32(i, 2)));
  // (a denormal sum is no operand, which the host would read as 0)
  auto bits = narrowing_source(as_u32(x), 0x7f800000u, 0x00800000u, false, e.core.float_mode().flush_in64);
  e.set_u16(i, e.half_of(as_f32(bits)));
}

// a * b + c toward zero, of an `a` that is a half: their product is exact in f64. The rows obey no mode (float=nearest), so that the sum
// to nearest is taken back by one unit where the exact one lies nearer to zero. That is so if what is left of it (the f64 sum less the
// result, which is exact, and where that is nothing the f64 sum's own error, Knuth's two-sum) points to zero. Infinite and NaN
// results compare with nothing and stay; what became infinite by rounding becomes the largest number.
template <class A>
typename A::F32 fma_toward_zero(A&, typename A::F32 a, typename A::F32 b, typename A::F32 c) {
  auto nearest = fma(a, b, c);
  auto product = cvt_f64_f32(a) * cvt_f64_f32(b), addend = cvt_f64_f32(c), sum = product + addend;
  auto rest = sum - product, error = (product - (sum - rest)) + (addend - rest), left = sum - cvt_f64_f32(nearest);
  auto below = (left < 0.0) | ((left == 0.0) & (error < 0.0)), above = (left > 0.0) | ((left == 0.0) & (error > 0.0));
  auto bits = as_u32(nearest);
  auto negative = bits >> 31 != 0u;
  return as_f32(select((negative & above) | (~negative & below), bits - 1u, bits));
}
// Denormals as MODE's half for f16 and f64 has them, where the host keeps all.
template <class A>
typename A::F32 kept_f32(A& e, const Instruction& i, int n) {
  return e.modified(i, n, as_f32(flush_bits32(e.core.float_mode().flush_in64, e.u32(i, n))));
}
template <class A>
typename A::F32 written_f32(A& e, typename A::F32 x) {
  return as_f32(flush_bits32(e.core.float_mode().flush_out64, as_u32(x)));
}
template <class A>
void v_interp_p10_rtz_f16_f32(A& e, const Instruction& i) {
  e.set_f32(i, written_f32(e, fma_toward_zero(e, quad_f16(e, i, 0, 1), kept_f32(e, i, 1), quad_f16(e, i, 2, 0))));
}
template <class A>
void v_interp_p2_rtz_f16_f32(A& e, const Instruction& i) {
  auto x = written_f32(e, fma_toward_zero(e, quad_f16(e, i, 0, 2), kept_f32(e, i, 1), kept_f32(e, i, 2)));
  e.set_u16(i, flush_bits16(e.core.float_mode().flush_out64, cvt_f16_f32_toward_zero(e.output_modified(i, x))));
}

#define ATOLL_INTERPOLATION(SCALAR, LANES, WHOLE) \
  LANES(ds_param_load)                            \
  WHOLE(ds_direct_load)                           \
  LANES(v_interp_p10_f32)                         \
  LANES(v_interp_p2_f32)                          \
  LANES(v_interp_p10_f16_f32) LANES(v_interp_p2_f16_f32) LANES(v_interp_p10_rtz_f16_f32) LANES(v_interp_p2_rtz_f16_f32)

}  // namespace Atoll::rdna4
