// FILE[@FRAME] of --screenshot, looked at before the program starts: what cannot be written is said at once, not when the program has run.
#pragma once
#include <string>
#include <vector>

#include "base/expected.h"
#include "cli/display.h"

namespace Atoll::cli {

// `frames`: the program is ended after so many; 0: it ends by itself.
Expected<std::vector<Screenshot>> parse_screenshots(const std::vector<std::string>& texts, uint64_t frames);

}  // namespace Atoll::cli
