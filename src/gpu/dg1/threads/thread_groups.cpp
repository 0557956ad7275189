#include "gpu/dg1/threads/thread_groups.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "isa/xe_lp/registers.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::dg1 {
namespace {

using wave::Stop;
using wave::Wave;

constexpr uint32_t least_scratch = 1024;
constexpr size_t wave_bytes = (wave::register_file_offset + xe_lp::register_file_bytes + 127) / 128 * 128;

xe_lp::ThreadContext in_window(xe_lp::ThreadContext c, const Sections& sections) {
  for (uint64_t* address : {&c.surface_state_base, &c.binding_table, &c.bindless_surface_base, &c.dynamic_state_base,
                            &c.sampler_states, &c.bindless_sampler_base, &c.general_state_base, &c.instruction_base})
    *address = sections.window_address(*address & ((uint64_t(1) << Sections::address_bits) - 1));
  return c;
}

// A grid in progress on several threads of the host.
struct GridRun {
  const ThreadGroups& g;
  Kernel& kernel;
  AddressSpace& space;
  wave::Environment& environment;
  std::atomic<int>& stop;
  std::atomic<uint64_t>* const progress;  // or null
  std::atomic<uint64_t> next{0};
  std::mutex mutex{};  // result
  GroupsResult result{};
};

// What one host thread needs to run groups, kept from group to group.
class GroupRunner {
public:
  GroupRunner(GridRun& run, uint32_t first_slot)
      : run_(run),
        g_(run.g),
        first_slot_(first_slot),
        context_(in_window(run.g.context, run.space.sections())),
        storage_(wave::allocate_storage(wave_bytes * run.g.group_threads())),
        slm_(wave::allocate_storage(run.g.slm_bytes + 64)) {}

  void run() {
    const uint64_t groups = g_.groups();
    const uint64_t width = g_.end[0] - g_.begin[0], height = g_.end[1] - g_.begin[1];
    while (!run_.stop.load(std::memory_order_relaxed)) {
      uint64_t n = run_.next.fetch_add(1, std::memory_order_relaxed);
      if (n >= groups) break;
      if (!run_group({g_.begin[0] + uint32_t(n % width), g_.begin[1] + uint32_t(n / width % height),
                      g_.begin[2] + uint32_t(n / width / height)}))
        break;
    }
    std::lock_guard lock(run_.mutex);
    run_.result.counters += counters_;
  }

private:
  GridRun& run_;
  const ThreadGroups& g_;
  const uint32_t first_slot_;
  const xe_lp::ThreadContext context_;
  wave::StorageBytes storage_, slm_;
  wave::WorkGroup group_;
  std::vector<Wave*> waves_;
  wave::Counters counters_;

  // Registers begin as zeros; where it is known which dwords a thread may read before it has written them, those do.
  struct Stretch {
    uint32_t cell, bytes;
  };
  const std::vector<uint32_t>* read_at_start_ = nullptr;  // dwords, in their order
  std::vector<Stretch> cleared_{{wave::register_file_offset, xe_lp::register_file_bytes}};
  void clear_registers(Wave& w) {
    if (!read_at_start_) {
      read_at_start_ = run_.kernel.executor->reads_at_start(run_.kernel.address);
      if (read_at_start_) cleared_.clear();
      for (uint32_t n = 0; read_at_start_ && n < read_at_start_->size(); n++) {
        const uint32_t cell = (*read_at_start_)[n];
        if (!cleared_.empty() && cleared_.back().cell + cleared_.back().bytes == cell)
          cleared_.back().bytes += 4;
        else
          cleared_.push_back({cell, 4});
      }
    }
    for (const Stretch& s : cleared_) std::memset(wave::bytes_of(w, s.cell), 0, s.bytes);
  }

  void start(uint32_t n, const std::array<uint32_t, 3>& id) {
    Wave& w = *new (storage_.get() + wave_bytes * n) Wave;
    waves_.push_back(&w);
    w.window = run_.space.base(), w.window_bytes = run_.space.window_bytes();
    w.lds = slm_.get(), w.lds_bytes = g_.slm_bytes;
    w.stop_flag = &run_.stop;
    w.environment = &run_.environment;
    w.group = &group_;
    w.lanes = xe_lp::kChannels;
    w.index = n;
    w.pc = run_.kernel.address;
    w.inspected = false;
    clear_registers(w);
    xe_lp::context_of(w) = context_;
    uint32_t channels = g_.simd == 32 ? ~0u : (1u << g_.simd) - 1;
    if (n % g_.threads[0] + 1 == g_.threads[0]) channels &= g_.right_mask;
    if (n / g_.threads[0] % g_.threads[1] + 1 == g_.threads[1]) channels &= g_.bottom_mask;
    wave::word_of(w, xe_lp::active_cell) = channels;
    wave::word_of(w, xe_lp::control_cell) = g_.control;

    const uint32_t slot = first_slot_ + n;
    // sr0: the thread's place (TID in 2:0, EUID in 11:8, subslice in 14:12), the channels it was dispatched with, and again.
    constexpr uint32_t threads_of_eu = 7, eus_of_subslice = 16;
    const uint32_t eu = slot / threads_of_eu;
    wave::word_of(w, xe_lp::state_cell) = slot % threads_of_eu | eu % eus_of_subslice << 8 | eu / eus_of_subslice << 12;
    wave::word_of(w, xe_lp::state_cell + 8) = wave::word_of(w, xe_lp::state_cell + 12) = channels;
    std::array<uint32_t, 8> header{};
    header[1] = id[0], header[6] = id[1], header[7] = id[2];
    header[3] = uint32_t(g_.context.sampler_states - g_.context.dynamic_state_base) & ~31u;
    header[5] = slot;
    if (g_.scratch_bytes) {
      header[3] |= uint32_t(std::countr_zero(g_.scratch_bytes / least_scratch)) & 15;
      header[5] |= uint32_t(g_.scratch_offset + uint64_t(slot) * g_.scratch_bytes) & ~1023u;
    }
    uint8_t* registers = wave::bytes_of(w, xe_lp::grf_cell);
    uint8_t* const end = registers + xe_lp::kRegisters * xe_lp::kRegisterBytes;
    auto put = [&](const void* data, size_t bytes) {
      bytes = std::min(bytes, size_t(end - registers));
      std::memcpy(registers, data, bytes);
      registers += (bytes + xe_lp::kRegisterBytes - 1) / xe_lp::kRegisterBytes * xe_lp::kRegisterBytes;
    };
    put(header.data(), sizeof header);
    if (g_.per_thread_bytes) put(g_.per_thread.data() + size_t(n) * g_.per_thread_bytes, g_.per_thread_bytes);
    if (!g_.cross_thread.empty()) put(g_.cross_thread.data(), g_.cross_thread.size());
  }

  // False: the grid is over.
  bool run_group(const std::array<uint32_t, 3>& id) {
    std::memset(slm_.get(), 0, g_.slm_bytes);
    waves_.clear();
    for (uint32_t n = 0; n < g_.group_threads(); n++) start(n, id);
    wave::Executor::GroupEnd end = run_.kernel.executor->run_group(group_, waves_);
    for (Wave* w : waves_) counters_.add(*w);
    if (end.stop == Stop::End) {
      if (run_.progress) run_.progress->fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    Wave& w = *waves_[end.wave];
    w.stop = end.stop;
    if (end.stop != Stop::Interrupted) report(w, id);
    return false;
  }
  void report(const Wave& w, const std::array<uint32_t, 3>& id) {
    std::lock_guard lock(run_.mutex);
    int none = 0;
    run_.stop.compare_exchange_strong(none, stopped_by_fault);
    if (run_.result.fault) return;
    run_.result.fault = gpu::fault_of(w, run_.kernel.address);
    run_.result.fault->group = id;
    // Threads reach memory by its addresses in the window.
    uint64_t& address = run_.result.fault->address;
    if (address < run_.space.window_bytes()) {
      if (auto gpu = run_.space.gpu_address_of(run_.space.base() + address)) address = uint64_t(*gpu);
    } else {
      address -= uint64_t(run_.space.sections().shifts ? Sections::none : 0) << 32;
    }
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
  if (g.scratch_bytes && (g.scratch_bytes < least_scratch || !std::has_single_bit(g.scratch_bytes)))
    return fail("{} bytes of scratch a thread: it is a power of two from {} on", g.scratch_bytes, least_scratch);
  return {};
}

}  // namespace

uint64_t ThreadGroups::groups() const {
  unsigned __int128 all = 1;
  for (unsigned axis = 0; axis < 3; axis++) all *= end[axis] > begin[axis] ? end[axis] - begin[axis] : 0;
  return all > UINT64_MAX ? UINT64_MAX : uint64_t(all);
}

Expected<GroupsResult> run_thread_groups(const ThreadGroups& groups, Kernel& kernel, AddressSpace& space, WorkerPool& pool,
                                         wave::Environment& environment, std::atomic<int>& stop, bool in_order,
                                         std::atomic<uint64_t>* progress) {
  if (auto good = check(groups); !good) return std::unexpected(good.error());
  const uint64_t count = groups.groups();
  if (!count) return GroupsResult{};
  // Each runner has slots of its own for its group's threads, as many as the chip has at most.
  uint64_t runners = std::min<uint64_t>({pool.count(), count, std::max(1u, thread_slots / groups.group_threads())});
  if (in_order) runners = 1;
  GridRun run{groups, kernel, space, environment, stop, progress};
  pool.run_together(unsigned(runners), [&](unsigned, unsigned part) { GroupRunner(run, part * groups.group_threads()).run(); });
  run.result.stopped = !run.result.fault && stop.load() != 0;
  return std::move(run.result);
}

}  // namespace Atoll::dg1
