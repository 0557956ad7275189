// Packets that write and copy memory and registers.
#include <fmt/format.h>

#include <cstring>

#include "gpu/sea_islands/packets/packet_handlers.h"
#include "gpu/sea_islands/packets/register_access.h"
#include "gpu/sea_islands/packets/waiting.h"
#include "gpu/sea_islands/shaders/global_share.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using namespace packets;

void write_data(CommandProcessor& cp, Body body) {
  using Control = WRITE_DATA::CONTROL;
  using Destination = Control::DST_SEL;
  Context& c = cp.c;
  Body values = body.subspan(3);
  bool one_address = Control::WR_ONE_ADDR::get(body[0]);
  switch (Destination::get(body[0])) {
    case Destination::MEM_MAPPED_REGISTER: {
      uint32_t address = (body[1] & 0xffff) * 4;
      for (uint32_t value : values) {
        if (known_register(c, address)) write_register(c, address, value);
        if (!one_address) address += 4;
      }
      return;
    }
    case Destination::MEM_GRBM:
    case Destination::TC_L2:
    case Destination::MEM: {
      uint64_t address = address_of(body[1] & ~3u, body[2] & 0xffff);
      if (values.empty()) return;
      if (one_address) {
        for (uint32_t value : values)
          if (!c.write(address, &value, 4, "write of data")) return;
      } else {
        c.write(address, values.data(), values.size_bytes(), "write of data");
      }
      return;
    }
    case Destination::GDS: {
      uint32_t offset = body[1] & 0xffff;
      for (uint32_t value : values) {
        write_gds(c, offset, &value, 4);
        if (!one_address) offset += 4;
      }
      return;
    }
    default: c.unknown(fmt::format("WRITE_DATA to {}", Destination::get(body[0])));
  }
}

void copy_data(CommandProcessor& cp, Body body) {
  using Control = COPY_DATA::CONTROL;
  using Source = Control::SRC_SEL;
  using Destination = Control::DST_SEL;
  Context& c = cp.c;
  bool wide = Control::COUNT_SEL::get(body[0]);
  uint64_t value = 0;
  switch (Source::get(body[0])) {
    case Source::REG:
    case Source::PERF: {
      uint32_t address = (body[1] & 0xffff) * 4;
      if (!known_register(c, address)) return;
      value = read_register(c, address);
      if (wide) value |= uint64_t(read_register(c, address + 4)) << 32;
      break;
    }
    case Source::SRC_MEM:
    case Source::TC_L2:
      if (!c.read(address_of(body[1] & ~3u, body[2] & 0xffff), &value, wide ? 8 : 4, "copied data")) return;
      break;
    case Source::GDS: read_gds(c, body[1] & 0xffff, &value, wide ? 8 : 4); break;
    case Source::IMM: value = address_of(body[1], body[2]); break;
    case Source::TIMESTAMP: value = c.clock(); break;
    default: c.unknown(fmt::format("COPY_DATA from {}", Source::get(body[0]))); return;
  }
  switch (Destination::get(body[0])) {
    case Destination::REG:
    case Destination::PERF: {
      uint32_t address = (body[3] & 0xffff) * 4;
      if (!known_register(c, address)) return;
      write_register(c, address, uint32_t(value));
      if (wide) write_register(c, address + 4, uint32_t(value >> 32));
      break;
    }
    case Destination::DST_MEM_GRBM:
    case Destination::TC_L2:
    case Destination::DST_MEM: c.write(address_of(body[3] & ~3u, body[4] & 0xffff), &value, wide ? 8 : 4, "copy of data"); break;
    case Destination::GDS: write_gds(c, body[3] & 0xffff, &value, wide ? 8 : 4); break;
    default: c.unknown(fmt::format("COPY_DATA to {}", Destination::get(body[0])));
  }
}

// The older form.
void copy_dw(CommandProcessor& cp, Body body) {
  Context& c = cp.c;
  uint32_t value = 0;
  if (COPY_DW::CONTROL::SRC_IS_MEM::get(body[0])) {
    if (!c.read(address_of(body[1] & ~3u, body[2] & 0xffff), &value, 4, "copied dword")) return;
  } else if (known_register(c, (body[1] & 0xffff) * 4)) {
    value = read_register(c, (body[1] & 0xffff) * 4);
  }
  if (COPY_DW::CONTROL::DST_IS_MEM::get(body[0])) {
    c.write(address_of(body[3] & ~3u, body[4] & 0xffff), &value, 4, "copy of a dword");
  } else if (known_register(c, (body[3] & 0xffff) * 4)) {
    write_register(c, (body[3] & 0xffff) * 4, value);
  }
}

namespace {

using Command = DMA_DATA::COMMAND;
enum class Place : uint8_t { MEMORY, REGISTERS, IMMEDIATE, GDS };

struct Transfer {
  Place from, to;
  uint64_t source, destination;  // addresses (registers by byte address), or the immediate
  uint32_t bytes;
  bool fixed_source, fixed_destination;  // the address does not go on
};

void transfer(Context& c, const Transfer& t) {
  if (t.bytes == 0) return;  // a wait for those before
  // A copy onto itself fetches memory into L2. Nothing comes of it, wherever it reaches.
  if (t.from == Place::MEMORY && t.to == Place::MEMORY && t.source == t.destination) return;
  if (!c.within(c.budget.bytes(t.bytes))) return;

  if (t.to == Place::MEMORY && !t.fixed_destination) {
    uint8_t* to = c.memory(t.destination, t.bytes, true, "DMA write");
    if (!to) return;
    if (t.from == Place::IMMEDIATE) {
      uint32_t pattern = uint32_t(t.source);
      c.guarded(t.destination, t.bytes, "DMA write", [&] {
        for (uint32_t n = 0; n < t.bytes; n += 4) std::memcpy(to + n, &pattern, t.bytes - n < 4 ? t.bytes - n : 4);
      });
      return;
    }
    if (t.from == Place::MEMORY && !t.fixed_source) {
      const uint8_t* from = c.memory(t.source, t.bytes, false, "DMA read");
      if (from) c.guarded(t.source, t.bytes, "DMA read", [&] { std::memmove(to, from, t.bytes); });
      return;
    }
  }
  // Dword by dword: registers are on a side, or an address that stays.
  for (uint32_t n = 0; n < t.bytes; n += 4) {
    if (!c.within(c.budget.packets())) return;
    uint32_t value = uint32_t(t.source), size = t.bytes - n < 4 ? t.bytes - n : 4;
    // The GDS counts its addresses itself, whatever SAIC and DAIC say (Mesa si_cp_dma.c).
    uint64_t source = t.source + (t.fixed_source && t.from != Place::GDS ? 0 : n);
    uint64_t destination = t.destination + (t.fixed_destination && t.to != Place::GDS ? 0 : n);
    if (t.from == Place::GDS) read_gds(c, uint32_t(source) & 0xffff, &value, size);
    if (t.from == Place::MEMORY && !c.read(source, &value, size, "DMA read")) return;
    if (t.from == Place::REGISTERS) value = known_register(c, uint32_t(source)) ? read_register(c, uint32_t(source)) : 0;
    if (t.to == Place::MEMORY && !c.write(destination, &value, size, "DMA write")) return;
    if (t.to == Place::GDS) write_gds(c, uint32_t(destination) & 0xffff, &value, size);
    if (t.to == Place::REGISTERS && known_register(c, uint32_t(destination))) write_register(c, uint32_t(destination), value);
  }
}

// SRC_SEL and DST_SEL of both DMA packets: 0 an address (register or memory), 1 GDS, 2 the immediate, 3 an address through L2.
Place place(uint32_t select, bool registers) {
  switch (select) {
    case 1: return Place::GDS;
    case 2: return Place::IMMEDIATE;
    default: return registers ? Place::REGISTERS : Place::MEMORY;
  }
}

void transfer(Context& c, uint32_t source_select, uint32_t destination_select, uint64_t source, uint64_t destination,
              uint32_t command) {
  if (Command::SRC_SWAP::get(command) || Command::DST_SWAP::get(command)) c.unknown("DMA with byte swap");
  if (destination_select == 2) return c.unknown("DMA to destination 2");
  transfer(c, {place(source_select, source_select == 0 && Command::SAS::get(command)),
               place(destination_select, destination_select == 0 && Command::DAS::get(command)), source, destination,
               Command::BYTE_COUNT::get(command), bool(Command::SAIC::get(command)), bool(Command::DAIC::get(command))});
}

}  // namespace

void dma_data(CommandProcessor& cp, Body body) {
  using Control = DMA_DATA::DMA_DATA_WORD0;
  transfer(cp.c, Control::SRC_SEL::get(body[0]), Control::DST_SEL::get(body[0]), address_of(body[1], body[2]),
           address_of(body[3], body[4]), body[5]);
}

// What transfer() finds to be a copy onto itself.
bool dma_data_moves(Body body) {
  using Control = DMA_DATA::DMA_DATA_WORD0;
  auto in_memory = [](uint32_t select, bool registers) { return place(select, select == 0 && registers) == Place::MEMORY; };
  return !in_memory(Control::SRC_SEL::get(body[0]), Command::SAS::get(body[5])) ||
         !in_memory(Control::DST_SEL::get(body[0]), Command::DAS::get(body[5])) || body[1] != body[3] || body[2] != body[4];
}

void cp_dma(CommandProcessor& cp, Body body) {
  using Control = CP_DMA::CP_DMA_WORD1;
  transfer(cp.c, Control::SRC_SEL::get(body[1]), Control::DST_SEL::get(body[1]),
           address_of(body[0], Control::SRC_SEL::get(body[1]) == 2 ? 0 : Control::SRC_ADDR_HI::get(body[1])),
           address_of(body[2], CP_DMA::CP_DMA_WORD3::DST_ADDR_HI::get(body[3])), body[4]);
}

// --- ATOMIC_MEM. Operations of the texture cache: bit 6 no value returned, bit 5 64 bits wide, bits 4:0 as here (Mesa sid.h
// TC_OP_ATOMIC_*, which names some of them; the order is that of the buffer atomics).
namespace {

enum : uint32_t {
  SWAP_OP = 7,
  CMPSWAP = 8,
  ADD = 15,
  SUB,
  SMIN,
  UMIN,
  SMAX,
  UMAX,
  AND,
  OR,
  XOR,
  INC,
  DEC,
};

template <class U, class S>
bool combine(uint32_t op, U old, U data, U comparand, U& result) {
  switch (op) {
    case SWAP_OP: result = data; return true;
    case CMPSWAP: result = old == comparand ? data : old; return true;
    case ADD: result = old + data; return true;
    case SUB: result = old - data; return true;
    case SMIN: result = S(old) < S(data) ? old : data; return true;
    case UMIN: result = old < data ? old : data; return true;
    case SMAX: result = S(old) > S(data) ? old : data; return true;
    case UMAX: result = old > data ? old : data; return true;
    case AND: result = old & data; return true;
    case OR: result = old | data; return true;
    case XOR: result = old ^ data; return true;
    case INC: result = old >= data ? 0 : old + 1; return true;
    case DEC: result = old == 0 || old > data ? data : old - 1; return true;
  }
  return false;
}

// False: the operation is not known. `swapped`: of CMPSWAP, whether memory held the comparand.
template <class U, class S>
bool apply(uint8_t* at, uint32_t op, U data, U comparand, bool& swapped) {
  U* place = reinterpret_cast<U*>(at);
  U old = __atomic_load_n(place, __ATOMIC_ACQUIRE), result;
  do {
    if (!combine<U, S>(op, old, data, comparand, result)) return false;
  } while (!__atomic_compare_exchange_n(place, &old, result, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  swapped = op != CMPSWAP || old == comparand;
  return true;
}

}  // namespace

void atomic_mem(CommandProcessor& cp, Body body) {
  using Control = ATOMIC_MEM::CONTROL;
  Context& c = cp.c;
  uint32_t operation = Control::ATOMIC::get(body[0]), op = operation & 0x1f;
  bool wide = operation & 0x20;
  uint64_t address = address_of(body[1] & (wide ? ~7u : ~3u), body[2] & 0xffff), bytes = wide ? 8 : 4;
  uint64_t data = address_of(body[3], body[4]), comparand = address_of(body[5], body[6]);
  bool known = true, swapped = true;
  auto once = [&] {
    uint8_t* at = c.memory(address, bytes, true, "atomic operation");
    if (!at) return true;
    c.guarded(address, bytes, "atomic operation", [&] {
      known = wide ? apply<uint64_t, int64_t>(at, op, data, comparand, swapped)
                   : apply<uint32_t, int32_t>(at, op, uint32_t(data), uint32_t(comparand), swapped);
    });
    return !known || swapped;
  };
  if (Control::COMMAND::get(body[0]) == Control::COMMAND::LOOP)
    wait_until(c, once);
  else
    once();
  if (!known) c.unknown(fmt::format("ATOMIC_MEM operation {:#x}", operation));
}

}  // namespace Atoll::sea_islands
