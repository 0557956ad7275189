// Addresses, offsets and indices at which checks go wrong.
#pragma once
#include "poison.h"

namespace Atoll::attacker {

// Around the end of `size` bytes, around 2^32 and 2^31, small and negative ones, and others.
uint32_t hostile_offset(Random& random, uint32_t size);
// 64 bits: at the ends of windows, across 2^32, 2^33, 2^40, at 2^48 and 2^63, in the apertures, where the poison at the edges of
// the window's reservation is, and null.
uint64_t hostile_address(Random& random);
// Inside of a window, with `room` bytes before and behind it.
uint64_t tame_address(Random& random, uint32_t room);
// An index of one of `count` registers or lanes that mostly are not there.
uint32_t hostile_index(Random& random, uint32_t count);

}  // namespace Atoll::attacker
