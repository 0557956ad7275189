// The registers of a wave of 32 vertices as byte offsets ("cells") into wave::Wave: every component of a register that vertices
// have of their own is 32 lanes, a component of a constant is one word, a bit of every vertex is one word.
//   in    constant_cell(n, c) from CONST_BASE_OFFSET on, 0 behind PVS_MAX_CONST_ADDR; input_cell(n, c); active_cell, a bit a
//   vertex out   output_cell(n, c): n counts output vectors as VAP_OUT_VTX_FMT_0 and _1 lay them out
// Everything else is 0 in a fresh wave or need not be set: a program writes a temporary before it reads it.
#pragma once
#include "wave/wave.h"

namespace Atoll::r500::vs {

inline constexpr uint32_t kVertices = 32;
// Alternate temporaries and the length of inputs and outputs are not in section 10 (docs/errata.md).
inline constexpr uint32_t kTemporaries = 128, kAlternates = 20, kInputs = 32, kOutputs = 32, kConstants = 256,
                          kFlowOperations = 16;

constexpr uint32_t constant_cell(uint32_t n, uint32_t channel) { return wave::register_file_offset + (n * 4 + channel) * 4; }
inline constexpr uint32_t active_cell = constant_cell(kConstants, 0);
// Masks stand apart from scalars: registers.h.
inline constexpr uint32_t predicate_cell = active_cell + 8;  // a bit a vertex
inline constexpr uint32_t loop_index_cell = active_cell + 16;
// State of VAP_PVS_FLOW_CNTL instruction k: rounds of the loop that are left (0: not in it), the index of the loop around it, whether
// the subroutine is to return.
constexpr uint32_t rounds_cell(uint32_t k) { return active_cell + 20 + k * 4; }
constexpr uint32_t outer_index_cell(uint32_t k) { return rounds_cell(kFlowOperations) + k * 4; }
constexpr uint32_t called_cell(uint32_t k) { return outer_index_cell(kFlowOperations) + k * 4; }
inline constexpr uint32_t lanes_base = active_cell + 256;
static_assert(called_cell(kFlowOperations) <= lanes_base && lanes_base % 128 == 0);
constexpr uint32_t lane_cell(uint32_t n, uint32_t channel) { return lanes_base + (n * 4 + channel) * kVertices * 4; }

constexpr uint32_t input_cell(uint32_t n, uint32_t channel) { return lane_cell(n, channel); }
constexpr uint32_t output_cell(uint32_t n, uint32_t channel) { return lane_cell(kInputs + n, channel); }
constexpr uint32_t address_cell(uint32_t channel) { return lane_cell(kInputs + kOutputs, channel); }  // a0, signed integers
constexpr uint32_t alternate_cell(uint32_t n, uint32_t channel) { return lane_cell(kInputs + kOutputs + 1 + n, channel); }
// Values of sources with relative addresses, and results for destinations with one, while their instruction runs.
constexpr uint32_t relative_cell(uint32_t source, uint32_t channel) { return alternate_cell(kAlternates + source, channel); }
constexpr uint32_t result_cell(uint32_t channel) { return relative_cell(3, channel); }
constexpr uint32_t temporary_cell(uint32_t n, uint32_t channel) { return alternate_cell(kAlternates + 4 + n, channel); }
inline constexpr uint32_t register_file_bytes = temporary_cell(kTemporaries, 0) - wave::register_file_offset;

}  // namespace Atoll::r500::vs
