#include "pipeline/level.h"

#include "base/host_level.h"

namespace Atoll::pipeline {

ATOLL_IN_LEVELS(extern const LevelEntries entries;)

const LevelEntries& level_entries() {
  static const LevelEntries& chosen = ATOLL_AT_LEVEL(entries);
  return chosen;
}

}  // namespace Atoll::pipeline
