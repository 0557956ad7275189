#include "wave/program.h"

#include "wave/environment.h"

namespace Atoll::wave {

namespace {

// A number of the program's words, some of them: different programs mostly have different ones.
uint64_t mixed(std::span<const uint32_t> code) {
  constexpr uint64_t factor = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
  uint64_t sum = code.size();
  for (size_t n = 0; n < code.size(); n += code.size() / 64 + 1) sum = (sum ^ code[n]) * factor;
  return sum >> 40 << 2;
}

}  // namespace

Program::Program(const Isa& isa, uint64_t base, std::span<const uint32_t> code)
    : isa_(isa),
      register_file_(isa.register_file()),
      base_(base),
      code_(code),
      slots_from_(mixed(code)),
      steps_(code.size() + 1) {
  for (size_t n = 0; n < steps_.size(); n++) steps_[n].interpret = decode_then_run(), steps_[n].pc = base + n * 4;
  // Running off the end, or jumping out, is a fetch fault.
  for (Step* step : {&steps_.back(), &outside_}) {
    step->interpret = raise_fetch_fault();
    step->flow = Flow::End;
    step->decoded = true;
  }
}

const Step& Program::decoded(const Step& wanted) const {
  if (&wanted == &outside_) return outside_;
  Step& step = steps_[&wanted - steps_.data()];
  std::lock_guard lock(mutex_);
  if (step.decoded) return step;
  if (!surveyed_) rejoins_ = isa_.places_to_rejoin(code_), surveyed_ = true;
  Step filled = step;
  filled.rejoins = !rejoins_.empty() && rejoins_[index(step.pc)];
  auto result = isa_.decode(code_.subspan(index(step.pc)), filled, keep_);
  if (!result) {
    errors_.emplace_back(step.pc, result.error().message);
    filled.interpret = raise_illegal();
    filled.record = nullptr;
    filled.flow = Flow::End;
    filled.words = 1;
  }
  filled.decoded = true;
  InterpretFunction interpret = filled.interpret;
  filled.interpret = step.interpret;
  step = filled;
  // Other threads run `interpret` without the lock: it is published last.
  std::atomic_ref(step.interpret).store(interpret, std::memory_order_release);
  return step;
}

std::string Program::decode_error(const Step& step) const {
  std::lock_guard lock(mutex_);
  for (auto& [pc, text] : errors_)
    if (pc == step.pc) return text;
  return {};
}

void note_texture(const Wave& wave, const uint32_t* resource, const uint32_t* sampler, TextureUse use) {
  if (!wave.step) return;
  std::atomic_ref<uint64_t> hint(wave.step->texture_form);
  uint64_t met = hint.load(std::memory_order_relaxed);
  if (met == many_forms) return;
  const SampledTexture* texture =
      wave.environment->sampled_texture(resource, sampler, wave.program->texture_slot(wave.step->pc), use);
  note_form(wave, texture ? texture->form : many_forms);
}

void note_form(const Wave& wave, uint64_t form) {
  if (!wave.step) return;
  std::atomic_ref<uint64_t> hint(wave.step->texture_form);
  const uint64_t met = hint.load(std::memory_order_relaxed);
  if (met == many_forms || (met & ~other_form) == form) return;
  hint.store(met == no_form || form == many_forms ? form : form | other_form, std::memory_order_relaxed);
}

}  // namespace Atoll::wave
