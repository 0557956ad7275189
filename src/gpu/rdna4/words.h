// Instruction words that stand in memory without an object around them, as a dispatch.
#pragma once
#include <cstdint>
#include <vector>

#include "base/expected.h"
#include "gpu/hsa/dispatch.h"

namespace Atoll::rdna4 {

inline constexpr uint64_t max_code_bytes = 16 << 20;
// All VGPRs, and the float mode of a descriptor that says nothing (LLVM docs AMDGPUUsage, AMDHSA kernel directives):
// to the nearest, denormals of f32 flushed, those of f16 and f64 kept.
inline constexpr uint32_t default_rsrc1 = 0xc0 << 12 | 0x3f;

struct Words {
  uint64_t code = 0, code_bytes = 0;  // GPU address and size, multiples of 4
  hsa::LaunchShape shape;             // work-items
  uint32_t wave_lanes = 32;
  std::vector<uint32_t> user_sgprs{};  // s0 and following
  uint32_t rsrc1 = default_rsrc1, rsrc2 = 0;
  uint32_t lds_bytes = 0;      // of a work-group
  uint32_t scratch_bytes = 0;  // of a lane
};

// Work-group ids Y and Z are in TTMP7 whether rsrc2 asks for them or not. An error: more than the hardware has, or a dimension of 0.
Expected<hsa::Dispatch> words_dispatch(const Words& words);

}  // namespace Atoll::rdna4
