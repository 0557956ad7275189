// The vertex shader's control flow behind an instruction (isa/r500/vertex_flow.h). The end of a loop comes before what begins at
// the same instruction; of several loops that end there the one entered last comes first, which is the one that begins last.
#pragma once
#include <algorithm>
#include <optional>

#include "isa/r500/vertex_flow.h"

namespace Atoll::r500::vs {

// The operations that concern instruction `n`, in the order in which they are looked at.
struct ControlPoint {
  std::array<uint8_t, kFlowOperations> loops_end{}, calls_end{};
  uint8_t loop_ends = 0, call_ends = 0;
  std::optional<uint8_t> begins;  // the first that is to act behind it
  bool is_last = false;
  bool empty() const { return !loop_ends && !call_ends && !begins && !is_last; }
};

inline ControlPoint control_at(const Flow& flow, uint32_t n) {
  ControlPoint point;
  for (uint8_t k = 0; k < kFlowOperations; k++) {
    const FlowOperation& o = flow.operations[k];
    if (o.loops() && o.last == n) point.loops_end[point.loop_ends++] = k;
    if (o.kind == FlowKind::call && o.last == n) point.calls_end[point.call_ends++] = k;
    if (o.kind != FlowKind::none && (o.kind != FlowKind::loop || o.loops()) && o.after == n && !point.begins) point.begins = k;
  }
  std::sort(point.loops_end.begin(), point.loops_end.begin() + point.loop_ends,
            [&](uint8_t a, uint8_t b) { return flow.operations[a].resume > flow.operations[b].resume; });
  point.is_last = flow.last == n;
  return point;
}

// `state`: left(k) rounds of loop k, call(k) whether subroutine k is to return, and what it does to the loop index on enter(k),
// step(k) and leave(k). Gives the next instruction, nothing at the program's end.
template <class State>
std::optional<uint32_t> after_instruction(const Flow& flow, const ControlPoint& point, uint32_t n, State& state) {
  for (uint8_t e = 0; e < point.loop_ends; e++) {
    const uint8_t k = point.loops_end[e];
    const FlowOperation& o = flow.operations[k];
    if (state.left(k) == 0) continue;
    state.step(k, o);
    if (--state.left(k) != 0) return o.resume;
    state.leave(k);
  }
  for (uint8_t e = 0; e < point.call_ends; e++) {
    const uint8_t k = point.calls_end[e];
    if (state.call(k) == 0) continue;
    state.call(k) = 0;
    return flow.operations[k].resume;
  }
  if (point.begins) {
    const uint8_t k = *point.begins;
    const FlowOperation& o = flow.operations[k];
    if (o.kind == FlowKind::loop) {
      state.enter(k, o);
      state.left(k) = o.target_or_count;
      return o.resume;
    }
    if (o.kind == FlowKind::call) state.call(k) = 1;
    return o.target_or_count;
  }
  if (point.is_last) return {};
  return n + 1;
}
template <class State>
std::optional<uint32_t> after_instruction(const Flow& flow, uint32_t n, State& state) {
  return after_instruction(flow, control_at(flow, n), n, state);
}

}  // namespace Atoll::r500::vs
