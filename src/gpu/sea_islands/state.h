// What packets ask for that stands in no register, and how far the registers reach. Sea Islands 3D/Compute Register Reference;
// ranges: Linux drivers/gpu/drm/radeon/cikd.h (SET_*_REG).
#pragma once
#include <cstdint>

#include "gpu/amd/register_file.h"
#include "registers/sea_islands.h"

namespace Atoll::sea_islands {

using gpu::amd::RegisterFile;
constexpr uint32_t registers_end = 0x40000;  // byte addresses of registers lie below

// One draw as a packet asks for it; where vertices and instances begin is in user SGPRs already.
struct DrawCall {
  uint32_t count = 0;  // vertices or indices
  bool indexed = false;
  uint64_t index_address = 0;
  uint32_t index_limit = 0;  // indices in the buffer
  unsigned index_bytes = 2;
  uint32_t instances = 1;
};

struct DispatchCall {
  uint32_t groups[3] = {1, 1, 1};  // or threads, as the initiator says
  registers::access::Word<COMPUTE_DISPATCH_INITIATOR> initiator{0};
};

}  // namespace Atoll::sea_islands
