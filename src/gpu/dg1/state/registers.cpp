#include "gpu/dg1/state/registers.h"

#include <chrono>

namespace Atoll::dg1 {
namespace {

constexpr uint64_t timestamp_mask = (uint64_t(1) << 36) - 1;
constexpr uint64_t ticks_a_question = 100;  // of a deterministic clock

// Registers whose upper half says which bits of the lower one a write changes.
bool is_masked(uint32_t address) {
  // CACHE_MODE_0 to COMMON_SLICE_CHICKEN1, COMMON_SLICE_CHICKEN3 and 4, CS_DEBUG_MODE1 and 2, INSTPM, CS_CHICKEN1
  return (address >= 0x7000 && address <= 0x7018) || address == 0x7300 || address == 0x7304 || address == 0x20ec ||
         address == 0x20d8 || address == 0x20c0 || address == 0x2580 || address == 0xe194;
}

// Bit 0 starts the invalidation of an engine's auxiliary tables and is 0 again when that is done, which batches wait for (Mesa 25.0
// src/intel, AUX_TABLE_INV; Linux intel_gt_regs.h, GEN12_CCS_AUX_INV): there are no copies of these tables here.
bool starts_invalidation(uint32_t address) {
  return address == 0x4208 || address == 0x4218 || address == 0x4238 || address == 0x4248 || address == 0x4298 ||
         address == 0x42c8;
}

}  // namespace

uint32_t Registers::normal(uint32_t address) {
  address &= 0x7ffffc;  // 23 bits, as commands have them
  if (address - mmio::copy_engine_base < mmio::engine_bytes) return address - mmio::copy_engine_base + mmio::engine_base;
  return address;
}

uint64_t Registers::timestamp() {
  if (deterministic_) return asked_.fetch_add(1) * ticks_a_question & timestamp_mask;
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  return uint64_t(static_cast<unsigned __int128>(now.count()) * timestamp_khz_ / 1'000'000) & timestamp_mask;
}

uint32_t Registers::read(uint32_t address) {
  address = normal(address);
  if (address == mmio::timestamp) return uint32_t(timestamp());
  if (address == mmio::timestamp + 4) return uint32_t(timestamp() >> 32);
  auto found = values_.find(address);
  return found == values_.end() ? 0 : found->second;
}

void Registers::write(uint32_t address, uint32_t value) {
  address = normal(address);
  if (address == mmio::timestamp || address == mmio::timestamp + 4) return;
  uint32_t& now = values_[address];
  if (is_masked(address)) {
    const uint32_t mask = value >> 16;
    now = (now & ~mask) | (value & mask);
  } else if (starts_invalidation(address)) {
    now = value & ~uint32_t(1);
  } else {
    now = value;
  }
}

}  // namespace Atoll::dg1
