// Packets that set the context's state. (Those that set registers: gpu/amd/packets/register_packets.h.)
#include <fmt/format.h>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/state/clear_state.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

void clear_state_packet(CommandProcessor& cp, Body) { clear_state(cp.c.registers); }

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
  switch (Index::get(body[0])) {
    case Index::DRAW_INDIRECT: cp.c.indirect_base = address_of(body[1], body[2]); break;
    case Index::CE_PARTITION_BASE: break;  // where the constant engine's RAM is saved, between contexts
    default: cp.c.unknown(fmt::format("SET_BASE {}", Index::get(body[0])));
  }
}

void index_type(CommandProcessor& cp, Body body) {
  cp.c.index.type = VGT_DMA_INDEX_TYPE::INDEX_TYPE::get(body[0]), cp.c.index.swap = VGT_DMA_INDEX_TYPE::SWAP_MODE::get(body[0]);
}
void index_base(CommandProcessor& cp, Body body) { cp.c.index.base = address_of(body[0], body[1] & 0xffff); }
void index_buffer_size(CommandProcessor& cp, Body body) { cp.c.index.limit = body[0]; }
void num_instances(CommandProcessor& cp, Body body) { write_register(cp.c, VGT_NUM_INSTANCES::address(), body[0]); }

void draw_preamble(CommandProcessor& cp, Body body) {
  write_register(cp.c, VGT_PRIMITIVE_TYPE::address(), body[0]);
  write_register(cp.c, IA_MULTI_VGT_PARAM::address(), body[1]);
  write_register(cp.c, VGT_LS_HS_CONFIG::address(), body[2]);
}

}  // namespace Atoll::sea_islands
