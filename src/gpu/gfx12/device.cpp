#include "gpu/gfx12/device.h"

#include <fmt/format.h>

#include <mutex>

#include "gpu/amd/command_queue.h"
#include "gpu/gfx12/packets/command_processor.h"
#include "gpu/gfx12/packets/copy_engine.h"
#include "gpu/gfx12/shaders/shaders.h"

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

using Queue = gpu::amd::CommandQueue<Context, ShaderCache, CommandProcessor>;

Expected<std::unique_ptr<gpu::Queue>> Device::make_queue(gpu::QueueKind kind, AddressSpace& space) {
  return std::make_unique<Queue>(chip_, kind, space, options_, watch_, after_draw);
}

}  // namespace

Expected<std::unique_ptr<gpu::Device>> make_device(const gpu::Chip& chip, const gpu::Options& options) {
  ATOLL_ASSERT(chip.family == gpu::Family::rdna4);
  return std::make_unique<Device>(chip, options);
}

}  // namespace Atoll::gfx12
