// 3DSTATE_CPS_POINTERS and CPS_STATE, one for each viewport: sizes of pixels in s3.7 (Mesa 22.3.6 genxml gen12.xml;
// src/intel/vulkan/genX_state.c, init_cps_device_state, and anv_GetPhysicalDeviceFragmentShadingRatesKHR, which has 1, 2 and 4).
#include "gpu/dg1/draw/coarse_pixels.h"

#include "gpu/dg1/draw/draw_state.h"

namespace Atoll::dg1 {

using namespace commands;

namespace {

// 0: there is no such size.
uint8_t pixels_of(uint32_t s3_7) {
  constexpr uint32_t one = 1 << 7;
  return s3_7 == one || s3_7 == 2 * one || s3_7 == 4 * one ? uint8_t(s3_7 / one) : 0;
}

}  // namespace

bool find_coarse_pixels(Context& c, pipeline::Rasterization& raster) {
  using Size = structures::CPS_STATE;
  using Mode = Size::Coarse_Pixel_Shading_Mode;
  using Extra = _3DSTATE_PS_EXTRA;
  const GraphicsState& g = c.graphics;
  if (!dispatches_pixels(g) || !g.get<Extra::Pixel_Shader_Is_Per_Coarse_Pixel>()) return true;
  const uint64_t array = c.bases.dynamic + g.get<_3DSTATE_CPS_POINTERS::Coarse_Pixel_Shading_State_Array_Pointer>();
  const unsigned viewports = unsigned(g.get<_3DSTATE_CLIP::Maximum_VP_Index>()) + 1;
  for (unsigned n = 0; n < viewports; n++) {
    uint32_t words[Size::dwords];
    if (!c.load_state("CPS_STATE", array + n * sizeof words, words, "read of CPS_STATE")) return false;
    const uint32_t mode = Mode::get(words), x = Size::Min_CP_Size_X::get(words), y = Size::Min_CP_Size_Y::get(words);
    if (mode == Mode::CPS_MODE_NONE) continue;
    if (mode != Mode::CPS_MODE_CONSTANT)
      return c.lose(fmt::format("CPS_STATE {}: Coarse Pixel Shading Mode {} is not executed", n, mode));
    if (!pixels_of(x) || !pixels_of(y))
      return c.lose(fmt::format("CPS_STATE {}: coarse pixels of {}/128 x {}/128 pixels are not executed", n, x, y));
    raster.coarse[n] = {pixels_of(x), pixels_of(y)};
    raster.has_coarse_pixels |= !raster.coarse[n].is_single();
  }
  if (!raster.has_coarse_pixels) return true;
  // Features that such shaders do not have (Mesa 25.0.7 brw_compile_fs.cpp, coarse_pixel_dispatch).
  if (raster.sample_shading) return c.lose("3DSTATE_PS_EXTRA: coarse pixels that are shaded by sample are not executed");
  if (g.get<Extra::Input_Coverage_Mask_State>() != Extra::Input_Coverage_Mask_State::NONE)
    return c.lose("3DSTATE_PS_EXTRA.Input Coverage Mask State: coverage of coarse pixels is not executed");
  if (g.get<Extra::oMask_Present_to_Render_Target>())
    return c.lose("3DSTATE_PS_EXTRA.oMask Present to Render Target: masks of coarse pixels are not executed");
  return true;
}

}  // namespace Atoll::dg1
