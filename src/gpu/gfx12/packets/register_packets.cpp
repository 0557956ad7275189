// Packets that set the context's state. (Those that set registers: gpu/amd/packets/register_packets.h.)
#include <fmt/format.h>

#include "gpu/gfx12/packets/packet_handlers.h"

namespace Atoll::gfx12 {

using namespace packets;

// Loads and shadows happen by the LOAD packets alone here; nothing shadows what is set.
void context_control(CommandProcessor& cp, Body body) {
  using Shadow = CONTEXT_CONTROL::SHADOW_CONTROL;
  constexpr uint32_t shadows = Shadow::SHADOW_GLOBAL_CONFIG::mask | Shadow::SHADOW_PER_CONTEXT_STATE::mask |
                               Shadow::SHADOW_GLOBAL_UCONFIG::mask | Shadow::SHADOW_GFX_SH_REGS::mask |
                               Shadow::SHADOW_CS_SH_REGS::mask;
  if (body[1] & shadows) cp.c.unknown("CONTEXT_CONTROL with shadowing of registers");
}

void nothing(CommandProcessor&, Body) {}

void set_base(CommandProcessor& cp, Body body) {
  using Index = SET_BASE::BASE_INDEX::BASE_INDEX_;
  const uint32_t index = Index::get(body[0]);
  if (index == Index::DRAW_INDIRECT)
    cp.c.indirect_base = address_of(body[1], body[2] & 0xffff);
  else
    cp.c.unknown(fmt::format("SET_BASE {}", index));
}

void index_base(CommandProcessor& cp, Body body) { cp.c.index.base = address_of(body[0], body[1] & 0xffff); }
void index_buffer_size(CommandProcessor& cp, Body body) { cp.c.index.limit = body[0]; }
void num_instances(CommandProcessor& cp, Body body) { write_register(cp.c, VGT_NUM_INSTANCES::address(), body[0]); }

}  // namespace Atoll::gfx12
