// Compiled for each host level of the interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING).
#include "isa/r500/semantics/vertex.h"

#include "isa/r500/decoded_vs.h"
#include "wave/program.h"
#ifdef ATOLL_RECORDING
#include "wave/jit/recorder.h"
#else
#include "isa/r500/semantics/vertex_rare.h"
#include "wave/interpreter/interpreter.h"
#endif

namespace Atoll::r500::vs {
namespace {

constexpr uint64_t bytes = kWords * 4;

// Flow control that is_simple().
template <class A>
void simple_control(A& e, const Decoded& d) {
  auto& core = e.core;
  const uint64_t base = core.pc() - d.number * bytes;
  if (d.control.is_last) return core.stop(wave::Stop::End);
  if (d.control.begins) {
    const uint8_t k = *d.control.begins;
    const FlowOperation& o = d.flow->operations[k];
    if (o.kind == FlowKind::jump) return core.jump(base + o.target_or_count * bytes);
    core.set_scalar(rounds_cell(k), core.s32(o.target_or_count));
    core.set_scalar(outer_index_cell(k), core.scalar(loop_index_cell));
    if (!o.keeps_index) core.set_scalar(loop_index_cell, core.s32(o.loop_start));
  } else if (d.control.loop_ends) {
    const uint8_t k = d.control.loops_end[0];
    const FlowOperation& o = d.flow->operations[k];
    auto before = core.scalar(rounds_cell(k)), index = core.scalar(loop_index_cell);
    auto inside = before != 0u, again = inside & (before != 1u);
    core.set_scalar(rounds_cell(k), select(inside, before - 1u, before));
    auto stepped = select(again, index + uint32_t(int32_t(o.loop_step)), core.scalar(outer_index_cell(k)));
    core.set_scalar(loop_index_cell, select(inside, stepped, index));
    core.jump_if(again, base + o.resume * bytes);
  }
}
template <class A>
void simple_vertex(A& e, const Decoded& d) {
  vertex(e, d.instruction);
  if (!d.control.empty()) simple_control(e, d);
}

}  // namespace

#ifdef ATOLL_RECORDING
namespace recording {
void record_vertex(wave::Recorder& recorder, const wave::Step& step) {
  VertexAdaptor<wave::Recorder> e(recorder);
  simple_vertex(e, *static_cast<const Decoded*>(step.instruction));
}
}  // namespace recording
#else
namespace ATOLL_LEVEL {
using Adaptor = VertexAdaptor<wave::ATOLL_LEVEL::Interpreter>;
void run_vertex(void* interpreter, const wave::Step& step) {
  wave::ATOLL_LEVEL::run_lanes<&simple_vertex<Adaptor>, Adaptor, Decoded>(interpreter, step);
}
// Relative addresses, and flow control that is not simple.
void run_rare_vertex(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<wave::ATOLL_LEVEL::Interpreter*>(interpreter);
  const auto& d = *static_cast<const Decoded*>(step.instruction);
  Adaptor e(core);
  const bool relative = d.instruction.relative();
  if (relative) before_relative(core.wave, d.instruction);
  vertex(e, d.instruction);
  if (relative) finish_relative(core.wave, d.instruction);
  if (d.control.empty()) return;
  auto next = control(core.wave, *d.flow, d.control, d.number);
  if (!next) return core.stop(wave::Stop::End);
  if (*next != d.number + 1) core.jump(core.pc() - d.number * bytes + *next * bytes);
}
}  // namespace ATOLL_LEVEL
#endif

}  // namespace Atoll::r500::vs
