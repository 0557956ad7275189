#include "isa/r500/vertex_flow.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "isa/r500/semantics/vertex_control.h"

namespace Atoll::r500::vs {

namespace {

// Counts of rounds and calls, without a wave.
struct Counters {
  std::array<uint32_t, kFlowOperations> rounds{}, called{};
  uint32_t& left(uint32_t k) { return rounds[k]; }
  uint32_t& call(uint32_t k) { return called[k]; }
  void enter(uint32_t, const FlowOperation&) {}
  void step(uint32_t, const FlowOperation&) {}
  void leave(uint32_t) {}
};

}  // namespace

Expected<uint64_t> length_of(const Flow& flow, uint32_t instructions, uint64_t budget) {
  Counters counters;
  std::vector<std::optional<ControlPoint>> points(instructions);  // of those met
  uint32_t at = flow.first;
  for (uint64_t done = 1; done <= budget; done++) {
    if (at >= instructions) return fail("instruction {} is reached; the program has {}", at, instructions);
    if (!points[at]) points[at] = control_at(flow, at);
    auto next = after_instruction(flow, *points[at], at, counters);
    if (!next) return done;
    at = *next;
  }
  return fail("flow control does not end within {} instructions", budget);
}

}  // namespace Atoll::r500::vs
