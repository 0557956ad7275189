#include "gpu/dg1/threads/kept_surfaces.h"

#include <cstring>

#include "isa/xe_lp/semantics/send_called.h"
#include "isa/xe_lp/surface_state.h"
#include "memory/fault.h"

namespace Atoll::dg1 {
namespace {

constexpr uint64_t address_mask = (uint64_t(1) << Sections::address_bits) - 1;

bool copy(const AddressSpace& space, uint64_t address, void* to, size_t bytes) {
  address &= address_mask;
  if (!space.contains(address, bytes)) return false;
  std::memcpy(to, space.host(address), bytes);
  return true;
}

bool read_surface(const xe_lp::ThreadContext& context, unsigned entry, const AddressSpace& space, xe_lp::KeptSurface& surface) {
  uint32_t words, state[xe_lp::SurfaceState::dwords];
  if (!copy(space, context.binding_table + entry * 4, &words, sizeof words)) return false;
  const uint64_t at = context.surface_state_base + structures::BINDING_TABLE_STATE::Surface_State_Pointer::get(&words);
  if (!copy(space, at, state, sizeof state)) return false;
  surface = xe_lp::kept_surface(state, space.sections());
  return true;
}

}  // namespace

std::array<xe_lp::KeptSurface, xe_lp::kept_surfaces> keep_surfaces(const xe_lp::ThreadContext& context, uint32_t which,
                                                                   const AddressSpace& space) {
  std::array<xe_lp::KeptSurface, xe_lp::kept_surfaces> surfaces;
  for (unsigned n = 0; n < xe_lp::kept_surfaces; n++) surfaces[n] = xe_lp::lost_surface(n);
  if (!which) return surfaces;
  // A mapping that another thread takes away meanwhile leaves its entry, and those behind it, lost.
  static_assert(std::is_trivially_copyable_v<xe_lp::KeptSurface>);
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return surfaces;
  recovery.activate();
  for (unsigned n = 0; n < xe_lp::kept_surfaces; n++)
    if (xe_lp::KeptSurface surface; (which >> n & 1) && read_surface(context, n, space, surface)) surfaces[n] = surface;
  recovery.deactivate();
  return surfaces;
}

}  // namespace Atoll::dg1
