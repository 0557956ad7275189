// resinfo's table by surface type: IGC documentation/visa/instructions/INFO.md, in which buffers have no row of their own (their size is
// in that of cubes); Mesa 22.3.6 for these (brw_fs_nir.cpp, nir_intrinsic_get_ssbo_size), for arrays (brw_nir_clamp_image_1d_2d_array_
// sizes.c: no layers where Surface Array is off) and for null surfaces (brw_fs_nir.cpp, Wa_1940217: 0 of everything). A level beyond
// the last has no texels, as D3D11's resinfo has it.
#include "gpu/dg1/threads/surface_queries.h"

#include <algorithm>

#include "isa/xe_lp/surface_state.h"

namespace Atoll::dg1 {

Expected<std::array<uint32_t, 4>> surface_size(const SurfaceWords& w, uint32_t level) {
  const uint32_t type = SurfaceState::Surface_Type::get(w), width = SurfaceState::Width::get(w),
                 height = SurfaceState::Height::get(w), depth = SurfaceState::Depth::get(w);
  const uint32_t levels = SurfaceState::MIP_Count_LOD::get(w) + 1;
  const uint64_t shift = uint64_t(level) + SurfaceState::Surface_Min_LOD::get(w);
  const bool is_there = level < levels;
  auto texels = [&](uint32_t less_one) {
    return is_there ? uint32_t(std::max<uint64_t>(1, (uint64_t(less_one) + 1) >> shift)) : 0;
  };
  const uint32_t layers = is_there && (SurfaceState::Surface_Array::get(w) || type == SurfaceType::SURFTYPE_CUBE) ? depth + 1 : 0;
  switch (type) {
    case SurfaceType::SURFTYPE_1D: return std::array{texels(width), layers, 0u, levels};
    case SurfaceType::SURFTYPE_2D:
    case SurfaceType::SURFTYPE_CUBE: return std::array{texels(width), texels(height), layers, levels};
    case SurfaceType::SURFTYPE_3D: return std::array{texels(width), texels(height), texels(depth), levels};
    case SurfaceType::SURFTYPE_BUFFER:
    case SurfaceType::SURFTYPE_STRBUF: return std::array{uint32_t(xe_lp::buffer_entries(w.data())), 0u, 0u, 0u};
    case SurfaceType::SURFTYPE_NULL: return std::array<uint32_t, 4>{};
    default: return fail("surface type {}, which is reserved", type);
  }
}

}  // namespace Atoll::dg1
