// --timeout SECONDS, of all verbs that have it.
#pragma once
#include <functional>
#include <string>

#include "cli/verbs.h"

namespace Atoll::cli {

// Above 0 and finite; the option's value stays as it is where it is not given.
CLI::Option* add_timeout_option(CLI::App& verb, double& seconds, const std::string& meaning);

// Work that cannot be left when the time is over, such as a compilation, has this long; then the process ends with it.
constexpr double max_compile_seconds = 10;

// Ends the process with a complaint about what did not end: for a StopTimer's last resort. `loss` is what that costs, if anything.
std::function<void()> end_of_process(const char* verb, std::string what, double seconds, std::string loss = "");

}  // namespace Atoll::cli
