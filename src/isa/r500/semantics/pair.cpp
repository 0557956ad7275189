// Compiled for each host level of the interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING).
#include "isa/r500/semantics/pair.h"

#include "isa/r500/decoded.h"
#include "wave/program.h"

namespace Atoll::r500 {
namespace {
template <class A>
void decoded_pair(A& e, const Decoded& decoded) {
  e.zero_rule = decoded.zero_rule;
  pair(e, decoded.pair);
  if (decoded.last) e.core.stop(wave::Stop::End);
}
}  // namespace
}  // namespace Atoll::r500

#ifdef ATOLL_RECORDING
#include "isa/r500/semantics/texture.h"
#include "wave/jit/recorder.h"

namespace Atoll::r500::recording {
void record_pair(wave::Recorder& recorder, const wave::Step& step) {
  Adaptor<wave::Recorder> e(recorder);
  decoded_pair(e, *static_cast<const Decoded*>(step.instruction));
}
void record_texture(wave::Recorder& recorder, const wave::Step& step) {
  Adaptor<wave::Recorder> e(recorder);
  record(e, *static_cast<const Decoded*>(step.instruction));
}
}  // namespace Atoll::r500::recording
#else
#include "isa/r500/semantics/flow.h"
#include "isa/r500/semantics/rare.h"
#include "wave/interpreter/interpreter.h"

namespace Atoll::r500::ATOLL_LEVEL {
using PixelAdaptor = Adaptor<wave::ATOLL_LEVEL::Interpreter>;
void run_pair(void* interpreter, const wave::Step& step) {
  wave::ATOLL_LEVEL::run_lanes<&decoded_pair<PixelAdaptor>, PixelAdaptor, Decoded>(interpreter, step);
}
// A pair that needs more than the words of wave/engine.h: relative addresses, a quad's other pixels, inactive pixels. The JIT
// calls it.
void run_rare_pair(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<wave::ATOLL_LEVEL::Interpreter*>(interpreter);
  const auto& decoded = *static_cast<const Decoded*>(step.instruction);
  RarePair rare(core.wave, decoded.pair);
  PixelAdaptor e(core);
  e.zero_rule = decoded.zero_rule;
  pair(e, rare.pair);
  if (core.wide) {
    core.set_chunk(1);
    pair(e, rare.pair);
    core.set_chunk(0);
    core.commit_words();
  }
  rare.finish();
  if (decoded.last) core.stop(wave::Stop::End);
}
void run_texture(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<wave::ATOLL_LEVEL::Interpreter*>(interpreter);
  const auto& decoded = *static_cast<const Decoded*>(step.instruction);
  if (const char* reason = texture(core.wave, decoded.words)) return core.illegal(reason);
  if (decoded.last) core.stop(wave::Stop::End);
}
void run_flow(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<wave::ATOLL_LEVEL::Interpreter*>(interpreter);
  constexpr uint32_t bytes = kWords * 4;
  uint32_t number = uint32_t((core.pc() - core.program.base()) / bytes);
  const auto& decoded = *static_cast<const Decoded*>(step.instruction);
  FlowResult result = flow(core.wave, decoded.words, number);
  if (result.fault) return core.illegal(result.fault);
  if (!result.jump && decoded.last) return core.stop(wave::Stop::End);
  if (result.jump) core.jump(core.program.base() + uint64_t(*result.jump) * bytes);
}
}  // namespace Atoll::r500::ATOLL_LEVEL
#endif
