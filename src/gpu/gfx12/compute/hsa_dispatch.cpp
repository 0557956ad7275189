// LLVM docs AMDGPUUsage, "Initial Kernel Execution State" (GFX12), "Code Object V3 Kernel Descriptor"; Linux' and ROCm's firmware is not
// published, the registers are those that Mesa 25.0.7 sets for a dispatch (radv_cmd_buffer.c, radv_emit_dispatch_packets).
#include "gpu/gfx12/compute/hsa_dispatch.h"

#include "gpu/amd/packets/command_words.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12 {

std::vector<uint32_t> dispatch_commands(const hsa::Dispatch& d) {
  using Initiator = COMPUTE_DISPATCH_INITIATOR;
  using Two = COMPUTE_PGM_RSRC2;
  constexpr uint32_t lds_unit = 512, scratch_unit = 256;  // bytes; scratch memory's of a wave
  const bool wave32 = d.wave_size == 32;
  gpu::amd::CommandWords s;
  s.register_(COMPUTE_PGM_LO::address(), uint32_t(d.entry >> 8));
  s.register_(COMPUTE_PGM_HI::address(), uint32_t(d.entry >> 40));
  s.register_(COMPUTE_PGM_RSRC1::address(), d.rsrc1);
  s.register_(COMPUTE_PGM_RSRC2::address(), Two::LDS_SIZE::set(d.rsrc2, (d.lds_bytes + lds_unit - 1) / lds_unit));
  s.register_(COMPUTE_PGM_RSRC3::address(), d.rsrc3);
  s.register_(COMPUTE_RESOURCE_LIMITS::address(), 0);
  s.register_(COMPUTE_TMPRING_SIZE::address(),
              COMPUTE_TMPRING_SIZE::WAVESIZE::of((d.scratch_bytes * d.wave_size + scratch_unit - 1) / scratch_unit));
  for (unsigned n = 0; n < 3; n++) s.register_(COMPUTE_START_X::address() + n * 4, 0);
  for (unsigned n = 0; n < 3; n++) s.register_(COMPUTE_NUM_THREAD_X::address() + n * 4, d.group[n]);
  for (unsigned n = 0; n < d.user_sgpr_count; n++) s.register_(COMPUTE_USER_DATA::address(n), d.user_sgprs[n]);
  s.dispatch<packets::DISPATCH_DIRECT>(d.grid, Initiator::COMPUTE_SHADER_EN::of(1) | Initiator::PARTIAL_TG_EN::of(1) |
                                                   Initiator::FORCE_START_AT_000::of(1) |
                                                   Initiator::USE_THREAD_DIMENSIONS::of(1) | Initiator::CS_W32_EN::of(wave32));
  return s.words;
}

}  // namespace Atoll::gfx12
