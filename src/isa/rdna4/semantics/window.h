// GPU addresses of 48 bits in a window that is smaller (memory/address_space.h, Sections), which a process's own addresses need:
// where there are sections, the upper half of an address becomes the window's. Addresses in no section, the apertures, and
// everything from 2^48 on come to lie beyond the window, where an access faults.
#pragma once
#include <cstdint>

#include "memory/address_space.h"
#include "wave/wave.h"

namespace Atoll::rdna4 {

// The address of each lane.
template <class A>
typename A::U32 window_high(A& e, const typename A::U32& high) {
  const Sections sections = Sections::of_window(e.core.wave.window);
  if (!sections.shifts) return high;
  return select(high < 0x10000u,
                high + e.core.constant_word(sections.words(), sections.log_count(), high >> (sections.bits - 32u)), high);
}
// The address of each lane's own 64 bits. On a device that graphics drivers have, the sign is taken off addresses of 48 bits with the sign
// above: Mesa 25.0.7's RADV makes those of nodes of acceleration structures so, whatever half its memory lies in (radv_nir_rt_common.c,
// build_node_to_addr). Elsewhere such an address is a fault, which names all of it.
template <class A>
typename A::U32 signed_window_high(A& e, const typename A::U32& high) {
  if (!e.core.wave.signed_addresses) return window_high(e, high);
  return window_high(e, select(high < 0xffff'0000u, high, high & 0xffffu));
}
// A scalar address.
template <class A>
typename A::S64 window_address(A& e, const typename A::S64& address) {
  const Sections sections = Sections::of_window(e.core.wave.window);
  if (!sections.shifts) return address;
  const auto from = high(address);
  auto to = select(from < 0x10000u, from + Sections::none, from);
  for (unsigned n = 0; n < Sections::places; n++)
    if (const uint32_t section = sections.placed[n].load(std::memory_order_relaxed); section != Sections::no_section)
      to = select(from >> (sections.bits - 32u) == section, from + sections.shifts[section].load(std::memory_order_relaxed), to);
  return join(low(address), to);
}

// One address, for functions that are called.
inline uint64_t window_address(const wave::Wave& wave, uint64_t address) {
  return Sections::of_window(wave.window).window_address(address);
}

}  // namespace Atoll::rdna4
