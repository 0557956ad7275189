// Quads of lanes: instructions of pixel shaders take a quad's lanes together (RDNA4 ISA 12.2).
#pragma once
#include "isa/rdna4/adaptor.h"

namespace Atoll::rdna4 {

// 1 in the lanes that are active.
template <class A>
typename A::U32 active_words(A& e) {
  return select(e.core.active(), e.core.u32(1), 0u);
}
// All lanes of the quads of which any is active.
template <class A>
typename A::M active_quads(A& e) {
  auto active = active_words(e);
  return (quad_lane(active, 0) | quad_lane(active, 1) | quad_lane(active, 2) | quad_lane(active, 3)) != 0u;
}

}  // namespace Atoll::rdna4
