// Checks that a build for the attacker (tests/wave/attacker) can do without, one at a time: with the CMake option
// ATOLL_REMOVABLE_CHECKS the environment's ATOLL_REMOVE_CHECK names the one that is taken out. In every other build the macros
// are the plain condition: only the name is looked up, by the compiler.
//
//   if (!ATOLL_CHECK("interpreter.lds.bounds", address + bytes <= wave.lds_bytes)) return 0;
//   good = ATOLL_CHECK_REMOVED("jit.lds.reach") ? yes : b_.CreateICmpULE(...);      for conditions that are no bool
#pragma once
#include <cstddef>
#include <string_view>
#ifdef ATOLL_REMOVABLE_CHECKS
#include <cstdio>
#include <cstdlib>
#endif

namespace Atoll {

struct RemovableCheck {
  std::string_view name;
  std::string_view isas;     // whose programs can find it missing, by the attacker's names
  std::string_view engines;  // which engines have it
};

inline constexpr RemovableCheck removable_checks[] = {
    {"jit.lds.reach", "gfx1200,gfx7", "jit"},
    {"jit.scratch.reach", "gfx1200", "jit"},
    {"jit.guard.key", "gfx1200,gfx7", "jit"},
    {"jit.global.window", "gfx1200,gfx7", "jit"},
    {"jit.wrap", "gfx1200,gfx7", "jit"},
    {"jit.scalar_load.window", "gfx1200,gfx7", "jit"},
    {"jit.texture.words", "gfx7", "jit"},
    {"jit.texture.memory", "gfx7", "jit"},
    {"interpreter.global.window", "gfx1200,gfx7", "both"},
    {"interpreter.global.wrap", "gfx1200,gfx7", "both"},
    {"interpreter.lds.bounds", "gfx1200,gfx7", "both"},
    {"interpreter.scratch.bounds", "gfx1200,gfx7", "both"},
    {"interpreter.scalar_load.window", "gfx1200,gfx7", "interpreter"},
    {"flat.aperture", "gfx1200,gfx7", "both"},
    {"flat_scratch.bounds", "gfx7", "both"},
    {"atomics.alignment", "gfx1200,gfx7", "both"},
    {"atomics.lds.bounds", "gfx1200,gfx7", "both"},
    {"shared_word.bounds", "gfx1200", "interpreter"},
    {"jit.shared_word.bounds", "gfx1200", "jit"},
    {"direct_load.bounds", "gfx1200", "both"},
    {"atomics.scratch.bounds", "gfx1200,gfx7", "both"},
    {"atomics.window", "gfx1200,gfx7", "both"},
    {"gds.bounds", "gfx7", "both"},
    {"buffer.records", "gfx1200,gfx7", "both"},
    {"scalar_buffer.records", "gfx1200,gfx7", "both"},
    {"movrel.vgpr.source", "gfx1200,gfx7", "both"},
    {"movrel.vgpr.destination", "gfx1200,gfx7", "both"},
    {"movrel.sgpr", "gfx1200,gfx7", "both"},
    {"lane.select", "gfx1200,gfx7", "interpreter"},
    {"jit.lane.select", "gfx1200,gfx7", "jit"},
    {"export.index", "gfx1200,gfx7", "both"},
    {"attribute.index", "gfx7", "both"},
    {"image.bounds", "gfx7", "both"},
    {"r500.temporary.index", "r500-fs", "both"},
    {"r500.vertex.source", "r500-vs", "both"},
    {"r500.vertex.destination", "r500-vs", "both"},
    {"xe_lp.region", "xe-lp", "both"},
    {"xe_lp.memory.window", "xe-lp", "both"},
    {"xe_lp.slm.bounds", "xe-lp", "both"},
    {"xe_lp.atomics.alignment", "xe-lp", "both"},
    {"xe_lp.registers", "xe-lp", "both"},
    {"xe_lp.send.lanes", "xe-lp", "both"},
    {"xe_lp.send.block", "xe-lp", "both"},
    {"xe_lp.surface.lanes", "xe-lp", "both"},
    {"xe_lp.surface.called", "xe-lp", "both"},
    {"xe_lp.scratch.bounds", "xe-lp", "both"},
    {"xe_lp.indexed", "xe-lp", "both"},
    {"xe_lp.image.memory", "xe-lp", "both"},
};

inline constexpr size_t removable_check_count = sizeof removable_checks / sizeof removable_checks[0];

// Does not compile for a name that is not in the table.
consteval size_t removable_check(std::string_view name) {
  for (size_t n = 0; n < removable_check_count; n++)
    if (removable_checks[n].name == name) return n;
  throw "no such removable check";
}

#ifdef ATOLL_REMOVABLE_CHECKS
inline const size_t removed_check = [] {
  const char* asked = std::getenv("ATOLL_REMOVE_CHECK");
  if (!asked || !*asked) return removable_check_count;
  for (size_t n = 0; n < removable_check_count; n++)
    if (removable_checks[n].name == asked) return n;
  std::fprintf(stderr, "atoll: ATOLL_REMOVE_CHECK=%s: no such check: src/base/removable_check.h has their names\n", asked);
  std::exit(2);
}();
#define ATOLL_CHECK_REMOVED(name) (::Atoll::removed_check == ::Atoll::removable_check(name))
#else
#define ATOLL_CHECK_REMOVED(name) (::Atoll::removable_check(name) == ~size_t(0))
#endif
#define ATOLL_CHECK(name, condition) (ATOLL_CHECK_REMOVED(name) || (condition))

}  // namespace Atoll
