// Draws and dispatches as packets ask for them, directly or by arguments in memory.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/amd/packets/indirect_draws.h"
#include "gpu/amd/packets/work_packets.h"
#include "gpu/gfx12/compute/dispatch.h"
#include "gpu/gfx12/draw/draw.h"
#include "gpu/gfx12/packets/packet_handlers.h"

namespace Atoll::gfx12 {

using namespace packets;

void run_draw(Context& c, const DrawCall& call) {
  gpu::amd::run_draw(c, call, [&] {
    return call.mesh ? c.within(c.budget.groups(call.groups[0], call.groups[1], call.groups[2]))
                     : c.within(c.budget.vertices(call.count, call.instances));
  });
}

namespace {

// Decodes the index type. False: it is not supported, which has been reported.
bool index_form(Context& c, DrawCall& call) {
  using Type = VGT_INDEX_TYPE::INDEX_TYPE;
  switch (const uint32_t type = c.registers.get<Type>()) {
    case Type::VGT_INDEX_8: call.index_bytes = 1; return true;
    case Type::VGT_INDEX_16: call.index_bytes = 2; return true;
    case Type::VGT_INDEX_32: call.index_bytes = 4; return true;
    default: c.unknown(fmt::format("index type {:#x}", type)); return false;
  }
}

// `first` and `limit` in indices, `limit` counted from `base`.
void indexed_draw(Context& c, uint64_t base, uint64_t limit, uint32_t first, uint32_t count) {
  DrawCall call{.count = count, .indexed = true, .instances = c.instances};
  if (!index_form(c, call)) return;
  gpu::amd::put_indices(call, base, limit, first);
  run_draw(c, call);
}

}  // namespace

void draw_index_auto(CommandProcessor& cp, Body body) {
  Context& c = cp.c;
  uint32_t count = VGT_DRAW_INITIATOR::USE_OPAQUE::get(body[1]) ? gpu::amd::opaque_count<Pm4>(c.registers) : body[0];
  run_draw(c, {.count = count, .instances = c.instances});
}

void draw_index_2(CommandProcessor& cp, Body body) {
  indexed_draw(cp.c, address_of(body[1], body[2] & 0xffff), body[0], 0, body[3]);
}

void draw_index_offset_2(CommandProcessor& cp, Body body) { indexed_draw(cp.c, cp.c.index.base, body[0], body[1], body[2]); }

void Pm4::draw(Context& c, uint32_t, bool indexed, const gpu::amd::IndirectArguments& a) {
  if (indexed)
    indexed_draw(c, c.index.base, c.index.limit, a.first, a.count);
  else
    run_draw(c, {.count = a.count, .instances = a.instances});
}

void dispatch_mesh_direct(CommandProcessor& cp, Body body) {
  run_draw(cp.c, {.mesh = true, .groups = {body[0], body[1], body[2]}});
}

// Rows of {x, y, z}, each of which goes to three user SGPRs where that is asked for, and the row's number to another.
void dispatch_mesh_indirect_multi(CommandProcessor& cp, Body body) {
  using Packet = DISPATCH_MESH_INDIRECT_MULTI;
  using Location = Packet::XYZ_DIM_LOC;
  using Mode = Packet::MODE1_ENABLE;
  Context& c = cp.c;
  const uint32_t dimensions = Location::XYZ_DIM_LOC_::get(body[1]), index = Location::DRAW_INDEX_LOC::get(body[1]);
  uint32_t count = body[3];
  if (Mode::COUNT_INDIRECT_ENABLE::get(body[2])) {
    uint32_t most;
    if (!c.read(address_of(body[4] & ~3u, body[5] & 0xffff), &most, 4, "count of draws")) return;
    count = std::min(count, most);
  }
  for (uint32_t n = 0; n < count && !c.lost(); n++) {
    if (!c.within(c.budget.packets())) return;
    c.progress.fetch_add(1, std::memory_order_relaxed);
    if (c.stop.load(std::memory_order_relaxed)) return void(c.lose_stopped());
    DrawCall call{.mesh = true};
    if (!c.read(c.indirect_base + body[0] + uint64_t(n) * body[6], call.groups, 12, "arguments of a draw")) return;
    if (Mode::XYZ_DIM_ENABLE::get(body[2])) gpu::amd::set_user_registers<Pm4>(c, dimensions, call.groups);
    if (Mode::DRAW_INDEX_ENABLE::get(body[2])) gpu::amd::set_user_register<Pm4>(c, index, n);
    run_draw(c, call);
  }
}

void run_dispatch(Context& c, const DispatchCall& call) { gpu::amd::run_dispatch(c, call); }

// Interleaved or not (COMPUTE_DISPATCH_INTERLEAVE): that is which engine's units take which group.
void dispatch_direct(CommandProcessor& cp, Body body) { gpu::amd::dispatch_direct<DispatchCall>(cp.c, body); }
void dispatch_indirect(CommandProcessor& cp, Body body) { gpu::amd::dispatch_indirect<DispatchCall>(cp.c, body); }

}  // namespace Atoll::gfx12
