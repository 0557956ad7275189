// Compiled for each host level of the interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING).
#include "isa/r500/semantics/pair.h"

#include "wave/program.h"
#ifdef ATOLL_RECORDING
#include "wave/jit/recorder.h"

namespace Atoll::r500::recording {
void record_pair(wave::Recorder& recorder, const wave::Step& step) {
  Adaptor<wave::Recorder> e(recorder);
  pair(e, *static_cast<const Pair*>(step.instruction));
}
}  // namespace Atoll::r500::recording
#else
#include "wave/interpreter/interpreter.h"

namespace Atoll::r500::ATOLL_LEVEL {
using PixelAdaptor = Adaptor<wave::ATOLL_LEVEL::Interpreter>;
void run_pair(void* interpreter, const wave::Step& step) {
  wave::ATOLL_LEVEL::run_lanes<&pair<PixelAdaptor>, PixelAdaptor, Pair>(interpreter, step);
}
}  // namespace Atoll::r500::ATOLL_LEVEL
#endif
