// What threads ask of the GPU around them: whether memory is mapped, the time, images.
#pragma once
#include "gpu/device/reports.h"
#include "gpu/dg1/threads/images.h"
#include "memory/address_space.h"
#include "wave/environment.h"

namespace Atoll::dg1 {

class ThreadEnvironment : public wave::Environment {
public:
  explicit ThreadEnvironment(AddressSpace& space) : space_(space), images_(space) {}
  bool mapped(uint64_t window_address, uint64_t bytes, bool writable) const override;
  uint64_t clock() override;  // at 19.2 MHz, the timestamp's rate on DG1
  uint64_t message(wave::Wave&, uint32_t, uint32_t) override { return 0; }
  void image(wave::Wave& wave, wave::ImageAccess& access) override;

  // Mappings may have changed. `reports`: who is told of what images do not do yet; null: nobody. While no thread runs.
  void begin_submission(gpu::Reports* reports) { images_.begin_submission(reports); }

private:
  AddressSpace& space_;
  Images images_;
};

}  // namespace Atoll::dg1
