#include "base/host_level.h"

#include <algorithm>
#include <string_view>

#include "base/environment.h"

namespace Atoll {

#ifdef ATOLL_ONLY_LEVEL
namespace {
namespace level_names {
[[maybe_unused]] constexpr HostLevel baseline = HostLevel::Baseline, avx2 = HostLevel::Avx2, avx512 = HostLevel::Avx512;
}
}  // namespace

HostLevel host_level() { return level_names::ATOLL_ONLY_LEVEL; }
#else
HostLevel host_level() {
  static const HostLevel level = [] {
    __builtin_cpu_init();
    HostLevel best = __builtin_cpu_supports("x86-64-v4")   ? HostLevel::Avx512
                     : __builtin_cpu_supports("x86-64-v3") ? HostLevel::Avx2
                                                           : HostLevel::Baseline;
    std::string_view wanted = environment_text("ATOLL_LEVEL");
    if (wanted == "baseline") return HostLevel::Baseline;
    return wanted == "avx2" ? std::min(best, HostLevel::Avx2) : best;
  }();
  return level;
}
#endif

}  // namespace Atoll
