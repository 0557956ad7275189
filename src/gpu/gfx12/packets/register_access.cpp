#include "gpu/gfx12/packets/register_access.h"

#include <fmt/format.h>

#include "gpu/amd/known_registers.h"
#include "registers/tables.h"

namespace Atoll::gfx12 {

namespace {

// RADV 25.0.7 writes the depth ranges of 16 viewports where chips until GFX11 have them, PA_SC_VPORT_ZMIN at 0x282d0 and on. On GFX12 other
// registers stand there, and at the end none: what is written goes nowhere.
constexpr uint32_t left_over_begin = 0x28338, left_over_end = 0x28350;

// BIF_BX_PF0_GPU_HDP_FLUSH_REQ and _DONE, of the bus and of no register file: compute programs write the first and wait for its bits in the
// second, so that what the processor wrote into the card's memory is there (Linux nbif_6_3_1_offset.h, with segment 2 of the block at 0xd20
// dwords). Here it always is.
constexpr uint32_t flush_request = 0x3898, flush_done = 0x389c;

}  // namespace

bool known_register(Context& c, uint32_t address) {
  if (address == flush_request || address == flush_done) return true;
  [[clang::no_destroy]] static const gpu::amd::KnownRegisters known(registers::gfx12_tables, registers_end);
  if (known.has(address)) return true;
  if (address >= left_over_begin && address < left_over_end) return false;
  c.unknown(fmt::format("register {:#x}", address));
  return address < registers_end;
}

namespace {

template <class UserData>
bool is_user_data(uint32_t address) {
  return address >= UserData::address(0) && address <= UserData::address(UserData::count - 1);
}

// Registers that drivers write for every draw, and that no state of it comes from (draw/draw_state.h): user data, and which vertices.
bool is_of_one_draw(uint32_t address) {
  return is_user_data<SPI_SHADER_USER_DATA_GS>(address) || is_user_data<SPI_SHADER_USER_DATA_PS>(address) ||
         is_user_data<SPI_SHADER_USER_DATA_HS>(address) || is_user_data<COMPUTE_USER_DATA>(address) ||
         address == VGT_NUM_INSTANCES::address() || address == VGT_INDEX_TYPE::address();
}

}  // namespace

void write_register(Context& c, uint32_t address, uint32_t value) {
  if (address == flush_request) return;
  c.not_yet.at_write(address, value, [&](std::string what) { c.unknown(std::move(what)); });
  if (is_of_one_draw(address))
    c.registers.set_uncounted(address, value);
  else
    c.registers.set(address, value);
  if (address == VGT_NUM_INSTANCES::address()) c.instances = value;
}

uint32_t read_register(Context& c, uint32_t address) { return address == flush_done ? ~0u : c.registers.raw(address); }

bool wait_for_register(Context& c, uint32_t address, const std::function<bool(uint32_t value)>& satisfied) {
  return satisfied(read_register(c, address)) ||
         c.lose(fmt::format("waits for register {:#x}, which nothing changes: the GPU hangs", address));
}

}  // namespace Atoll::gfx12
