#include "hostile_values.h"

#include <iterator>

namespace Atoll::attacker {

uint32_t hostile_offset(Random& r, uint32_t size) {
  uint32_t near = r.chance(70) ? r.below(20) * 4 : r.below(300);
  switch (r.below(16)) {
    case 0:
    case 1:
    case 2: return size - near;
    case 3:
    case 4: return size + near;
    case 5:
    case 6: return 0u - near;
    case 7: return 0x80000000u - near;
    case 8: return 0x7fffffffu + near;
    case 9: return 0x10000u - near;
    case 10: return (r.chance(50) ? 0x20000u : 0x40000u) - near;
    case 11: return size + r.below(0x20000) * 4;
    case 12: return size * (1 + r.below(4)) + near;
    case 13: return 0u - size - near;
    case 14: return near;
    default: return r.next();
  }
}

uint64_t hostile_address(Random& r) {
  uint64_t near = r.chance(70) ? r.below(40) * 4 : r.below(0x4000);
  const Window& w = windows[r.below(std::size(windows))];
  switch (r.below(18)) {
    case 0:
    case 1:
    case 2: return w.address + w.bytes - near;
    case 3: return w.address + w.bytes + near;
    case 4:
    case 5: return w.address - near;
    case 6:
    case 7: return (uint64_t(2) << 32) - near;  // in a row of addresses with equal high halves the low ones wrap
    case 8: return (uint64_t(1) << 32) - near;
    case 9: return space_bytes - near;
    case 10: return space_bytes + near;
    case 11: return space_bytes + space_reserve + r.below(edge_bytes);
    case 12: return 0 - space_reserve - 1 - r.below(edge_bytes);
    case 13: return r.chance(50) ? near : 0 - near;
    case 14: return (uint64_t(1) << 48) - near + (r.chance(50) ? 2 * near : 0);
    case 15: return (uint64_t(1) << 63) + w.address + near;
    case 16: return uint64_t(r.next()) << 32 | uint32_t(w.address + near);
    default: return r.next64();
  }
}

uint64_t tame_address(Random& r, uint32_t room) {
  const Window& w = windows[r.below(std::size(windows))];
  if (w.bytes <= 2 * uint64_t(room)) return w.address + w.bytes / 2;
  return w.address + room + (r.below(uint32_t(w.bytes) - 2 * room) & ~15u);
}

uint32_t hostile_index(Random& r, uint32_t count) {
  switch (r.below(8)) {
    case 0: return r.below(count);
    case 1: return count - 1 - r.below(4);
    case 2: return count + r.below(count);
    case 3: return 0u - 1 - r.below(count);
    case 4: return r.below(0x10000);
    case 5: return 0x80000000u + r.below(16) - 8;
    case 6: return r.below(1024) << 16 | r.below(1024);
    default: return r.next();
  }
}

}  // namespace Atoll::attacker
