// Two GPUs' pixel waves as src/pixel would have them, made by hand: what their registers and messages are. The messages that Atoll's
// Xe-LP does not have yet are here; all other instructions are the ISAs'.
#pragma once
#include <array>

#include "base/host_level.h"
#include "isa/rdna4/registers.h"
#include "isa/xe_lp/registers.h"
#include "pixel/framed_program.h"
#include "pixel/target_write.h"

namespace Atoll::pixel::test {

// The writes to the targets of either.
struct OtherFrame {
  uint8_t lanes = 64;
  std::array<TargetState, 8> target;
  bool operator==(const OtherFrame&) const = default;
};

// --- Xe-LP: one primitive a wave of 8, 16 or 32 channels. Barycentrics stand from r2 on (for each 8 channels a register of i and one
// of j), the planes of attribute channels from r20 on (one a register: P10, P20 and, as dword 3, P0); messages write render targets.
inline constexpr uint32_t xe_plane_register = 20;
// By target, the channels that were written.
constexpr uint32_t xe_written_cell(uint32_t target) {
  return wave::register_file_offset + xe_lp::register_file_bytes + target * 4;
}
inline constexpr uint32_t xe_feed_cell = (xe_written_cell(8) + 127) / 128 * 128;
constexpr uint32_t xe_register_cell(uint32_t n) { return xe_lp::grf_cell + n * xe_lp::kRegisterBytes; }

// A render target write of `lanes` channels from `first` on: red, green, blue, alpha from the payload's registers.
struct XeMessage {
  uint8_t payload = 0, first = 0, lanes = 8, target = 0;
  bool ends = false;  // the thread
};
inline constexpr uint32_t xe_message_word = 0x73656e64;  // its code words: this one, and a byte each of what it says

// --- GFX12: quads of any primitives in a wave of 64 lanes, whose instructions are the real ones.
inline constexpr uint32_t gfx12_feed_cell = (rdna4::register_file_end(true) + 127) / 128 * 128;
inline constexpr uint32_t attribute_bytes = 3 * 16;  // P0, P10, P20 of a primitive, of four channels each

struct OtherFunctions {
  wave::InterpretFunction xe_begin, xe_write, xe_message, gfx12_begin, gfx12_end;
};
struct OtherRecorders {
  wave::RecordFunction xe_begin, xe_write, xe_message, gfx12_begin, gfx12_end;
};
ATOLL_IN_LEVELS(extern const OtherFunctions other_functions;)
namespace recording {
extern const OtherRecorders other_functions;
}

}  // namespace Atoll::pixel::test
