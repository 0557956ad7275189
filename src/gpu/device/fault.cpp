#include "gpu/device/fault.h"

#include <string>

#include "wave/program.h"
#include "wave/work_group.h"

namespace Atoll::gpu {
namespace {

FaultKind kind_of(wave::FaultKind kind) {
  switch (kind) {
    case wave::FaultKind::Load:
    case wave::FaultKind::ScalarLoad: return FaultKind::Load;
    case wave::FaultKind::Store: return FaultKind::Store;
    case wave::FaultKind::Atomic: return FaultKind::Atomic;
    case wave::FaultKind::Fetch: return FaultKind::InstructionFetch;
    case wave::FaultKind::Illegal: return FaultKind::IllegalInstruction;
    default: return FaultKind::Other;
  }
}

}  // namespace

Fault fault_of(const wave::Wave& w, uint64_t entry) {
  wave::FaultReport report = w.fault;
  std::string deadlock;
  if (w.stop == wave::Stop::Barrier) {
    deadlock = "deadlock: " + wave::what_it_waits_for(w);
    report = {wave::FaultKind::Trap, 0, 0, w.pc, -1, deadlock.c_str()};
  }
  Fault fault;
  fault.kind = kind_of(report.kind);
  fault.address = report.address, fault.bytes = report.bytes;
  fault.pc_offset = report.pc - entry;
  fault.lane = report.lane;
  if (report.reason) fault.other = report.reason;
  const wave::Program& program = *w.program;
  if (const wave::Step& step = *program.at(report.pc); program.contains(report.pc) && step.decoded) {
    fault.instruction_text = program.isa().text(step);
    if (std::string why = program.decode_error(step); !why.empty()) fault.other = why;
  }
  return fault;
}

}  // namespace Atoll::gpu
