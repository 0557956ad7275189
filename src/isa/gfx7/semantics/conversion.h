// Conversions between number formats: isa/amd/semantics/conversion.h. Sea Islands register guide section 4 (SQ_V_CVT_*).
#pragma once
#include "isa/amd/semantics/conversion.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// One byte of the destination is replaced.
template <class A>
void v_cvt_pkaccum_u8_f32(A& e, const Instruction& i) {
  auto byte = umin(cvt_u32_f32(e.f32(i, 0)), e.core.u32(255)), place = (e.u32(i, 1) & 3u) << 3;
  e.set_u32(i, (e.vgpr(i.dst) & ~(e.core.u32(255) << place)) | byte << place);
}

// clang-format off: a list
#define ATOLL_CONVERSION_SAME(SAME) \
  SAME(v_cvt_i32_f64) SAME(v_cvt_f64_i32) SAME(v_cvt_f32_i32) SAME(v_cvt_f32_u32) SAME(v_cvt_u32_f32) SAME(v_cvt_i32_f32) \
  SAME(v_cvt_f16_f32) SAME(v_cvt_f32_f16) SAME(v_cvt_off_f32_i4) SAME(v_cvt_f32_f64) SAME(v_cvt_f64_f32) \
  SAME(v_cvt_f32_ubyte0) SAME(v_cvt_f32_ubyte1) SAME(v_cvt_f32_ubyte2) SAME(v_cvt_f32_ubyte3) SAME(v_cvt_u32_f64) \
  SAME(v_cvt_f64_u32) SAME(v_cvt_pk_u16_u32) SAME(v_cvt_pk_i16_i32) SAME(v_cvt_pk_u8_f32)
// clang-format on
#define ATOLL_CONVERSION_RENAMED(AS)              \
  AS(v_cvt_rpi_i32_f32, v_cvt_nearest_i32_f32)    \
  AS(v_cvt_flr_i32_f32, v_cvt_floor_i32_f32)      \
  AS(v_cvt_pknorm_i16_f32, v_cvt_pk_norm_i16_f32) \
  AS(v_cvt_pknorm_u16_f32, v_cvt_pk_norm_u16_f32) AS(v_cvt_pkrtz_f16_f32, v_cvt_pk_rtz_f16_f32)
#define ATOLL_CONVERSION(SCALAR, LANES, WHOLE) \
  ATOLL_CONVERSION_SAME(ATOLL_LANES_SHARED) ATOLL_CONVERSION_RENAMED(ATOLL_LANES_SHARED_AS) LANES(v_cvt_pkaccum_u8_f32)

}  // namespace Atoll::gfx7
