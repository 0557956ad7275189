// Instructions of several stores: lane by lane, each with all of its parts (MemoryAccess::part), which shows where lanes overlap.
#pragma once
#include "wave/interpreter/lane_access.h"

namespace Atoll::wave::ATOLL_LEVEL {

// N lanes (32 or 16) of one of an instruction's stores. Happens with the last.
template <int N>
void store_part(Interpreter& e, const MemoryAccess& access, const Block& block, const uint32_t* value);
extern template void store_part<kLanes>(Interpreter&, const MemoryAccess&, const Block&, const uint32_t*);
extern template void store_part<kHalf>(Interpreter&, const MemoryAccess&, const Block&, const uint32_t*);

}  // namespace Atoll::wave::ATOLL_LEVEL
