#include "wave/interpreter/level.h"

#include <cstdlib>
#include <string_view>

namespace Atoll::wave {

namespace baseline {
extern const LevelEntries entries;
}
namespace avx2 {
extern const LevelEntries entries;
}
namespace avx512 {
extern const LevelEntries entries;
}

Level host_level() {
  static const Level level = [] {
    __builtin_cpu_init();
    Level best = __builtin_cpu_supports("x86-64-v4")   ? Level::Avx512
                 : __builtin_cpu_supports("x86-64-v3") ? Level::Avx2
                                                       : Level::Baseline;
    const char* wanted = std::getenv("ATOLL_LEVEL");
    if (wanted && std::string_view(wanted) == "baseline") best = Level::Baseline;
    if (wanted && std::string_view(wanted) == "avx2" && best == Level::Avx512) best = Level::Avx2;
    return best;
  }();
  return level;
}

const LevelEntries& level_entries() {
  static const LevelEntries& chosen = host_level() == Level::Avx512 ? avx512::entries
                                      : host_level() == Level::Avx2 ? avx2::entries
                                                                    : baseline::entries;
  return chosen;
}

InterpretFunction decode_then_run() { return level_entries().decode_then_run; }
InterpretFunction raise_illegal() { return level_entries().raise_illegal; }
InterpretFunction raise_fetch_fault() { return level_entries().raise_fetch_fault; }

}  // namespace Atoll::wave
