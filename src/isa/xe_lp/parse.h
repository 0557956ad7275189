// Text in IGA's syntax to instructions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

// Finds a label, in bytes from the instruction that names it (calla: from the program's start); nothing: there is none.
using FindLabel = std::optional<int64_t> (*)(std::string_view name, void* context);

struct Parsed {
  Instruction instruction;
  bool not_compacted = false;  // {NoCompact}
};
// One instruction. Without `find` a branch takes numbers only.
Expected<Parsed> parse(std::string_view text, FindLabel find = nullptr, void* context = nullptr);

}  // namespace Atoll::xe_lp
