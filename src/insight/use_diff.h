// Programs and structures of two draws compared, for `diff`.
#pragma once
#include <map>
#include <vector>

#include "insight/recording_diff.h"
#include "insight/recording_walk.h"

namespace Atoll::insight {

// The state that holds at a draw: keys of StateNames, and values.
using HeldState = std::map<uint64_t, uint64_t>;

// Programs are paired by what says where they are, else by their order.
std::vector<ProgramDifference> compare_programs(const registers::Family& family, const StateNames& names,
                                                const RecordedDraw* const draws[2], const HeldState* const held[2]);
// Structures of a name are paired by their order.
std::vector<StateDifference> compare_structures(const registers::Family& family, const RecordedDraw* const draws[2]);

}  // namespace Atoll::insight
