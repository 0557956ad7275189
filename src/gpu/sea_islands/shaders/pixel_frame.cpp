#include "gpu/sea_islands/shaders/pixel_frame.h"

#include "base/host_level.h"
#include "isa/gfx7/decode.h"

namespace Atoll::sea_islands {

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
          .bytes = sizeof(pipeline::QuadFeed),
          .one_primitive = one_primitive};
}

ColourExports colour_exports(const wave::Program& program, uint64_t entry) {
  ColourExports exports;
  exports.can_be_framed = true;
  for (uint32_t at = 0; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    if (step.ends_region || step.flow == wave::Flow::Indirect) exports.can_be_framed = false;
    if ((step.flow == wave::Flow::Branch || step.flow == wave::Flow::Conditional) && step.target == entry)
      exports.can_be_framed = false;
    const auto* i = static_cast<const gfx7::Instruction*>(step.instruction);
    if (!i || !i->opcode || i->opcode->format != gfx7::Format::EXP || i->tgt >= 8) continue;
    ColourExports::Target& target = exports.colour[i->tgt];
    if (target.found) target.same &= target.halves == bool(i->compr) && target.enabled == i->en;
    target.found = true, target.halves = i->compr, target.enabled = i->en;
  }
  return exports;
}

}  // namespace Atoll::sea_islands
