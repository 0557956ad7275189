#include "isa/r500/sources.h"

#include <optional>

namespace Atoll::r500 {
namespace {

struct Addresses {
  std::optional<Slot> slot[2][3];
};

bool place(std::span<const SourceNeed> needs, const Addresses& before, Addresses& found) {
  if (needs.empty()) return found = before, true;
  const SourceNeed& need = needs.front();
  bool units[2] = {};
  for (uint8_t letter : need.letters) units[0] |= letter < SWIZZLE_A, units[1] |= letter == SWIZZLE_A;
  for (uint8_t n = 0; n < 3; n++) {
    Addresses now = before;
    bool fits = true;
    for (int unit = 0; unit < 2; unit++) {
      if (!units[unit]) continue;
      fits &= !now.slot[unit][n] || *now.slot[unit][n] == need.slot;
      now.slot[unit][n] = need.slot;
    }
    if (!fits || !place(needs.subspan(1), now, found)) continue;
    *need.select = n;
    if (need.also) *need.also = n;
    return true;
  }
  return false;
}

}  // namespace

bool address_sources(const SourceNeeds& needs, Pair& pair) {
  Addresses found;
  if (!place(needs, {}, found)) return false;
  for (int unit = 0; unit < 2; unit++)
    for (int n = 0; n < 3; n++) pair.slot[unit][n] = found.slot[unit][n].value_or(unused_slot);
  return true;
}

}  // namespace Atoll::r500
