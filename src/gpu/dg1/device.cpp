#include "gpu/dg1/device.h"

#include <mutex>

#include "gpu/device/submission.h"
#include "gpu/dg1/commands/command_streamer.h"
#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {
namespace {

class Device;

// Threads have the clock that commands have.
class QueueEnvironment : public ThreadEnvironment {
public:
  explicit QueueEnvironment(Context& context) : ThreadEnvironment(context.space), context_(context) {
    tell(context.options.uses);
  }
  uint64_t clock() override { return context_.registers.timestamp(); }

private:
  Context& context_;
};

// A context's share of an engine.
class Queue : public gpu::Queue {
public:
  Queue(Device& device, const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options);
  Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override;
  gpu::Statistics statistics() const override {
    std::lock_guard lock(mutex_);
    gpu::Statistics s = context_.statistics;
    s.instructions = s.executed();
    s.compile_seconds = context_.kernels.compile_seconds();
    s.instructions_compiled = context_.kernels.instructions_compiled();
    s.unknown = context_.unknowns();
    return s;
  }
  std::optional<gpu::Fault> fault() const override { return context_.fault(); }
  void rest() override {
    if (context_.workers) context_.workers->rest();
  }
  void wait_for_compilation() override { context_.kernels.wait_for_compilation(); }

private:
  mutable std::mutex mutex_;
  Device& device_;
  std::atomic<int> stop_{0};
  Context context_;
  QueueEnvironment environment_{context_};
  gpu::Watch::Queue watched_{stop_, context_.progress};
  CommandStreamer streamer_{context_};
};

class Device : public gpu::Device {
public:
  Device(const gpu::Chip& chip, const gpu::Options& options)
      : chip_(chip), options_(options), registers_(chip.crystal_clock, options.deterministic) {}

  std::string_view name() const override { return chip_.name; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, AddressSpace& space) override {
    return std::make_unique<Queue>(*this, chip_, kind, space, options_);
  }
  // Contexts have registers of their own; what the kernel driver reads is the clock.
  uint32_t read_register(uint32_t address) override {
    std::lock_guard lock(mutex_);
    return registers_.read(address);
  }
  void write_register(uint32_t address, uint32_t value) override {
    std::lock_guard lock(mutex_);
    registers_.write(address, value);
  }
  void attach(AddressSpace&) override {}  // there is no ring by MMIO
  std::string report() const override { return {}; }

  Expected<void> start_watchdog() override { return watch_.start(); }
  gpu::Watch& watch() { return watch_; }

private:
  const gpu::Chip& chip_;
  const gpu::Options options_;
  gpu::Watch watch_{stop, options_.max_still_seconds};
  std::mutex mutex_;
  Registers registers_;
};

Queue::Queue(Device& device, const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options)
    : device_(device), context_(chip, kind, space, options, stop_) {
  context_.environment = &environment_;
  context_.after_draw = &device_.after_draw;
}

Expected<void> Queue::run(std::span<const gpu::CommandBuffer> buffers) {
  std::lock_guard lock(mutex_);
  return gpu::run_submission(context_, device_.watch(), watched_, [&] {
    for (auto& buffer : buffers)
      if (!context_.lost()) streamer_.run(buffer.address, buffer.dwords);
  });
}

}  // namespace

Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options) {
  ATOLL_ASSERT(chip.family == gpu::Family::xe_lp);
  return std::make_unique<Device>(chip, options);
}

}  // namespace Atoll::dg1
