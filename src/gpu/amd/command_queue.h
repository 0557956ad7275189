// A queue of an AMD device: submissions run on a family's command processor or copy engine, with workers that are made for the first
// one, and what they counted is shown between submissions.
#pragma once
#include <memory>
#include <mutex>

#include "gpu/device/program_cache.h"
#include "gpu/device/submission.h"
#include "pipeline/workers.h"

namespace Atoll::gpu::amd {

// Context, ShaderCache, CommandProcessor: a family's; beside its Context it declares
//   void run_copy_engine(Context&, ...)  executes buffers, or other commands, as its CommandProcessor's run(...) does
template <class Context, class ShaderCache, class CommandProcessor>
class CommandQueue : public Queue {
public:
  CommandQueue(const Chip& chip, QueueKind kind, AddressSpace& space, const Options& options, Watch& watch,
               const decltype(Device::after_draw)& after_draw)
      : watch_(watch), context_(chip, kind, space, options, stop_), processor_(context_) {
    context_.shaders = std::make_shared<ShaderCache>(space, options.engine, ProgramLimits{}, options.findings);
    context_.tell_programs(*context_.shaders);
    context_.after_draw = &after_draw;
  }
  ~CommandQueue() override {
    if (workers_) workers_->abandon();
  }

  Expected<void> run(std::span<const CommandBuffer> buffers) override { return run_commands(buffers); }
  Statistics statistics() const override {
    std::lock_guard lock(mutex_);
    return shown_;
  }
  std::optional<Fault> fault() const override { return context_.fault(); }
  void rest() override {
    if (workers_) workers_->rest();
  }
  void wait_for_compilation() override { context_.shaders->wait_for_compilation(); }

  // A submission of commands as the command processor or the copy engine takes them.
  template <class... Commands>
  Expected<void> run_commands(Commands&&... commands) {
    if (!workers_ && context_.kind != QueueKind::copy) {
      workers_ = std::make_unique<pipeline::Workers>(context_.options.deterministic ? 1 : context_.threads, false);
      workers_->look_at(context_.options.pixel_watch);
      context_.workers = workers_.get();
    }
    const auto done = run_submission(context_, watch_, watched_, [&] {
      if (context_.kind == QueueKind::copy)
        run_copy_engine(context_, std::forward<Commands>(commands)...);
      else
        processor_.run(std::forward<Commands>(commands)...);
    });
    show_statistics();
    return done;
  }
  Context& context() { return context_; }

private:
  Watch& watch_;
  std::atomic<int> stop_{0};
  Context context_;
  Watch::Queue watched_{stop_, context_.progress};
  std::unique_ptr<pipeline::Workers> workers_;
  CommandProcessor processor_;
  mutable std::mutex mutex_;  // shown_
  Statistics shown_;          // of the last moment between submissions

  void show_statistics() {
    Statistics& s = context_.statistics;
    s.instructions = s.executed();
    s.compile_seconds = context_.shaders->compile_seconds();
    s.instructions_compiled = context_.shaders->instructions_compiled();
    s.vertices = context_.counters.vertices, s.primitives = context_.counters.primitives;
    s.pixels = context_.counters.pixel_invocations;
    s.pixel_paths.clear();
    context_.counters.add_paths(s.pixel_paths);
    std::lock_guard lock(mutex_);
    shown_ = s;
    shown_.unknown = context_.unknowns();
  }
};

}  // namespace Atoll::gpu::amd
