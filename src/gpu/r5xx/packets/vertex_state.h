// Immediate mode (VAP_VF_CNTL.PRIM_WALK 0): the state of a vertex is written number by number, and each write of a position's last
// component makes a vertex of it. R5xx Acceleration v1.3, 10.11: VAP_VTX_ST_*, VAP_VTX_STATE_CNTL. The manual's gaps, and how
// they were filled: docs/errata.md, "R5xx immediate mode".
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/r5xx/packets/register_writes.h"

namespace Atoll::r5xx {

// True if the register is one of VAP_VTX_ST_*.
bool is_vertex_state(uint32_t address);
// Writes it, and what follows from it: packed colours become numbers, user colours are kept. The effect: none, a vertex, the end.
Effect write_vertex_state(Context& context, uint32_t address, uint32_t value);

// Appends the vertex that stands in the state: the vectors that VAP_VSM_VTX_ASSM names, four dwords each. Its edge flag.
bool assemble_vertex(Context& context, std::vector<uint32_t>& dwords);
unsigned assembled_dwords(const RegisterFile& registers);  // of a vertex

}  // namespace Atoll::r5xx
