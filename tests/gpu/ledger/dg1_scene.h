// Scenes of DG1: batches with their kernels and states in memory, run again and again.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/chips/chip.h"
#include "gpu/dg1/device.h"
#include "memory/address_space.h"
#include "sweep.h"
#include "tests/gpu/dg1/batch.h"

namespace Atoll::ledger {

// The layout of memory: data that is compared, the batch and others that it calls, states from the dynamic and the surface base,
// kernels, images, and addresses that nothing else has, for changed bases to lead to.
namespace dg1_at {
inline constexpr uint64_t base = 0x1'0000'0000, data = base, data_bytes = 0x10000, batch = base + 0x10000, more = base + 0x14000,
                          dynamic = base + 0x18000, surfaces = base + 0x1c000, kernel = base + 0x20000, images = base + 0x28000,
                          bytes = 0x40000;
inline constexpr uint64_t table = 0x800, samplers = 0x400, border = 0x800, constants = 0xc00;  // of surfaces, of dynamic
}  // namespace dg1_at

class Dg1Scene : public Scene {
public:
  explicit Dg1Scene(std::string name, gpu::QueueKind kind = gpu::QueueKind::graphics);

  dg1::Batch b;
  uint8_t* host(uint64_t address) { return space_->host(address); }
  void put(uint64_t address, std::span<const uint32_t> words);
  // A structure in memory, whose fields are tried there.
  void structure(std::string_view name, uint64_t address);
  void kernel(std::vector<std::string> lines, uint64_t at = dg1_at::kernel);
  // Fails the test if the batch does not end well, unless the scene is one of what ends a context.
  void finish(bool ends_well = true);

  bool differs(const Change& change) override;
  std::vector<std::string> unknown(const Changes& changes, bool strict) override;

private:
  struct Placed {
    unsigned number;
    uint64_t address;
  };
  // False: nothing of the scene has the field.
  bool apply(const Change& change);
  struct Ran {
    std::vector<uint8_t> data;
    std::string lost;
    std::vector<std::string> unknown;
  };
  Ran run(bool strict);
  void restore();

  const gpu::QueueKind kind_;
  std::shared_ptr<MemoryFile> memory_ = *MemoryFile::create();
  std::unique_ptr<AddressSpace> space_ = *AddressSpace::create(memory_);
  std::unique_ptr<gpu::Device> devices_[2];  // the second: strict
  std::vector<Placed> structures_;
  std::vector<uint8_t> before_;
  Ran expected_;
};

using Dg1Scenes = std::vector<std::unique_ptr<Scene>>;
Dg1Scenes dg1_scenes();

// By subject, each in its file.
void add_batch_scenes(Dg1Scenes& all);
void add_kernel_scenes(Dg1Scenes& all);
void add_draw_scenes(Dg1Scenes& all);

}  // namespace Atoll::ledger
