#include "gpu/dg1/draw/new_samples.h"

#include <algorithm>

#include "gpu/dg1/draw/fills.h"
#include "isa/xe_lp/surface_format.h"
#include "surface/format.h"
#include "surface/intel_tiling.h"

namespace Atoll::dg1 {

using Format = SURFACE_FORMAT;

namespace {

// A format that can be drawn into, whose texels of zeros have as many bits.
uint32_t format_of_bits(uint32_t format) {
  const surface::Format* found = xe_lp::surface_format(format);
  switch (found ? surface::row(found->layout).bytes : 0) {
    case 1: return Format::R8_UINT;
    case 2: return Format::R16_UINT;
    case 4: return Format::R32_UINT;
    case 8: return Format::R32G32_UINT;
    case 16: return Format::R32G32B32A32_UINT;
    default: return format;
  }
}

}  // namespace

bool settle_new_samples(Context& c, const SurfaceWords& state, bool cleared, bool& filled) {
  using S = SurfaceState;
  if (S::Auxiliary_Surface_Mode::get(state) != AuxiliaryMode::AUX_MCS_LCE || !S::Number_of_Multisamples::get(state)) return true;
  surface::IntelSurface mcs;
  mcs.pitch_bytes = (uint32_t(S::Auxiliary_Surface_Pitch::get(state)) + 1) * surface::tile_width(mcs.tiling);
  const uint64_t base = stripped(S::Auxiliary_Surface_Base_Address::get(state)),
                 rows = uint64_t(S::Auxiliary_Surface_QPitch::get(state)) * 4;
  const uint32_t first = S::Minimum_Array_Element::get(state), layers = S::Depth::get(state) + 1;
  for (uint32_t layer = first; layer < first + layers; layer++) {
    uint64_t start[2];
    const uint64_t at = base + surface::address(mcs, 0, layer * rows);
    if (!c.space.contains(at, sizeof start, true)) break;  // (what is not there says nothing)
    if (!c.load(at, start, sizeof start, "read of an MCS")) return false;
    if (~start[0] || ~start[1]) continue;
    start[0] = start[1] = 0;
    if (!c.store(at, start, sizeof start, "mark of an MCS")) return false;
    if (cleared) continue;
    SurfaceWords one = state;
    S::Surface_Format::set(one, format_of_bits(S::Surface_Format::get(state)));
    S::Minimum_Array_Element::set(one, layer), S::Depth::set(one, 0), S::Render_Target_View_Extent::set(one, 0);
    if (!fill_with_zeros(c, one)) return false;
    filled = true;
  }
  return true;
}

}  // namespace Atoll::dg1
