#include "base/host_level.h"

#include <sys/platform/x86.h>

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
    // As the loader found it. The compiler's __builtin_cpu_supports asks the processor again, in every process at its start, and a
    // virtual machine takes 0.1 ms to answer.
    const bool v3 = CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) &&
                    CPU_FEATURE_ACTIVE(F16C) && CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE);
    const bool v4 = v3 && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512CD) &&
                    CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL);
    const HostLevel best = v4 ? HostLevel::Avx512 : v3 ? HostLevel::Avx2 : HostLevel::Baseline;
    std::string_view wanted = environment_text("ATOLL_LEVEL");
    if (wanted == "baseline") return HostLevel::Baseline;
    return wanted == "avx2" ? std::min(best, HostLevel::Avx2) : best;
  }();
  return level;
}
#endif

}  // namespace Atoll
