#include "pipeline/level.h"

#include <cstdlib>
#include <string_view>

namespace Atoll::pipeline {

namespace baseline {
extern const LevelEntries entries;
}
namespace avx2 {
extern const LevelEntries entries;
}
namespace avx512 {
extern const LevelEntries entries;
}

const LevelEntries& level_entries() {
  static const LevelEntries& chosen = []() -> const LevelEntries& {
    __builtin_cpu_init();
    const char* variable = std::getenv("ATOLL_LEVEL");
    std::string_view wanted = variable ? variable : "";
    if (wanted == "baseline" || !__builtin_cpu_supports("x86-64-v3")) return baseline::entries;
    if (wanted == "avx2" || !__builtin_cpu_supports("x86-64-v4")) return avx2::entries;
    return avx512::entries;
  }();
  return chosen;
}

}  // namespace Atoll::pipeline
