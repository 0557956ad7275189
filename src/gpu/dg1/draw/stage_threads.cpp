#include "gpu/dg1/draw/stage_threads.h"

#include "gpu/dg1/threads/kept_surfaces.h"
#include "isa/xe_lp/registers.h"

namespace Atoll::dg1 {
namespace {

// Threads of all stages that a host thread runs, one at a time; those of pixels have more than the others.
uint8_t* storage() {
  static_assert(pixel_thread_bytes >= wave::register_file_offset + xe_lp::register_file_bytes);
  static thread_local const wave::StorageBytes bytes = wave::allocate_zeroes(pixel_thread_bytes);
  return bytes.get();
}

}  // namespace

uint32_t stage_control(bool alternate_floats, bool single_program_flow, bool keeps_denormals, uint32_t rounding) {
  return control_modes(alternate_floats, single_program_flow, rounding,
                       xe_lp::kKeepDenormals16 | xe_lp::kKeepDenormals64 | (keeps_denormals ? xe_lp::kKeepDenormals32 : 0));
}

std::unique_ptr<StageThreads> find_stage_threads(Context& c, const StageDispatch& dispatch) {
  auto kernel = c.kernels.find(stripped(c.bases.instruction + dispatch.kernel));
  if (!kernel) {
    c.lose(fmt::format("{}: {}", dispatch.stage, kernel.error().message));
    return nullptr;
  }
  if (const char* why = unknown_exception(dispatch.exceptions, **kernel)) {
    c.lose(fmt::format("{}: {}", dispatch.stage, why));
    return nullptr;
  }
  const xe_lp::ThreadContext context = c.thread_context(dispatch.binding_table, dispatch.samplers);
  return std::unique_ptr<StageThreads>(
      new StageThreads{dispatch,
                       *kernel,
                       c,
                       {c.space, c.stop, *c.environment, context, keep_surfaces(context, (*kernel)->surfaces, c.space),
                        c.environment->begin_draw_threads()}});
}

bool StageThreads::lose(const wave::Wave& wave) const {
  const std::string where = fmt::format("{} at {:#x}", dispatch.stage, kernel->address);
  if (wave.stop == wave::Stop::Interrupted) return context.lose_stopped(where);
  const gpu::Fault fault = fault_of_thread(wave, *kernel, surroundings);
  return context.lose(fmt::format("{}: instruction {:#x} '{}': {} (address {:#x})", where, fault.pc_offset,
                                  fault.instruction_text, fault.other.empty() ? "memory fault" : fault.other, fault.address),
                      fault);
}

wave::Wave& StageThread::wave() {
  if (!wave_) {
    wave_ = &make_thread(storage(), threads_.surroundings);
    wave_->environment = &environment_;
  }
  return *wave_;
}

uint32_t* StageThread::registers() { return reinterpret_cast<uint32_t*>(wave::bytes_of(wave(), xe_lp::grf_cell)); }

void StageThread::start(ThreadCode& code, uint32_t channels, uint32_t slot, uint32_t payload_bytes) {
  wave::Wave& w = wave();
  begin(code);
  code.clearing.clear(w, *code.executor, code.begin, payload_bytes);
  set_dispatch(w, channels, {threads_.dispatch.control, threads_.dispatch.exceptions}, slot);
  uint32_t* r0 = registers();
  std::fill_n(r0, xe_lp::kRegisterBytes / 4, 0);
  set_header(r0, threads_.surroundings.context, threads_.dispatch.scratch_bytes, threads_.dispatch.scratch_offset, slot);
}

}  // namespace Atoll::dg1
