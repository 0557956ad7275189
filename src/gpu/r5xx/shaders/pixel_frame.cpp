#include "gpu/r5xx/shaders/pixel_frame.h"

#include "isa/r500/instruction.h"

namespace Atoll::r5xx {

ATOLL_DECLARE_FRAME_FUNCTIONS

pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state) {
  pixel::Frame frame = frame_of_host_level();
  frame.payload = quad_payload_cell;
  frame.bytes = uint32_t(pixel_wave_bytes) - quad_payload_cell;
  frame.one_primitive = state->one_primitive;
  frame.second_pass = state->second_pass;
  if (state->ends_anywhere) frame.end = nullptr, frame.record_end = nullptr;
  frame.state = std::move(state);
  return frame;
}

// Flow control goes anywhere by registers, and may be the last instruction: its programs are not framed.
bool can_be_framed(const wave::Program& program, uint64_t entry) {
  bool ends = false;
  for (uint64_t pc = entry; program.contains(pc) && !ends; pc += r500::kWords * 4) {
    const wave::Step& step = program.decoded(*program.at(pc));
    if (step.flow == wave::Flow::Indirect) return false;
    ends = step.flow == wave::Flow::End && step.instruction;
  }
  return ends;
}

}  // namespace Atoll::r5xx
