// Compacted instructions: 8 bytes whose indices choose the commonest fillings of the native form's fields.
#pragma once
#include <optional>

#include "isa/xe_lp/words.h"

namespace Atoll::xe_lp {

// The native form of a compacted one, bit 29 clear. Null, or why there is none.
const char* expand(uint64_t compacted, Words& native);
// The compacted form; of several indices that say the same, the lowest, as IGA chooses.
std::optional<uint64_t> compact(const Words& native);

}  // namespace Atoll::xe_lp
