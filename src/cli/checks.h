// `--check`: what launch, run and replay have in common.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/checks.h"

namespace Atoll::cli {

void add_check_option(CLI::App& app, std::string& checks);

// For what `--check` and `--engine` name; null: nothing is checked. Ends the verb with status 2 where a check is unknown or not built,
// or where the engine cannot be watched.
std::shared_ptr<gpu::Findings> findings_for(const char* verb, const std::string& checks, const std::string& engine);

// A line each; `kernel`: its name, where there is only one. False: there are none.
bool tell_findings(const char* verb, const std::vector<gpu::Finding>& findings, const std::string& kernel = {});

}  // namespace Atoll::cli
