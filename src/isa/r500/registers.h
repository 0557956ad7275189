// The registers of a wave of 32 pixels as byte offsets ("cells") into wave::Wave: every component of a register that pixels have
// of their own is 32 lanes, a component of a constant is one word.
#pragma once
#include "isa/r500/instruction.h"
#include "wave/wave.h"

namespace Atoll::r500 {

inline constexpr uint32_t kPixels = 32;
constexpr uint32_t constant_cell(uint32_t n, uint32_t channel) { return wave::register_file_offset + (n * 4 + channel) * 4; }
inline constexpr uint32_t active_cell = constant_cell(kConstants, 0);
constexpr uint32_t predicate_cell(uint32_t channel) { return active_cell + 4 + channel * 4; }
inline constexpr uint32_t lanes_base = active_cell + 128;
constexpr uint32_t temporary_cell(uint32_t n, uint32_t channel) { return lanes_base + (n * 4 + channel) * kPixels * 4; }
constexpr uint32_t input_cell(uint32_t n, uint32_t channel) { return temporary_cell(kTemporaries + n, channel); }
constexpr uint32_t output_cell(uint32_t n, uint32_t channel) { return input_cell(kInputs + n, channel); }
inline constexpr uint32_t register_file_bytes = output_cell(kOutputs, 0) - wave::register_file_offset;
static_assert(lanes_base % 128 == 0);

}  // namespace Atoll::r500
