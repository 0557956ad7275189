// The table of what has semantics on Sea Islands.
#pragma once
#include "isa/amd/semantics/entry.h"

namespace Atoll::gfx7 {

using amd::SemanticEntry;

// The entry of the host level in use for a mnemonic; null when the instruction has no semantics yet.
const SemanticEntry* find_semantics(std::string_view mnemonic);

// In place of a mnemonic: any DS instruction with GDS set (global_share.h).
inline constexpr std::string_view any_on_gds = "gds_access";

}  // namespace Atoll::gfx7
