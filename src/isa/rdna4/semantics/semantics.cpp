#include "isa/rdna4/semantics/semantics.h"

#include <unordered_map>

#include "wave/interpreter/level.h"

// Every group of semantics/, one line each.
#define ATOLL_GROUPS(GROUP) \
  GROUP(buffer_memory)      \
  GROUP(bundle)             \
  GROUP(control)            \
  GROUP(conversion)         \
  GROUP(cross_lane)         \
  GROUP(division)           \
  GROUP(float_dot)          \
  GROUP(global_memory)      \
  GROUP(lds)                \
  GROUP(packed_integer)     \
  GROUP(salu)               \
  GROUP(salu_float)         \
  GROUP(smem)               \
  GROUP(transcendental)     \
  GROUP(valu_basic)         \
  GROUP(valu_float)         \
  GROUP(valu_integer)       \
  GROUP(valu_integer16)     \
  GROUP(valu_minmax)        \
  GROUP(valu_packed_float)  \
  GROUP(vopc)               \
  GROUP(wmma)

namespace Atoll::rdna4 {

#define ATOLL_DECLARE(group) std::span<const SemanticEntry> group();
namespace baseline {
ATOLL_GROUPS(ATOLL_DECLARE)
}
namespace avx2 {
ATOLL_GROUPS(ATOLL_DECLARE)
}
namespace avx512 {
ATOLL_GROUPS(ATOLL_DECLARE)
}
namespace recording {
ATOLL_GROUPS(ATOLL_DECLARE)
}
#undef ATOLL_DECLARE

const SemanticEntry* find_semantics(std::string_view mnemonic) {
  static const auto table = [] {
    std::unordered_map<std::string_view, SemanticEntry> entries;
    auto level = wave::host_level();
    auto add = [&](std::span<const SemanticEntry> interpreted, std::span<const SemanticEntry> recorded) {
      for (size_t n = 0; n < interpreted.size(); n++) {
        SemanticEntry entry = interpreted[n];
        entry.record = recorded[n].record;
        entries[entry.name] = entry;
      }
    };
#define ATOLL_ADD(group)                                \
  add(level == wave::Level::Avx512 ? avx512::group()    \
      : level == wave::Level::Avx2 ? avx2::group()      \
                                   : baseline::group(), \
      recording::group());
    ATOLL_GROUPS(ATOLL_ADD)
#undef ATOLL_ADD
    return entries;
  }();
  auto found = table.find(mnemonic);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace Atoll::rdna4
