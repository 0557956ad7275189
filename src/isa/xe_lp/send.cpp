// Which messages the engines run, and how control leaves them.
#include "isa/xe_lp/executable.h"
#include "wave/program.h"

namespace Atoll::xe_lp {

std::string_view objection_to_send(const Instruction&) { return "sends are not executed yet"; }

void describe_send(const Instruction& i, wave::Step& step) {
  if (i.end_of_thread) step.flow = wave::Flow::End;
}

}  // namespace Atoll::xe_lp
