#include "gpu/amd/queue_environment.h"

#include <fmt/format.h>

#include "base/offset_text.h"

namespace Atoll::gpu::amd {

bool lose_by_fault(QueueState& context, const wave::Wave& wave, Fault fault, const char* stage, uint64_t entry) {
  if (wave.stop == wave::Stop::Barrier)
    return context.lose(fmt::format("{} shader at {:#x}: waits at a barrier that nobody completes", stage, entry), fault);
  static constexpr const char* kinds[] = {
      "fault", "load", "store", "atomic", "scalar load", "instruction fetch", "illegal instruction", "trap"};
  return context.lose(fmt::format("{} shader at {:#x}: {} of {} bytes at {:#x}, instruction {} '{}', lane {}{}{}", stage, entry,
                                  kinds[size_t(wave.fault.kind)], fault.bytes, fault.address, offset_text(fault.pc_offset),
                                  fault.instruction_text, fault.lane, fault.other.empty() ? "" : ": ", fault.other),
                      fault);
}

}  // namespace Atoll::gpu::amd
