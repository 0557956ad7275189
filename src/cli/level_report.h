// The report on the host level in use (base/host_level.h): by `doctor` in words, by --stats in JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace Atoll::cli {

// "host level avx2; for avx512 the host lacks avx512f, …"
std::string level_text();

// Adds "level": its name, and "next_level" where this host can run none better: {"name": …, "lacks": […]}.
void add_level(nlohmann::ordered_json& statistics);

}  // namespace Atoll::cli
