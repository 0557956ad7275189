// A grid of thread groups, as GPGPU_WALKER starts them, whoever asks for it: the command stream, or a container that `atoll launch`
// took apart. Threads of a group take turns on one host thread, with shared local memory and a barrier of their own; groups are
// spread over the pool's workers.
//
// A thread's payload (PRM "Media GPGPU Pipeline", "GPGPU Thread Payload"): r0 the header; from r1 on the thread's own data, then
// the data of all threads.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/expected.h"
#include "base/worker_pool.h"
#include "gpu/device/fault.h"
#include "gpu/dg1/threads/environment.h"
#include "gpu/dg1/threads/kernels.h"
#include "isa/xe_lp/thread_context.h"
#include "memory/address_space.h"
#include "wave/counters.h"
#include "wave/environment.h"

namespace Atoll::dg1 {

inline constexpr uint32_t max_group_threads = 112;  // of a subslice: 16 EUs of 7 threads
inline constexpr uint32_t max_slm_bytes = 65536;
inline constexpr uint32_t thread_slots = 672;  // of the chip: 96 EUs of 7 threads

struct ThreadGroups {
  // Thread group identifiers run from `begin` up to, not including, `end` (GPGPU_WALKER: Starting X and Dimension X, which is an end;
  // Y and Z likewise).
  std::array<uint32_t, 3> begin{}, end{1, 1, 1};
  unsigned simd = 32;  // 8, 16, 32 channels
  // Threads of a group in the walker's three directions (its Width, Height and Depth Counter Maximum + 1). Thread n is number
  // x + y * width + z * width * height. Those last in x have `right_mask`, those last in y `bottom_mask` as their channels.
  std::array<uint32_t, 3> threads{1, 1, 1};
  uint32_t right_mask = ~0u, bottom_mask = ~0u;

  // The payload's data in bytes. Thread n has per_thread_bytes (a multiple of 32) from n * per_thread_bytes on.
  std::span<const uint8_t> per_thread;
  uint32_t per_thread_bytes = 0;
  std::span<const uint8_t> cross_thread;

  uint32_t slm_bytes = 0;  // of a group
  bool barrier = false;    // INTERFACE_DESCRIPTOR_DATA, Barrier Enable
  // Scratch: slot n of the chip's threads has scratch_bytes (a power of two from 1024 on; 0: none) at general_state_base +
  // scratch_offset + n * scratch_bytes; r0.5 has that offset, and in its bits 9:0 the slot.
  uint64_t scratch_offset = 0;
  uint32_t scratch_bytes = 0;
  uint32_t control = 0;     // cr0.0 at the start: Single Program Flow, rounding and denormal modes of INTERFACE_DESCRIPTOR_DATA
  uint32_t exceptions = 0;  // cr0.1
  xe_lp::ThreadContext context;

  uint64_t groups() const;  // a number beyond the counter's range counts as its largest value
  uint32_t group_threads() const { return threads[0] * threads[1] * threads[2]; }
  uint32_t channels(uint32_t n) const;  // of thread n of each group, a bit each
  uint64_t invocations() const;         // channels of all threads of all groups
};

struct GroupsResult {
  wave::Counters counters;
  std::optional<gpu::Fault> fault;  // of the first thread that faulted
  bool stopped = false;             // `stop` was raised by others
};

// Runs the grid to its end. `stop`: not 0 ends it soon; a fault raises it to `stopped_by_fault`. `environment` answers what threads
// ask besides memory: images of typed and sampler messages (Images, images.h), clock, what is mapped. An error, in words for the
// person who made the dispatch, is said before anything runs. `progress` counts groups that have ended (gpu/device/watch.h).
inline constexpr int stopped_by_fault = 3;
Expected<GroupsResult> run_thread_groups(const ThreadGroups& groups, Kernel& kernel, AddressSpace& space, WorkerPool& pool,
                                         ThreadEnvironment& environment, std::atomic<int>& stop, bool in_order = false,
                                         std::atomic<uint64_t>* progress = nullptr);

}  // namespace Atoll::dg1
