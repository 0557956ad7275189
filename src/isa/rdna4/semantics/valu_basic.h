// RDNA4's moves and selections: isa/amd/semantics/valu_basic.h. RDNA4 ISA 16.7-16.8.
#pragma once
#include "isa/amd/semantics/valu_basic.h"
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

#define ATOLL_VALU_BASIC(SCALAR, LANES, WHOLE) LANES(v_nop) LANES(v_pipeflush) LANES(v_mov_b32) LANES(v_cndmask_b32)

}  // namespace Atoll::rdna4
