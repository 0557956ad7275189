// Draws whose arguments stand in memory, one or a row of them.
#pragma once
#include <algorithm>

#include "gpu/amd/packets/family.h"

namespace Atoll::gpu::amd {

// The user SGPRs that receive a draw's arguments: dwords of the shader registers; 0: none.
struct UserRegisters {
  uint32_t base_vertex, first_instance, draw_index = 0;
};

template <class F>
void set_user_register(typename F::Context& c, uint32_t number, uint32_t value) {
  if (number) F::write_register(c, F::SET_SH_REG::space.first + (number & 0x3ff) * 4, value);
}
// The same of three that follow each other.
template <class F>
void set_user_registers(typename F::Context& c, uint32_t first, const uint32_t (&values)[3]) {
  for (uint32_t n = 0; first && n < 3; n++) set_user_register<F>(c, first + n, values[n]);
}

// {count, instances, first vertex, first instance}, or indexed {count, instances, first index, base vertex, first instance}.
template <class F>
bool draw_by_arguments(typename F::Context& c, uint32_t initiator, uint64_t address, bool indexed, const UserRegisters& users) {
  uint32_t words[5] = {};
  if (!c.read(address, words, indexed ? 20 : 16, "arguments of a draw")) return false;
  const IndirectArguments arguments{.count = words[0],
                                    .instances = words[1],
                                    .first = words[2],
                                    .base_vertex = indexed ? words[3] : words[2],
                                    .first_instance = indexed ? words[4] : words[3]};
  F::write_register(c, F::VGT_NUM_INSTANCES::address(), arguments.instances);
  set_user_register<F>(c, users.base_vertex, arguments.base_vertex);
  set_user_register<F>(c, users.first_instance, arguments.first_instance);
  F::draw(c, initiator, indexed, arguments);
  return !c.lost();
}

// DRAW_INDIRECT and DRAW_INDEX_INDIRECT.
template <class F, bool indexed>
void draw_indirect(typename F::Processor& cp, Body body) {
  draw_by_arguments<F>(cp.c, body[3], cp.c.indirect_base + body[0], indexed, {body[1] & 0xffff, body[2] & 0xffff});
}

// DRAW_INDIRECT_MULTI and DRAW_INDEX_INDIRECT_MULTI.
template <class F, bool indexed>
void draw_indirect_multi(typename F::Processor& cp, Body body) {
  using Index = typename F::DRAW_INDIRECT_MULTI::DRAW_INDEX_LOC;
  auto& c = cp.c;
  const UserRegisters users{body[1] & 0xffff, body[2] & 0xffff, Index::DRAW_INDEX_LOC_::get(body[3])};
  uint32_t count = body[4];
  if (Index::COUNT_INDIRECT_ENABLE::get(body[3])) {
    uint32_t most;
    if (!c.read(address_of(body[5] & ~3u, body[6] & 0xffff), &most, 4, "count of draws")) return;
    count = std::min(count, most);
  }
  for (uint32_t n = 0; n < count; n++) {
    if (!c.within(c.budget.packets())) return;
    c.progress.fetch_add(1, std::memory_order_relaxed);
    if (c.stop.load(std::memory_order_relaxed)) {
      c.lose_stopped();
      return;
    }
    if (Index::DRAW_INDEX_ENABLE::get(body[3])) set_user_register<F>(c, users.draw_index, n);
    if (!draw_by_arguments<F>(c, body[8], c.indirect_base + body[0] + uint64_t(n) * body[7], indexed, users)) return;
  }
}

}  // namespace Atoll::gpu::amd
