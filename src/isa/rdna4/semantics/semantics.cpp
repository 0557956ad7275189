#include "isa/rdna4/semantics/semantics.h"

// Every group of semantics/, one line each.
#define ATOLL_GROUPS(GROUP) \
  GROUP(buffer_memory)      \
  GROUP(bundle)             \
  GROUP(control)            \
  GROUP(conversion)         \
  GROUP(cross_lane)         \
  GROUP(division)           \
  GROUP(exports)            \
  GROUP(float_dot)          \
  GROUP(global_memory)      \
  GROUP(image)              \
  GROUP(interpolation)      \
  GROUP(lds)                \
  GROUP(limited)            \
  GROUP(packed_integer)     \
  GROUP(ray_stack)          \
  GROUP(ray_tracing)        \
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
  GROUP(watched)            \
  GROUP(wmma)

namespace Atoll::rdna4 {

ATOLL_DECLARE_GROUPS(ATOLL_GROUPS)

const SemanticEntry* find_semantics(std::string_view mnemonic) {
  static const amd::SemanticTable table = [] {
    amd::SemanticTable table;
    ATOLL_GROUPS(ATOLL_ADD_GROUP)
    return table;
  }();
  return table.find(mnemonic);
}

}  // namespace Atoll::rdna4
