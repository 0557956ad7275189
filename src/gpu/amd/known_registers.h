// The byte addresses at which a family's tables have registers.
#pragma once
#include <cstdint>
#include <vector>

#include "registers/tables.h"

namespace Atoll::gpu::amd {

class KnownRegisters {
public:
  // Those below `end`.
  KnownRegisters(const registers::Family& tables, uint32_t end);
  bool has(uint32_t address) const { return address / 4 < known_.size() && known_[address / 4]; }

private:
  std::vector<bool> known_;  // by dword
};

}  // namespace Atoll::gpu::amd
