#include "gpu/sea_islands/environment.h"

#include "gpu/sea_islands/images.h"
#include "registers/sea_islands.h"
#include "wave/program.h"

namespace Atoll::sea_islands {

QueueEnvironment::QueueEnvironment(Context& context, bool compute) : context_(context) {
  const Registers& registers = context.registers;
  uint64_t low = registers[compute ? TA_CS_BC_BASE_ADDR::address() : TA_BC_BASE_ADDR::address()];
  uint32_t high = registers[compute ? TA_CS_BC_BASE_ADDR_HI::address() : TA_BC_BASE_ADDR_HI::address()];
  border_colours_ = uint64_t(TA_BC_BASE_ADDR_HI::ADDRESS::get(high)) << 40 | low << 8;
}

void QueueEnvironment::image(wave::Wave&, wave::ImageAccess& access) { context_.images->access(access, border_colours_); }

bool QueueEnvironment::mapped(uint64_t address, uint64_t bytes) const { return context_.space.contains(address, bytes); }

uint64_t QueueEnvironment::clock() { return context_.clock(); }

uint64_t QueueEnvironment::message(wave::Wave&, uint32_t message, uint32_t) {
  context_.unknown(fmt::format("s_sendmsg {}", message & 15));
  return 0;
}

bool lose_by_fault(Context& context, const wave::Wave& wave, const char* stage) {
  if (wave.stop == wave::Stop::Interrupted) return context.lose_stopped();
  if (wave.stop == wave::Stop::Barrier)
    return context.lose(
        fmt::format("{} shader at 0x{:x}: waits at a barrier that nobody completes", stage, wave.program->base()));
  static constexpr const char* kinds[] = {
      "fault", "load", "store", "atomic", "scalar load", "instruction fetch", "illegal instruction", "trap"};
  const wave::FaultReport& f = wave.fault;
  const wave::Program& program = *wave.program;
  std::string text, why;
  if (program.contains(f.pc) && program.at(f.pc)->decoded) {
    text = program.isa().text(*program.at(f.pc));
    why = program.decode_error(*program.at(f.pc));
  }
  if (why.empty() && f.reason) why = f.reason;
  return context.lose(fmt::format("{} shader at 0x{:x}: {} of {} bytes at 0x{:x}, instruction 0x{:x} '{}', lane {}{}{}", stage,
                                  program.base(), kinds[size_t(f.kind)], f.bytes, f.address, f.pc - program.base(), text, f.lane,
                                  why.empty() ? "" : ": ", why));
}

}  // namespace Atoll::sea_islands
