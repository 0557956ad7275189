// A function to be made: of one region of a set, of a loop that is entered at it, or of a passage that begins with it. Each is a module of
// LLVM's and an object by itself, so that it can be kept and found again whatever else was asked for together with it.
#pragma once
#include <span>

#include "wave/jit/access_plan.h"
#include "wave/jit/compiler.h"
#include "wave/jit/passages.h"

namespace Atoll::wave {

struct CodeUnit {
  enum class Kind : uint8_t { region, loop, passage };
  Kind kind = Kind::region;
  size_t region = 0;  // the one that is entered
  // The region's; a loop's regions', in the order of CodeRegion::loop; for a passage those of all the set's regions.
  std::span<const AccessPlan> plans;
  Passage passage{};
  CompileOptions options;  // as they hold for this one
  int lanes = 0;           // of a chunk
};

// The names in a unit's object: its function, and that of a passage's first region by itself.
inline constexpr const char* unit_name = "code";
inline constexpr const char* alone_name = "alone";

}  // namespace Atoll::wave
