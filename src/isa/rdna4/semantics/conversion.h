// RDNA4's conversions: isa/amd/semantics/conversion.h, and those of 8-bit floats. RDNA4 ISA 7.6, 16.7, 16.8, 16.12.
#pragma once
#include "isa/amd/semantics/conversion.h"
#include "isa/rdna4/semantics/fp8.h"

namespace Atoll::rdna4 {

// OPSEL[1:0] picks the byte, its two bits exchanged (RDNA4 ISA 16.8: V_CVT_F32_FP8).
template <class A>
auto selected_byte(A& e, const Instruction& i) {
  return e.u32(i, 0) >> ((i.op_sel & 1 ? 16 : 0) + (i.op_sel & 2 ? 8 : 0)) & 0xffu;
}
template <class A>
void v_cvt_f32_fp8(A& e, const Instruction& i) {
  e.set_u32(i, converted_float8(e, fp8_to_f32(e, selected_byte(e, i))));
}
template <class A>
void v_cvt_f32_bf8(A& e, const Instruction& i) {
  e.set_u32(i, converted_float8(e, bf8_to_f32(e, selected_byte(e, i))));
}

// --- 8-bit floats
#define ATOLL_FLOAT8_CONVERSIONS(ROW, P) ROW(P, fp8) ROW(P, bf8)
#define ATOLL_DEFINE(P, type)                                                                                       \
  template <class A>                                                                                                \
  void v_cvt_pk_f32_##type(A& e, const Instruction& i) {                                                            \
    auto x = e.u16(i, 0);                                                                                           \
    auto lo = converted_float8(e, type##_to_f32(e, x & 0xffu)), hi = converted_float8(e, type##_to_f32(e, x >> 8)); \
    e.set_pair(i, lo, hi);                                                                                          \
  }                                                                                                                 \
  template <class A>                                                                                                \
  void v_cvt_pk_##type##_f32(A& e, const Instruction& i) {                                                          \
    auto byte = [&](int n) { return float8_of(e, type##_format, as_u32(e.f32(i, n))); };                            \
    e.set_u16(i, byte(0) | byte(1) << 8);                                                                           \
  }                                                                                                                 \
  template <class A>                                                                                                \
  void v_cvt_sr_##type##_f32(A& e, const Instruction& i) {                                                          \
    stochastic_float8(e, i, type##_format);                                                                         \
  }
// Random bits are added where the mantissa will be cut off; OPSEL[3:2] picks the byte that is written. The sum carries into the
// exponent and is truncated, as RDNA4 ISA 7.6.1 has it; the pseudocode of V_CVT_SR_FP8_F32 wraps the mantissa and rounds to
// nearest, with which numbers that need no rounding would change. Denormals: docs/errata.md, "Conversions".
template <class A>
void stochastic_float8(A& e, const Instruction& i, const Float8& format) {
  auto random = e.u32(i, 1);
  auto byte = float8_of(e, format, as_u32(e.f32(i, 0)), &random);
  int place = (i.op_sel >> 2 & 3) * 8;
  e.set_u32(i, (e.vgpr(i.dst) & ~(0xffu << place)) | byte << place);
}
ATOLL_FLOAT8_CONVERSIONS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE
#define ATOLL_FLOAT8_NAMES(LANES, type) \
  LANES(v_cvt_f32_##type) LANES(v_cvt_pk_f32_##type) LANES(v_cvt_pk_##type##_f32) LANES(v_cvt_sr_##type##_f32)

#define ATOLL_CONVERSION(SCALAR, LANES, WHOLE)        \
  ATOLL_CONVERSIONS(ATOLL_LIST_NAME, LANES)           \
  ATOLL_PACKED_CONVERSIONS(ATOLL_LIST_NAME, LANES)    \
  ATOLL_FLOAT8_CONVERSIONS(ATOLL_FLOAT8_NAMES, LANES) \
  LANES(v_cvt_f16_f32) LANES(v_cvt_f32_f64) LANES(v_cvt_f32_f16) LANES(v_cvt_f64_f32) LANES(v_cvt_pk_u8_f32)

}  // namespace Atoll::rdna4
