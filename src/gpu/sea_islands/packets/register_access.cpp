#include "gpu/sea_islands/packets/register_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/amd/images.h"
#include "gpu/amd/known_registers.h"
#include "gpu/amd/packets/waiting.h"
#include "gpu/sea_islands/draw/targets.h"
#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/shaders/global_share.h"
#include "gpu/sea_islands/state/field_lists.h"
#include "gpu/sea_islands/state/stage_registers.h"

namespace Atoll::sea_islands {

bool known_register(Context& c, uint32_t address) {
  [[clang::no_destroy]] static const gpu::amd::KnownRegisters known(registers::sea_islands_tables, registers_end);
  if (known.has(address)) return true;
  c.unknown(fmt::format("register {:#x}", address));
  return address < registers_end;
}

namespace {

constexpr uint32_t filled_size[4] = {VGT_STRMOUT_BUFFER_FILLED_SIZE_0::address(), VGT_STRMOUT_BUFFER_FILLED_SIZE_1::address(),
                                     VGT_STRMOUT_BUFFER_FILLED_SIZE_2::address(), VGT_STRMOUT_BUFFER_FILLED_SIZE_3::address()};

void begin_streamout(Context& c, unsigned buffer, uint32_t offset) {
  c.registers.set(filled_size[buffer], offset);
  std::ranges::fill(c.streamout_vertices, 0u);
}

// The counters that registers show as two halves: the low one's address.
struct CounterRow {
  uint32_t low;
  uint64_t (*value)(const Context& c);
};
constexpr CounterRow counter_rows[] = {
    {CP_VGT_IAVERT_COUNT_LO::address(), [](const Context& c) { return c.counters.vertices; }},
    {CP_VGT_IAPRIM_COUNT_LO::address(), [](const Context& c) { return c.counters.primitives; }},
    {CP_VGT_VSINVOC_COUNT_LO::address(), [](const Context& c) { return c.counters.vertex_invocations; }},
    {CP_VGT_CSINVOC_COUNT_LO::address(), [](const Context& c) { return c.dispatches.invocations; }},
    {CP_PA_CINVOC_COUNT_LO::address(), [](const Context& c) { return c.counters.clipped_primitives_in; }},
    {CP_PA_CPRIM_COUNT_LO::address(), [](const Context& c) { return c.counters.clipped_primitives_out; }},
    {CP_SC_PSINVOC_COUNT_LO::address(0), [](const Context& c) { return c.counters.pixel_invocations; }},
    {DB_ZPASS_COUNT_LOW::address(), [](const Context& c) { return c.counters.samples_passed; }},
    {DB_OCCLUSION_COUNT_LOW::address(0), [](const Context& c) { return c.counters.samples_passed; }},
};

// Surfaces of that index lie another way from now on, also those that are known; what was drawn before goes where it belonged.
void write_tile_mode(Context& c, uint32_t address, uint32_t value) {
  uint32_t* entry = tile_mode_entry(c.config, address);
  if (!entry || *entry == value || !c.write_back_targets()) return;
  *entry = value;
  if (c.targets) c.targets->forget();
  c.images->forget();
}

}  // namespace

// Registers that drivers write for every draw, and that no state of it comes from (draw/draw_state.h): user data, and which vertices.
template <class Stage>
bool is_user_data(uint32_t address) {
  using UserData = typename Stage::UserData;
  return address >= UserData::address(0) && address <= UserData::address(UserData::count - 1);
}
bool is_of_one_draw(uint32_t address) {
  return is_user_data<stages::VS>(address) || is_user_data<stages::PS>(address) || address == VGT_INDX_OFFSET::address() ||
         address == VGT_NUM_INSTANCES::address() || address == VGT_INDEX_TYPE::address();
}

bool starts_work(uint32_t address, uint32_t value) {
  if (address == COMPUTE_DISPATCH_INITIATOR::address()) return COMPUTE_DISPATCH_INITIATOR::COMPUTE_SHADER_EN::get(value);
  return address == VGT_DRAW_INITIATOR::address();
}

void write_register(Context& c, uint32_t address, uint32_t value) {
  c.not_yet.at_write(address, value, [&](std::string what) { c.unknown(std::move(what)); });
  if (is_of_one_draw(address))
    c.registers.set_uncounted(address, value);
  else
    c.registers.set(address, value);
  if (starts_work(address, value)) return start_work(c, address);
  if (address >= gds_registers_begin && address < gds_registers_end) return write_gds_register(c, address, value);
  switch (address) {
    case VGT_INDEX_TYPE::address(): c.index.type = VGT_INDEX_TYPE::INDEX_TYPE::get(value), c.index.swap = 0; break;
    case VGT_DMA_INDEX_TYPE::address():
      c.index.type = VGT_DMA_INDEX_TYPE::INDEX_TYPE::get(value), c.index.swap = VGT_DMA_INDEX_TYPE::SWAP_MODE::get(value);
      break;
    case VGT_NUM_INSTANCES::address(): c.instances = value; break;
    case VGT_EVENT_INITIATOR::address():
      if (c.write_back_targets()) event(c, VGT_EVENT_INITIATOR::EVENT_TYPE::get(value));
      break;
    // Writing an offset begins the buffer anew: nothing is written to it yet.
    case VGT_STRMOUT_BUFFER_OFFSET_0::address(): begin_streamout(c, 0, value); break;
    case VGT_STRMOUT_BUFFER_OFFSET_1::address(): begin_streamout(c, 1, value); break;
    case VGT_STRMOUT_BUFFER_OFFSET_2::address(): begin_streamout(c, 2, value); break;
    case VGT_STRMOUT_BUFFER_OFFSET_3::address(): begin_streamout(c, 3, value); break;
    default: write_tile_mode(c, address, value);
  }
}

uint32_t read_register(Context& c, uint32_t address) {
  for (const CounterRow& row : counter_rows)
    if (address == row.low || address == row.low + 4) return uint32_t(row.value(c) >> (address - row.low) * 8);
  if (address >= gds_registers_begin && address < gds_registers_end)
    if (auto value = read_gds_register(c, address)) return *value;
  return c.registers.raw(address);
}

bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied) {
  auto once = [&] { return satisfied(read_register(c, address)); };
  // Shaders of other queues write to the global data share, and move what its registers show.
  if (address >= gds_registers_begin && address < gds_registers_end) return gpu::amd::wait_until(c, once);
  return once() || c.lose(fmt::format("waits for register {:#x}, which nothing changes: the GPU hangs", address));
}

}  // namespace Atoll::sea_islands
