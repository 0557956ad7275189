#include "insight/test_fields.h"

#include <array>

namespace Atoll::insight {
namespace {

using End = pipeline::FragmentEnd;

// Names as registers/*/*.json have them: Sea Islands 3D register reference; Mesa's gfx12 registers; R5xx Acceleration; DG1's PRM, volume 2.
struct Row {
  End end;
  std::string_view sea_islands, gfx12, r5xx, dg1;
};
constexpr Row rows[] = {
    {End::culled_front, "PA_SU_SC_MODE_CNTL.CULL_FRONT", "PA_SU_SC_MODE_CNTL.CULL_FRONT", "SU_CULL_MODE.CULL_FRONT",
     "3DSTATE_RASTER.Cull Mode"},
    {End::culled_back, "PA_SU_SC_MODE_CNTL.CULL_BACK", "PA_SU_SC_MODE_CNTL.CULL_BACK", "SU_CULL_MODE.CULL_BACK",
     "3DSTATE_RASTER.Cull Mode"},
    {End::scissor, "PA_SC_GENERIC_SCISSOR_TL", "PA_SC_GENERIC_SCISSOR_TL", "SC_SCISSOR0", "SCISSOR_RECT"},
    {End::masked, "PA_SC_CLIPRECT_RULE.CLIP_RULE", "PA_SC_CLIPRECT_RULE.CLIP_RULE", "SC_CLIP_RULE.CLIP_RULE", ""},
    {End::sample_mask, "PA_SC_AA_MASK_X0Y0_X1Y0", "PA_SC_AA_MASK_X0Y0_X1Y0", "", "3DSTATE_SAMPLE_MASK.Sample Mask"},
    {End::depth_bounds, "DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE", "DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE", "",
     "3DSTATE_DEPTH_BOUNDS.Depth Bounds Test Enable"},
    {End::stencil, "DB_DEPTH_CONTROL.STENCILFUNC", "DB_DEPTH_CONTROL.STENCILFUNC", "ZB_ZSTENCILCNTL.STENCILFUNC",
     "3DSTATE_WM_DEPTH_STENCIL.Stencil Test Function"},
    {End::depth, "DB_DEPTH_CONTROL.ZFUNC", "DB_DEPTH_CONTROL.ZFUNC", "ZB_ZSTENCILCNTL.ZFUNC",
     "3DSTATE_WM_DEPTH_STENCIL.Depth Test Function"},
    {End::shader, "DB_SHADER_CONTROL.KILL_ENABLE", "DB_SHADER_CONTROL.KILL_ENABLE", "FG_ALPHA_FUNC.AF_FUNC",
     "3DSTATE_PS_EXTRA.Pixel Shader Kills Pixel"},
    {End::alpha_test, "", "", "FG_ALPHA_FUNC.AF_FUNC", "BLEND_STATE.Alpha Test Function"},
    {End::coverage, "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_ENABLE", "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_ENABLE", "FG_ALPHA_FUNC.AM_EN",
     "BLEND_STATE.Alpha To Coverage Enable"},
    {End::no_output, "CB_SHADER_MASK.OUTPUT0_ENABLE", "CB_SHADER_MASK.OUTPUT0_ENABLE", "", ""},
    {End::write_mask, "CB_TARGET_MASK.TARGET0_ENABLE", "CB_TARGET_MASK.TARGET0_ENABLE", "RB3D_COLOR_CHANNEL_MASK",
     "BLEND_STATE_ENTRY.Write Disable Red"},
};

}  // namespace

std::string_view field_of(gpu::Family family, End end) {
  for (const Row& row : rows) {
    if (row.end != end) continue;
    switch (family) {
      case gpu::Family::sea_islands: return row.sea_islands;
      case gpu::Family::rdna4: return row.gfx12;
      case gpu::Family::r5xx: return row.r5xx;
      case gpu::Family::xe_lp: return row.dg1;
    }
  }
  return {};
}

}  // namespace Atoll::insight
