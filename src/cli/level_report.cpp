#include "cli/level_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/host_level.h"

namespace Atoll::cli {

std::string level_text() {
  const HostLevel level = host_level(), best = best_host_level();
  std::string text = fmt::format("host level {}", name_of(level));
  if (level < best) text += fmt::format(" (ATOLL_LEVEL or the build keeps it there: this host can run {})", name_of(best));
  if (auto next = next_host_level())
    text += fmt::format("; for {} the host lacks {}", name_of(*next), fmt::join(lacking_for(*next), ", "));
  return text;
}

void add_level(nlohmann::ordered_json& statistics) {
  statistics["level"] = name_of(host_level());
  if (auto next = next_host_level()) statistics["next_level"] = {{"name", name_of(*next)}, {"lacks", lacking_for(*next)}};
}

}  // namespace Atoll::cli
