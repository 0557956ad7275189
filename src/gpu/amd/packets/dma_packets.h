// The command processor's own DMA: DMA_DATA, and CP_DMA of older chips.
#pragma once
#include <fmt/format.h>

#include <cstring>

#include "gpu/amd/packets/family.h"

namespace Atoll::gpu::amd {

namespace dma {

enum class End : uint8_t { Memory, Registers, Immediate, Gds };

struct Transfer {
  End from, to;
  uint64_t source, destination;  // addresses (registers by byte address), or the immediate
  uint32_t bytes;
  bool fixed_source, fixed_destination;  // the address does not go on
};

template <class F>
void transfer(typename F::Context& c, const Transfer& t) {
  if (t.bytes == 0) return;  // a wait for those before
  // A copy onto itself fetches memory into L2. Nothing comes of it, wherever it reaches.
  if (t.from == End::Memory && t.to == End::Memory && t.source == t.destination) return;
  if (!c.within(c.budget.bytes(t.bytes))) return;

  if (t.to == End::Memory && !t.fixed_destination) {
    uint8_t* to = c.memory(t.destination, t.bytes, true, "DMA write");
    if (!to) return;
    if (t.from == End::Immediate) {
      uint32_t pattern = uint32_t(t.source);
      c.guarded(t.destination, t.bytes, "DMA write", [&] {
        for (uint32_t n = 0; n < t.bytes; n += 4) std::memcpy(to + n, &pattern, t.bytes - n < 4 ? t.bytes - n : 4);
      });
      return;
    }
    if (t.from == End::Memory && !t.fixed_source) {
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
    uint64_t source = t.source + (t.fixed_source && t.from != End::Gds ? 0 : n);
    uint64_t destination = t.destination + (t.fixed_destination && t.to != End::Gds ? 0 : n);
    if constexpr (requires { F::read_gds(c, 0, &value, size); })
      if (t.from == End::Gds) F::read_gds(c, uint32_t(source) & 0xffff, &value, size);
    if (t.from == End::Memory && !c.read(source, &value, size, "DMA read")) return;
    if (t.from == End::Registers) value = F::known_register(c, uint32_t(source)) ? F::read_register(c, uint32_t(source)) : 0;
    if (t.to == End::Memory && !c.write(destination, &value, size, "DMA write")) return;
    if constexpr (requires { F::write_gds(c, 0, &value, size); })
      if (t.to == End::Gds) F::write_gds(c, uint32_t(destination) & 0xffff, &value, size);
    if (t.to == End::Registers && F::known_register(c, uint32_t(destination))) F::write_register(c, uint32_t(destination), value);
  }
}

// SRC_SEL and DST_SEL of both packets: 0 an address (register or memory), 1 GDS, 2 the immediate, 3 an address through L2.
inline End end_of(uint32_t select, bool registers) {
  switch (select) {
    case 1: return End::Gds;
    case 2: return End::Immediate;
    default: return registers ? End::Registers : End::Memory;
  }
}

template <class F>
void transfer(typename F::Context& c, uint32_t source_select, uint32_t destination_select, uint64_t source, uint64_t destination,
              uint32_t command) {
  using Command = typename F::DMA_DATA::COMMAND;
  if constexpr (requires { typename Command::SRC_SWAP; })
    if (Command::SRC_SWAP::get(command) || Command::DST_SWAP::get(command)) c.unknown("DMA with byte swap");
  if constexpr (!requires { F::read_gds(c, 0, &command, 4); })
    if (source_select == 1 || destination_select == 1) return c.unknown("DMA with a GDS, which there is none of");
  if (destination_select == 2) {
    // NOWHERE, where there is that: a fetch into a cache.
    if constexpr (requires { F::DMA_DATA::DMA_DATA_WORD0::DST_SEL::NOWHERE; }) return;
    return c.unknown("DMA to destination 2");
  }
  transfer<F>(c, {end_of(source_select, source_select == 0 && Command::SAS::get(command)),
                  end_of(destination_select, destination_select == 0 && Command::DAS::get(command)), source, destination,
                  Command::BYTE_COUNT::get(command), bool(Command::SAIC::get(command)), bool(Command::DAIC::get(command))});
}

}  // namespace dma

template <class F>
void dma_data(typename F::Processor& cp, Body body) {
  using Control = typename F::DMA_DATA::DMA_DATA_WORD0;
  const uint32_t from = Control::SRC_SEL::get(body[0]);
  dma::transfer<F>(cp.c, from, Control::DST_SEL::get(body[0]), address_of(body[1], body[2]) & F::dma_address_mask,
                   address_of(body[3], body[4]) & F::dma_address_mask, body[5]);
}

// Not what transfer() finds to be a copy onto itself, or to nowhere.
template <class F>
bool dma_data_moves(Body body) {
  using Control = typename F::DMA_DATA::DMA_DATA_WORD0;
  using Command = typename F::DMA_DATA::COMMAND;
  if constexpr (requires { Control::DST_SEL::NOWHERE; })
    if (Control::DST_SEL::get(body[0]) == Control::DST_SEL::NOWHERE) return false;
  auto in_memory = [](uint32_t select, bool registers) {
    return dma::end_of(select, select == 0 && registers) == dma::End::Memory;
  };
  return !in_memory(Control::SRC_SEL::get(body[0]), Command::SAS::get(body[5])) ||
         !in_memory(Control::DST_SEL::get(body[0]), Command::DAS::get(body[5])) || body[1] != body[3] || body[2] != body[4];
}

template <class F>
void cp_dma(typename F::Processor& cp, Body body) {
  using Control = typename F::CP_DMA::CP_DMA_WORD1;
  dma::transfer<F>(cp.c, Control::SRC_SEL::get(body[1]), Control::DST_SEL::get(body[1]),
                   address_of(body[0], Control::SRC_SEL::get(body[1]) == 2 ? 0 : Control::SRC_ADDR_HI::get(body[1])),
                   address_of(body[2], F::CP_DMA::CP_DMA_WORD3::DST_ADDR_HI::get(body[3])), body[4]);
}

}  // namespace Atoll::gpu::amd
