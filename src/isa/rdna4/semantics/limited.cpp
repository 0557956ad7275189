// This runs for an instruction that names VGPRs beyond those that its wave has (allocation.h). RDNA4 ISA 3.3.2.2.
#include <cstring>

#include "isa/rdna4/allocation.h"
#include "isa/rdna4/semantics/registration.h"

namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE {
namespace {

#ifdef ATOLL_RECORDING
void record_limited(wave::Recorder& recorder, const wave::Step& step) {
  const auto& limited = *static_cast<const Limited*>(step.instruction);
  const Limited::Form& form = limited.form(recorder.float_mode().vgprs);
  if (!form.step.record || !form.copies.empty()) return recorder.call_instead();
  form.step.record(recorder, form.step);
}
constexpr SemanticEntry limited_entries[] = {{"limited", nullptr, &record_limited}};
#else
void run_limited(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<LevelInterpreter*>(interpreter);
  const auto& limited = *static_cast<const Limited*>(step.instruction);
  const Limited::Form& form = limited.form(wave::word_of(core.wave, vgpr_count_cell));
  const bool wave64 = core.wave.lanes == 64;
  const uint8_t* v0 = wave::bytes_of(core.wave, vgpr_cell(0, wave64));
  for (uint8_t n : form.copies) std::memcpy(wave::bytes_of(core.wave, vgpr_cell(n, wave64)), v0, wave64 ? 256 : 128);
  form.step.interpret(interpreter, form.step);
}
constexpr SemanticEntry limited_entries[] = {{"limited", &run_limited, nullptr}};
#endif

}  // namespace

std::span<const SemanticEntry> limited() { return limited_entries; }

}  // namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE
