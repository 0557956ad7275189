// The table of what has semantics: by mnemonic, what the interpreter runs and what the recorder records.
#pragma once
#include <span>
#include <string_view>

#include "wave/program.h"

namespace Atoll::rdna4 {

struct SemanticEntry {
  const char* name;  // canonical mnemonic, e.g. "v_add_f32"
  wave::InterpretFunction interpret;
  wave::RecordFunction record;  // null: the JIT calls `interpret`
};

// The entry of the host level in use for a mnemonic; null when the instruction has no semantics yet.
const SemanticEntry* find_semantics(std::string_view mnemonic);

}  // namespace Atoll::rdna4
