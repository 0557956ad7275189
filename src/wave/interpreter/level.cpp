#include "wave/interpreter/level.h"

namespace Atoll::wave {

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

Level host_level() { return Atoll::host_level(); }

const LevelEntries& level_entries() {
  static const LevelEntries& chosen = ATOLL_AT_LEVEL(entries);
  return chosen;
}

InterpretFunction decode_then_run() { return level_entries().decode_then_run; }
InterpretFunction raise_illegal() { return level_entries().raise_illegal; }
InterpretFunction raise_fetch_fault() { return level_entries().raise_fetch_fault; }

}  // namespace Atoll::wave
