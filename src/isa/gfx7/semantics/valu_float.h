// Vector ALU on floats: sums, products, rounding, exponents, cube maps; and what this GPU has of its own: multiply-adds that
// round twice, DX9's rules. Sea Islands register guide section 4 (SQ_VOP1, SQ_VOP2, SQ_VOP3); what is shared: isa/amd/semantics.
#pragma once
#include "isa/amd/semantics/cube.h"
#include "isa/amd/semantics/valu_float.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

using namespace amd;

// MAD: product and sum rounded each on its own, as v_mul_f32 and v_add_f32 would be, but denormals of operands and results are
// zeros in every mode (LLVM AMDGPU, FeatureMadMacF32Insts and "v_mad_f32 does not support f32 denormals").
template <class A, class F>
F mad(A& e, F a, F b, F c, bool zero_wins) {
  const auto& mode = e.core.float_mode();
  if (!mode.flush_in32) a = flushed(e, a), b = flushed(e, b), c = flushed(e, c);
  F product = zero_wins ? mul_dx9_zero(e, a, b) : a * b;
  // A product is scaled up to see if it is denormal: with all its 24 bits, as hosts that flush decide it.
  if (!mode.flush_out32) product = select(fabs(a * 0x1p64f * b) < 0x1p-62f, product * 0.0f, product);
  F sum = product + c;
  return mode.flush_out32 ? sum : flushed_result(e, sum);
}
// The constant of MADMK and MADAK.
template <class A>
auto constant_f32(A& e, const Instruction& i) {
  return as_f32(e.core.u32(i.literal));
}
// ROW(name, multiplied, added, whether 0 times anything is 0)
#define ATOLL_MADS(ROW)                                           \
  ROW(v_mac_f32, e.f32(i, 1), accumulator_f32(e, i), false)       \
  ROW(v_mac_legacy_f32, e.f32(i, 1), accumulator_f32(e, i), true) \
  ROW(v_mad_f32, e.f32(i, 1), e.f32(i, 2), false)                 \
  ROW(v_mad_legacy_f32, e.f32(i, 1), e.f32(i, 2), true)           \
  ROW(v_madmk_f32, constant_f32(e, i), e.f32(i, 1), false)        \
  ROW(v_madak_f32, e.f32(i, 1), constant_f32(e, i), false)
#define ATOLL_DEFINE(name, b, c, zero_wins)             \
  template <class A>                                    \
  void name(A& e, const Instruction& i) {               \
    e.set_f32(i, mad(e, e.f32(i, 0), b, c, zero_wins)); \
  }
ATOLL_MADS(ATOLL_DEFINE)
#undef ATOLL_DEFINE

// The operand that a failing comparison chooses is the second, so also when one is a NaN (R600 ISA, MIN and MAX).
template <class A>
void v_min_legacy_f32(A& e, const Instruction& i) {
  auto a = read_by_mode(e, e.f32(i, 0)), b = read_by_mode(e, e.f32(i, 1));
  e.set_f32(i, quieted(e, select(a < b, a, b)));
}
template <class A>
void v_max_legacy_f32(A& e, const Instruction& i) {
  auto a = read_by_mode(e, e.f32(i, 0)), b = read_by_mode(e, e.f32(i, 1));
  e.set_f32(i, quieted(e, select(a >= b, a, b)));
}

// clang-format off: a list
#define ATOLL_VALU_FLOAT_SAME(SAME) \
  SAME(v_trunc_f32) SAME(v_trunc_f64) SAME(v_ceil_f32) SAME(v_ceil_f64) SAME(v_floor_f32) SAME(v_floor_f64) \
  SAME(v_rndne_f32) SAME(v_rndne_f64) SAME(v_fract_f32) SAME(v_fract_f64) SAME(v_frexp_mant_f32) SAME(v_frexp_mant_f64) \
  SAME(v_add_f32) SAME(v_add_f64) SAME(v_sub_f32) SAME(v_subrev_f32) SAME(v_mul_f32) SAME(v_mul_f64) SAME(v_fma_f32) \
  SAME(v_fma_f64) SAME(v_mullit_f32) SAME(v_frexp_exp_i32_f32) SAME(v_frexp_exp_i32_f64) SAME(v_ldexp_f32) SAME(v_ldexp_f64) \
  SAME(v_cubeid_f32) SAME(v_cubesc_f32) SAME(v_cubetc_f32) SAME(v_cubema_f32)
#define ATOLL_VALU_FLOAT(SCALAR, LANES, WHOLE) \
  ATOLL_VALU_FLOAT_SAME(ATOLL_LANES_SHARED) ATOLL_LANES_SHARED_AS(v_mul_legacy_f32, v_mul_dx9_zero_f32) LANES(v_mac_f32) \
  LANES(v_mac_legacy_f32) LANES(v_mad_f32) LANES(v_mad_legacy_f32) LANES(v_madmk_f32) LANES(v_madak_f32) \
  LANES(v_min_legacy_f32) LANES(v_max_legacy_f32)
// clang-format on

}  // namespace Atoll::gfx7
