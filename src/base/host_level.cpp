#include "base/host_level.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/environment.h"
#include "base/host_features.h"
#include "base/log.h"

namespace Atoll {
namespace {

constexpr int version_of(HostLevel level) { return level == HostLevel::Avx512 ? 4 : level == HostLevel::Avx2 ? 3 : 1; }

// For tests: features that are taken for hidden.
HostFeatures hidden() {
  HostFeatures out = 0;
  const std::string_view names = environment_text("ATOLL_HOST_LACKS");
  for (size_t n = 0; n < std::size(host_features); n++)
    for (std::string_view rest = names; !rest.empty();) {
      const size_t comma = rest.find(',');
      if (rest.substr(0, comma) == host_features[n].name) out |= HostFeatures(1) << n;
      rest = comma == rest.npos ? "" : rest.substr(comma + 1);
    }
  return out;
}

HostFeatures features() {
  static const HostFeatures there = features_of_host() & ~hidden();
  return there;
}

HostLevel wanted_level() {
  const std::string_view wanted = environment_text("ATOLL_LEVEL");
  for (HostLevel level : {HostLevel::Baseline, HostLevel::Avx2})
    if (wanted == name_of(level)) return level;
  return HostLevel::Avx512;
}

#ifdef ATOLL_ONLY_LEVEL
namespace level_names {
[[maybe_unused]] constexpr HostLevel baseline = HostLevel::Baseline, avx2 = HostLevel::Avx2, avx512 = HostLevel::Avx512;
}
#endif

}  // namespace

std::string_view name_of(HostLevel level) {
  return level == HostLevel::Avx512 ? "avx512" : level == HostLevel::Avx2 ? "avx2" : "baseline";
}

HostLevel best_host_level() {
  const int version = best_version(features());
  return version == 4 ? HostLevel::Avx512 : version == 3 ? HostLevel::Avx2 : HostLevel::Baseline;
}

std::optional<HostLevel> next_host_level() {
  switch (best_host_level()) {
    case HostLevel::Baseline: return HostLevel::Avx2;
    case HostLevel::Avx2: return HostLevel::Avx512;
    case HostLevel::Avx512: break;
  }
  return {};
}

std::vector<std::string_view> lacking_for(HostLevel level) {
  std::vector<std::string_view> names;
  const HostFeatures lacking = features_needed(version_of(level)) & ~features();
  for (size_t n = 0; n < std::size(host_features); n++)
    if (lacking >> n & 1) names.emplace_back(host_features[n].name);
  return names;
}

// A level that is asked for and not to be had is said once.
HostLevel host_level() {
  static const HostLevel level = [] {
#ifdef ATOLL_ONLY_LEVEL
    const HostLevel best = level_names::ATOLL_ONLY_LEVEL, chosen = best;
#else
    const HostLevel best = best_host_level(), chosen = std::min(best, wanted_level());
#endif
    if (environment_text("ATOLL_LEVEL").empty() || wanted_level() == chosen) return chosen;
    if (best < wanted_level() && best == best_host_level())
      log(LogLevel::warn, "level", "ATOLL_LEVEL={}: the host lacks {}: {} is used", name_of(wanted_level()),
          fmt::join(lacking_for(wanted_level()), ", "), name_of(chosen));
    else
      log(LogLevel::warn, "level",
          "ATOLL_LEVEL={}: this build has {} alone: configure it with \"-DATOLL_LEVELS=baseline;avx2;avx512\"",
          name_of(wanted_level()), name_of(chosen));
    return chosen;
  }();
  return level;
}

std::string host_level_problem() {
  if (host_level() <= best_host_level()) return {};
  return fmt::format("this build is for {} alone, and this host lacks {}: configure it with -DATOLL_LEVELS=host",
                     name_of(host_level()), fmt::join(lacking_for(host_level()), ", "));
}

}  // namespace Atoll
