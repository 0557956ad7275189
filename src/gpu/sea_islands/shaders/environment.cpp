#include "gpu/sea_islands/shaders/environment.h"

#include "gpu/sea_islands/state/stage_registers.h"
#include "isa/gfx7/registers.h"

namespace Atoll::sea_islands {

static uint64_t border_colours(const RegisterFile& r, bool compute) {
  return compute ? address_by_256<TA_CS_BC_BASE_ADDR::ADDRESS, TA_CS_BC_BASE_ADDR_HI::ADDRESS>(r)
                 : address_by_256<TA_BC_BASE_ADDR::ADDRESS, TA_BC_BASE_ADDR_HI::ADDRESS>(r);
}

// Its clock counts at 27 MHz, the reference clock that the kernel reports (gpu_counter_freq).
QueueEnvironment::QueueEnvironment(ShaderContext& context, bool compute)
    : gpu::amd::QueueEnvironment(context, *context.images, border_colours(context.registers, compute)),
      context_(context),
      part_(context.global_part()) {}

bool QueueEnvironment::mapped(uint64_t address, uint64_t bytes, bool writable) const {
  return context_.space.contains(address, bytes, writable);
}

wave::TrapAnswer QueueEnvironment::trap(wave::Wave& wave) {
  if (wave::word_of(wave, gfx7::status_cell) & gfx7::STATUS_TRAP_EN) return wave::TrapAnswer::Enter;
  return context_.options.trap_faults ? wave::TrapAnswer::Fault : wave::TrapAnswer::Ignore;
}

// Southern Islands ISA, S_SENDMSG: 1 an interrupt, whose handler would be a kernel's (there is none, so nothing comes of it);
// 2 and 3 what a geometry shader emits; 15 for the system.
uint64_t QueueEnvironment::message(wave::Wave&, uint32_t message, uint32_t) {
  static constexpr const char* system[] = {"", "ECC_ERR_INTERRUPT", "REG_RD", "HOST_TRAP_ACK", "TTRACE_PC"};
  uint32_t operation = message >> 4 & 15;
  switch (message & 15) {
    case 1: return 0;
    case 2: context_.unknown("s_sendmsg GS outside of a geometry shader"); return 0;
    case 3:
      if (operation & 3) context_.unknown("s_sendmsg GS_DONE outside of a geometry shader");
      return 0;
    case 15:
      context_.unknown(fmt::format("s_sendmsg to the system: {}", operation < std::size(system) ? system[operation] : "?"));
      return 0;
    default: context_.unknown(fmt::format("s_sendmsg {}", message & 15)); return 0;
  }
}

bool lose_by_fault(ShaderContext& context, const wave::Wave& wave, const char* stage, uint64_t entry,
                   const std::array<uint32_t, 3>& group) {
  if (wave.stop == wave::Stop::Interrupted) return context.lose_stopped();
  gpu::Fault fault = gpu::fault_of(wave, entry);
  fault.group = group;
  return gpu::amd::lose_by_fault(context, wave, fault, stage, entry);
}

}  // namespace Atoll::sea_islands
