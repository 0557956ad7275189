#include "gpu/sea_islands/device.h"

#include <fmt/format.h>

#include "gpu/device/submission.h"
#include "gpu/sea_islands/packets/command_processor.h"
#include "gpu/sea_islands/packets/copy_engine.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/packets/rings.h"
#include "gpu/sea_islands/shaders/shader_files.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "pipeline/workers.h"
#include "registers/pm4_header.h"

namespace Atoll::sea_islands {
namespace {

class Device;

class Queue : public gpu::Queue {
public:
  Queue(Device& device, const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options);

  ~Queue() override {
    if (workers_) workers_->abandon();
  }
  Expected<void> run(std::span<const gpu::CommandBuffer> buffers) override;
  gpu::Statistics statistics() const override;
  std::optional<gpu::Fault> fault() const override { return context_.fault(); }
  void rest() override {
    if (workers_) workers_->rest();
  }
  void wait_for_compilation() override { context_.shaders->wait_for_compilation(); }

  // Executes the contents of a ring from `address` on (the words may have been wrapped round).
  Expected<void> run(uint64_t address, std::vector<uint32_t> words);

  Context& context() { return context_; }

private:
  Device& device_;
  std::atomic<int> stop_{0};
  Context context_;
  gpu::Watch::Queue watched_{stop_, context_.progress};
  std::unique_ptr<pipeline::Workers> workers_;
  CommandProcessor processor_;
  mutable std::mutex mutex_;  // shown_
  gpu::Statistics shown_;     // of the last moment between submissions

  template <class Body>
  Expected<void> submit(Body body);
};

class Device : public gpu::Device {
public:
  Device(const gpu::Chip& chip, const gpu::Options& options) : chip_(chip), options_(options) {
    if (!options.shaders.empty()) shader_files_ = std::make_unique<ShaderFiles>(options.shaders, options.shaders_unwritten);
  }

  std::string_view name() const override { return chip_.name; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, AddressSpace& space) override {
    return std::make_unique<Queue>(*this, chip_, kind, space, options_);
  }
  uint32_t read_register(uint32_t address) override;
  void write_register(uint32_t address, uint32_t value) override;
  void attach(AddressSpace& space) override;
  std::string report() const override;

  Expected<void> start_watchdog() override { return watch_.start(); }
  gpu::Watch& watch() { return watch_; }
  ShaderFiles* shader_files() { return shader_files_.get(); }
  wave::GlobalShare& share() { return share_; }

private:
  const gpu::Chip& chip_;
  const gpu::Options options_;
  Rings rings_;
  std::unique_ptr<ShaderFiles> shader_files_;
  gpu::Watch watch_{stop, options_.max_still_seconds};
  wave::GlobalShare share_;
  mutable std::recursive_mutex mutex_;  // MMIO
  AddressSpace* space_ = nullptr;
  std::map<RingName, std::unique_ptr<Queue>> queues_;
  std::string report_;

  Queue& graphics();
  Queue& queue_of(const RingName& ring);
};

Queue::Queue(Device& device, const gpu::Chip& chip, gpu::QueueKind kind, AddressSpace& space, const gpu::Options& options)
    : device_(device), context_(chip, kind, space, options, stop_), processor_(context_) {
  context_.shaders = std::make_shared<ShaderCache>(space, options.engine, gpu::ProgramLimits{}, options.findings);
  context_.tell_programs(*context_.shaders);
  context_.shader_files = device.shader_files();
  context_.share = &device.share();
  context_.after_draw = &device.after_draw;
}

template <class Body>
Expected<void> Queue::submit(Body body) {
  if (!workers_ && context_.kind != gpu::QueueKind::copy) {
    workers_ = std::make_unique<pipeline::Workers>(context_.options.deterministic ? 1 : context_.threads, false);
    workers_->look_at(context_.options.pixel_watch);
    context_.workers = workers_.get();
  }
  const auto done = gpu::run_submission(context_, device_.watch(), watched_, body);
  gpu::Statistics& s = context_.statistics;
  s.instructions = s.executed();
  s.compile_seconds = context_.shaders->compile_seconds();
  s.instructions_compiled = context_.shaders->instructions_compiled();
  s.vertices = context_.counters.vertices, s.primitives = context_.counters.primitives;
  s.pixels = context_.counters.pixel_invocations;
  s.pixel_ways.clear();
  context_.counters.add_ways(s.pixel_ways);
  {
    std::lock_guard lock(mutex_);
    shown_ = s;
    shown_.unknown = context_.unknowns();
  }
  return done;
}

Expected<void> Queue::run(std::span<const gpu::CommandBuffer> buffers) {
  return submit([&] {
    if (context_.kind == gpu::QueueKind::copy)
      run_copy_engine(context_, buffers);
    else
      processor_.run(buffers);
  });
}

Expected<void> Queue::run(uint64_t address, std::vector<uint32_t> words) {
  return submit([&] {
    if (context_.kind == gpu::QueueKind::copy)
      run_copy_engine(context_, address, std::move(words));
    else
      processor_.run(address, std::move(words));
  });
}

gpu::Statistics Queue::statistics() const {
  std::lock_guard lock(mutex_);
  return shown_;
}

// --- MMIO

void Device::attach(AddressSpace& space) {
  std::lock_guard lock(mutex_);
  queues_.clear();
  report_.clear();
  space_ = &space;
}

Queue& Device::graphics() { return queue_of({gpu::QueueKind::graphics, 0}); }

Queue& Device::queue_of(const RingName& ring) {
  auto& queue = queues_[ring];
  if (!queue) {
    queue = std::make_unique<Queue>(*this, chip_, ring.kind, *space_, options_);
    if (ring.kind == gpu::QueueKind::compute) queue->context().hardware_queue = hardware_queue_of(ring);
  }
  return *queue;
}

// Registers that are no ring's are the graphics ring's, as what its packets set.
uint32_t Device::read_register(uint32_t address) {
  std::lock_guard lock(mutex_);
  uint32_t value;
  if (rings_.read(address, value)) return value;
  if (space_) return sea_islands::read_register(graphics().context(), address);
  for (const ResetValue& r : reset_values(chip_))
    if (r.address == address) return r.value;
  return 0;
}

void Device::write_register(uint32_t address, uint32_t value) {
  std::lock_guard lock(mutex_);
  if (!space_) {
    report_ = fmt::format("write of register {:#x}, no address space is attached", address);
    return;
  }
  std::optional<RingWork> work;
  Expected<void> done;
  if (rings_.write(*space_, address, value, work)) {
    if (!work) return;
    if (!work->error.empty())
      done = fail("{}", work->error);
    else
      done = queue_of(work->ring).run(work->address, std::move(work->words));
    rings_.finished(*space_, *work);
  } else {
    Queue& queue = graphics();
    // A register's write may start something: it is a submission of one packet.
    Context& c = queue.context();
    if (!starts_work(address, value)) {
      if (known_register(c, address)) sea_islands::write_register(c, address, value);
      return;
    }
    done = queue.run(address, {registers::register_header(address, 1), value});
  }
  if (!done && report_.empty()) report_ = done.error().message;
}

std::string Device::report() const {
  std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace

Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options) {
  ATOLL_ASSERT(chip.family == gpu::Family::sea_islands);
  return std::make_unique<Device>(chip, options);
}

}  // namespace Atoll::sea_islands
