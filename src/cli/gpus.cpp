// atoll gpus: the emulated GPUs and what each can be driven by.
#include <nlohmann/json.hpp>

#include "cli/gpu_names.h"
#include "cli/verbs.h"

namespace Atoll::cli {
namespace {

void print_gpus(bool json) {
  for (auto& gpu : gpu_names()) {
    if (json) {
      nlohmann::ordered_json line = {{"name", gpu.name},       {"family", gpu.family},
                                     {"isas", gpu.isas},       {"driven_by", gpu.driven_by},
                                     {"planned", gpu.planned}, {"state", gpu.driven_by.empty() ? "not yet" : "partly"}};
      fmt::print("{}\n", line.dump());
      continue;
    }
    std::string drivers;
    for (auto& driver : gpu.driven_by) drivers += (drivers.empty() ? "" : "; ") + std::string(driver);
    if (drivers.empty()) drivers = fmt::format("not there yet (to be driven by {})", gpu.planned);
    fmt::print("{:<8} {:<12} {}\n", gpu.name, gpu.family, drivers);
  }
}

}  // namespace

void add_gpus(CLI::App& app) {
  auto* sub = app.add_subcommand("gpus", "lists the emulated GPUs and what each can be driven by");
  auto* json = sub->add_flag("--json")->description("one JSON object per line");
  sub->callback([json] { print_gpus(json->count() > 0); });
}

}  // namespace Atoll::cli
