#include "isa/rdna4/semantics/bundle.h"

#include "isa/rdna4/semantics/registration.h"

namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE {
namespace {

#ifdef ATOLL_RECORDING
void record_bundle(wave::Recorder& recorder, const wave::Step& step) {
  const auto& both = *static_cast<const Bundle*>(step.instruction);
  recorder.hold_writes();
  both.x.record(recorder, both.x);
  both.y.record(recorder, both.y);
  recorder.commit_writes();
}
constexpr SemanticEntry bundle_entries[] = {{"vopd", nullptr, &record_bundle}};
#else
void run_bundle(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<LevelInterpreter*>(interpreter);
  const auto& both = *static_cast<const Bundle*>(step.instruction);
  if (both.overlaps) core.hold_writes();
  both.x.interpret(interpreter, both.x);
  both.y.interpret(interpreter, both.y);
  if (both.overlaps) core.commit_writes();
}
constexpr SemanticEntry bundle_entries[] = {{"vopd", &run_bundle, nullptr}};
#endif

}  // namespace

std::span<const SemanticEntry> bundle() { return bundle_entries; }

}  // namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE
