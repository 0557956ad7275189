// Conversions between number formats: V_CVT_*. RDNA4 ISA 7.6, 16.7, 16.8, 16.12.
// Results are rounded in the mode of the format that they have; a source's denormals are flushed by the mode of the source's.
// The host knows only one of the two modes at a time, so that a source of the other class is put right by its bits first.
#pragma once
#include "isa/rdna4/semantics/float_rules.h"
#include "isa/rdna4/semantics/fp8.h"
#include "isa/rdna4/semantics/lists.h"

namespace Atoll::rdna4 {

// --- between float formats
template <class A>
void v_cvt_f16_f32(A& e, const Instruction& i) {
  const auto& mode = e.core.float_mode();
  auto bits = as_u32(e.f32(i, 0));
  e.set_f16(i, as_f32(narrowing_source(bits, 0x7f800000u, 0x800000u, mode.flush_in32, mode.flush_in64)));
}
template <class A>
void v_cvt_f32_f64(A& e, const Instruction& i) {
  const auto& mode = e.core.float_mode();
  auto bits = as_u64(e.f64(i, 0));
  constexpr uint64_t exponent_field = 0x7ff0000000000000u, smallest_normal = 0x0010000000000000u;
  e.set_f32(i, cvt_f32_f64(as_f64(narrowing_source(bits, exponent_field, smallest_normal, mode.flush_in64, mode.flush_in32))));
}
template <class A>
void v_cvt_f32_f16(A& e, const Instruction& i) {
  e.set_f32(i, e.f16(i, 0));
}
template <class A>
void v_cvt_f64_f32(A& e, const Instruction& i) {
  const auto& mode = e.core.float_mode();
  auto bits = flush_bits32(mode.flush_in32, as_u32(e.f32(i, 0)));
  auto wide = cvt_f64_f32(as_f32(bits));
  if (!mode.flush_in32 && mode.flush_in64) {  // the host would flush them: denormals go through their integer
    auto magnitude = bits & 0x7fffffffu;
    auto exact = as_u64(cvt_f64_u32(magnitude) * 0x1p-149);
    wide = select(magnitude < 0x800000u, as_f64(join(low(exact), high(exact) | (bits & 0x80000000u))), wide);
  }
  e.set_f64(i, wide);
}

// --- between floats and integers
// ------------------------------------------------------------------------------------------------
template <class A>
auto saturated_to_s16(A& e, typename A::F32 x) {
  return smin(smax(cvt_s32_f32(x), e.core.u32(0xffff8000u)), e.core.u32(0x7fff)) & 0xffffu;
}
template <class A>
auto saturated_to_u16(A& e, typename A::F32 x) {
  return umin(cvt_u32_f32(x), e.core.u32(0xffff));
}
// floor(x + 0.5) without rounding the sum.
template <class F>
F nearest_upward(F x) {
  F whole = floor(x);
  return select(x - whole >= 0.5f, whole + 1.0f, whole);
}
#define ATOLL_CONVERSIONS(ROW, P)                                                       \
  ROW(P, v_cvt_f32_i32, set_f32, cvt_f32_s32(e.u32(i, 0)))                              \
  ROW(P, v_cvt_f32_u32, set_f32, cvt_f32_u32(e.u32(i, 0)))                              \
  ROW(P, v_cvt_f64_i32, set_f64, cvt_f64_s32(e.u32(i, 0)))                              \
  ROW(P, v_cvt_f64_u32, set_f64, cvt_f64_u32(e.u32(i, 0)))                              \
  ROW(P, v_cvt_f16_i16, set_f16, cvt_f32_s32(e.i16(i, 0)))                              \
  ROW(P, v_cvt_f16_u16, set_f16, cvt_f32_s32(e.u16(i, 0)))                              \
  ROW(P, v_cvt_f32_ubyte0, set_f32, cvt_f32_s32(e.u32(i, 0) & 0xffu))                   \
  ROW(P, v_cvt_f32_ubyte1, set_f32, cvt_f32_s32(e.u32(i, 0) >> 8 & 0xffu))              \
  ROW(P, v_cvt_f32_ubyte2, set_f32, cvt_f32_s32(e.u32(i, 0) >> 16 & 0xffu))             \
  ROW(P, v_cvt_f32_ubyte3, set_f32, cvt_f32_s32(e.u32(i, 0) >> 24))                     \
  ROW(P, v_cvt_off_f32_i4, set_f32, cvt_f32_s32(ashr(e.u32(i, 0) << 28, 28)) * 0.0625f) \
  ROW(P, v_cvt_i32_f32, set_u32, cvt_s32_f32(e.f32(i, 0)))                              \
  ROW(P, v_cvt_u32_f32, set_u32, cvt_u32_f32(e.f32(i, 0)))                              \
  ROW(P, v_cvt_i32_f64, set_u32, cvt_s32_f64(e.f64(i, 0)))                              \
  ROW(P, v_cvt_u32_f64, set_u32, cvt_u32_f64(e.f64(i, 0)))                              \
  ROW(P, v_cvt_floor_i32_f32, set_u32, cvt_s32_f32(floor(e.f32(i, 0))))                 \
  ROW(P, v_cvt_nearest_i32_f32, set_u32, cvt_s32_f32(nearest_upward(e.f32(i, 0))))      \
  ROW(P, v_cvt_i16_f16, set_u16, saturated_to_s16(e, e.f16(i, 0)))                      \
  ROW(P, v_cvt_u16_f16, set_u16, saturated_to_u16(e, e.f16(i, 0)))                      \
  ROW(P, v_cvt_norm_i16_f16, set_u16, normalized(e, e.f16(i, 0), -1, 32767))            \
  ROW(P, v_cvt_norm_u16_f16, set_u16, normalized(e, e.f16(i, 0), 0, 65535))             \
  ROW(P, v_cvt_f32_fp8, set_u32, as_u32(fp8_to_f32(e, selected_byte(e, i))))            \
  ROW(P, v_cvt_f32_bf8, set_u32, as_u32(bf8_to_f32(e, selected_byte(e, i))))
// A float in [lowest, 1] times `scale`, rounded to an integer of 16 bits in the current mode; a NaN gives 0. The product is exact
// in F64; a sum whose last bit has the value 1, and whose sign is the product's, rounds it.
template <class A>
auto normalized(A& e, typename A::F32 x, float lowest, double scale) {
  auto held = select(x > 1, e.core.f32(1), select(x < lowest, e.core.f32(lowest), x));
  auto shift = select(held < 0, e.core.f64(-0x1.8p52), 0x1.8p52);
  return cvt_s32_f64((cvt_f64_f32(held) * scale + shift) - shift) & 0xffffu;
}
// OPSEL[1:0] picks the byte, its two bits exchanged (RDNA4 ISA 16.8: V_CVT_F32_FP8).
template <class A>
auto selected_byte(A& e, const Instruction& i) {
  return e.u32(i, 0) >> ((i.op_sel & 1 ? 16 : 0) + (i.op_sel & 2 ? 8 : 0)) & 0xffu;
}
#define ATOLL_DEFINE(P, name, set, ...)   \
  template <class A>                      \
  void name(A& e, const Instruction& i) { \
    e.set(i, __VA_ARGS__);                \
  }
ATOLL_CONVERSIONS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// --- two values into one register
// -----------------------------------------------------------------------------------------------
#define ATOLL_PACKED_CONVERSIONS(ROW, P)                                                                   \
  ROW(P, v_cvt_pk_i16_f32, saturated_to_s16(e, e.f32(i, n)))                                               \
  ROW(P, v_cvt_pk_u16_f32, saturated_to_u16(e, e.f32(i, n)))                                               \
  ROW(P, v_cvt_pk_norm_i16_f16, normalized(e, e.f16(i, n), -1, 32767))                                     \
  ROW(P, v_cvt_pk_norm_u16_f16, normalized(e, e.f16(i, n), 0, 65535))                                      \
  ROW(P, v_cvt_pk_norm_i16_f32, normalized(e, e.f32(i, n), -1, 32767))                                     \
  ROW(P, v_cvt_pk_norm_u16_f32, normalized(e, e.f32(i, n), 0, 65535))                                      \
  ROW(P, v_cvt_pk_u16_u32, umin(e.u32(i, n), e.core.u32(0xffff)))                                          \
  ROW(P, v_cvt_pk_i16_i32, smin(smax(e.u32(i, n), e.core.u32(0xffff8000u)), e.core.u32(0x7fff)) & 0xffffu) \
  ROW(P, v_cvt_pk_rtz_f16_f32, truncated_half(e, i, e.f32(i, n)))
// Cut off whatever MODE's rounding is. CLAMP before that gives the same as after it.
template <class A>
auto truncated_half(A& e, const Instruction& i, typename A::F32 x) {
  return flush_bits16(e.core.float_mode().flush_out64, half_toward_zero(as_u32(i.clamp ? e.clamped(x) : x)));
}
#define ATOLL_DEFINE(P, name, ...)                  \
  template <class A>                                \
  void name(A& e, const Instruction& i) {           \
    auto half = [&](int n) { return __VA_ARGS__; }; \
    e.set_u32(i, half(0) | half(1) << 16);          \
  }
ATOLL_PACKED_CONVERSIONS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// One byte of source 2 replaced.
template <class A>
void v_cvt_pk_u8_f32(A& e, const Instruction& i) {
  auto byte = umin(cvt_u32_f32(e.f32(i, 0)), e.core.u32(255)), place = (e.u32(i, 1) & 3u) << 3;
  e.set_u32(i, (e.u32(i, 2) & ~(e.core.u32(255) << place)) | byte << place);
}

// --- 8-bit floats
// ---------------------------------------------------------------------------------------------------------------
#define ATOLL_FLOAT8_CONVERSIONS(ROW, P) ROW(P, fp8) ROW(P, bf8)
#define ATOLL_DEFINE(P, type)                                                                   \
  template <class A>                                                                            \
  void v_cvt_pk_f32_##type(A& e, const Instruction& i) {                                        \
    auto x = e.u16(i, 0);                                                                       \
    auto lo = as_u32(type##_to_f32(e, x & 0xffu)), hi = as_u32(type##_to_f32(e, x >> 8));       \
    e.set_pair(i, lo, hi);                                                                      \
  }                                                                                             \
  template <class A>                                                                            \
  void v_cvt_pk_##type##_f32(A& e, const Instruction& i) {                                      \
    auto byte = [&](int n) { return float8_of(e, type##_format, false, as_u32(e.f32(i, n))); }; \
    e.set_u16(i, byte(0) | byte(1) << 8);                                                       \
  }                                                                                             \
  template <class A>                                                                            \
  void v_cvt_sr_##type##_f32(A& e, const Instruction& i) {                                      \
    stochastic_float8(e, i, type##_format);                                                     \
  }
// Random bits are added where the mantissa will be cut off; OPSEL[3:2] picks the byte that is written. The sum carries into the
// exponent and is truncated, as RDNA4 ISA 7.6.1 has it; the pseudocode of V_CVT_SR_FP8_F32 wraps the mantissa and rounds to
// nearest, with which numbers that need no rounding would change.
template <class A>
void stochastic_float8(A& e, const Instruction& i, const Float8& format) {
  auto bits = as_u32(e.f32(i, 0)), magnitude = bits & 0x7fffffffu;
  auto noisy = bits + (e.u32(i, 1) >> (9 + format.mantissa_bits));
  auto byte = float8_of(e, format, true, select(magnitude < 0x7f800000u, noisy, bits));
  int place = (i.op_sel >> 2 & 3) * 8;
  e.set_u32(i, (e.vgpr(i.dst) & ~(0xffu << place)) | byte << place);
}
ATOLL_FLOAT8_CONVERSIONS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE
#define ATOLL_FLOAT8_NAMES(LANES, type) LANES(v_cvt_pk_f32_##type) LANES(v_cvt_pk_##type##_f32) LANES(v_cvt_sr_##type##_f32)

#define ATOLL_CONVERSION(SCALAR, LANES, WHOLE)                                                                       \
  ATOLL_CONVERSIONS(ATOLL_LIST_NAME, LANES)                                                                          \
  ATOLL_PACKED_CONVERSIONS(ATOLL_LIST_NAME, LANES)                                                                   \
  ATOLL_FLOAT8_CONVERSIONS(ATOLL_FLOAT8_NAMES, LANES) LANES(v_cvt_f16_f32) LANES(v_cvt_f32_f64) LANES(v_cvt_f32_f16) \
      LANES(v_cvt_f64_f32) LANES(v_cvt_pk_u8_f32)

}  // namespace Atoll::rdna4
