// PRM volume 2a, the commands; when the tests are made: Mesa 22.3.6 iris_state.c (want_pma_fix has the formula of what kills pixels),
// iris_upload_dirty_render_state (Early Depth/Stencil Control, Force Thread Dispatch).
#include "gpu/dg1/draw/depth_state.h"

#include <bit>

#include "gpu/dg1/draw/blend_state.h"
#include "gpu/dg1/draw/draw_state.h"
#include "gpu/dg1/draw/raster_state.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using pipeline::StencilOp;
using DepthStencil = _3DSTATE_WM_DEPTH_STENCIL;
using Ps = _3DSTATE_PS_EXTRA;
using Wm = _3DSTATE_WM;

// The manual's 3D_Stencil_Operation.
StencilOp stencil_op(uint32_t op) {
  constexpr StencilOp ops[] = {StencilOp::keep,
                               StencilOp::zero,
                               StencilOp::replace,
                               StencilOp::increment_clamp,
                               StencilOp::decrement_clamp,
                               StencilOp::increment_wrap,
                               StencilOp::decrement_wrap,
                               StencilOp::invert};
  return ops[op & 7];
}

// True if the shader, or a test of its results, may take pixels or samples away.
bool kills(const GraphicsState& g) {
  const uint32_t forced = g.get<Wm::Force_Kill_Pixel_Enable>();
  if (forced == Wm::Force_Kill_Pixel_Enable::ForceON) return true;
  return forced != Wm::Force_Kill_Pixel_Enable::ForceOff &&
         (g.get<Ps::Pixel_Shader_Kills_Pixel>() || g.get<Ps::oMask_Present_to_Render_Target>() ||
          g.get<_3DSTATE_PS_BLEND::Alpha_To_Coverage_Enable>() || g.get<_3DSTATE_PS_BLEND::Alpha_Test_Enable>() ||
          g.get<_3DSTATE_WM_CHROMAKEY::ChromaKey_Kill_Enable>());
}

bool computes_depth_or_stencil(const GraphicsState& g) {
  return g.get<Ps::Pixel_Shader_Computed_Depth_Mode>() != Ps::Pixel_Shader_Computed_Depth_Mode::PSCDEPTH_OFF ||
         g.get<Ps::Force_Computed_Depth>() || g.get<Ps::Pixel_Shader_Computes_Stencil>();
}

}  // namespace

// True if a shader's run may change something: targets, the pixels that are left, memory. The terms are those of Mesa's
// want_pma_fix().
bool dispatches_pixels(const GraphicsState& g) {
  if (!g.get<Ps::Pixel_Shader_Valid>() || !renders(g)) return false;
  const uint32_t forced = g.get<Wm::Force_Thread_Dispatch_Enable>();
  if (forced == Wm::Force_Thread_Dispatch_Enable::ForceON) return true;
  if (forced == Wm::Force_Thread_Dispatch_Enable::ForceOff) return false;
  return (g.get<_3DSTATE_PS_BLEND::Has_Writeable_RT>() && !g.get<Ps::Pixel_Shader_Does_not_write_to_RT>()) || kills(g) ||
         computes_depth_or_stencil(g) || g.get<Ps::Pixel_Shader_Has_UAV>();
}

bool writes_depths(const GraphicsState& g) {
  return (g.get<DepthStencil::Depth_Buffer_Write_Enable>() && g.get<_3DSTATE_DEPTH_BUFFER::Depth_Write_Enable>()) ||
         g.get<Wm::Legacy_Depth_Buffer_Clear_Enable>();
}

bool find_depth_stencil(Context& context, pipeline::Draw& draw) {
  const GraphicsState& g = context.graphics;
  pipeline::DepthStencil& state = draw.depth_stencil;
  // Depths are written without a test as well (blorp's blits into depth buffers).
  state.depth_write = writes_depths(g);
  const bool tests = g.get<DepthStencil::Depth_Test_Enable>();
  state.depth_test = tests || state.depth_write;
  state.depth_compare = tests ? compare_of(g.get<DepthStencil::Depth_Test_Function>()) : pipeline::Compare::always;
  // Pixels of a rectangle become as deep as 3DSTATE_CLEAR_PARAMS says, as a draw's side effect (Sandy Bridge PRM volume 2 part 1, 7.5.3.1,
  // "Depth Buffer Clear"). Its resolves have nothing to do: depth buffers have no hierarchy here.
  if (g.get<Wm::Legacy_Depth_Buffer_Clear_Enable>()) {
    state.depth_test = state.depth_write = true, state.depth_compare = pipeline::Compare::always;
    for (pipeline::Viewport& viewport : draw.viewports)
      viewport.depth_low = viewport.depth_high =
          std::bit_cast<float>(uint32_t(g.get<_3DSTATE_CLEAR_PARAMS::Depth_Clear_Value>()));
  }
  state.stencil_test = g.get<DepthStencil::Stencil_Test_Enable>();
  const bool writes =
      g.get<DepthStencil::Stencil_Buffer_Write_Enable>() && g.get<_3DSTATE_STENCIL_BUFFER::Stencil_Write_Enable>();
  pipeline::StencilFace& front = state.front;
  front.compare = compare_of(g.get<DepthStencil::Stencil_Test_Function>());
  front.fail = stencil_op(g.get<DepthStencil::Stencil_Fail_Op>());
  front.depth_fail = stencil_op(g.get<DepthStencil::Stencil_Pass_Depth_Fail_Op>());
  front.pass = stencil_op(g.get<DepthStencil::Stencil_Pass_Depth_Pass_Op>());
  front.reference = uint8_t(g.get<DepthStencil::Stencil_Reference_Value>());
  front.compare_mask = uint8_t(g.get<DepthStencil::Stencil_Test_Mask>());
  front.write_mask = uint8_t(writes ? g.get<DepthStencil::Stencil_Write_Mask>() : 0);
  state.back = front;
  if (g.get<DepthStencil::Double_Sided_Stencil_Enable>()) {
    pipeline::StencilFace& back = state.back;
    back.compare = compare_of(g.get<DepthStencil::Backface_Stencil_Test_Function>());
    back.fail = stencil_op(g.get<DepthStencil::Backface_Stencil_Fail_Op>());
    back.depth_fail = stencil_op(g.get<DepthStencil::Backface_Stencil_Pass_Depth_Fail_Op>());
    back.pass = stencil_op(g.get<DepthStencil::Backface_Stencil_Pass_Depth_Pass_Op>());
    back.reference = uint8_t(g.get<DepthStencil::Backface_Stencil_Reference_Value>());
    back.compare_mask = uint8_t(g.get<DepthStencil::Backface_Stencil_Test_Mask>());
    back.write_mask = uint8_t(writes ? g.get<DepthStencil::Backface_Stencil_Write_Mask>() : 0);
  }
  using Bounds = _3DSTATE_DEPTH_BOUNDS;
  state.bounds_test = g.get<Bounds::Depth_Bounds_Test_Enable>();
  state.bounds_low = std::bit_cast<float>(uint32_t(g.get<Bounds::Depth_Bounds_Test_Min_Value>()));
  state.bounds_high = std::bit_cast<float>(uint32_t(g.get<Bounds::Depth_Bounds_Test_Max_Value>()));

  const uint32_t control = g.get<Wm::Early_Depth_Stencil_Control>();
  using Control = Wm::Early_Depth_Stencil_Control;
  // A shader that reads its coverage reads that of the primitive, of which early tests leave less.
  const bool reads_coverage =
      samples_of(g) > 1 && g.get<Ps::Input_Coverage_Mask_State>() == Ps::Input_Coverage_Mask_State::NORMAL;
  switch (control) {
    case Control::EDSC_NORMAL:
      state.early = !dispatches_pixels(g) || !(kills(g) || computes_depth_or_stencil(g) || reads_coverage);
      break;
    case Control::EDSC_PSEXEC: state.early = !dispatches_pixels(g); break;  // the shader runs for pixels that will fail, too
    case Control::EDSC_PREPS: state.early = true; break;
    default: return refuse(context, "3DSTATE_WM.Early Depth/Stencil Control", control);
  }
  state.count_samples = g.get<Wm::Statistics_Enable>();
  if (g.get<_3DSTATE_WM_CHROMAKEY::ChromaKey_Kill_Enable>()) context.unknown("3DSTATE_WM_CHROMAKEY.ChromaKey Kill Enable 1");
  return true;
}

}  // namespace Atoll::dg1
