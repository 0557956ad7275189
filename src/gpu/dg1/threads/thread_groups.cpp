#include "gpu/dg1/threads/thread_groups.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/progress.h"
#include "base/shared_range.h"
#include "gpu/dg1/threads/kept_surfaces.h"
#include "gpu/dg1/threads/thread_start.h"
#include "isa/xe_lp/registers.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::dg1 {
namespace {

using wave::Stop;
using wave::Wave;

// A grid in progress on several threads of the host.
struct GridRun {
  const ThreadGroups& g;
  Kernel& kernel;
  std::atomic<int>& stop;
  std::atomic<uint64_t>* const progress;  // or null
  const ThreadSurroundings surroundings;
  SharedRange groups;
  std::mutex mutex{};  // result
  GroupsResult result{};
};

// State that one host thread needs to run groups, kept from group to group.
class GroupRunner {
public:
  GroupRunner(GridRun& run, uint32_t first_slot)
      : run_(run),
        g_(run.g),
        first_slot_(first_slot),
        storage_(wave::allocate_storage(thread_bytes() * (run.kernel.apart ? 1 : run.g.group_threads()))),
        slm_(wave::allocate_storage(run.g.slm_bytes + 64)) {
    group_.grid = &run.groups;
    const uint32_t threads = g_.group_threads();
    auto rows = [](size_t bytes) { return (bytes + xe_lp::kRegisterBytes - 1) / xe_lp::kRegisterBytes * xe_lp::kRegisterBytes; };
    payload_bytes_ = xe_lp::kRegisterBytes + g_.per_thread_bytes + uint32_t(rows(g_.cross_thread.size()));
    payloads_ = wave::allocate_storage(size_t(payload_bytes_) * threads);
    std::memset(payloads_.get(), 0, size_t(payload_bytes_) * threads);
    for (uint32_t n = 0; n < threads; n++) starts_.push_back(make_start(n));
    for (uint32_t n = 0; n < (run.kernel.apart ? 1 : threads); n++) waves_.push_back(&make_wave(n));
  }

  void run() {
    if (run_.kernel.apart)
      run_threads_apart();
    else
      while (next_group() && run_group()) {
      }
    for (const Wave* w : waves_) counters_.add(*w);
    counters_.waves = threads_;
    std::lock_guard lock(run_.mutex);
    run_.result.counters += counters_;
  }

private:
  GridRun& run_;
  const ThreadGroups& g_;
  const uint32_t first_slot_;
  wave::StorageBytes storage_, slm_;
  wave::WorkGroup group_;
  std::vector<Wave*> waves_;
  wave::Counters counters_;
  SharedRange::Stretch own_;      // groups
  uint64_t threads_ = 0;          // that ran
  std::array<uint32_t, 3> id_{};  // of the group
  // The channels that thread n of every group starts with.
  std::vector<uint32_t> starts_;
  wave::StorageBytes payloads_;  // payload_bytes_ for each: r0, its own data, that of all
  uint32_t payload_bytes_ = 0;
  RegisterClearing clearing_;

  uint32_t make_start(uint32_t n) {
    std::array<uint32_t, 8> header{};
    set_header(header.data(), g_.context, g_.scratch_bytes, g_.scratch_offset, first_slot_ + n);
    uint8_t* to = payloads_.get() + size_t(payload_bytes_) * n;
    std::memcpy(to, header.data(), sizeof header);
    to += sizeof header;
    if (g_.per_thread_bytes) std::memcpy(to, g_.per_thread.data() + size_t(n) * g_.per_thread_bytes, g_.per_thread_bytes);
    if (!g_.cross_thread.empty()) std::memcpy(to + g_.per_thread_bytes, g_.cross_thread.data(), g_.cross_thread.size());
    return g_.channels(n);
  }

  Wave& make_wave(uint32_t n) {
    Wave& w = make_thread(storage_.get() + thread_bytes() * n, run_.surroundings);
    w.lds = slm_.get(), w.lds_bytes = g_.slm_bytes;
    w.group = &group_;
    w.index = n;
    return w;
  }

  // Thread n of the group begins.
  void start(Wave& w, uint32_t n) {
    threads_++;
    w.pc = run_.kernel.address;
    w.code_table = nullptr;
    w.waits_at_barrier = false, w.barriers_passed = 0, w.resume = nullptr;
    clearing_.clear(w, run_.kernel, payload_bytes_);
    set_dispatch(w, starts_[n], {g_.control, g_.exceptions}, first_slot_ + n);
    const uint8_t* from = payloads_.get() + size_t(payload_bytes_) * n;
    for (uint32_t at = 0; at < payload_bytes_; at += xe_lp::kRegisterBytes)
      std::memcpy(wave::bytes_of(w, xe_lp::grf_cell + at), from + at, xe_lp::kRegisterBytes);
    wave::word_of(w, xe_lp::grf_cell + 4) = id_[0];
    wave::word_of(w, xe_lp::grf_cell + 24) = id_[1];
    wave::word_of(w, xe_lp::grf_cell + 28) = id_[2];
  }

  // False: there is none, or the grid is over.
  bool next_group() {
    if (run_.stop.load(std::memory_order_relaxed)) return false;
    uint64_t n;
    if (!run_.groups.take(own_, n)) return false;
    const uint32_t width = g_.end[0] - g_.begin[0], height = g_.end[1] - g_.begin[1];
    if (n <= UINT32_MAX) {  // (divisions of 64 bits take long)
      const uint32_t row = uint32_t(n) / width;
      id_ = {g_.begin[0] + (uint32_t(n) - row * width), g_.begin[1] + row % height, g_.begin[2] + row / height};
    } else {
      id_ = {g_.begin[0] + uint32_t(n % width), g_.begin[1] + uint32_t(n / width % height),
             g_.begin[2] + uint32_t(n / width / height)};
    }
    std::memset(slm_.get(), 0, g_.slm_bytes);
    return true;
  }
  void group_ended() {
    if (run_.progress) advance(*run_.progress);
  }

  // False: the grid is over.
  bool run_group() {
    for (uint32_t n = 0; n < waves_.size(); n++) start(*waves_[n], n);
    wave::Executor::GroupEnd end = run_.kernel.executor->run_group(group_, waves_);
    if (end.stop == Stop::End) return group_ended(), true;
    Wave& w = *waves_[end.wave];
    w.stop = end.stop;
    if (end.stop != Stop::Interrupted) report(w, id_);
    return false;
  }

  // Threads that never wait for each other follow each other in the same registers, through all of the groups.
  void run_threads_apart() {
    Wave& w = *waves_[0];
    uint32_t n = 0;  // in the group
    if (!next_group()) return;
    start(w, n);
    auto next = [&] {
      if (++n == g_.group_threads()) {
        group_ended();
        if (!next_group()) return false;
        n = 0;
      }
      start(w, n);
      return true;
    };
    run_.kernel.executor->run_series(w, [](void* data) { return (*static_cast<decltype(next)*>(data))(); }, &next);
    if (w.stop != Stop::End && w.stop != Stop::Interrupted) report(w, id_);
  }

  void report(const Wave& w, const std::array<uint32_t, 3>& id) {
    std::lock_guard lock(run_.mutex);
    int none = 0;
    run_.stop.compare_exchange_strong(none, stopped_by_fault);
    if (run_.result.fault) return;
    run_.result.fault = fault_of_thread(w, run_.kernel, run_.surroundings);
    run_.result.fault->group = id;
  }
};

Expected<void> check(const ThreadGroups& g) {
  if (g.simd != 8 && g.simd != 16 && g.simd != 32) return fail("threads of {} channels: there are 8, 16 and 32", g.simd);
  uint64_t threads = uint64_t(g.threads[0]) * g.threads[1];
  if (threads <= max_group_threads) threads *= g.threads[2];
  if (!threads || threads > max_group_threads)
    return fail("thread groups of {} x {} x {} threads: a subslice has room for {}", g.threads[0], g.threads[1], g.threads[2],
                max_group_threads);
  if (g.slm_bytes > max_slm_bytes)
    return fail("{} bytes of shared local memory: a group can have {}", g.slm_bytes, max_slm_bytes);
  if (g.per_thread_bytes % xe_lp::kRegisterBytes || g.per_thread.size() < threads * g.per_thread_bytes)
    return fail("{} bytes of data for {} threads of {} bytes each", g.per_thread.size(), threads, g.per_thread_bytes);
  constexpr size_t payload = (xe_lp::kRegisters - 1) * xe_lp::kRegisterBytes;
  if (g.per_thread_bytes + g.cross_thread.size() > payload)
    return fail("a payload of {} bytes: a thread has {}", g.per_thread_bytes + g.cross_thread.size(), payload);
  if (g.scratch_bytes && (g.scratch_bytes < least_thread_scratch || !std::has_single_bit(g.scratch_bytes)))
    return fail("{} bytes of scratch a thread: it is a power of two from {} on", g.scratch_bytes, least_thread_scratch);
  return {};
}

}  // namespace

uint64_t ThreadGroups::groups() const {
  unsigned __int128 all = 1;
  for (unsigned axis = 0; axis < 3; axis++) all *= end[axis] > begin[axis] ? end[axis] - begin[axis] : 0;
  return all > UINT64_MAX ? UINT64_MAX : uint64_t(all);
}

uint32_t ThreadGroups::channels(uint32_t n) const {
  uint32_t all = simd == 32 ? ~0u : (1u << simd) - 1;
  if (n % threads[0] + 1 == threads[0]) all &= right_mask;
  if (n / threads[0] % threads[1] + 1 == threads[1]) all &= bottom_mask;
  return all;
}

uint64_t ThreadGroups::invocations() const {
  uint64_t of_group = 0;
  for (uint32_t n = 0; n < group_threads(); n++) of_group += uint64_t(std::popcount(channels(n)));
  return of_group * groups();
}

Expected<GroupsResult> run_thread_groups(const ThreadGroups& groups, Kernel& kernel, AddressSpace& space, WorkerPool& pool,
                                         ThreadEnvironment& environment, std::atomic<int>& stop, bool in_order,
                                         std::atomic<uint64_t>* progress) {
  if (auto good = check(groups); !good) return std::unexpected(good.error());
  const uint64_t count = groups.groups();
  if (!count) return GroupsResult{};
  // Each runner has slots of its own for its group's threads, as many as the chip has at most.
  uint64_t runners = std::min<uint64_t>({pool.count(), count, std::max(1u, thread_slots / groups.group_threads())});
  if (in_order) runners = 1;
  GridRun run{groups,
              kernel,
              stop,
              progress,
              {space, stop, environment, groups.context, keep_surfaces(groups.context, kernel.surfaces, space),
               environment.begin_threads()},
              {count, runners}};
  pool.run_together(unsigned(runners), [&](unsigned, unsigned part) { GroupRunner(run, part * groups.group_threads()).run(); });
  run.result.stopped = !run.result.fault && stop.load() != 0;
  return std::move(run.result);
}

}  // namespace Atoll::dg1
