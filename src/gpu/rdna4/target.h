// RDNA4 as a target of HSA dispatches, and what a kernel's descriptor says of its waves.
#pragma once
#include "gpu/hsa/dispatch.h"

namespace Atoll::rdna4 {

using hsa::Dispatch;

const hsa::Target& target();

// From COMPUTE_PGM_RSRC1 and 2 of a descriptor (LLVM docs AMDGPUUsage, "compute_pgm_rsrc1 for GFX6-GFX12", "compute_pgm_rsrc2
// …").
struct WaveSetup {
  uint32_t mode = 0;   // the MODE register to start with
  uint32_t vgprs = 0;  // allocated to a lane, in the hardware's blocks
  bool wgp_mode = true;
  bool workgroup_info = false;  // one more SGPR
  bool grid_yz_valid = false;   // work-group ids Y and Z in TTMP7
};
WaveSetup wave_setup(const Dispatch& dispatch);

}  // namespace Atoll::rdna4
