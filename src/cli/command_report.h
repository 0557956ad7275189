// The report of `registers-used` on commands of Intel's command streamers: which a program's batches had, and the values of their fields.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "registers/usage.h"

namespace Atoll::cli {

std::string commands_text(const registers::Family& family, const registers::Usage& usage);
// "kind" is command.
std::vector<nlohmann::ordered_json> commands_json(const registers::Family& family, const registers::Usage& usage);
// A part of the page.
std::string commands_html(const registers::Family& family, const registers::Usage& usage);

}  // namespace Atoll::cli
