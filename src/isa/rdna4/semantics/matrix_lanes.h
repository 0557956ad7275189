// Matrix products on vectors of 16 lanes, which are the rows of A, the columns of B and of the result. Compiled once for each host
// level. Dense f16 and bf16 are all done here (matrix_halves.h); order and rounding of the others are those of wmma_whole.cpp.
#pragma once
#include "base/host_level.h"
#include "isa/rdna4/semantics/wmma.h"

namespace Atoll::rdna4 {

// False: nothing is done, because a NaN came out, whose bits follow nan.h, or MODE bounds halves, or the host has no fused
// multiply-add: then the elements are multiplied one by one.
#define ATOLL_DECLARE_IN_LANES(name, ...) bool name##_in_lanes(wave::Wave& wave, const Instruction& i);
ATOLL_IN_LEVELS(ATOLL_MATRIX_PRODUCTS(ATOLL_DECLARE_IN_LANES))
#undef ATOLL_DECLARE_IN_LANES

}  // namespace Atoll::rdna4
