// --timeout SECONDS, of all verbs that have it.
#pragma once
#include "cli/verbs.h"

namespace Atoll::cli {

// Above 0 and finite; the option's value stays as it is where it is not given.
CLI::Option* add_timeout_option(CLI::App& verb, double& seconds, const std::string& meaning);

}  // namespace Atoll::cli
