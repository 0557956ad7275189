#include "gpu/amd/known_registers.h"

#include "registers/lookup.h"

namespace Atoll::gpu::amd {

KnownRegisters::KnownRegisters(const registers::Family& tables, uint32_t end) : known_(end / 4) {
  for (auto& instance : registers::all_instances(tables))
    if (auto at = instance.address(); at && *at < end) known_[*at / 4] = true;
}

}  // namespace Atoll::gpu::amd
