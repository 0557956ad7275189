#include "gpu/gfx12/shaders/environment.h"

#include "gpu/gfx12/shaders/stage_registers.h"

namespace Atoll::gfx12 {

static uint64_t border_colours(const RegisterFile& r, bool compute) {
  return compute ? address_by_256<TA_CS_BC_BASE_ADDR, TA_CS_BC_BASE_ADDR_HI::ADDRESS>(r)
                 : address_by_256<TA_BC_BASE_ADDR, TA_BC_BASE_ADDR_HI::ADDRESS>(r);
}

QueueEnvironment::QueueEnvironment(ShaderContext& context, bool compute)
    : gpu::amd::QueueEnvironment(context, *context.images, border_colours(context.registers, compute)), context_(context) {}

bool QueueEnvironment::mapped(uint64_t address, uint64_t bytes, bool writable) const {
  return context_.space.contains(context_.space.meant_address(address), bytes, writable);
}

wave::TrapAnswer QueueEnvironment::trap(wave::Wave&) {
  return context_.options.trap_faults ? wave::TrapAnswer::Fault : wave::TrapAnswer::Ignore;
}

uint64_t QueueEnvironment::message(wave::Wave&, uint32_t message, uint32_t) {
  switch (message & 0xff) {
    case MSG_INTERRUPT:
    case MSG_DEALLOC_VGPRS: return 0;
    case MSG_HS_TESSFACTOR: context_.unknown("s_sendmsg MSG_HS_TESSFACTOR outside of a hull shader"); return 0;
    case MSG_GS_ALLOC_REQ: context_.unknown("s_sendmsg MSG_GS_ALLOC_REQ outside of a geometry shader"); return 0;
    default: context_.unknown(fmt::format("s_sendmsg {:#x}", message)); return 0;
  }
}

bool lose_by_fault(ShaderContext& context, const wave::Wave& wave, const char* stage, uint64_t entry,
                   const std::array<uint32_t, 3>& group) {
  if (wave.stop == wave::Stop::Interrupted) return context.lose_stopped();
  gpu::Fault fault = gpu::fault_of(wave, entry);
  fault.group = group;
  fault.address = context.space.meant_address(fault.address);
  return gpu::amd::lose_by_fault(context, wave, fault, stage, entry);
}

}  // namespace Atoll::gfx12
