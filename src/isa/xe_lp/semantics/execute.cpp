// Compiled for each host level of the interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING).

#ifdef ATOLL_RECORDING
#include "wave/jit/byte_registers.h"
// (the words before what is written in them)
#include "isa/xe_lp/semantics/execute.h"

namespace Atoll::xe_lp::recording {
void record_instruction(wave::Recorder& recorder, const wave::Step& step) {
  Executed<wave::Recorder> e(recorder);
  execute(e, *static_cast<const Instruction*>(step.instruction));
}
}  // namespace Atoll::xe_lp::recording
#else
#include "wave/environment.h"
#include "wave/interpreter/byte_registers.h"
// (the words before what is written in them)
#include "isa/xe_lp/semantics/execute.h"

namespace Atoll::xe_lp::ATOLL_LEVEL {
using ChannelAdaptor = Executed<wave::ATOLL_LEVEL::Interpreter>;
void run_instruction(void* interpreter, const wave::Step& step) {
  wave::ATOLL_LEVEL::run_lanes<&execute<ChannelAdaptor>, ChannelAdaptor, Instruction>(interpreter, step);
}
}  // namespace Atoll::xe_lp::ATOLL_LEVEL
#endif
