// What stands round a pixel kernel whose threads write their pixels themselves (pixel/framed_program.h): barycentrics from the feed, and
// behind each message to a render target its pixels, for one state of the pipeline.
#pragma once
#include <array>
#include <cstddef>

#include "isa/xe_lp/registers.h"
#include "pixel/framed_program.h"
#include "pixel/target_write.h"

namespace Atoll::dg1 {

// By target, the thread's pixels that it has written, a bit each; behind them its feed.
constexpr uint32_t written_cell(uint32_t target) { return wave::register_file_offset + xe_lp::register_file_bytes + target * 4; }
inline constexpr uint32_t quad_feed_cell = (written_cell(8) + 127) / 128 * 128;
inline constexpr size_t pixel_thread_bytes = quad_feed_cell + sizeof(pipeline::QuadFeed);

struct PixelFrame {
  uint8_t width = 8;         // pixels of a thread
  uint8_t barycentrics = 0;  // bits of Barycentric Interpolation Mode; of one sample all places are the same
  bool fills = false;        // the stage itself fills all inputs
  uint8_t samples = 1;
  bool apart = false;          // (never: what a thread has sent is gone when the next one's pixels come)
  bool one_primitive = false;  // for blocks that are covered whole
  struct Target {
    bool is_written = false;
    pixel::TargetState state;  // where it is
    bool operator==(const Target& o) const { return is_written == o.is_written && (!is_written || state == o.state); }
  };
  std::array<Target, 8> targets;
  bool operator==(const PixelFrame&) const = default;
};

// Frames of the host level in use.
pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state);

// Whether threads of so many pixels can write them themselves: all messages to render targets are writes that are known before, each of
// the surface that `targets` (Kernel::targets) has for its target; nothing goes to an address that a register holds, or back to the first
// instruction, or to another float mode.
bool can_be_framed(const wave::Program& program, unsigned width, const std::array<uint16_t, 8>& targets);

}  // namespace Atoll::dg1
