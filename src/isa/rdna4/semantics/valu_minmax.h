// RDNA4's minima, maxima and medians: isa/amd/semantics/valu_minmax.h. RDNA4 ISA 16.7, 16.12.
#pragma once
#include "isa/amd/semantics/valu_minmax.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

#define ATOLL_VALU_MINMAX(SCALAR, LANES, WHOLE) \
  ATOLL_MINMAX_BINARY(ATOLL_LIST_NAME, LANES) ATOLL_MINMAX_TERNARY(ATOLL_LIST_NAME, LANES)

}  // namespace Atoll::rdna4
