// Binding tables of the 3D pipeline's stages, and the surface states that they name.
#pragma once
#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {

// Where the pixel stage's binding table begins.
inline uint64_t pixel_binding_table(Context& c) {
  return c.binding_table(c.graphics.get<commands::_3DSTATE_BINDING_TABLE_POINTERS_PS::Pointer_to_PS_Binding_Table>());
}

// The address of the surface state that an entry of a binding table names. False: nothing is mapped there, and the context is lost.
inline bool find_surface_state(Context& c, uint64_t binding_table, unsigned entry, uint64_t& address) {
  constexpr uint32_t offset_bits = ~uint32_t(63);
  uint32_t offset = 0;
  if (!c.load(binding_table + entry * 4, &offset, 4, "read of a binding table")) return false;
  address = c.bases.surface + (offset & offset_bits);
  return true;
}

}  // namespace Atoll::dg1
