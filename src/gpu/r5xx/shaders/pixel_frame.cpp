#include "gpu/r5xx/shaders/pixel_frame.h"

#include "base/host_level.h"
#include "isa/r500/instruction.h"

namespace Atoll::r5xx {

ATOLL_IN_LEVELS(extern const wave::InterpretFunction frame_functions[2];)
namespace recording {
extern const wave::RecordFunction frame_functions[2];
}

pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state) {
  const auto& functions = ATOLL_AT_LEVEL(frame_functions);
  const bool one_primitive = state->one_primitive;
  return {.begin = functions[0],
          .end = functions[1],
          .record_begin = recording::frame_functions[0],
          .record_end = recording::frame_functions[1],
          .state = std::move(state),
          .feed = quad_feed_cell,
          .bytes = uint32_t(pixel_wave_bytes) - quad_feed_cell,
          .one_primitive = one_primitive};
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
