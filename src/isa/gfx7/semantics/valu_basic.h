// Vector ALU: moves and selections that every shader has. Sea Islands register guide section 4 (SQ_VOP1, SQ_VOP2).
#pragma once
#include "isa/amd/semantics/valu_basic.h"
#include "isa/gfx7/adaptor.h"

namespace Atoll::gfx7 {

// v_mov_fed_b32 moves, too; the memory errors that it plants are not modelled. v_clrexcp: nor are exceptions.
#define ATOLL_VALU_BASIC(SCALAR, LANES, WHOLE) \
  ATOLL_LANES_SHARED(v_nop)                    \
  ATOLL_LANES_SHARED_AS(v_clrexcp, v_nop)      \
  ATOLL_LANES_SHARED(v_mov_b32)                \
  ATOLL_LANES_SHARED_AS(v_mov_fed_b32, v_mov_b32) ATOLL_LANES_SHARED(v_cndmask_b32)

}  // namespace Atoll::gfx7
