#include "gpu/gfx12/compute/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/shared_range.h"
#include "gpu/amd/compute_grid.h"
#include "gpu/gfx12/shaders/waves.h"
#include "pipeline/workers.h"
#include "wave/storage.h"

namespace Atoll::gfx12 {
namespace {

constexpr uint32_t max_threads = 1024;  // of a work-group; a thread has 10 bits for each direction in v0

// By direction.
using FullGroupThreads =
    registers::access::FieldList<COMPUTE_NUM_THREAD_X::NUM_THREAD_FULL, COMPUTE_NUM_THREAD_Y::NUM_THREAD_FULL,
                                 COMPUTE_NUM_THREAD_Z::NUM_THREAD_FULL>;
using PartialGroupThreads =
    registers::access::FieldList<COMPUTE_NUM_THREAD_X::NUM_THREAD_PARTIAL, COMPUTE_NUM_THREAD_Y::NUM_THREAD_PARTIAL,
                                 COMPUTE_NUM_THREAD_Z::NUM_THREAD_PARTIAL>;

// State that all work-groups of a dispatch share.
struct Grid : gpu::amd::GridExtent {
  WaveSetup setup;
  uint32_t lds_bytes = 0;
  bool size_sgpr = false, yz_identifiers = false;
  bool quads = false;  // four lanes are a square of 2x2 threads, as derivatives need them
};

// False: there is nothing to run, or the context is lost.
bool read_grid(ShaderContext& c, const DispatchCall& call, Grid& g) {
  using Initiator = COMPUTE_DISPATCH_INITIATOR;
  const RegisterFile& r = c.registers;
  if (!Initiator::COMPUTE_SHADER_EN::get(call.initiator)) {
    c.unknown("dispatch without COMPUTE_SHADER_EN");
    return false;
  }
  gpu::amd::GridRegisters given{
      .start = {r.whole<COMPUTE_START_X>(), r.whole<COMPUTE_START_Y>(), r.whole<COMPUTE_START_Z>()}, .full = {}, .partial = {}};
  for (unsigned axis = 0; axis < 3; axis++)
    given.full[axis] = FullGroupThreads::get(r, axis), given.partial[axis] = PartialGroupThreads::get(r, axis);
  if (!gpu::amd::read_extent<Initiator>(c, call, given, max_threads, g)) return false;
  // Larger tiles are for speed: Mesa asks for squares of 2x2 if a shader has derivatives of quads, and for larger tiles if it has none
  // (25.0.7 si_compute.c). No public text has the order of threads in those; here they stand in rows.
  g.quads = COMPUTE_NUM_THREAD_X::INTERLEAVE_BITS_X::get(r.read<COMPUTE_NUM_THREAD_X>()) == 1 &&
            COMPUTE_NUM_THREAD_Y::INTERLEAVE_BITS_Y::get(r.read<COMPUTE_NUM_THREAD_Y>()) == 1;
  if (!prepare_stage<stages::CS>(c, Initiator::CS_W32_EN::get(call.initiator) ? 32 : 64, g.setup)) return false;
  using Two = COMPUTE_PGM_RSRC2;
  const auto two = r.read<Two>();
  g.size_sgpr = Two::TG_SIZE_EN::get(two);
  // A group's number is in TTMP9 and TTMP7 whether or not it is asked for in SGPRs, which there are none of (RDNA4 ISA 3.5.5).
  g.yz_identifiers = Two::TGID_Y_EN::get(two) || Two::TGID_Z_EN::get(two);
  g.lds_bytes = std::min(Two::LDS_SIZE::get(two) * lds_granule, max_lds);
  if (Initiator::ORDERED_APPEND_ENBL::peek(call.initiator)) c.unknown("COMPUTE_DISPATCH_INITIATOR.ORDERED_APPEND_ENBL");
  if (Two::DYNAMIC_VGPR::peek(two)) c.unknown("COMPUTE_PGM_RSRC2.DYNAMIC_VGPR");
  return true;
}

// A dispatch in progress on several threads.
struct GroupRun {
  ShaderContext& c;
  const Grid& grid;
  QueueEnvironment& environment;
  uint64_t first;  // of its groups' numbers
  SharedRange groups;
  std::atomic<bool> failed{false};
  std::mutex mutex{};  // what threads add up at their end
  uint64_t threads = 0;
  wave::Counters counters{};
};

// A thread's share of it.
class Runner {
public:
  explicit Runner(GroupRun& run) : run_(run), g_(run.grid) {
    static thread_local wave::StorageBytes lds;
    if (!lds) lds = wave::allocate_storage(max_lds + 64);
    lds_ = lds.get();
    group_.grid = &run.groups;
  }

  void run() {
    SharedRange::Stretch own;
    uint64_t number;
    while (!run_.failed.load(std::memory_order_relaxed) && !run_.c.stop.load(std::memory_order_relaxed) &&
           run_.groups.take(own, number))
      if (!run_group(run_.first + number)) run_.failed = true;
    std::lock_guard lock(run_.mutex);
    run_.counters += counters_;
    run_.threads += threads_;
  }

private:
  GroupRun& run_;
  const Grid& g_;
  uint8_t* lds_ = nullptr;
  wave::WorkGroup group_;
  std::vector<wave::Wave*> waves_;
  wave::Counters counters_;
  uint64_t threads_ = 0;

  // False: the context is lost.
  bool run_group(uint64_t number) {
    uint32_t id[3], size[3], total = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
      const uint64_t extent = g_.end[axis] - g_.begin[axis];
      id[axis] = g_.begin[axis] + uint32_t(number % extent);
      number /= extent;
      total *= size[axis] = g_.threads(axis, id[axis]);
    }
    const uint32_t lanes = g_.setup.lanes(), count = (total + lanes - 1) / lanes;
    std::memset(lds_, 0, g_.lds_bytes);
    waves_.clear();
    for (uint32_t n = 0; n < count; n++) start(id, size, total, n, count);
    const bool good = finish_group(run_.c, g_.setup, group_, waves_);
    for (wave::Wave* w : waves_) counters_.add(*w);
    threads_ += total;
    return good;
  }

  // RDNA4 ISA 3.5.5 and tables 12 to 14: user SGPRs, then the group's size if that is asked for; the group's number in TTMP9 (x) and
  // TTMP7 (y 15:0, z 31:16), the wave's number in TTMP8[29:25]; v0 is the thread's place in the group, 10 bits a direction.
  void start(const uint32_t (&id)[3], const uint32_t (&size)[3], uint32_t total, uint32_t n, uint32_t count) {
    const uint32_t lanes = g_.setup.lanes(), first = n * lanes, live = std::min(lanes, total - first);
    wave::Wave& w = start_wave(run_.c, run_.environment, g_.setup, first_group_wave + n, lanes_mask(live));
    waves_.push_back(&w);
    w.lds = lds_, w.lds_bytes = g_.lds_bytes;
    w.group = &group_;
    w.index = n;
    wave::word_of(w, rdna4::lds_allocation_cell) = g_.lds_bytes;
    if (g_.size_sgpr) put_sgpr(w, g_.setup.user_sgprs, count & 0x3f);
    auto trap_register = [&](unsigned t) -> uint32_t& { return wave::word_of(w, rdna4::scalar_cell(rdna4::TTMP0 + t)); };
    if (g_.yz_identifiers) trap_register(7) = id[2] << 16 | (id[1] & 0xffff);
    trap_register(8) = uint32_t(g_.yz_identifiers) << 30 | n << 25;
    trap_register(9) = id[0];
    uint32_t* v0 = words_of(w, rdna4::vgpr_cell(0, g_.setup.wide()));
    if (g_.quads && size[0] % 2 == 0 && size[1] % 2 == 0) return put_quads(v0, size, first, live);
    uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
    for (uint32_t lane = 0; lane < live;) {
      const uint32_t row = std::min(live - lane, size[0] - x);
      for (uint32_t k = 0; k < row; k++) v0[lane + k] = z << 20 | y << 10 | (x + k);
      lane += row, x = 0;
      if (++y == size[1]) y = 0, z++;
    }
  }

  // Threads by squares of 2x2, which stand in rows.
  static void put_quads(uint32_t* v0, const uint32_t (&size)[3], uint32_t first, uint32_t count) {
    const uint32_t columns = size[0] / 2, layer = size[0] * size[1];
    for (uint32_t lane = 0; lane < count; lane++) {
      const uint32_t thread = first + lane, quad = thread % layer / 4;
      const uint32_t x = quad % columns * 2 + (thread & 1), y = quad / columns * 2 + (thread >> 1 & 1);
      v0[lane] = (thread / layer) << 20 | y << 10 | x;
    }
  }
};

// The groups of a stretch of numbers. False: the context is lost.
bool run_part(ShaderContext& c, const Grid& grid, QueueEnvironment& environment, uint64_t first, uint64_t count,
              DispatchState& state) {
  unsigned runners = c.workers && !c.options.deterministic ? c.workers->count() : 1;
  runners = unsigned(std::min<uint64_t>(runners, count));
  GroupRun run{c, grid, environment, first, SharedRange{count, runners}};
  if (runners > 1)
    c.workers->run_together(runners, [&](unsigned, unsigned) { Runner(run).run(); });
  else
    Runner(run).run();
  if (c.stop.load(std::memory_order_relaxed) && !c.lost()) c.lose_stopped();
  c.statistics += run.counters;
  state.invocations += run.threads;
  return !c.lost();
}

}  // namespace

bool dispatch(ShaderContext& c, DispatchState& state, const DispatchCall& call) {
  Grid grid;
  if (!read_grid(c, call, grid)) return !c.lost();
  auto along = [&](int axis) { return grid.end[axis] - grid.begin[axis]; };
  if (!c.within(c.budget.groups(along(0), along(1), along(2)))) return false;
  const uint64_t all = grid.groups();
  QueueEnvironment environment(c, true);
  for (uint64_t first = 0, here; first < all && !c.lost(); first += here) {
    here = call.room ? std::min(call.room(all - first), all - first) : all;
    if (!here || !run_part(c, grid, environment, first, here, state)) break;
  }
  return !c.lost();
}

}  // namespace Atoll::gfx12
