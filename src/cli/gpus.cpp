// atoll gpus: the emulated GPUs and what each can be driven by.
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "gpu/chips/chip.h"
#include "gpu/chips/family_programs.h"

namespace Atoll::cli {
namespace {

std::vector<std::string> list_of(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

std::vector<std::string> drivers_of(const gpu::Chip& gpu) {
  std::vector<std::string> list;
  if (gpu.launches())
    list.emplace_back(gpu::programs_of(gpu).container == gpu::Container::intel ? intel_launches : code_object_launches);
  if (gpu.runs()) list.push_back(fmt::format("run: {}", gpu.run_by));
  return list;
}

void print_gpus(bool json) {
  for (auto& gpu : gpu::chips()) {
    const std::vector<std::string> driven_by = drivers_of(gpu);
    if (json) {
      nlohmann::ordered_json line = {{"name", gpu.name},
                                     {"family", gpu.family_name},
                                     {"isas", list_of(gpu.isas)},
                                     {"processors", list_of(gpu.processors)},
                                     {"uapis", list_of(gpu.uapis)},
                                     {"registers", gpu.registers},
                                     {"driven_by", driven_by},
                                     {"planned", gpu.planned},
                                     {"state", driven_by.empty() ? "not yet" : "partly"}};
      fmt::print("{}\n", line.dump());
      continue;
    }
    std::string drivers = cli::driven_by(gpu, "; ");
    if (drivers.empty()) drivers = fmt::format("not there yet (to be driven by {})", gpu.planned);
    fmt::print("{:<8} {:<12} {}\n", gpu.name, gpu.family_name, drivers);
  }
}

}  // namespace

std::string driven_by(const gpu::Chip& chip, std::string_view between) {
  std::string text;
  for (auto& entry : drivers_of(chip)) text += (text.empty() ? "" : std::string(between)) + entry;
  return text;
}

void add_gpus(CLI::App& app) {
  auto* sub = app.add_subcommand("gpus", "lists the emulated GPUs and what each can be driven by");
  auto* json = sub->add_flag("--json")->description("one JSON object per line");
  sub->callback([json] { print_gpus(json->count() > 0); });
}

}  // namespace Atoll::cli
