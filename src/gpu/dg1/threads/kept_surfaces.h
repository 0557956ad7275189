// The surfaces of bytes that a grid's threads name, read before they start (xe_lp::KeptSurface).
#pragma once
#include <array>
#include <cstdint>

#include "isa/xe_lp/thread_context.h"
#include "memory/address_space.h"

namespace Atoll::dg1 {

// `which`: a bit for each entry of the binding table that is wanted. An entry that cannot be read
// becomes a lost surface.
std::array<xe_lp::KeptSurface, xe_lp::kept_surfaces> keep_surfaces(const xe_lp::ThreadContext& context, uint32_t which,
                                                                   const AddressSpace& space);

}  // namespace Atoll::dg1
