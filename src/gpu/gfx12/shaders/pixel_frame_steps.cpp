// The templates of PixelFrame: compiled for each host level and for the recorder.
#include "gpu/amd/draw/pixel_frame_steps.h"

#include <string_view>

#include "gpu/gfx12/shaders/pixel_frame.h"
#include "isa/rdna4/semantics/interpolation.h"
#include "pixel/frame_steps.h"
#include "pixel/payload.h"

namespace Atoll::gfx12 {

namespace {

using namespace rdna4;

template <class E>
void load_inputs(E& e, const PixelFrame& frame) {
  gpu::amd::load_frame_inputs(e, frame.inputs, PixelFrame::payload_cell, frame.wave64);
  for (uint32_t target = 0; target < export_targets_end; target++)
    if (frame.uneven >> target & 1)
      for (unsigned c = 0; c < 4; c++) e.set_whole_lanes(export_cell(target, c, frame.wave64), e.u32(0));
}

// As PixelStage::take_exports() has them. `second`: the second source, of exports of both.
template <class E>
typename pixel::TargetWrite<E>::Bits components(E& e, const PixelFrame& frame, const PixelFrame::Export& of, bool second) {
  using U32 = typename E::U32;
  auto dword = [&](unsigned c) -> U32 {
    if (!(of.enabled >> c & 1)) return e.u32(0);
    if (of.number != DUAL_SOURCE0) return e.lanes(export_cell(of.number, c, frame.wave64));
    // A pair of lanes has its even pixel in target 21 and the odd one in 22, each colour in the even lane (RDNA4 ISA 14.1).
    U32 even = e.whole_lanes(export_cell(DUAL_SOURCE0, c, frame.wave64)),
        odd = e.whole_lanes(export_cell(DUAL_SOURCE1, c, frame.wave64)), lane = e.lane_id();
    auto of_pair = [&](const U32& x, unsigned n) { return select((lane & 2u) != 0u, quad_lane(x, n + 2), quad_lane(x, n)); };
    return select((lane & 1u) != 0u, of_pair(odd, second ? 1 : 0), of_pair(even, second ? 1 : 0));
  };
  return gpu::amd::export_components(e, of.shape, [&](unsigned c) {
    if (!of.alpha_is_second) return dword(c);
    return c == 0 ? dword(0) : c == 3 ? dword(1) : e.u32(0);
  });
}

// The lanes whose pixels a target's export is of.
template <class E>
typename E::M exported_lanes(E& e, const PixelFrame& frame, uint32_t target) {
  if (target != DUAL_SOURCE0) return e.mask(export_mask_cell(target, frame.wave64));
  typename E::M is_odd = (e.lane_id() & 1u) != 0u;
  return (is_odd & e.mask(export_mask_cell(DUAL_SOURCE1, frame.wave64))) |
         (~is_odd & e.mask(export_mask_cell(DUAL_SOURCE0, frame.wave64)));
}

// `lanes(s)`: which pixels are written, of sample s.
template <class E, class Lanes>
void write_targets(E& e, const PixelFrame& frame, Lanes lanes) {
  for (unsigned n = 0; n < frame.targets.size(); n++) {
    const PixelFrame::Target& target = frame.targets[n];
    if (!target.colour.is_made) continue;
    const auto source = components(e, frame, target.colour, false);
    const auto second = target.colour.number == DUAL_SOURCE0 ? components(e, frame, target.colour, true) : source;
    typename E::M exported = exported_lanes(e, frame, target.colour.number);
    pixel::TargetWrite<E>(e, PixelFrame::payload_cell, n, target.state).write(source, second, frame.samples, [&](unsigned s) {
      return lanes(s) & exported;
    });
  }
}

// The lanes that the program has not killed: those that it exports, unless it exports nothing at all.
template <class E>
typename E::M alive(E& e, const PixelFrame& frame) {
  const typename E::M covered = pixel::covered(e, PixelFrame::payload_cell);
  if (frame.skips_exports) return covered;
  typename E::M lanes = e.splat(e.scalar(export_count_cell(frame.wave64))) == 0u;
  for (uint32_t target = 0; target < export_targets_end; target++)
    if (frame.exported >> target & 1 && target != DUAL_SOURCE1) lanes = lanes | exported_lanes(e, frame, target);
  return covered & lanes;
}

template <class E>
void take_exports(E& e, const PixelFrame& frame) {
  typename E::M lanes = alive(e, frame);
  write_targets(e, frame,
                [&](unsigned s) { return frame.samples == 1 ? lanes : lanes & pixel::drawn(e, PixelFrame::payload_cell, s); });
}

template <class E>
void write_drawn(E& e, const PixelFrame& frame) {
  write_targets(e, frame, [&](unsigned s) { return pixel::drawn(e, PixelFrame::payload_cell, s); });
}

// DS_PARAM_LOAD of a channel whose parameters stand in cells: as that of LDS (isa/rdna4/semantics/interpolation.h); and what is made of
// such parameters, of the cells at once.
template <class E>
void load_parameter(E& e, const PixelFrame& frame, const wave::Step& step) {
  const auto& i = *static_cast<const Instruction*>(step.instruction);
  rdna4::Adaptor<E> a(e);
  auto of = [&](unsigned name, unsigned part) {
    const auto channel = size_t(std::ranges::lower_bound(frame.parameters, name) - frame.parameters.begin());
    return e.primitive_quads(PixelFrame::parameter_cell(channel, part));
  };
  if (i.opcode->format == Format::VDSDIR) {
    const unsigned name = i.attr * 4u + i.attrchan;
    typename E::U32 part = e.lane_id() & 3u;
    typename E::U32 value =
        select(part == 0u, of(name, 0), select(part == 1u, of(name, 1), select(part == 2u, of(name, 2), e.u32(0))));
    return set_quads(a, i.dst, value);
  }
  const ParameterUse& use = *std::ranges::lower_bound(frame.uses, step.pc, {}, &ParameterUse::pc);
  auto number = [&](int n, unsigned name, unsigned part) { return a.modified(i, n, as_f32(of(name, part))); };
  const std::string_view name = i.opcode->name;
  if (name == "v_interp_p10_f32")
    a.set_f32(i, fma(number(0, use.first, 1), a.f32(i, 1), number(2, use.third, 0)));
  else if (name == "v_interp_p2_f32")
    a.set_f32(i, fma(number(0, use.first, 2), a.f32(i, 1), a.f32(i, 2)));
  else
    a.set_u32(i, of(use.first, i.dpp_control / 0x55));  // v_mov_b32 of one lane of the quad
}

template <class E>
void run_replaced(E& e, const PixelFrame& frame, const wave::Step& step) {
  const auto& i = *static_cast<const Instruction*>(step.instruction);
  if (i.opcode->format != Format::SOP1) return load_parameter(e, frame, step);
  // EXEC stays as it is, which S_WQM says is not 0 (amd/semantics/salu.h); S_MOV leaves SCC alone.
  rdna4::Adaptor<E> a(e);
  if (std::string_view(i.opcode->name) == (frame.wave64 ? "s_wqm_b64" : "s_wqm_b32"))
    a.set_scc(frame.wave64 ? a.scalar_pair(EXEC_LO) != 0u : a.scalar_register(EXEC_LO) != 0u);
}

}  // namespace

#ifdef ATOLL_RECORDING
namespace recording {
extern const wave::RecordFunction replaced_function[1];
const wave::RecordFunction replaced_function[1] = {&pixel::recording::record_framed<&run_replaced<wave::Recorder>, PixelFrame>};
}  // namespace recording
#else
namespace ATOLL_LEVEL {
extern const wave::InterpretFunction replaced_function[1];
const wave::InterpretFunction replaced_function[1] = {
    &pixel::ATOLL_LEVEL::run_framed<&run_replaced<wave::ATOLL_LEVEL::Interpreter>, PixelFrame>};
}  // namespace ATOLL_LEVEL
#endif

ATOLL_FRAME_FUNCTIONS(load_inputs, take_exports, write_drawn, PixelFrame)

}  // namespace Atoll::gfx12
