// RDNA4's comparisons: isa/amd/semantics/vopc.h. RDNA4 ISA 16.9.
#pragma once
#include "isa/amd/semantics/vopc.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

#define ATOLL_VOPC(SCALAR, LANES, WHOLE) ATOLL_VOPC_NAMES(v_cmp, LANES) ATOLL_VOPC_NAMES(v_cmpx, LANES)

}  // namespace Atoll::rdna4
