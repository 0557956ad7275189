// PRM volume 2a, 3DSTATE_CLIP, 3DSTATE_SF, SF_CLIP_VIEWPORT; Mesa 22.3.6 iris_state.c (iris_create_rasterizer_state, viewports in
// iris_upload_dirty_render_state), blorp_genX_exec.h.
#include "gpu/dg1/draw/viewport_state.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu/dg1/draw/draw_state.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using SfViewport = structures::SF_CLIP_VIEWPORT;
using CcViewport = structures::CC_VIEWPORT;
using ScissorRect = structures::SCISSOR_RECT;

template <class Field>
float float_of(const uint32_t* words) {
  return std::bit_cast<float>(uint32_t(Field::get(words)));
}

// The first pixel whose centre does not lie before a bound of a viewport's extent: floats, NaN among them, may be anything. No public text
// says how bounds between pixels are rounded; so what is inside of the guard band loses what clipping at the viewport would take away, as
// OpenGL and Vulkan ask (drivers give their viewports' edges, the right and lower one less 1: Mesa 22.3.6 iris_state.c).
int pixel(float v) { return v > -1e6f ? (v < 1e6f ? int(std::ceil(v - 0.5f)) : 1000000) : -1000000; }

// Pixels that the drawing rectangle leaves; its bounds are inside. Without the command everything is.
pipeline::Rectangle drawing_rectangle(const GraphicsState& g) {
  using Rectangle = _3DSTATE_DRAWING_RECTANGLE;
  if (!g.dwords<Rectangle>()) return {0, 0, 1 << 16, 1 << 16};
  return {int(g.get<Rectangle::Clipped_Drawing_Rectangle_X_Min>()), int(g.get<Rectangle::Clipped_Drawing_Rectangle_Y_Min>()),
          int(g.get<Rectangle::Clipped_Drawing_Rectangle_X_Max>()) + 1,
          int(g.get<Rectangle::Clipped_Drawing_Rectangle_Y_Max>()) + 1};
}

// A bit mask of clip or cull distances: 3DSTATE_CLIP's own where that is forced, else what the last stage before it says.
template <class Forced, class Own, class Gs, class Ds, class Vs>
uint8_t distances(const GraphicsState& g) {
  if (g.get<Forced>()) return uint8_t(g.get<Own>());
  if (g.get<_3DSTATE_GS::Enable>()) return uint8_t(g.get<Gs>());
  if (g.get<_3DSTATE_DS::Enable>()) return uint8_t(g.get<Ds>());
  return uint8_t(g.get<_3DSTATE_VS::Enable>() ? g.get<Vs>() : 0);
}

}  // namespace

pipeline::Rectangle both(const pipeline::Rectangle& a, const pipeline::Rectangle& b) {
  pipeline::Rectangle r{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                        std::min(a.bottom, b.bottom)};
  r.right = std::max(r.left, r.right), r.bottom = std::max(r.top, r.bottom);
  return r;
}

bool read_scissor(Context& context, unsigned n, pipeline::Rectangle& area) {
  uint32_t w[ScissorRect::dwords];
  const uint64_t rects = context.bases.dynamic + context.graphics.get<_3DSTATE_SCISSOR_STATE_POINTERS::Scissor_Rect_Pointer>();
  if (!context.load_state("SCISSOR_RECT", rects + n * sizeof w, w, "read of SCISSOR_RECT")) return false;
  area = {int(ScissorRect::Scissor_Rectangle_X_Min::get(w)), int(ScissorRect::Scissor_Rectangle_Y_Min::get(w)),
          int(ScissorRect::Scissor_Rectangle_X_Max::get(w)) + 1, int(ScissorRect::Scissor_Rectangle_Y_Max::get(w)) + 1};
  return true;
}

bool find_viewports(Context& context, pipeline::Draw& draw) {
  const GraphicsState& g = context.graphics;
  const unsigned viewports = g.get<_3DSTATE_CLIP::Maximum_VP_Index>() + 1;
  using Origin = _3DSTATE_DRAWING_RECTANGLE;
  // (a screen position counts from the drawing rectangle's origin)
  const float origin_x = float(int16_t(g.get<Origin::Drawing_Rectangle_Origin_X>())),
              origin_y = float(int16_t(g.get<Origin::Drawing_Rectangle_Origin_Y>()));
  const bool transforms = g.get<_3DSTATE_SF::Viewport_Transform_Enable>();
  const bool scissors = g.get<_3DSTATE_RASTER::Scissor_Rectangle_Enable>();
  const bool has_depths = g.dwords<_3DSTATE_VIEWPORT_STATE_POINTERS_CC>() != 0;
  const uint64_t sf = context.bases.dynamic + g.get<_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP::SF_Clip_Viewport_Pointer>(),
                 cc = context.bases.dynamic + g.get<_3DSTATE_VIEWPORT_STATE_POINTERS_CC::CC_Viewport_Pointer>();
  const pipeline::Rectangle drawn = drawing_rectangle(g);
  draw.scissor_viewports = true;
  float band_x = 1e30f, band_y = 1e30f;
  for (unsigned n = 0; n < draw.viewports.size(); n++) {
    pipeline::Viewport& v = draw.viewports[n];
    pipeline::Rectangle& area = draw.viewport_scissors[n];
    v = {};
    area = drawn;
    v.offset = {origin_x, origin_y, 0};
    if (n >= viewports) continue;
    if (transforms) {
      uint32_t w[SfViewport::dwords];
      if (!context.load_state("SF_CLIP_VIEWPORT", sf + n * sizeof w, w, "read of SF_CLIP_VIEWPORT")) return false;
      v.scale = {float_of<SfViewport::Viewport_Matrix_Element_m00>(w), float_of<SfViewport::Viewport_Matrix_Element_m11>(w),
                 float_of<SfViewport::Viewport_Matrix_Element_m22>(w)};
      v.offset = {float_of<SfViewport::Viewport_Matrix_Element_m30>(w) + origin_x,
                  float_of<SfViewport::Viewport_Matrix_Element_m31>(w) + origin_y,
                  float_of<SfViewport::Viewport_Matrix_Element_m32>(w)};
      // The rasterizer leaves what drawing rectangle, scissor and viewport's extent have in common; drivers that draw in screen
      // coordinates leave old viewports behind (blorp), so that these do not count without the transform.
      area = both(area, {pixel(float_of<SfViewport::X_Min_ViewPort>(w)), pixel(float_of<SfViewport::Y_Min_ViewPort>(w)),
                         pixel(float_of<SfViewport::X_Max_ViewPort>(w) + 1), pixel(float_of<SfViewport::Y_Max_ViewPort>(w) + 1)});
      band_x = std::min({band_x, -float_of<SfViewport::X_Min_Clip_Guardband>(w), float_of<SfViewport::X_Max_Clip_Guardband>(w)});
      band_y = std::min({band_y, -float_of<SfViewport::Y_Min_Clip_Guardband>(w), float_of<SfViewport::Y_Max_Clip_Guardband>(w)});
    }
    if (has_depths) {
      uint32_t w[CcViewport::dwords];
      if (!context.load_state("CC_VIEWPORT", cc + n * sizeof w, w, "read of CC_VIEWPORT")) return false;
      v.depth_low = float_of<CcViewport::Minimum_Depth>(w), v.depth_high = float_of<CcViewport::Maximum_Depth>(w);
    }
    pipeline::Rectangle scissor;
    if (scissors && !read_scissor(context, n, scissor)) return false;
    if (scissors) area = both(area, scissor);
  }
  // Without the guard band, XY is clipped at the viewport; without the XY clip test it is not clipped.
  draw.clip.guard_band_x = draw.clip.guard_band_y = 1e30f;
  if (g.get<_3DSTATE_CLIP::Viewport_XY_Clip_Test_Enable>()) {
    const bool guarded = g.get<_3DSTATE_CLIP::Guardband_Clip_Test_Enable>();
    draw.clip.guard_band_x = guarded && band_x > 1 ? band_x : 1, draw.clip.guard_band_y = guarded && band_y > 1 ? band_y : 1;
  }
  return true;
}

bool find_clip(Context& context, pipeline::Draw& draw) {
  const GraphicsState& g = context.graphics;
  using Clip = _3DSTATE_CLIP;
  pipeline::Clip& clip = draw.clip;
  clip.enable = g.get<Clip::Clip_Enable>();
  if (clip.enable) {
    const uint32_t mode = g.get<Clip::Clip_Mode>();
    switch (mode) {
      case Clip::Clip_Mode::CLIPMODE_NORMAL: break;
      case Clip::Clip_Mode::CLIPMODE_REJECT_ALL: draw.rasterization.discard = true; break;
      case Clip::Clip_Mode::CLIPMODE_ACCEPT_ALL: clip.enable = false; break;
      default: return refuse(context, "3DSTATE_CLIP.Clip Mode", mode);
    }
  }
  clip.divide = !g.get<Clip::Perspective_Divide_Disable>();
  clip.viewport_transform = true;  // (without one: the drawing rectangle's origin)
  clip.depth_from_zero = g.get<Clip::API_Mode>() == Clip::API_Mode::APIMODE_D3D;
  clip.cut_near = g.get<_3DSTATE_RASTER::Viewport_Z_Near_Clip_Test_Enable>();
  clip.cut_far = g.get<_3DSTATE_RASTER::Viewport_Z_Far_Clip_Test_Enable>();
  if (g.get<Clip::Clip_Enable>()) {
    clip.distances =
        distances<Clip::Force_User_Clip_Distance_Clip_Test_Enable_Bitmask, Clip::User_Clip_Distance_Clip_Test_Enable_Bitmask,
                  _3DSTATE_GS::User_Clip_Distance_Clip_Test_Enable_Bitmask,
                  _3DSTATE_DS::User_Clip_Distance_Clip_Test_Enable_Bitmask,
                  _3DSTATE_VS::User_Clip_Distance_Clip_Test_Enable_Bitmask>(g);
    clip.cull_distances =
        distances<Clip::Force_User_Clip_Distance_Cull_Test_Enable_Bitmask, Clip::User_Clip_Distance_Cull_Test_Enable_Bitmask,
                  _3DSTATE_GS::User_Clip_Distance_Cull_Test_Enable_Bitmask,
                  _3DSTATE_DS::User_Clip_Distance_Cull_Test_Enable_Bitmask,
                  _3DSTATE_VS::User_Clip_Distance_Cull_Test_Enable_Bitmask>(g);
  }
  return true;
}

}  // namespace Atoll::dg1
