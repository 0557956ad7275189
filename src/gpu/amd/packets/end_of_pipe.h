// The writes of RELEASE_MEM and its older kin when everything drawn and dispatched before is done. (Everything is done when the
// packet is reached, and targets are written back before it.) Interrupts are for the kernel driver, which is none here.
#pragma once
#include <fmt/format.h>

#include <vector>

#include "gpu/amd/packets/family.h"

namespace Atoll::gpu::amd {

// Dwords of the GDS to memory: `select` is the first in 15:0 and their number in 31:16 (Mesa sid.h, EOP_DATA_GDS).
template <class F>
void write_gds_dwords(typename F::Context& c, uint64_t address, uint32_t select) {
  std::vector<uint32_t> dwords(select >> 16);
  if (dwords.empty()) return;
  F::read_gds(c, (select & 0xffff) * 4, dwords.data(), uint32_t(dwords.size()) * 4);
  c.write(address & ~uint64_t(3), dwords.data(), dwords.size() * 4, "dwords of the GDS");
}

// `control` has DATA_SEL where RELEASE_MEM's second word has it.
template <class F>
void end_of_pipe(typename F::Context& c, uint32_t event, uint32_t control, uint64_t address, uint32_t low, uint32_t high) {
  using Select = typename F::RELEASE_MEM::DATA_CNTL::DATA_SEL;
  F::event(c, event);
  uint64_t value = address_of(low, high);
  const uint32_t select = Select::get(control);
  if constexpr (requires { Select::GDS; })
    if (select == Select::GDS) return write_gds_dwords<F>(c, address, low);
  switch (select) {
    case Select::DISCARD: return;
    case Select::VALUE_32BIT: c.write(address & ~uint64_t(3), &low, 4, "end-of-pipe value"); return;
    case Select::VALUE_64BIT: c.write(address & ~uint64_t(7), &value, 8, "end-of-pipe value"); return;
    case Select::TIMESTAMP:
    case Select::SYSTEM_COUNTER:
      value = c.clock();
      c.write(address & ~uint64_t(7), &value, 8, "end-of-pipe timestamp");
      return;
    default: c.unknown(fmt::format("end-of-pipe data {}", select));
  }
}

template <class F>
void release_mem(typename F::Processor& cp, Body body) {
  end_of_pipe<F>(cp.c, F::RELEASE_MEM_EVENT::get(body[0]), body[1], address_of(body[2], body[3] & 0xffff), body[4], body[5]);
}

}  // namespace Atoll::gpu::amd
