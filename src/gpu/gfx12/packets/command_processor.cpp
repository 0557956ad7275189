#include "gpu/gfx12/packets/command_processor.h"

#include "gpu/amd/images.h"
#include "gpu/gfx12/shaders/shaders.h"

namespace Atoll::gfx12 {

bool CommandProcessor::run(std::span<const gpu::CommandBuffer> buffers) {
  FaultRecovery recovery;
  c.recovery = &recovery;
  c.shaders->invalidate();
  c.images->invalidate();
  for (const gpu::CommandBuffer& buffer : buffers) {
    if (c.lost()) break;
    c.packet = "command buffer", c.packet_address = buffer.address;
    gpu::amd::CommandStream s(c, registers::Pm4Dialect::SeaIslands, buffer);
    execute(s);
  }
  c.write_back_targets();
  c.recovery = nullptr;
  return !c.lost();
}

}  // namespace Atoll::gfx12
