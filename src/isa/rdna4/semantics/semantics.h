// The table of what has semantics on RDNA4.
#pragma once
#include "isa/amd/semantics/entry.h"

namespace Atoll::rdna4 {

using amd::SemanticEntry;

// The entry of the host level in use for a mnemonic; null when the instruction has no semantics yet.
const SemanticEntry* find_semantics(std::string_view mnemonic);

}  // namespace Atoll::rdna4
