// A region's nodes as text, below the instructions that they were made of:
//
//   region 0x4000 to 0x4010
//     0x4000 v_add_f32_e32 v1, v2, v3
//       %0 = u32.read v2                            a register by its name in the instruction set
//       %1 = f32.bitcast %0                         TYPE.OPERATION operands; the types are the recorder's
//       %2 = u32 0x3f800000                         a constant
//       %3 = u32.load global [%4:%5 + 16] x4 if %6 {guard 0}     4 bytes a lane, under a mask and the active one
//       store lds [%4 + 8] x4, %3
//       write v1, %3 if %6
//       jump 0x4000 if %7
//     guard 0: global, row at %4:%5, bytes -8 to 92
//
// Printed where ATOLL_DUMP_REGIONS is set, and compared with what is expected by tests/wave/regions.
#pragma once
#include <string>

#include "wave/jit/access_plan.h"

namespace Atoll::wave {

// `plan`: what guards are said of accesses; null: nothing is said of guards.
std::string text_of(const CodeRegion& region, const Program& program, const Wave& like, const AccessPlan* plan = nullptr);
// One node, without its place: "%12 = f32.add %3, %7".
std::string text_of(const std::vector<Node>& nodes, size_t n, const Isa& isa, const Wave& like);

const char* name_of(Type type);
const char* name_of(Op op);

}  // namespace Atoll::wave
