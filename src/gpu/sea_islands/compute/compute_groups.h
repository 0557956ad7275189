// The work-groups of a dispatch on the queue's workers. A worker takes the next one of the grid when it has run one to its
// end. A work-group whose waves all wait for other work-groups (global wave sync, ordered count, or s_sleep in a loop) is put
// aside with its state, and the worker starts another in fresh storage, up to as many waves as the chip has room for: 40 on each
// compute unit.
#pragma once
#include <atomic>
#include <mutex>

#include "base/shared_range.h"
#include "gpu/amd/compute_grid.h"
#include "gpu/sea_islands/shaders/environment.h"
#include "gpu/sea_islands/shaders/shaders.h"
#include "gpu/sea_islands/shaders/waves.h"

namespace Atoll::sea_islands {

inline constexpr uint32_t wave_lanes = 64;
inline constexpr uint32_t max_threads = 2048;  // of a work-group
inline constexpr uint32_t max_lds = 65536;     // bytes

// State that all work-groups of a dispatch share.
struct Grid : gpu::amd::GridExtent {
  std::shared_ptr<Shader> shader;
  uint32_t user_data[16];
  uint32_t user_sgprs = 0, vgprs = 4, mode = 0, lds_bytes = 0, scratch_bytes = 0, max_waves = 0;
  uint32_t identifier_sgprs = 0;  // bit n: TGID n is loaded
  bool size_sgpr = false, scratch_sgpr = false;
  uint32_t identifier_vgprs = 0;  // thread identifiers loaded beside x
  uint32_t flat_high = 0;         // upper half of the flat aperture of LDS, private memory's is the next; 0: there are none
  uint64_t flat_scratch_base = 0;
  uint8_t* scratch =
      nullptr;         // the memory there; null: not known, as without a base, where the program's own V# says where it is
  uint32_t sgprs = 0;  // allocated, as RSRC1 has it
  bool privileged = false;
  TrapSetup traps;
  bool ordered = false, ordered_groups = false;  // each wave has an id in the order of launch, or each work-group
};

// A dispatch in progress on several threads.
struct GroupRun {
  ShaderContext& c;
  const Grid& grid;
  QueueEnvironment& environment;
  wave::WaveOrder& order;
  const uint32_t runners;                         // threads
  const uint32_t resident;                        // work-groups at once, at least as many as runners
  SharedRange unordered{grid.groups(), runners};  // work-groups, where there is no order
  uint64_t next = 0;                              // else, under `launch`
  std::atomic<uint32_t> slots{0};                 // beyond the runners', given out
  std::mutex launch{};  // with an order: one work-group after the other is numbered; what threads add up at their end
  std::atomic<bool> failed{false};
  // The queue was to stop. A thread whose work-groups wait has said so; whether any does, all threads together know.
  std::atomic<bool> stopped{false};
  uint64_t threads = 0;
  wave::Counters counters{};
};

// One thread's part of it (`runner`: below run.runners).
void run_groups(GroupRun& run, uint32_t runner);

}  // namespace Atoll::sea_islands
