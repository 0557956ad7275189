// Vector ALU: minima, maxima and medians of floats: a number is preferred to a NaN (isa/amd/semantics/valu_minmax.h). Sea Islands
// register guide section 4 (SQ_VOP2, SQ_VOP3). The effect of MODE.IEEE on signalling NaNs is not modelled.
#pragma once
#include "isa/amd/semantics/valu_minmax.h"
#include "isa/gfx7/adaptor.h"

#define ATOLL_VALU_MINMAX(SCALAR, LANES, WHOLE)     \
  ATOLL_LANES_SHARED_AS(v_min_f32, v_min_num_f32)   \
  ATOLL_LANES_SHARED_AS(v_max_f32, v_max_num_f32)   \
  ATOLL_LANES_SHARED_AS(v_min_f64, v_min_num_f64)   \
  ATOLL_LANES_SHARED_AS(v_max_f64, v_max_num_f64)   \
  ATOLL_LANES_SHARED_AS(v_min3_f32, v_min3_num_f32) \
  ATOLL_LANES_SHARED_AS(v_max3_f32, v_max3_num_f32) \
  ATOLL_LANES_SHARED_AS(v_med3_f32, v_med3_num_f32)
