// The environment of a queue's waves: mapped memory, the time, images, messages.
#pragma once
#include <array>

#include "gpu/amd/queue_environment.h"
#include "gpu/gfx12/shaders/shader_context.h"

namespace Atoll::gfx12 {

// S_SENDMSG (RDNA4 ISA 5.4; LLVM SIDefines.h, namespace SendMsg).
enum Message : uint32_t {
  MSG_INTERRUPT = 1,
  MSG_HS_TESSFACTOR = 2,
  MSG_DEALLOC_VGPRS = 3,
  MSG_GS_ALLOC_REQ = 9,
};

class QueueEnvironment : public gpu::amd::QueueEnvironment {
public:
  // `compute`: images have the border colours of compute waves.
  explicit QueueEnvironment(ShaderContext& context, bool compute = false);
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override;
  // An interrupt's handler would be a kernel's: there is none, so nothing comes of it.
  uint64_t message(wave::Wave& wave, uint32_t message, uint32_t m0) override;
  // Without a handler s_trap is nothing (RDNA4 ISA 3.4.10, "S_TRAP is converted by hardware to NOP").
  wave::TrapAnswer trap(wave::Wave& wave) override;

protected:
  ShaderContext& context_;
};

// Loses the context and reports the wave's fault: instruction, lane, address. `stage` names the kind of shader, `entry` is the
// address of its first instruction. Always false.
bool lose_by_fault(ShaderContext& context, const wave::Wave& wave, const char* stage, uint64_t entry,
                   const std::array<uint32_t, 3>& group = {});

}  // namespace Atoll::gfx12
