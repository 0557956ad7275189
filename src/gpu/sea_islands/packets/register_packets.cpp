// Packets that set registers and the context's state.
#include <fmt/format.h>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/state/chip_config.h"
#include "gpu/sea_islands/state/clear_state.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

namespace {

void set(Context& c, RegisterSpace range, uint32_t offset, Body values) {
  uint64_t address = range.first + uint64_t(offset) * 4;
  for (uint32_t value : values) {
    if (address >= range.end) {
      c.unknown(fmt::format("register {:#x} beyond the packet's range", address));
      return;
    }
    if (known_register(c, uint32_t(address))) write_register(c, uint32_t(address), value);
    address += 4;
  }
}

void set(CommandProcessor& cp, Body body, RegisterSpace range) {
  set(cp.c, range, SET_CONTEXT_REG::REG_OFFSET::REG_OFFSET_::get(body[0]), body.subspan(1));
}

// Values from memory: register n of the range stands at base + n * 4. Pairs of first register and count follow the address.
void load(CommandProcessor& cp, Body body, RegisterSpace range) {
  uint64_t base = address_of(body[0] & ~3u, body[1] & 0xffff);
  for (size_t n = 2; n + 1 < body.size(); n += 2) {
    uint32_t first = body[n] & 0xffff, count = body[n + 1] & 0x3fff;
    if (!cp.c.within(cp.c.budget.dwords(count))) return;
    std::vector<uint32_t> values(count);
    if (!cp.c.read(base + first * 4, values.data(), values.size() * 4, "load of registers")) return;
    set(cp.c, range, first, values);
  }
}

}  // namespace

void set_config_reg(CommandProcessor& cp, Body body) { set(cp, body, SET_CONFIG_REG::space); }
void set_context_reg(CommandProcessor& cp, Body body) { set(cp, body, SET_CONTEXT_REG::space); }
void set_sh_reg(CommandProcessor& cp, Body body) { set(cp, body, SET_SH_REG::space); }
void set_uconfig_reg(CommandProcessor& cp, Body body) { set(cp, body, SET_UCONFIG_REG::space); }

void load_config_reg(CommandProcessor& cp, Body body) { load(cp, body, LOAD_CONFIG_REG::space); }
void load_context_reg(CommandProcessor& cp, Body body) { load(cp, body, LOAD_CONTEXT_REG::space); }
void load_sh_reg(CommandProcessor& cp, Body body) { load(cp, body, LOAD_SH_REG::space); }
void load_uconfig_reg(CommandProcessor& cp, Body body) { load(cp, body, LOAD_UCONFIG_REG::space); }

void context_reg_rmw(CommandProcessor& cp, Body body) {
  uint32_t offset = CONTEXT_REG_RMW::REG_OFFSET::REG_OFFSET_::get(body[0]), mask = body[1];
  uint32_t value = (cp.c.registers.raw(CONTEXT_REG_RMW::space.first + offset * 4) & ~mask) | (body[2] & mask);
  set(cp.c, CONTEXT_REG_RMW::space, offset, Body(&value, 1));
}

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
