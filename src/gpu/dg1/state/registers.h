// Registers that a command streamer's commands read and write, by byte address of the render engine; the copy engine's stand
// 0x20000 higher and are the same here. A register without a meaning keeps what was written to it.
#pragma once
#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "registers/dg1_mmio.h"

namespace Atoll::dg1 {

class Registers {
public:
  Registers(uint64_t timestamp_khz, bool deterministic) : timestamp_khz_(timestamp_khz), deterministic_(deterministic) {}

  uint32_t read(uint32_t address);
  void write(uint32_t address, uint32_t value);
  uint64_t read64(uint32_t address) { return read(address) | uint64_t(read(address + 4)) << 32; }
  void write64(uint32_t address, uint64_t value) {
    write(address, uint32_t(value));
    write(address + 4, uint32_t(value >> 32));
  }

  // Ticks of the GPU's clock.
  uint64_t timestamp();

private:
  static uint32_t normal(uint32_t address);

  const uint64_t timestamp_khz_;
  const bool deterministic_;
  std::atomic<uint64_t> asked_{0};  // of a deterministic clock
  std::unordered_map<uint32_t, uint32_t> values_;
};

}  // namespace Atoll::dg1
