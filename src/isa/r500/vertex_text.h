// The vertex shader's text form, Atoll's own: docs/r500-assembly.md.
#pragma once
#include <string>
#include <string_view>

#include "base/expected.h"
#include "isa/r500/vertex_instruction.h"

namespace Atoll::r500::vs {

// One instruction in either case. An error says what is wrong where.
Expected<Words> parse(std::string_view text);
// Text that parses to the same words. They have no objection().
std::string print(const Words& words);

}  // namespace Atoll::r500::vs
