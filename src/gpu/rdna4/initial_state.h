// The initial registers of a compute wave (RDNA4 ISA 3.5, tables 12 and following; LLVM docs AMDGPUUsage,
// "Initial Kernel Execution State"). Values only: who runs the wave copies them.
#pragma once
#include <array>
#include <cstdint>

#include "gpu/rdna4/target.h"

namespace Atoll::rdna4 {

// A work-group's actual size: the last ones of a grid that the group does not divide are smaller (OpenCL 2.0).
struct GroupShape {
  std::array<uint32_t, 3> size{};  // work-items
  uint32_t items = 0;              // their product
  uint32_t waves = 0;
};
GroupShape group_shape(const Dispatch& dispatch, const std::array<uint32_t, 3>& group_id);

struct WaveStart {
  uint64_t pc = 0;
  uint64_t exec = 0;  // one bit a live lane, from lane 0 on
  uint32_t mode = 0;
  uint32_t sgpr_count = 0;
  std::array<uint32_t, 33> sgprs{};  // user SGPRs, then the work-group info if asked for
  std::array<uint32_t, 16> ttmps{};
  std::array<uint32_t, 64> vgpr0{};  // work-item id Z << 20 | Y << 10 | X, 10 bits each; 0 in lanes that are not live
};

// `wave` is the wave's number in its work-group, below group_shape(…).waves. Work-items fill waves X first, then Y, then Z.
WaveStart initial_state(const Dispatch& dispatch, const WaveSetup& setup, const std::array<uint32_t, 3>& group_id, uint32_t wave);

}  // namespace Atoll::rdna4
