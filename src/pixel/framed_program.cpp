#include "pixel/framed_program.h"

#include "pipeline/stages.h"

namespace Atoll::pixel {

using wave::Step;

wave::RegisterFile FramedIsa::register_file() const {
  wave::RegisterFile file = plain_.isa().register_file();
  file.bytes = frame_.payload + frame_.bytes - wave::register_file_offset;
  if (!frame_.second_pass) file.results_begin = file.results_end = 0;  // all results go to targets
  file.pixels_begin = frame_.payload + uint32_t(offsetof(pipeline::QuadPayload, place));
  file.pixels_end = file.pixels_begin + uint32_t(sizeof(pipeline::QuadPayload::place));
  return file;
}

// The program's places; no lane comes back behind it.
std::vector<bool> FramedIsa::places_to_rejoin(std::span<const uint32_t> code) const {
  std::vector<bool> places = plain_.isa().places_to_rejoin(plain_.code());
  if (!places.empty()) places.resize(code.size());
  return places;
}

Expected<void> FramedIsa::decode(std::span<const uint32_t>, Step& step, std::vector<std::shared_ptr<void>>& keep) const {
  auto framed = std::make_shared<FramedStep>();
  framed->state = frame_.state.get();
  framed->entry = entry_;
  if (step.pc == begin()) {
    framed->goes = true;
    step.flow = wave::Flow::Goes;
    step.target = entry_;
    step.interpret = frame_.begin, step.record = frame_.record_begin;
    step.float_class = wave::FloatClass::F32;
  } else if (step.pc == write() && frame_.second_pass) {
    framed->ends = true;
    step.flow = wave::Flow::End;
    step.interpret = frame_.write, step.record = frame_.record_write;
    step.float_class = wave::FloatClass::Nearest;
  } else if ((step.pc == write() || step.pc == end()) && frame_.repeats) {
    framed->ends = step.pc == end();
    step.flow = framed->ends ? wave::Flow::End : wave::Flow::Conditional;
    step.target = framed->ends ? 0 : begin();
    framed->last.flow = step.flow, framed->last.target = step.target;
    step.interpret = frame_.write, step.record = frame_.record_write;
    step.float_class = wave::FloatClass::F32;
  } else {
    if (!plain_.contains(step.pc)) return fail("nothing stands behind the program's end");
    auto decoded = plain_.isa().decode(plain_.code().subspan(plain_.index(step.pc)), step, keep);
    if (!decoded) return decoded;
    // The program's own waves have met these forms.
    const Step& met = *plain_.at(step.pc);
    step.address_forms = met.address_forms, step.texture_form = met.texture_form;
    if (frame_.replaces && frame_.replaces(frame_.state.get(), step)) {
      framed->last = step, framed->entry = step.pc + step.words * 4u, framed->goes = true;
      framed->last.interpret = nullptr, framed->last.record = nullptr;
      step.interpret = frame_.replaced, step.record = frame_.record_replaced;
      step.instruction = framed.get();
      keep.push_back(framed);
      return {};
    }
    if (!frame_.end || !(frame_.writes ? frame_.writes(step) : step.flow == wave::Flow::End)) return {};
    if (frame_.repeats && step.flow == wave::Flow::End) step.flow = wave::Flow::Branch, step.target = write();
    framed->last = step;
    if (frame_.sent) framed->last.interpret = frame_.sent, framed->last.record = frame_.record_sent;
    step.interpret = frame_.end, step.record = frame_.record_end;
    step.float_class = wave::FloatClass::F32;
  }
  step.instruction = framed.get();
  keep.push_back(framed);
  return {};
}

std::string FramedIsa::text(const Step& step) const {
  if (step.pc == begin()) return "pixels begin";
  if (step.pc == write() && frame_.second_pass) return "pixels are written";
  if (frame_.replaced && step.interpret == frame_.replaced)
    return plain_.isa().text(static_cast<const FramedStep*>(step.instruction)->last);
  if (step.pc == write() && frame_.repeats) return "to the next pixels";
  if (step.pc == end() && frame_.repeats) return "pixels have ended";
  if (!frame_.end || step.interpret != frame_.end) return plain_.isa().text(step);
  return plain_.isa().text(static_cast<const FramedStep*>(step.instruction)->last) + "; pixels end";
}

static std::vector<uint32_t> framed_words(std::span<const uint32_t> code) {
  std::vector<uint32_t> words(code.begin(), code.end());
  words.resize(words.size() + 4);
  return words;
}

static wave::Wave like_of(const wave::Wave& plain, const Frame& frame) {
  wave::Wave like = plain;
  like.one_primitive = frame.one_primitive;
  return like;
}

FramedProgram::FramedProgram(const wave::Program& plain, uint64_t entry, const Frame& frame, wave::EngineChoice engine,
                             const wave::Wave& like_plain)
    : second_pass(frame.second_pass),
      like(like_of(like_plain, frame)),
      words(framed_words(plain.code())),
      isa(plain, entry, frame),
      program(isa, plain.base(), words),
      executor(program, engine, like) {
  program.variant = plain.variant;
}

}  // namespace Atoll::pixel
