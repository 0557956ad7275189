// The registers of a wave of up to 64 pixels as byte offsets ("cells") into wave::Wave: every component of a register that pixels
// have of their own is 64 lanes, a component of a constant is one word, a bit of every pixel is two words, of which waves of 32
// pixels use the first. Pixels 4q to 4q + 3 are a quad: top left, top right, bottom left, bottom right.
#pragma once
#include "isa/r500/instruction.h"
#include "wave/wave.h"

namespace Atoll::r500 {

// Programs cannot see the number of pixels of a wave.
inline constexpr uint32_t kPixels = 64, kIntegerConstants = 32, kLoops = 8, kCalls = 8;
inline constexpr uint32_t lanes_bytes = kPixels * 4;
constexpr uint32_t constant_cell(uint32_t n, uint32_t channel) { return wave::register_file_offset + (n * 4 + channel) * 4; }
inline constexpr uint32_t active_cell = constant_cell(kConstants, 0);
constexpr uint32_t predicate_cell(uint32_t channel) { return active_cell + 8 + channel * 8; }
inline constexpr uint32_t alu_result_cell = active_cell + 40;  // a bit a pixel
inline constexpr uint32_t killed_cell = active_cell + 48;      // a bit a pixel, by TEXKILL
inline constexpr uint32_t uncovered_cell = active_cell + 56;   // a bit a pixel
// The JIT calls a step that writes a mask and reads the word behind it as a scalar (wave/jit/regions.cpp): masks stand apart.
inline constexpr uint32_t config_cell = active_cell + 72;                                  // US_CONFIG
inline constexpr uint32_t loop_register_cell = active_cell + 76;                           // aL
inline constexpr uint32_t boolean_constants_cell = active_cell + 80;                       // US_FC_BOOL_CONST
constexpr uint32_t integer_constant_cell(uint32_t n) { return active_cell + 84 + n * 4; }  // US_FC_INT_CONST_n
inline constexpr uint32_t code_offset_cell = integer_constant_cell(kIntegerConstants);     // US_CODE_OFFSET
inline constexpr uint32_t loop_depth_cell = code_offset_cell + 4;
inline constexpr uint32_t call_depth_cell = code_offset_cell + 8;
constexpr uint32_t loop_counter_cell(uint32_t n) { return code_offset_cell + 12 + n * 4; }
constexpr uint32_t saved_loop_register_cell(uint32_t n) { return loop_counter_cell(kLoops) + n * 4; }
constexpr uint32_t call_cell(uint32_t n) { return saved_loop_register_cell(kLoops) + n * 4; }
inline constexpr uint32_t lanes_base = active_cell + 384;
static_assert(call_cell(kCalls) <= lanes_base && lanes_base % 128 == 0);
constexpr uint32_t temporary_cell(uint32_t n, uint32_t channel) { return lanes_base + (n * 4 + channel) * lanes_bytes; }
// An input is a temporary that the rasterizer has filled; which one, RS_INST says. The text's i0 to i15 are t0 to t15.
constexpr uint32_t input_cell(uint32_t n, uint32_t channel) { return temporary_cell(n, channel); }
constexpr uint32_t output_cell(uint32_t n, uint32_t channel) { return temporary_cell(kTemporaries + n, channel); }
inline constexpr uint32_t depth_cell = output_cell(kOutputs, 0);
// The values of source 0 that mdh and mdv read, each pixel from its quad: of the top left, top right, bottom left pixel.
enum QuadPixel : uint8_t { QUAD_TOP_LEFT, QUAD_TOP_RIGHT, QUAD_BOTTOM_LEFT };
constexpr uint32_t quad_cell(QuadPixel pixel, uint32_t channel) { return output_cell(kOutputs + 1 + pixel, channel); }
// Flow control of every pixel: its branch counter and one, the depths of the loops that it broke or continues.
inline constexpr uint32_t branch_cell = output_cell(kOutputs + 4, 0), break_cell = output_cell(kOutputs + 4, 1),
                          continue_cell = output_cell(kOutputs + 4, 2);
inline constexpr uint32_t register_file_bytes = output_cell(kOutputs + 5, 0) - wave::register_file_offset;

// The bits of a wave's pixels in `cell`.
inline uint64_t mask_in(wave::Wave& wave, uint32_t cell) {
  const uint64_t low = wave::word_of(wave, cell);
  return wave.lanes > 32 ? low | uint64_t(wave::word_of(wave, cell + 4)) << 32 : low;
}
inline void set_mask_in(wave::Wave& wave, uint32_t cell, uint64_t bits) {
  wave::word_of(wave, cell) = uint32_t(bits);
  if (wave.lanes > 32) wave::word_of(wave, cell + 4) = uint32_t(bits >> 32);
}
// A bit for each of the wave's pixels.
inline uint64_t all_pixels(const wave::Wave& wave) { return ~uint64_t(0) >> (64 - wave.lanes); }

}  // namespace Atoll::r500
