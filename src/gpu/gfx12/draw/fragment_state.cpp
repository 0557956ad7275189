#include "gpu/gfx12/draw/fragment_state.h"

#include "gpu/amd/draw/fragment_state.h"
#include "gpu/gfx12/state/draw_registers.h"

namespace Atoll::gfx12 {

pipeline::DepthStencil depth_stencil_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  const auto reference = r.read<DB_STENCIL_REF>();
  const auto read_mask = r.read<DB_STENCIL_READ_MASK>();
  const auto write_mask = r.read<DB_STENCIL_WRITE_MASK>();
  const auto op_value = r.read<DB_STENCIL_OPVAL>();
  pipeline::DepthStencil state;
  gpu::amd::tests_of<DrawRegisters>(
      r,
      {DB_STENCIL_REF::TESTVAL::get(reference), DB_STENCIL_READ_MASK::TESTMASK::get(read_mask),
       DB_STENCIL_WRITE_MASK::WRITEMASK::get(write_mask), DB_STENCIL_OPVAL::OPVAL::get(op_value)},
      {DB_STENCIL_REF::TESTVAL_BF::get(reference), DB_STENCIL_READ_MASK::TESTMASK_BF::get(read_mask),
       DB_STENCIL_WRITE_MASK::WRITEMASK_BF::get(write_mask), DB_STENCIL_OPVAL::OPVAL_BF::get(op_value)},
      state);
  const auto view = r.read<DB_DEPTH_VIEW1>();
  if (DB_DEPTH_VIEW1::Z_READ_ONLY::get(view)) state.depth_write = false;
  if (DB_DEPTH_VIEW1::STENCIL_READ_ONLY::get(view)) state.front.write_mask = state.back.write_mask = 0;
  state.early = gpu::amd::tests_first<DrawRegisters>(r);
  gpu::amd::counts_of<DrawRegisters>(r, state);
  const auto render = r.read<DB_RENDER_CONTROL>();
  if (DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE::peek(render)) context.unknown("DB_RENDER_CONTROL.STENCIL_CLEAR_ENABLE");
  return state;
}

pipeline::ColourOutput colour_output_of(RegisterContext& context) {
  const RegisterFile& r = context.registers;
  using Mode = CB_COLOR_CONTROL::MODE;
  const uint32_t mode = r.get<Mode>();
  if (mode != Mode::CB_DISABLE && mode != Mode::CB_NORMAL) context.unknown(fmt::format("CB_COLOR_CONTROL.MODE {}", mode));
  const bool disabled = mode != Mode::CB_NORMAL || r.get<DB_RENDER_OVERRIDE::FORCE_COLOR_KILL>();
  pipeline::ColourOutput out;
  for (unsigned n = 0; n < out.blend.size(); n++) {
    out.blend[n] = gpu::amd::blend_of<DrawRegisters>(r, context, n, false);
    if (disabled) out.blend[n].write_mask = 0;
  }
  // No target takes the second export then.
  if (gpu::amd::takes_second_source(out.blend[0]))
    for (unsigned n = 1; n < out.blend.size(); n++) out.blend[n].write_mask = 0;
  gpu::amd::output_state_of<DrawRegisters>(r, context, out);
  return out;
}

}  // namespace Atoll::gfx12
