// The fields of a RENDER_SURFACE_STATE that messages read; registers/dg1/commands.json has their places.
#pragma once
#include <cstdint>

#include "registers/dg1.h"

namespace Atoll::xe_lp {

using SurfaceState = dg1::structures::RENDER_SURFACE_STATE;

// For a surface that is a buffer, Depth, Height and Width count its entries together, less 1, in 11, 14 and 7 bits.
inline uint64_t buffer_entries(const uint32_t* state) {
  return (uint64_t(SurfaceState::Depth::get(state)) << 21 | SurfaceState::Height::get(state) << 7 |
          (SurfaceState::Width::get(state) & 0x7f)) +
         1;
}
// Surface Pitch is an entry's size less 1 but for RAW ones, whose entries are bytes.
inline uint32_t buffer_entry_bytes(const uint32_t* state) {
  return SurfaceState::Surface_Format::get(state) == dg1::SURFACE_FORMAT::RAW ? 1 : SurfaceState::Surface_Pitch::get(state) + 1;
}

}  // namespace Atoll::xe_lp
