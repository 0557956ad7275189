#include "gpu/r5xx/device.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "gpu/device/submission.h"
#include "gpu/r5xx/context.h"
#include "gpu/r5xx/draw/draw.h"
#include "gpu/r5xx/packets/command_processor.h"
#include "gpu/r5xx/packets/register_writes.h"
#include "gpu/r5xx/packets/ring.h"

namespace Atoll::r5xx {
namespace {

class Device;

class Queue : public gpu::Queue {
public:
  Queue(Device& device, const gpu::Chip& chip, const gpu::Options& options, AddressSpace& space);
  Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override;
  gpu::Statistics statistics() const override {
    std::lock_guard lock(mutex_);
    gpu::Statistics s = context_.statistics;
    s.compile_seconds = draws_.shaders().compile_seconds();
    s.instructions_compiled = draws_.shaders().instructions_compiled();
    s.unknown = context_.unknowns();
    return s;
  }
  void rest() override { draws_.rest(); }
  void wait_for_compilation() override {
    std::lock_guard lock(mutex_);
    draws_.shaders().wait_for_compilation();
  }

private:
  mutable std::mutex mutex_;
  Device& device_;
  std::atomic<int> stop_{0};
  Context context_;
  gpu::Watch::Queue watched_{stop_, context_.progress};
  DrawEngine draws_{context_};
  CommandProcessor processor_{context_, draws_};
};

class Device : public gpu::Device {
public:
  Device(const gpu::Chip& chip, const gpu::Options& options) : chip_(chip), options_(options) {
    if (!options.shaders.empty())
      program_files_ = std::make_unique<gpu::ProgramFiles>(options.shaders, options.shaders_unwritten);
  }

  std::string_view name() const override { return chip_.name; }

  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, AddressSpace& space) override {
    if (kind != gpu::QueueKind::graphics) return fail("{} has a graphics queue only", chip_.name);
    return std::make_unique<Queue>(*this, chip_, options_, space);
  }

  uint32_t read_register(uint32_t address) override {
    std::lock_guard lock(mutex_);
    return context_ ? r5xx::read_register(*context_, address) : 0;
  }
  void write_register(uint32_t address, uint32_t value) override {
    std::lock_guard lock(mutex_);
    if (!context_ || !watched_) return;
    const gpu::Watched watched(watch_, *watched_);
    if (!watched.begun()) {
      context_->lose(watched.begun().error().message);
      return;
    }
    ring_->write_register(address & ~3u, value);
  }
  void attach(AddressSpace& space) override {
    std::lock_guard lock(mutex_);
    ring_.reset();
    processor_.reset();
    draws_.reset();
    ring_stop_ = 0;
    context_ = std::make_unique<Context>(chip_, options_, space, ring_stop_);
    watched_.emplace(ring_stop_, context_->progress);
    draws_ = std::make_unique<DrawEngine>(*context_);
    processor_ = std::make_unique<CommandProcessor>(*context_, *draws_);
    ring_ = std::make_unique<Ring>(*context_, *processor_);
    context_->program_files = program_files();
    context_->after_draw = &after_draw;
  }
  std::string report() const override {
    std::lock_guard lock(mutex_);
    return context_ ? context_->report() : std::string();
  }

  Expected<void> start_watchdog() override { return watch_.start(); }
  gpu::Watch& watch() { return watch_; }
  gpu::ProgramFiles* program_files() { return program_files_.get(); }

private:
  const gpu::Chip& chip_;
  const gpu::Options options_;
  std::unique_ptr<gpu::ProgramFiles> program_files_;
  mutable std::mutex mutex_;
  gpu::Watch watch_{stop, options_.max_still_seconds};
  // The objects behind MMIO, once there is memory.
  std::atomic<int> ring_stop_{0};
  std::unique_ptr<Context> context_;
  std::optional<gpu::Watch::Queue> watched_;
  std::unique_ptr<DrawEngine> draws_;
  std::unique_ptr<CommandProcessor> processor_;
  std::unique_ptr<Ring> ring_;
};

Queue::Queue(Device& device, const gpu::Chip& chip, const gpu::Options& options, AddressSpace& space)
    : device_(device), context_(chip, options, space, stop_) {
  context_.program_files = device.program_files();
  context_.after_draw = &device.after_draw;
}

Expected<void> Queue::run(std::span<const gpu::CommandBuffer> buffers) {
  std::lock_guard lock(mutex_);
  if (std::ranges::any_of(buffers, &gpu::CommandBuffer::constant_engine)) return fail("R5xx has no constant engine");
  return gpu::run_submission(context_, device_.watch(), watched_, [&] {
    for (auto& buffer : buffers) processor_.run(buffer.address, buffer.dwords);
  });
}

}  // namespace

Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options) {
  ATOLL_ASSERT(chip.family == gpu::Family::r5xx);
  return std::make_unique<Device>(chip, options);
}

}  // namespace Atoll::r5xx
