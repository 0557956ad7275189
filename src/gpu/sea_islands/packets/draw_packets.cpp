// Draws and dispatches as packets ask for them, directly or by arguments in memory.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/amd/packets/work_packets.h"
#include "gpu/sea_islands/compute/dispatch.h"
#include "gpu/sea_islands/draw/draw.h"
#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/shaders/shader_files.h"
#include "registers/pm4_header.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

namespace {

void run_draw(Context& c, const DrawCall& call) {
  gpu::amd::run_draw(c, call, [&] { return c.within(c.budget.vertices(call.count, call.instances)); });
}

// Decodes the index type. False: it is not supported, which has been reported.
bool index_form(Context& c, DrawCall& call) {
  if (c.index.type > VGT_INDEX_TYPE::INDEX_TYPE::DI_INDEX_SIZE_32_BIT) {
    c.unknown(fmt::format("index type {:#x}", c.index.type));
    return false;
  }
  call.index_bytes = c.index.type == VGT_INDEX_TYPE::INDEX_TYPE::DI_INDEX_SIZE_32_BIT ? 4 : 2;
  // Whole dwords are swapped, two small indices at once: 16 bits each, all 32 bits, or the halves of them.
  constexpr unsigned places[] = {0, 1, 3, 2};
  call.index_swap = places[c.index.swap];
  return true;
}

using DrawInitiator = registers::access::Word<VGT_DRAW_INITIATOR>;

bool is_explicit(DrawInitiator initiator) {
  return VGT_DRAW_INITIATOR::MAJOR_MODE::get(initiator) == VGT_DRAW_INITIATOR::MAJOR_MODE::DI_MAJOR_MODE_1;
}

// `first` and `limit` in indices, `limit` counted from `base`.
void indexed_draw(Context& c, DrawInitiator initiator, uint64_t base, uint64_t limit, uint32_t first, uint32_t count) {
  DrawCall call{.count = count, .indexed = true, .instances = c.instances, .explicit_mode = is_explicit(initiator)};
  if (!index_form(c, call)) return;
  gpu::amd::put_indices(call, base, limit, first);
  run_draw(c, call);
}

}  // namespace

void draw_index_auto(CommandProcessor& cp, Body body) {
  Context& c = cp.c;
  uint32_t count = VGT_DRAW_INITIATOR::USE_OPAQUE::get(body[1]) ? gpu::amd::opaque_count<Pm4>(c.registers) : body[0];
  run_draw(c, {.count = count, .instances = c.instances, .explicit_mode = is_explicit(DrawInitiator(body[1]))});
}

void draw_index_2(CommandProcessor& cp, Body body) {
  indexed_draw(cp.c, DrawInitiator(body[4]), address_of(body[1], body[2] & 0xffff), body[0], 0, body[3]);
}

void draw_index_offset_2(CommandProcessor& cp, Body body) {
  indexed_draw(cp.c, DrawInitiator(body[3]), cp.c.index.base, body[0], body[1], body[2]);
}

void Pm4::draw(Context& c, uint32_t initiator, bool indexed, const gpu::amd::IndirectArguments& a) {
  if (indexed)
    indexed_draw(c, DrawInitiator(initiator), c.index.base, c.index.limit, a.first, a.count);
  else
    run_draw(c, {.count = a.count, .instances = a.instances, .explicit_mode = is_explicit(DrawInitiator(initiator))});
}

void dispatch_direct(CommandProcessor& cp, Body body) { gpu::amd::dispatch_direct<DispatchCall>(cp.c, body); }
void dispatch_indirect(CommandProcessor& cp, Body body) { gpu::amd::dispatch_indirect<DispatchCall>(cp.c, body); }

void start_work(Context& c, uint32_t address) {
  if (!c.within(c.budget.packets())) return;  // a packet may write the register many times
  const RegisterFile& r = c.registers;
  if (address == COMPUTE_DISPATCH_INITIATOR::address()) {
    c.write_back_targets();
    gpu::amd::run_dispatch(c, DispatchCall{{r.whole<COMPUTE_DIM_X>(), r.whole<COMPUTE_DIM_Y>(), r.whole<COMPUTE_DIM_Z>()},
                                           r.read<COMPUTE_DISPATCH_INITIATOR>()});
    return;
  }
  using Source = VGT_DRAW_INITIATOR::SOURCE_SELECT;
  const uint32_t count = r.whole<VGT_NUM_INDICES>();
  const auto initiator = r.read<VGT_DRAW_INITIATOR>();
  switch (Source::get(initiator)) {
    case Source::DI_SRC_SEL_AUTO_INDEX:
      run_draw(c, {.count = VGT_DRAW_INITIATOR::USE_OPAQUE::get(initiator) ? gpu::amd::opaque_count<Pm4>(c.registers) : count,
                   .instances = c.instances,
                   .explicit_mode = is_explicit(initiator)});
      break;
    case Source::DI_SRC_SEL_DMA:
      indexed_draw(c, initiator, address_of(r.whole<VGT_DMA_BASE>(), r.get<VGT_DMA_BASE_HI::BASE_ADDR>()),
                   r.whole<VGT_DMA_MAX_SIZE>(), 0, count);
      break;
    default: c.unknown(fmt::format("draw with indices from source {}", Source::get(initiator)));
  }
}

}  // namespace Atoll::sea_islands
