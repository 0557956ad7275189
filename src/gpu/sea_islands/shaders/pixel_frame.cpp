#include "gpu/sea_islands/shaders/pixel_frame.h"

#include "isa/gfx7/decode.h"

namespace Atoll::sea_islands {

ATOLL_DECLARE_FRAME_FUNCTIONS

pixel::Frame make_frame(std::shared_ptr<const PixelFrame> state) {
  pixel::Frame frame = frame_of_host_level();
  frame.payload = quad_payload_cell;
  frame.bytes = sizeof(pipeline::QuadPayload);
  frame.one_primitive = state->one_primitive;
  frame.second_pass = state->second_pass;
  if (state->second_pass) frame.end = nullptr, frame.record_end = nullptr;
  frame.state = std::move(state);
  return frame;
}

ColourExports colour_exports(const wave::Program& program, uint64_t entry) {
  ColourExports exports;
  exports.can_be_framed = true;
  for (uint32_t at = 0; at < program.words();) {
    const wave::Step& step = program.decoded(*program.at(program.base() + at * 4u));
    at += std::max<uint32_t>(step.words, 1);
    if (step.flow == wave::Flow::Indirect) exports.can_be_framed = false;
    exports.changes_mode |= step.ends_region;
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
