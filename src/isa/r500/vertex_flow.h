// Flow control of the vertex shader: not instructions, but sixteen operations in registers (R5xx Acceleration v1.3, 10.12:
// VAP_PVS_FLOW_CNTL_OPC, _ADDRS_LW, _ADDRS_UW, _LOOP_INDEX). Each acts after the instruction that it names, for all vertices.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "base/expected.h"
#include "isa/r500/registers_vs.h"

namespace Atoll::r500::vs {

enum class FlowKind : uint8_t { none, jump, loop, call };  // PVS_FC_OPC_n

struct FlowOperation {
  FlowKind kind = FlowKind::none;
  uint32_t after = 0;            // PVS_FC_ACT_ADRS: the instruction behind which it acts
  uint32_t target_or_count = 0;  // PVS_FC_LOOP_CNT_JMP_INST
  uint32_t last = 0;             // PVS_FC_LAST_INST: of the loop or subroutine
  uint32_t resume = 0;           // PVS_FC_RTN_INST: the loop's first instruction, or the one behind the call
  uint8_t loop_start = 0;        // PVS_FC_LOOP_INIT_VAL
  int8_t loop_step = 0;          // PVS_FC_LOOP_STEP_VAL
  bool keeps_index = false;      // PVS_FC_LOOP_REPEAT_NO_FLI: the index starts as the outer loop's
  // A loop of no rounds is not to be asked for; its body is gone through once, as if there were no loop.
  bool loops() const { return kind == FlowKind::loop && target_or_count != 0; }
  bool operator==(const FlowOperation&) const = default;
};

// A program's properties that registers hold. Numbers of instructions count from the start of code memory.
struct Flow {
  uint32_t first = 0;            // PVS_FIRST_INST
  std::optional<uint32_t> last;  // PVS_LAST_INST; none: the program runs past its last word
  std::array<FlowOperation, kFlowOperations> operations{};
  bool operator==(const Flow&) const = default;
};

// Instructions from the first to the end for every vertex: nothing depends on data. An error: flow leaves the `instructions` of
// the program, or does not end within `budget`.
Expected<uint64_t> length_of(const Flow& flow, uint32_t instructions, uint64_t budget = 1 << 24);

}  // namespace Atoll::r500::vs
