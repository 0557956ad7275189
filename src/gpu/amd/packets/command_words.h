// Commands that Atoll itself writes for a compute queue, in place of a packet processor's firmware: registers and a dispatch.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "registers/pm4_header.h"

namespace Atoll::gpu::amd {

struct CommandWords {
  std::vector<uint32_t> words;

  void register_(uint32_t address, uint32_t value) { words.insert(words.end(), {registers::register_header(address, 1), value}); }
  // Packet: the family's DISPATCH_DIRECT.
  template <class Packet>
  void dispatch(const std::array<uint32_t, 3>& threads, uint32_t initiator) {
    words.push_back(registers::opcode_header(Packet::opcode, 4));
    words.insert(words.end(), {threads[0], threads[1], threads[2], initiator});
  }
};

}  // namespace Atoll::gpu::amd
