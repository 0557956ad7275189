// Whole programs of text for eval and for tests: docs/xe-lp-assembly.md.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"

namespace Atoll::xe_lp {

// Lines in order, labels resolved: the code words. A join is put in where channels may come back after a branch. An error names
// the line.
Expected<std::vector<uint32_t>> assemble(std::span<const std::string> lines);

}  // namespace Atoll::xe_lp
