// The fragment shader's text form, Atoll's own: docs/r500-assembly.md.
#pragma once
#include <string>
#include <string_view>

#include "base/expected.h"
#include "isa/r500/instruction.h"

namespace Atoll::r500 {

// One instruction: an RGB and an alpha half with `|` between, or one of them alone. Either case. An error says what is wrong
// where.
Expected<Pair> parse(std::string_view text);
// Text that parses to the same pair.
std::string print(const Pair& pair);

}  // namespace Atoll::r500
