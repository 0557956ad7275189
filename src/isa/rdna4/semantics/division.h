// RDNA4's division steps: isa/amd/semantics/division.h. RDNA4 ISA 16.12.
#pragma once
#include "isa/amd/semantics/division.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

#define ATOLL_DIVISION(SCALAR, LANES, WHOLE) \
  LANES(v_div_scale_f32)                     \
  LANES(v_div_scale_f64)                     \
  LANES(v_div_fmas_f32) LANES(v_div_fmas_f64) LANES(v_div_fixup_f32) LANES(v_div_fixup_f64) LANES(v_div_fixup_f16)

}  // namespace Atoll::rdna4
