#include "gpu/sea_islands/draw/fragment_state.h"

#include "gpu/amd/draw/fragment_state.h"
#include "gpu/sea_islands/draw/colour_format.h"
#include "gpu/sea_islands/state/field_lists.h"

namespace Atoll::sea_islands {

pipeline::DepthStencil depth_stencil_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  const auto view = r.read<DB_DEPTH_VIEW>();
  const auto render = r.read<DB_RENDER_CONTROL>();
  using Front = DB_STENCILREFMASK;
  using Back = DB_STENCILREFMASK_BF;
  const auto front = r.read<Front>();
  const auto back = r.read<Back>();
  pipeline::DepthStencil state;
  gpu::amd::tests_of<DrawRegisters>(r,
                                    {Front::STENCILTESTVAL::get(front), Front::STENCILMASK::get(front),
                                     Front::STENCILWRITEMASK::get(front), Front::STENCILOPVAL::get(front)},
                                    {Back::STENCILTESTVAL_BF::get(back), Back::STENCILMASK_BF::get(back),
                                     Back::STENCILWRITEMASK_BF::get(back), Back::STENCILOPVAL_BF::get(back)},
                                    state);
  if (DB_DEPTH_VIEW::Z_READ_ONLY::get(view)) state.depth_write = false;
  if (DB_DEPTH_VIEW::STENCIL_READ_ONLY::get(view)) state.front.write_mask = state.back.write_mask = 0;
  // Clearing draws write the clear values whatever the primitive's depth is.
  if (DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE::get(render))
    state.depth_test = state.depth_write = true, state.depth_compare = pipeline::Compare::always;
  if (DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE::get(render)) {
    state.stencil_test = true;
    state.front = {};
    state.front.fail = state.front.pass = state.front.depth_fail = pipeline::StencilOp::replace;
    state.front.reference = uint8_t(r.get<DB_STENCIL_CLEAR::CLEAR>());
    state.back = state.front;
  }
  // Copies into target 0: depth is the red and stencil the green of what is written, in all samples of a pixel the same; the
  // other components are the shader's. That is how the formats of such copies have them (CB_COLOR_INFO: COLOR_8_24, COLOR_24_8
  // and COLOR_X24_8_32_FLOAT under Mesa 22.3.6 si_translate_colorswap()); the manual does not say it. "Lit" are the samples that
  // are written after all tests.
  using Render = DB_RENDER_CONTROL;
  state.copy_depth = Render::DEPTH_COPY::get(render), state.copy_stencil = Render::STENCIL_COPY::get(render);
  state.copy_first_drawn = Render::COPY_CENTROID::get(render), state.copied_sample = Render::COPY_SAMPLE::get(render);
  using Cntl = DB_DEPTH_CONTROL;
  const auto cntl = r.read<Cntl>();
  state.colour_where_failed = Cntl::ENABLE_COLOR_WRITES_ON_DEPTH_FAIL::get(cntl);
  state.no_colour_where_passed = Cntl::DISABLE_COLOR_WRITES_ON_DEPTH_PASS::get(cntl);
  state.early = gpu::amd::tests_first<DrawRegisters>(r) && !state.selects_colour();
  gpu::amd::counts_of<DrawRegisters>(r, state);
  return state;
}

pipeline::ColourOutput colour_output_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  pipeline::ColourOutput out;
  const bool disabled =
      r.get<CB_COLOR_CONTROL::MODE>() == CB_COLOR_CONTROL::MODE::CB_DISABLE || r.get<DB_RENDER_OVERRIDE::FORCE_COLOR_KILL>();
  const bool clamps_small = !r.get<CB_HW_CONTROL::DISABLE_INTNORM_LE11BPC_CLAMPING>();
  for (unsigned n = 0; n < out.blend.size(); n++) {
    out.blend[n] =
        gpu::amd::blend_of<DrawRegisters>(r, context, n, clamps_small && has_small_components(r.read<CB_COLOR_INFO>(n)));
    if (disabled) out.blend[n].write_mask = 0;
  }
  if (gpu::amd::takes_second_source(out.blend[0]) && !r.get<CB_HW_CONTROL::ALLOW_MRT_WITH_DUAL_SOURCE>())
    for (unsigned n = 2; n < out.blend.size(); n++) out.blend[n].write_mask = 0;
  gpu::amd::output_state_of<DrawRegisters>(r, context, out);
  return out;
}

}  // namespace Atoll::sea_islands
