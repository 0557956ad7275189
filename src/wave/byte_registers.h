// Places in a register file of bytes.
#pragma once
#include "base/removable_check.h"
#include "wave/engine.h"

namespace Atoll::wave {

// The element of a region that lane l has.
constexpr uint32_t element_of(const Region& r, uint32_t l) {
  return r.width ? l / r.width * r.vertical + l % r.width * r.horizontal : l;
}

// A window of a register file in which each lane has a place of its own. `size`: bytes of the window, a power of two.
struct IndexedBytes {
  uint32_t cell = 0, size = 0;
  uint8_t bytes = 4;  // of an element: 1, 2, 4
  bool sign_extend = false;
  uint8_t lanes = 8;
};
inline uint32_t place_in(const IndexedBytes& f, uint32_t byte) {
  return ATOLL_CHECK_REMOVED("xe_lp.indexed") ? byte : byte & (f.size - f.bytes);
}

}  // namespace Atoll::wave
