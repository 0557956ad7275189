// The steps of a division: isa/amd/semantics/division.h. Sea Islands register guide section 4 (SQ_V_DIV_*).
#pragma once
#include "isa/amd/semantics/division.h"
#include "isa/gfx7/adaptor.h"

#define ATOLL_DIVISION(SCALAR, LANES, WHOLE) \
  ATOLL_LANES_SHARED(v_div_scale_f32)        \
  ATOLL_LANES_SHARED(v_div_scale_f64)        \
  ATOLL_LANES_SHARED(v_div_fmas_f32)         \
  ATOLL_LANES_SHARED(v_div_fmas_f64)         \
  ATOLL_LANES_SHARED(v_div_fixup_f32)        \
  ATOLL_LANES_SHARED(v_div_fixup_f64)
