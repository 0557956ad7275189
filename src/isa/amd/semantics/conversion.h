// Conversions between number formats: V_CVT_*. RDNA4 ISA 7.6, 16.7, 16.8, 16.12.
// Results are rounded in the mode of the format that they have; a source's denormals are flushed by the mode of the source's.
// The host knows only one of the two modes at a time, so that a source of the other class is put right by its bits first.
#pragma once
#include <bit>

#include "isa/amd/semantics/float_rules.h"
#include "isa/amd/semantics/lists.h"

namespace Atoll::amd {

// clang-format off: one instruction a line
// --- between float formats
template <class A>
void v_cvt_f16_f32(A& e, const typename A::Instruction& i) {
  const auto& mode = e.core.float_mode();
  auto bits = as_u32(e.f32(i, 0));
  auto x = as_f32(narrowing_source(bits, 0x7f800000u, 0x800000u, mode.flush_in32, mode.flush_in64));
  if constexpr (A::as_gfx1201)
    e.set_f16_narrowed(i, x);
  else
    e.set_f16(i, x);
}
template <class A>
void v_cvt_f32_f64(A& e, const typename A::Instruction& i) {
  const auto& mode = e.core.float_mode();
  auto bits = as_u64(e.f64(i, 0));
  constexpr uint64_t exponent_field = 0x7ff0000000000000u, smallest_normal = 0x0010000000000000u;
  auto x = as_f64(narrowing_source(bits, exponent_field, smallest_normal, mode.flush_in64, mode.flush_in32));
  if (mode.flush_out32 && !A::as_gfx1201) {
    // Rounded to f32's denormals before they are flushed, so that what rounds to the least normal number is that (errata F15): a sum
    // with 2^-97 has just their units.
    constexpr uint64_t sign_bit = uint64_t(1) << 63;
    auto sign = as_u64(x) & sign_bit;
    auto beside = as_f64(sign | std::bit_cast<uint64_t>(0x1p-97));
    auto rounded = as_f64((as_u64((x + beside) - beside) & ~sign_bit) | sign);
    x = select(fabs(x) < 0x1p-126, rounded, x);
  }
  e.set_f32(i, cvt_f32_f64(x));
}
template <class A>
void v_cvt_f32_f16(A& e, const typename A::Instruction& i) {
  e.set_f32(i, e.f16(i, 0));
}
template <class A>
void v_cvt_f64_f32(A& e, const typename A::Instruction& i) {
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
template <class A>
auto saturated_to_s16(A& e, typename A::F32 x) {
  return smin(smax(cvt_s32_f32(x), e.core.u32(0xffff8000u)), e.core.u32(0x7fff)) & 0xffffu;
}
template <class A>
auto saturated_to_u16(A& e, typename A::F32 x) {
  return umin(cvt_u32_f32(x), e.core.u32(0xffff));
}
// Converts a whole number. A NaN is 0; on gfx1201 the bound on the side of its sign (docs/errata.md, "Conversions").
template <class A>
auto whole_s32(A& e, typename A::F32 x) {
  auto n = cvt_s32_f32(x);
  if constexpr (A::as_gfx1201) return select(isnan(x), select(slt(as_u32(x), 0u), e.core.u32(0x80000000u), e.core.u32(0x7fffffff)), n);
  return n;
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
  ROW(P, v_cvt_floor_i32_f32, set_u32, whole_s32(e, floor(e.f32(i, 0))))                \
  ROW(P, v_cvt_nearest_i32_f32, set_u32, whole_s32(e, nearest_upward(e.f32(i, 0))))     \
  ROW(P, v_cvt_i16_f16, set_u16, saturated_to_s16(e, e.f16(i, 0)))                      \
  ROW(P, v_cvt_u16_f16, set_u16, saturated_to_u16(e, e.f16(i, 0)))                      \
  ROW(P, v_cvt_norm_i16_f16, set_u16, normalized(e, e.f16(i, 0), -1, 32767))            \
  ROW(P, v_cvt_norm_u16_f16, set_u16, normalized(e, e.f16(i, 0), 0, 65535))             \
// A float in [lowest, 1] times `scale`, rounded to an integer of 16 bits in the host's mode; a NaN gives 0. The product is exact
// in F64; a sum whose last bit has the value 1, and whose sign is the product's, rounds it. (RDNA4's rows obey no mode: float=nearest.)
template <class A>
auto normalized(A& e, typename A::F32 x, float lowest, double scale) {
  auto held = select(x > 1, e.core.f32(1), select(x < lowest, e.core.f32(lowest), x));
  auto shift = select(held < 0, e.core.f64(-0x1.8p52), 0x1.8p52);
  return cvt_s32_f64((cvt_f64_f32(held) * scale + shift) - shift) & 0xffffu;
}
#define ATOLL_DEFINE(P, name, set, ...)   \
  template <class A>                      \
  void name(A& e, const typename A::Instruction& i) { \
    e.set(i, __VA_ARGS__);                \
  }
ATOLL_CONVERSIONS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// --- two values into one register
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
auto truncated_half(A& e, const typename A::Instruction& i, typename A::F32 x) {
  return flush_bits16(e.core.float_mode().flush_out64, cvt_f16_f32_toward_zero(i.clamp ? e.clamped(x) : x));
}
#define ATOLL_DEFINE(P, name, ...)                  \
  template <class A>                                \
  void name(A& e, const typename A::Instruction& i) {           \
    auto half = [&](int n) { return __VA_ARGS__; }; \
    e.set_u32(i, half(0) | half(1) << 16);          \
  }
ATOLL_PACKED_CONVERSIONS(ATOLL_DEFINE, )
#undef ATOLL_DEFINE

// One byte of source 2 replaced.
template <class A>
void v_cvt_pk_u8_f32(A& e, const typename A::Instruction& i) {
  auto x = e.f32(i, 0);
  // gfx1201 rounds as MODE says (docs/errata.md, "Conversions"): a sum whose last bit has the value 1 does it.
  if constexpr (A::as_gfx1201) x = (select(x > 0, select(x < 255, x, 255), 0) + 0x1p23f) - 0x1p23f;
  auto byte = umin(cvt_u32_f32(x), e.core.u32(255)), place = (e.u32(i, 1) & 3u) << 3;
  e.set_u32(i, (e.u32(i, 2) & ~(e.core.u32(255) << place)) | byte << place);
}

// clang-format on

}  // namespace Atoll::amd
