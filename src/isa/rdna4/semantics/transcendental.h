// RDNA4's transcendental functions: isa/amd/semantics/transcendental.h. RDNA4 ISA 7.10, 16.8, 16.12.
#pragma once
#include "isa/amd/semantics/transcendental.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

#define ATOLL_TRANSCENDENTAL(SCALAR, LANES, WHOLE)   \
  ATOLL_TRANSCENDENTAL_LANES(ATOLL_LIST_NAME, LANES) \
  ATOLL_TRANSCENDENTAL_SCALARS(ATOLL_SCALAR_NAMES, SCALAR) LANES(v_trig_preop_f64)

}  // namespace Atoll::rdna4
