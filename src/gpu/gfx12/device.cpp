#include "gpu/gfx12/device.h"

#include <fmt/format.h>

#include <mutex>

#include "gpu/device/submission.h"
#include "gpu/gfx12/packets/command_processor.h"
#include "gpu/gfx12/packets/copy_engine.h"
#include "gpu/gfx12/shaders/shaders.h"
#include "pipeline/workers.h"

namespace Atoll::gfx12 {
namespace {

class Device : public gpu::Device {
public:
  Device(const gpu::Chip& chip, const gpu::Options& options) : chip_(chip), options_(options) {}

  std::string_view name() const override { return chip_.name; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, AddressSpace& space) override;
  // Programs read GB_ADDR_CONFIG, nothing else; rings are handed over by the kernel's interface alone, not by MMIO.
  uint32_t read_register(uint32_t address) override { return address == GB_ADDR_CONFIG::address() ? gb_addr_config : 0; }
  void write_register(uint32_t address, uint32_t) override {
    std::lock_guard lock(mutex_);
    if (report_.empty()) report_ = fmt::format("write of register {:#x}: {} has no rings behind MMIO", address, chip_.name);
  }
  void attach(AddressSpace&) override {
    std::lock_guard lock(mutex_);
    report_.clear();
  }
  std::string report() const override {
    std::lock_guard lock(mutex_);
    return report_;
  }
  Expected<void> start_watchdog() override { return watch_.start(); }

private:
  const gpu::Chip& chip_;
  const gpu::Options options_;
  gpu::Watch watch_{stop, options_.max_still_seconds};
  mutable std::mutex mutex_;
  std::string report_;
};

class Queue : public gpu::Queue {
public:
  Queue(const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options, gpu::Watch& watch,
        const decltype(gpu::Device::after_draw)& after_draw)
      : watch_(watch), context_(chip, kind, space, options, stop_), processor_(context_) {
    context_.shaders = std::make_shared<ShaderCache>(space, options.engine, gpu::ProgramLimits{}, options.findings);
    context_.tell_programs(*context_.shaders);
    context_.after_draw = &after_draw;
  }
  ~Queue() override {
    if (workers_) workers_->abandon();
  }

  Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override {
    if (!workers_ && context_.kind != gpu::QueueKind::copy) {
      workers_ = std::make_unique<pipeline::Workers>(context_.options.deterministic ? 1 : context_.threads, false);
      workers_->look_at(context_.options.pixel_watch);
      context_.workers = workers_.get();
    }
    const auto done = gpu::run_submission(context_, watch_, watched_, [&] {
      if (context_.kind == gpu::QueueKind::copy)
        run_copy_engine(context_, buffers);
      else
        processor_.run(buffers);
    });
    show_statistics();
    return done;
  }
  gpu::Statistics statistics() const override {
    std::lock_guard lock(mutex_);
    return shown_;
  }
  std::optional<gpu::Fault> fault() const override { return context_.fault(); }
  void rest() override {
    if (workers_) workers_->rest();
  }
  void wait_for_compilation() override { context_.shaders->wait_for_compilation(); }

private:
  gpu::Watch& watch_;
  std::atomic<int> stop_{0};
  Context context_;
  gpu::Watch::Queue watched_{stop_, context_.progress};
  std::unique_ptr<pipeline::Workers> workers_;
  CommandProcessor processor_;
  mutable std::mutex mutex_;  // shown_
  gpu::Statistics shown_;     // of the last moment between submissions

  void show_statistics() {
    gpu::Statistics& s = context_.statistics;
    s.instructions = s.executed();
    s.compile_seconds = context_.shaders->compile_seconds();
    s.instructions_compiled = context_.shaders->instructions_compiled();
    s.vertices = context_.counters.vertices, s.primitives = context_.counters.primitives;
    s.pixels = context_.counters.pixel_invocations;
    s.pixel_ways.clear();
    context_.counters.add_ways(s.pixel_ways);
    std::lock_guard lock(mutex_);
    shown_ = s;
    shown_.unknown = context_.unknowns();
  }
};

Expected<std::unique_ptr<gpu::Queue>> Device::make_queue(gpu::QueueKind kind, AddressSpace& space) {
  return std::make_unique<Queue>(chip_, kind, space, options_, watch_, after_draw);
}

}  // namespace

Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options) {
  ATOLL_ASSERT(chip.family == gpu::Family::rdna4);
  return std::make_unique<Device>(chip, options);
}

}  // namespace Atoll::gfx12
