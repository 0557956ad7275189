#include "isa/gfx7/semantics/semantics.h"

// Every group of semantics/, one line each.
#define ATOLL_GROUPS(GROUP) \
  GROUP(buffer_memory)      \
  GROUP(control)            \
  GROUP(conversion)         \
  GROUP(cross_lane)         \
  GROUP(division)           \
  GROUP(exports)            \
  GROUP(flat_memory)        \
  GROUP(global_share)       \
  GROUP(image)              \
  GROUP(interpolation)      \
  GROUP(lds)                \
  GROUP(salu)               \
  GROUP(smem)               \
  GROUP(transcendental)     \
  GROUP(valu_basic)         \
  GROUP(valu_float)         \
  GROUP(valu_integer)       \
  GROUP(valu_minmax)        \
  GROUP(vopc)

namespace Atoll::gfx7 {

ATOLL_DECLARE_GROUPS(ATOLL_GROUPS)

const SemanticEntry* find_semantics(std::string_view mnemonic) {
  [[clang::no_destroy]] static const amd::SemanticTable table = [] {
    amd::SemanticTable table;
    ATOLL_GROUPS(ATOLL_ADD_GROUP)
    return table;
  }();
  return table.find(mnemonic);
}

}  // namespace Atoll::gfx7
