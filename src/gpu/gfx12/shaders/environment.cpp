#include "gpu/gfx12/shaders/environment.h"

#include "base/offset_text.h"
#include "gpu/amd/images.h"
#include "gpu/gfx12/shaders/stage_registers.h"

namespace Atoll::gfx12 {

QueueEnvironment::QueueEnvironment(ShaderContext& context, bool compute) : context_(context) {
  const RegisterFile& r = context.registers;
  border_colours_ = compute ? address_by_256<TA_CS_BC_BASE_ADDR, TA_CS_BC_BASE_ADDR_HI::ADDRESS>(r)
                            : address_by_256<TA_BC_BASE_ADDR, TA_BC_BASE_ADDR_HI::ADDRESS>(r);
}

void QueueEnvironment::image(wave::Wave&, wave::ImageAccess& access) { context_.images->access(access, border_colours_); }

const wave::SampledTexture* QueueEnvironment::sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                                              wave::TextureUse use) {
  return context_.images->sampled(resource, sampler, slot, use);
}

bool QueueEnvironment::mapped(uint64_t address, uint64_t bytes, bool writable) const {
  return context_.space.contains(context_.space.meant_address(address), bytes, writable);
}

uint64_t QueueEnvironment::clock() { return context_.clock(); }

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
  if (wave.stop == wave::Stop::Barrier)
    return context.lose(fmt::format("{} shader at {:#x}: waits at a barrier that nobody completes", stage, entry), fault);
  static constexpr const char* kinds[] = {
      "fault", "load", "store", "atomic", "scalar load", "instruction fetch", "illegal instruction", "trap"};
  return context.lose(fmt::format("{} shader at {:#x}: {} of {} bytes at {:#x}, instruction {} '{}', lane {}{}{}", stage, entry,
                                  kinds[size_t(wave.fault.kind)], fault.bytes, fault.address, offset_text(fault.pc_offset),
                                  fault.instruction_text, fault.lane, fault.other.empty() ? "" : ": ", fault.other),
                      fault);
}

}  // namespace Atoll::gfx12
