#include "gpu/sea_islands/device.h"

#include <fmt/format.h>

#include "gpu/amd/command_queue.h"
#include "gpu/sea_islands/packets/command_processor.h"
#include "gpu/sea_islands/packets/copy_engine.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/packets/rings.h"
#include "gpu/sea_islands/shaders/shader_files.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "registers/pm4_header.h"

namespace Atoll::sea_islands {
namespace {

using CommandQueue = gpu::amd::CommandQueue<Context, ShaderCache, CommandProcessor>;

class Device : public gpu::Device {
public:
  Device(const gpu::Chip& chip, const gpu::Options& options) : chip_(chip), options_(options) {
    if (!options.shaders.empty()) shader_files_ = std::make_unique<ShaderFiles>(options.shaders, options.shaders_unwritten);
  }

  std::string_view name() const override { return chip_.name; }
  Expected<std::unique_ptr<gpu::Queue>> make_queue(gpu::QueueKind kind, AddressSpace& space) override {
    return make_command_queue(kind, space);
  }
  uint32_t read_register(uint32_t address) override;
  void write_register(uint32_t address, uint32_t value) override;
  void attach(AddressSpace& space) override;
  std::string report() const override;

  Expected<void> start_watchdog() override { return watch_.start(); }

private:
  const gpu::Chip& chip_;
  const gpu::Options options_;
  Rings rings_;
  std::unique_ptr<ShaderFiles> shader_files_;
  gpu::Watch watch_{stop, options_.max_still_seconds};
  wave::GlobalShare share_;
  mutable std::recursive_mutex mutex_;  // MMIO
  AddressSpace* space_ = nullptr;
  std::map<RingName, std::unique_ptr<CommandQueue>> queues_;
  std::string report_;

  std::unique_ptr<CommandQueue> make_command_queue(gpu::QueueKind kind, AddressSpace& space) {
    auto queue = std::make_unique<CommandQueue>(chip_, kind, space, options_, watch_, after_draw);
    queue->context().shader_files = shader_files_.get();
    queue->context().share = &share_;
    return queue;
  }
  CommandQueue& graphics();
  CommandQueue& queue_of(const RingName& ring);
};

// --- MMIO

void Device::attach(AddressSpace& space) {
  std::lock_guard lock(mutex_);
  queues_.clear();
  report_.clear();
  space_ = &space;
}

CommandQueue& Device::graphics() { return queue_of({gpu::QueueKind::graphics, 0}); }

CommandQueue& Device::queue_of(const RingName& ring) {
  auto& queue = queues_[ring];
  if (!queue) {
    queue = make_command_queue(ring.kind, *space_);
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
      done = queue_of(work->ring).run_commands(work->address, std::move(work->words));
    rings_.finished(*space_, *work);
  } else {
    CommandQueue& queue = graphics();
    // A register's write may start something: it is a submission of one packet.
    Context& c = queue.context();
    if (!starts_work(address, value)) {
      if (known_register(c, address)) sea_islands::write_register(c, address, value);
      return;
    }
    done = queue.run_commands(address, std::vector<uint32_t>{registers::register_header(address, 1), value});
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
