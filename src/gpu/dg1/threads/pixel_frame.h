// The code round a pixel kernel whose threads write their pixels themselves (pixel/framed_program.h): it makes barycentrics from
// the payload, and writes the pixels behind each render target message, for one state of the pipeline.
#pragma once
#include <array>
#include <bitset>
#include <cstddef>

#include "isa/xe_lp/registers.h"
#include "pixel/framed_program.h"
#include "pixel/target_write.h"

namespace Atoll::dg1 {

// By target, the batch's pixels that its threads have written, 64 bits each; the batch's pixel that is the thread's first; whether the
// batch's other threads follow without anybody's help; behind them the payload of the batch.
constexpr uint32_t written_cell(uint32_t target) { return wave::register_file_offset + xe_lp::register_file_bytes + target * 8; }
inline constexpr uint32_t first_pixel_cell = written_cell(8), goes_on_cell = first_pixel_cell + 4;
inline constexpr uint32_t quad_payload_cell = (goes_on_cell + 4 + 127) / 128 * 128;
// The cell of the initial value of payload register `n`, for registers that the kernel writes.
constexpr uint32_t kept_cell(uint32_t n) {
  return quad_payload_cell + uint32_t(sizeof(pipeline::QuadPayload)) + n * xe_lp::kRegisterBytes;
}
inline constexpr size_t pixel_thread_bytes = kept_cell(xe_lp::kRegisters);

// The size in a register of positions if pixels are coarse ones: one pixel.
inline constexpr uint32_t one_by_one = 0x0101;

using RegisterSet = std::bitset<xe_lp::kRegisters>;

// The program's threads follow each other in the same registers, those of a batch (QuadPayload) without leaving the code. A thread
// begins with the dispatch's values (r0, constants, planes of the primitive) as they stand there, or as they were kept; the code
// makes all else. QuadPayload's first `facing` is what the places' registers say of the primitive.
struct PixelFrame {
  uint8_t width = 8;         // pixels of a thread
  uint8_t barycentrics = 0;  // bits of Barycentric Interpolation Mode; of one sample all places are the same
  bool fills = false;        // the stage itself fills all inputs, for a thread at a time
  bool every_lane = false;   // Vector Mask Enable
  bool coarse = false;       // PixelPayload::coarse
  // The registers of the payload that the kernel writes, and the others that it writes, which begin as zeros.
  RegisterSet kept, cleared;
  uint8_t samples = 1;
  bool second_pass = false;    // (never: what a thread has sent is gone when the next one's pixels come)
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

// True if threads of so many pixels can write them themselves: all messages to render targets are writes that are known before,
// each of the surface that `targets` (Kernel::targets) has for its target, and one of them ends the thread; nothing goes to an
// address that a register holds, or back to the first instruction, or to another float mode, or changes what the dispatch has
// set.
bool can_be_framed(const wave::Program& program, unsigned width, const std::array<uint16_t, 8>& targets);

// The general registers that the program may write.
RegisterSet registers_written(const wave::Program& program);

}  // namespace Atoll::dg1
