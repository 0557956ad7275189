// The environment of a queue's waves: mapped memory, the time, images.
#pragma once
#include <array>

#include "gpu/amd/queue_environment.h"
#include "gpu/sea_islands/shaders/shader_context.h"

namespace Atoll::sea_islands {

class QueueEnvironment : public gpu::amd::QueueEnvironment {
public:
  // `compute`: images have the border colours of compute waves.
  explicit QueueEnvironment(ShaderContext& context, bool compute = false);
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override;
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override;
  wave::GlobalPart global_part() override { return part_; }
  wave::WaveOrder* order(uint32_t stage) override { return stage == ordered_stage_ ? order_ : nullptr; }
  // Into the handler where STATUS.TRAP_EN is set, else nothing (RDNA4 ISA 3.4.10, "S_TRAP is converted by hardware to NOP").
  wave::TrapAnswer trap(wave::Wave& wave) override;
  // From now on the waves of a stage (0 compute, 1 pixel) are ordered.
  void keep_order(uint32_t stage, wave::WaveOrder& order) { ordered_stage_ = stage, order_ = &order; }

protected:
  ShaderContext& context_;
  const wave::GlobalPart part_;
  wave::WaveOrder* order_ = nullptr;
  uint32_t ordered_stage_ = 0;
};

// Loses the context and reports the wave's fault: instruction, lane, address. `stage` names the kind of shader, `entry` is the
// address of its first instruction. Always false.
bool lose_by_fault(ShaderContext& context, const wave::Wave& wave, const char* stage, uint64_t entry,
                   const std::array<uint32_t, 3>& group = {});

}  // namespace Atoll::sea_islands
