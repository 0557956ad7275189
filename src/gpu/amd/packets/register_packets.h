// Packets that set registers, from their own dwords and from memory.
#pragma once
#include <fmt/format.h>

#include <vector>

#include "gpu/amd/packets/family.h"

namespace Atoll::gpu::amd {

// From the register `offset` of the range on.
template <class F>
void set_range(typename F::Context& c, registers::access::RegisterSpace range, uint32_t offset, Body values) {
  uint64_t address = range.first + uint64_t(offset) * 4;
  for (uint32_t value : values) {
    if (address >= range.end) {
      c.unknown(fmt::format("register {:#x} beyond the packet's range", address));
      return;
    }
    if (F::known_register(c, uint32_t(address))) F::write_register(c, uint32_t(address), value);
    address += 4;
  }
}

// SET_CONTEXT_REG and its kin.
template <class F, class Packet>
void set_registers(typename F::Processor& cp, Body body) {
  set_range<F>(cp.c, Packet::space, Packet::REG_OFFSET::REG_OFFSET_::get(body[0]), body.subspan(1));
}

// SET_CONTEXT_REG_PAIRS and its kin: each number is followed by the value for its register.
template <class F, class Packet>
void set_register_pairs(typename F::Processor& cp, Body body) {
  if (body.size() % 2) cp.c.unknown("a register without a value behind its number");
  for (size_t n = 0; n + 1 < body.size(); n += 2)
    set_range<F>(cp.c, Packet::space, Packet::REG_OFFSET::REG_OFFSET_::get(body[n]), body.subspan(n + 1, 1));
}

// LOAD_CONTEXT_REG and its kin. Register n of the range stands at base + n * 4; pairs of first register and count follow the address.
template <class F, class Packet>
void load_registers(typename F::Processor& cp, Body body) {
  uint64_t base = address_of(body[0] & ~3u, body[1] & 0xffff);
  for (size_t n = 2; n + 1 < body.size(); n += 2) {
    uint32_t first = body[n] & 0xffff, count = body[n + 1] & 0x3fff;
    if (!cp.c.within(cp.c.budget.dwords(count))) return;
    std::vector<uint32_t> values(count);
    if (!cp.c.read(base + first * 4, values.data(), values.size() * 4, "load of registers")) return;
    set_range<F>(cp.c, Packet::space, first, values);
  }
}

// LOAD_SH_REG_INDEX and its kin: the values stand at the address itself, in a row, or each behind the number of its register (PAL
// gfx12_merged_f32_pfp_pm4_packets.h; Mesa 25.0.7 radv_cmd_buffer.c, radv_emit_dispatch_packets).
template <class F, class Packet>
void load_registers_by_index(typename F::Processor& cp, Body body) {
  using Address = typename Packet::BASE_ADDR_LO;
  using Offset = typename Packet::REG_OFFSET;
  const uint32_t index = Address::INDEX::get(body[0]), count = Packet::NUM_DWORDS::NUM_DWORDS_::get(body[3]);
  if (index != Address::INDEX::DIRECT_ADDR) return cp.c.unknown(fmt::format("registers loaded by index {}", index));
  if (!cp.c.within(cp.c.budget.dwords(count))) return;
  std::vector<uint32_t> values(count);
  if (!cp.c.read(address_of(body[0] & ~3u, body[1] & 0xffff), values.data(), values.size() * 4, "load of registers")) return;
  if (Offset::DATA_FORMAT::get(body[2]) == Offset::DATA_FORMAT::OFFSET_AND_SIZE)
    return set_range<F>(cp.c, Packet::space, Offset::REG_OFFSET_::get(body[2]), values);
  for (size_t n = 0; n + 1 < values.size(); n += 2)
    set_range<F>(cp.c, Packet::space, Offset::REG_OFFSET_::get(values[n]), Body(&values[n + 1], 1));
}

// CONTEXT_REG_RMW: the bits of a mask.
template <class F>
void context_reg_rmw(typename F::Processor& cp, Body body) {
  using Packet = typename F::CONTEXT_REG_RMW;
  uint32_t offset = Packet::REG_OFFSET::REG_OFFSET_::get(body[0]), mask = body[1];
  uint32_t value = (cp.c.registers.raw(Packet::space.first + offset * 4) & ~mask) | (body[2] & mask);
  set_range<F>(cp.c, Packet::space, offset, Body(&value, 1));
}

}  // namespace Atoll::gpu::amd
