// The data that a step of the vertex shader refers to: the instruction, and the flow control that follows it.
#pragma once
#include "isa/r500/semantics/vertex_control.h"
#include "isa/r500/vertex_instruction.h"

namespace Atoll::r500::vs {

struct Decoded {
  Words words;
  Instruction instruction;
  uint32_t number = 0;  // of the instruction in code memory
  const Flow* flow = nullptr;
  ControlPoint control;
};

// Flow control that the JIT compiles: one loop's beginning in front of the next instruction, one loop's end, a jump, the
// program's end. Everything else it calls.
constexpr bool is_simple(const Flow& flow, const ControlPoint& point, uint32_t number) {
  const int events = point.loop_ends + point.call_ends + point.begins.has_value() + point.is_last;
  if (events > 1 || point.call_ends) return false;
  if (!point.begins) return true;
  const FlowOperation& o = flow.operations[*point.begins];
  return o.kind == FlowKind::jump || (o.kind == FlowKind::loop && o.resume == number + 1);
}

}  // namespace Atoll::r500::vs
