#include "gpu/sea_islands/draw/surface_work.h"

#include <algorithm>

#include "gpu/sea_islands/draw/fragment_state.h"
#include "gpu/sea_islands/draw/resolve.h"
#include "gpu/sea_islands/draw/targets.h"
#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {

static bool writes_colour(const RegisterFile& r) {
  for (unsigned n = 0; n < TargetEnables::count; n++)
    if (TargetEnables::get(r, n) & OutputEnables::get(r, n)) return true;
  return false;
}

bool depth_is_plain(const RegisterFile& r) {
  return r.get<DB_RENDER_CONTROL::DEPTH_COMPRESS_DISABLE>() || r.get<DB_RENDER_CONTROL::STENCIL_COMPRESS_DISABLE>();
}

bool work_on_surfaces(DrawContext& context) {
  if (!context.targets) context.targets = std::make_shared<TargetCache>();
  TargetCache& cache = *context.targets;
  cache.trim(context);
  const RegisterFile& r = context.registers;
  using Mode = CB_COLOR_CONTROL::MODE;
  uint32_t mode = r.get<CB_COLOR_CONTROL::MODE>();
  if (mode != Mode::CB_NORMAL && mode != Mode::CB_DISABLE && !context.write_back_targets()) return true;
  if (mode == Mode::CB_ELIMINATE_FAST_CLEAR || mode == Mode::CB_DECOMPRESS || mode == Mode::CB_FMASK_DECOMPRESS) {
    for (unsigned n = 0; n < 8; n++) {
      ColourSurface* surface = nullptr;
      if (!TargetEnables::get(r, n)) continue;
      if (!cache.colour(context, n, surface)) return true;
      if (!surface) continue;
      if (!surface->blocks->expand(context)) return true;
      if (mode == Mode::CB_FMASK_DECOMPRESS) surface->expand_fmask();
    }
    return true;
  }
  if (mode == Mode::CB_RESOLVE) {
    // From buffer 0 to buffer 1, within the scissors that the rectangle of the draw fills.
    ColourSurface *from = nullptr, *to = nullptr;
    if (!cache.colour(context, 0, from) || !cache.colour(context, 1, to)) return true;
    using Window = PA_SC_WINDOW_SCISSOR_BR;
    using Viewport = PA_SC_VPORT_SCISSOR_BR;
    if (from && to)
      resolve(context, *from, *to, std::min(r.get<Window::BR_X>(), r.get<Viewport::BR_X>(0)),
              std::min(r.get<Window::BR_Y>(), r.get<Viewport::BR_Y>(0)));
    else
      context.unknown("CB resolve without two colour buffers");
    return true;
  }
  const auto render = r.read<DB_RENDER_CONTROL>();
  const bool depth_plain = DB_RENDER_CONTROL::DEPTH_COMPRESS_DISABLE::get(render),
             stencil_plain = DB_RENDER_CONTROL::STENCIL_COMPRESS_DISABLE::get(render);
  // Chips write uncompressed where compression is off, and RADV switches it off in ordinary draws of planes without HTILE (Mesa
  // 25.0.7 radv_cmd_buffer.c, radv_emit_fb_ds_state): what is compressed is expanded, and then the draw goes on as any other.
  if (depth_plain || stencil_plain) {
    DepthSurface* surface = nullptr;
    if (!cache.depth(context, surface)) return true;
    if (surface && surface->depth && depth_plain && !surface->depth->expand(context)) return true;
    if (surface && surface->stencil && stencil_plain && !surface->stencil->expand(context)) return true;
    // Nothing is tested, written or counted, and the shader does not run for nothing: a pass for the surface alone.
    pipeline::DepthStencil plain = depth_stencil_of(context);
    return !plain.depth_test && !plain.stencil_test && !plain.bounds_test && !plain.count_samples && !plain.counts_fails() &&
           !writes_colour(r) && !r.get<DB_SHADER_CONTROL::EXEC_ON_NOOP>();
  }
  return false;
}

}  // namespace Atoll::sea_islands
