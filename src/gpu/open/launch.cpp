#include "gpu/open/launch.h"

#include "base/offset_text.h"
#include "gpu/dg1/launch/launch.h"
#include "gpu/gfx12/compute/hsa_dispatch.h"
#include "gpu/rdna4/run.h"
#include "gpu/rdna4/target.h"
#include "gpu/sea_islands/hsa/launch.h"

namespace Atoll::gpu {
Expected<CodeObject> read_code_object_for(std::span<const uint8_t> bytes, const std::string& name, const Chip* chip) {
  if (!chip) return read_code_object(bytes, name);
  auto first = read_code_object(bytes, name, chip->processors.front());
  for (size_t n = 1; !first && n < chip->processors.size(); n++)
    if (auto other = read_code_object(bytes, name, chip->processors[n])) return other;
  return first;
}

hsa::Target hsa_target(const Chip& chip) {
  switch (chip.family) {
    case Family::rdna4: return rdna4::target();
    case Family::xe_lp: return dg1::launch_target();
    default: return sea_islands::hsa_target(chip);
  }
}

Expected<hsa::RunResult> run_dispatch(const Chip& chip, const hsa::Dispatch& dispatch, AddressSpace& space,
                                      const hsa::RunOptions& options) {
  return chip.family == Family::rdna4 ? rdna4::run(dispatch, space, options)
                                      : sea_islands::run_hsa(chip, dispatch, space, options);
}

Expected<std::vector<uint32_t>> dispatch_commands(const Chip& chip, const hsa::Dispatch& dispatch,
                                                  const hsa::ScratchMemory& scratch) {
  switch (chip.family) {
    case Family::rdna4: return gfx12::dispatch_commands(dispatch);  // (its waves' scratch memory is their own)
    case Family::sea_islands: return sea_islands::dispatch_commands(dispatch, scratch);
    default: return fail("{} carries out no AQL packets", chip.name);
  }
}

std::string describe(const Fault& fault) {
  std::string what;
  switch (fault.kind) {
    case FaultKind::Load: what = "load"; break;
    case FaultKind::Store: what = "store"; break;
    case FaultKind::Atomic: what = "atomic"; break;
    case FaultKind::InstructionFetch: what = "instruction fetch"; break;
    case FaultKind::IllegalInstruction: what = "illegal instruction"; break;
    case FaultKind::Other: what = fault.other; break;
  }
  if (fault.kind != FaultKind::Other && !fault.other.empty()) what += fmt::format(" ({})", fault.other);
  if (fault.kind <= FaultKind::InstructionFetch) what += fmt::format(" of {} bytes at {:#x}", fault.bytes, fault.address);
  return fmt::format("fault: {}, instruction {} '{}', group {},{},{} lane {}", what, offset_text(fault.pc_offset),
                     fault.instruction_text, fault.group[0], fault.group[1], fault.group[2], fault.lane);
}

}  // namespace Atoll::gpu
