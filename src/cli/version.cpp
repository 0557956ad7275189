#include "cli/version.h"

#include <fmt/core.h>

#include "base/host_level.h"
#include "cli/commit.h"  // generated
#include "cli/level_report.h"

namespace Atoll::cli {

std::string version_text() {
  const std::string problem = host_level_problem();
  return fmt::format("atoll {}\ncommit {}\n{}\n{}", ATOLL_VERSION, ATOLL_COMMIT,
                     *ATOLL_LLVM ? "LLVM " ATOLL_LLVM : "no LLVM: built without the code generator",
                     problem.empty() ? level_text() : problem);
}

}  // namespace Atoll::cli
