// Threads of a stage of the 3D pipeline, whichever it is: kernel, surroundings, scratch and mode of all of a draw's, and one that workers
// run again and again.
#pragma once
#include <memory>
#include <string>

#include "gpu/dg1/state/context.h"
#include "gpu/dg1/threads/thread_start.h"
#include "wave/storage.h"

namespace Atoll::dg1 {

// The state of a stage's threads that its commands set.
struct StageDispatch {
  const char* stage = "";       // "pixel shader", for reports
  uint64_t kernel = 0;          // from the instruction base
  uint64_t binding_table = 0;   // from the surface base or the pool's
  uint64_t samplers = 0;        // from the dynamic base
  uint64_t scratch_offset = 0;  // from the general base
  uint32_t scratch_bytes = 0;   // of a thread
  uint32_t control = 0;         // cr0.0
  uint32_t exceptions = 0;      // cr0.1
};
// cr0.0 of fields that all stages have. Denormals of halves and doubles are kept, as a dispatch with Ftz keeps them (commands/walker.cpp).
uint32_t stage_control(bool alternate_floats, bool single_program_flow, bool keeps_denormals, uint32_t rounding);

struct StageThreads {
  StageDispatch dispatch;
  std::shared_ptr<Kernel> kernel;
  Context& context;
  ThreadSurroundings surroundings;

  // Loses the context by a thread that stopped before its end. Always false.
  bool lose(const wave::Wave& wave) const;
};
// Null: the context is lost.
std::unique_ptr<StageThreads> find_stage_threads(Context& context, const StageDispatch& dispatch);

// The code that threads run: the kernel, or what stands for it (threads/pixel_frame.h). Each host thread has its own.
struct ThreadCode {
  wave::Executor* executor = nullptr;
  uint64_t begin = 0;  // PC
  RegisterClearing clearing{};
};

// A host thread's own: threads follow each other in the same registers.
class StageThread {
public:
  explicit StageThread(const StageThreads& threads, wave::Environment& environment)
      : threads_(threads), environment_(environment), kernel_{threads.kernel->executor.get(), threads.kernel->address} {}
  // The memory is the host thread's, where other stages' threads run as well: they may have since.
  void forget() { wave_ = nullptr; }
  wave::Wave& wave();
  uint32_t* registers();

  // The next thread: `channels` run, `slot` is its place among those that run at once. Its first `payload_bytes` of registers are still
  // to be filled, but for r0's dwords 3 and 5.
  void start(uint32_t channels, uint32_t slot, uint32_t payload_bytes) { start(kernel_, channels, slot, payload_bytes); }
  void start(ThreadCode& code, uint32_t channels, uint32_t slot, uint32_t payload_bytes);
  // One of the same code whose registers stand already, but for the channels.
  void start_again(const ThreadCode& code, uint32_t channels) {
    begin(code);
    set_channels(*wave_, channels);
  }
  // Runs it, and those that `next` makes behind it (start() and payload), until that gives false. False: the context is lost.
  template <class Next>
  bool run(Next next) {
    return run(kernel_, std::move(next));
  }
  template <class Next>
  bool run(const ThreadCode& code, Next next) {
    wave::Wave& w = *wave_;
    code.executor->run_series(w, [](void* data) { return (*static_cast<Next*>(data))(); }, &next);
    return w.stop == wave::Stop::End || threads_.lose(w);
  }

private:
  void begin(const ThreadCode& code) {
    wave_->pc = code.begin;
    wave_->code_table = nullptr;
    wave_->waits_at_barrier = false, wave_->resume = nullptr;
  }

  const StageThreads& threads_;
  wave::Environment& environment_;
  wave::Wave* wave_ = nullptr;
  ThreadCode kernel_;
};

}  // namespace Atoll::dg1
