// Facts that the kernel driver amdgpu gives of chips whose IP blocks are found by a table of theirs, besides their rows: columns
// of gpus/gpus.tsv and gpus/amdgpu.tsv that its answers alone need.
#pragma once
#include "gpu/chips/chip.h"

namespace Atoll::gpu {

struct KernelFacts {
  unsigned drm_minor;          // of the interface's version, 3.drm_minor; 0: amdgpu is not the chip's
  unsigned chip_revision;      // DEV_INFO's chip_rev
  unsigned graphics_revision;  // the third number of the graphics engine's version
  bool gddr6;                  // the kind of memory; false: Chip::memory_type
};

const KernelFacts& kernel_facts(const Chip& chip);

}  // namespace Atoll::gpu
