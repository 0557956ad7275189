#include "pixel/framed_program.h"

#include "pipeline/stages.h"

namespace Atoll::pixel {

using wave::Step;

wave::RegisterFile FramedIsa::register_file() const {
  wave::RegisterFile file = plain_.isa().register_file();
  file.bytes = frame_.feed + uint32_t(sizeof(pipeline::QuadFeed)) - wave::register_file_offset;
  file.results_begin = file.results_end = 0;  // all results go to targets
  file.pixels_begin = frame_.feed + uint32_t(offsetof(pipeline::QuadFeed, place));
  file.pixels_end = file.pixels_begin + uint32_t(sizeof(pipeline::QuadFeed::place));
  return file;
}

Expected<void> FramedIsa::decode(std::span<const uint32_t> code, Step& step, std::vector<std::shared_ptr<void>>& keep) const {
  if (step.pc != entry_ - 4) {
    if (auto decoded = plain_.isa().decode(code, step, keep); !decoded) return decoded;
    // What the program's own waves have met.
    const Step& met = *plain_.at(step.pc);
    step.address_forms = met.address_forms, step.texture_form = met.texture_form;
    if (step.flow != wave::Flow::End) return {};
  }
  auto framed = std::make_shared<FramedStep>();
  framed->state = frame_.state.get();
  const bool begins = step.pc == entry_ - 4;
  if (!begins) framed->last = step;
  step.interpret = begins ? frame_.begin : frame_.end;
  step.record = begins ? frame_.record_begin : frame_.record_end;
  step.instruction = framed.get();
  keep.push_back(framed);
  return {};
}

std::string FramedIsa::text(const Step& step) const {
  if (step.pc == entry_ - 4) return "pixels begin";
  if (step.flow != wave::Flow::End || !step.instruction) return plain_.isa().text(step);
  return "pixels end; " + plain_.isa().text(static_cast<const FramedStep*>(step.instruction)->last);
}

static std::vector<uint32_t> framed_words(std::span<const uint32_t> code) {
  std::vector<uint32_t> words{0};
  words.insert(words.end(), code.begin(), code.end());
  return words;
}

static wave::Wave like_of(const wave::Wave& plain, const Frame& frame) {
  wave::Wave like = plain;
  like.one_primitive = frame.one_primitive;
  return like;
}

FramedProgram::FramedProgram(const wave::Program& plain, uint64_t entry, const Frame& frame, wave::EngineChoice engine,
                             const wave::Wave& like_plain)
    : like(like_of(like_plain, frame)),
      words(framed_words(plain.code())),
      isa(plain, entry, frame),
      program(isa, entry - 4, words),
      executor(program, engine, like) {}

}  // namespace Atoll::pixel
