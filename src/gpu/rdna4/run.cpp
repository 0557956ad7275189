#include "gpu/rdna4/run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/shared_range.h"
#include "base/worker_pool.h"
#include "gpu/amd/images.h"
#include "gpu/rdna4/image_descriptors.h"
#include "gpu/rdna4/initial_state.h"
#include "gpu/rdna4/trap_handler.h"
#include "isa/rdna4/isa.h"
#include "isa/rdna4/registers.h"
#include "isa/rdna4/watched.h"
#include "wave/environment.h"
#include "wave/executor.h"
#include "wave/storage.h"
#include "wave/work_group.h"

namespace Atoll::rdna4 {
namespace {

using hsa::Engine;
using hsa::RunOptions;
using hsa::RunResult;
using hsa::stop_fault;
using wave::Stop;
using wave::Wave;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Compute waves' view of the GPU around them.
class ComputeEnvironment : public wave::Environment {
public:
  explicit ComputeEnvironment(AddressSpace& space) : space_(space), images_(space, reports_, image_descriptors()) {}
  bool mapped(uint64_t address, uint64_t bytes, bool writable) const override {
    return space_.contains(space_.meant_address(address), bytes, writable);
  }
  uint64_t clock() override {  // 100 MHz, as RTN_GET_REALTIME counts
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() / 10);
  }
  uint64_t message(Wave&, uint32_t, uint32_t) override { return 0; }
  // There is no table of border colours: samplers that name one of its entries are reported.
  void image(Wave&, wave::ImageAccess& access) override { images_.access(access, ~uint64_t(0xfff)); }
  const wave::SampledTexture* sampled_texture(const uint32_t* resource, const uint32_t* sampler, uint32_t slot,
                                              wave::TextureUse use) override {
    return images_.sampled(resource, sampler, slot, use);
  }
  const wave::TextureSlots& texture_slots() const { return images_.texture_slots(); }
  std::vector<gpu::Statistics::Unknown> unknowns() const { return reports_.unknowns(); }
  wave::TrapAnswer trap(Wave&) override { return traps_.handler ? wave::TrapAnswer::Enter : wave::TrapAnswer::Fault; }
  wave::TrapBase trap_base(Wave&) override { return traps_; }
  void set_traps(const wave::TrapBase& traps) { traps_ = traps; }

private:
  AddressSpace& space_;
  gpu::Reports reports_{false};
  gpu::amd::Images images_;
  wave::TrapBase traps_;
};

// One launch in progress, shared by its threads.
struct Launch {
  const Dispatch& dispatch;
  AddressSpace& space;
  wave::Executor& executor;
  ComputeEnvironment& environment;
  std::atomic<int>& stop;
  SharedRange groups;
  TrapHandler* trap_handler = nullptr;
  std::mutex mutex{};  // result, error
  RunResult result{};
  std::string error{};  // why a thread could not run
};

// A thread's storage for running work-groups, reused from group to group.
class GroupRunner {
public:
  explicit GroupRunner(Launch& launch) : launch_(launch), dispatch_(launch.dispatch), setup_(wave_setup(launch.dispatch)) {
    wide_ = dispatch_.wave_size == 64;
    wave_bytes_ = wave::register_file_offset + register_file_bytes(wide_);
    wave_bytes_ = (wave_bytes_ + 127) / 128 * 128;
    uint32_t items = dispatch_.group[0] * dispatch_.group[1] * dispatch_.group[2];
    max_waves_ = (items + dispatch_.wave_size - 1) / dispatch_.wave_size;
    waves_ = wave::allocate_storage(wave_bytes_ * max_waves_);
    lds_ = wave::allocate_storage(dispatch_.lds_bytes + 64);
    scratch_bytes_ = size_t(dispatch_.scratch_bytes) * dispatch_.wave_size;
    scratch_ = wave::allocate_storage(scratch_bytes_ * max_waves_);
    for (uint32_t n = 0; n < max_waves_; n++) new (waves_.get() + wave_bytes_ * n) Wave;
  }

  // Runs work-groups until none is left or the launch stops.
  void run() {
    SharedRange::Stretch own;
    while (!launch_.stop.load(std::memory_order_relaxed)) {
      uint64_t g;
      if (!launch_.groups.take(own, g)) break;
      std::array<uint32_t, 3> id{uint32_t(g % dispatch_.groups[0]), uint32_t(g / dispatch_.groups[0] % dispatch_.groups[1]),
                                 uint32_t(g / dispatch_.groups[0] / dispatch_.groups[1])};
      if (!run_group(id)) break;
    }
    std::lock_guard lock(launch_.mutex);
    launch_.result.waves += ended_;
    launch_.result.compiled += compiled_, launch_.result.called += called_, launch_.result.interpreted += interpreted_;
  }

private:
  Launch& launch_;
  const Dispatch& dispatch_;
  const WaveSetup setup_;
  bool wide_;
  size_t wave_bytes_, scratch_bytes_;
  uint32_t max_waves_;
  wave::StorageBytes waves_, lds_, scratch_;
  wave::WorkGroup group_;
  uint64_t ended_ = 0, compiled_ = 0, called_ = 0, interpreted_ = 0;

  Wave& wave_at(uint32_t n) { return *reinterpret_cast<Wave*>(waves_.get() + wave_bytes_ * n); }

  // Registers that the hardware leaves undefined are zero, so that the same launch gives the same bits.
  void start(Wave& w, const std::array<uint32_t, 3>& id, uint32_t n) {
    WaveStart from = initial_state(dispatch_, setup_, id, n);
    uint32_t vgprs = std::clamp<uint32_t>(setup_.vgprs, 1, kVgprCount);
    new (&w) Wave;
    std::memset(wave::bytes_of(w, wave::register_file_offset), 0, vgpr_cell(vgprs, wide_) - wave::register_file_offset);
    w.window = launch_.space.base();
    w.window_bytes = launch_.space.window_bytes();
    w.lds = lds_.get(), w.lds_bytes = dispatch_.lds_bytes;
    w.scratch = scratch_.get() + scratch_bytes_ * n, w.scratch_bytes = dispatch_.scratch_bytes;
    std::memset(w.scratch, 0, scratch_bytes_);
    w.stop_flag = &launch_.stop;
    w.environment = &launch_.environment;
    w.textures = &launch_.environment.texture_slots();
    w.group = &group_;
    w.lanes = dispatch_.wave_size;
    w.index = n;
    w.pc = from.pc;
    w.flat_shared_high = target().shared_aperture_high, w.flat_private_high = target().private_aperture_high;
    for (uint32_t s = 0; s < from.sgpr_count; s++) wave::word_of(w, scalar_cell(s)) = from.sgprs[s];
    for (uint32_t t = 0; t < from.ttmps.size(); t++) wave::word_of(w, scalar_cell(TTMP0 + t)) = from.ttmps[t];
    wave::word_of(w, scalar_cell(EXEC_LO)) = uint32_t(from.exec);
    wave::word_of(w, scalar_cell(EXEC_HI)) = uint32_t(from.exec >> 32);
    wave::word_of(w, mode_cell) = from.mode;
    wave::word_of(w, vgpr_count_cell) = vgprs;
    wave::word_of(w, lds_allocation_cell) = dispatch_.lds_bytes;
    std::memcpy(wave::bytes_of(w, vgpr_cell(0, wide_)), from.vgpr0.data(), dispatch_.wave_size * 4);
  }

  // False: the launch is over.
  bool run_group(const std::array<uint32_t, 3>& id) {
    GroupShape shape = group_shape(dispatch_, id);
    std::memset(lds_.get(), 0, dispatch_.lds_bytes);
    group_.grid = &launch_.groups;
    turns_.clear();
    for (uint32_t n = 0; n < shape.waves; n++) {
      start(wave_at(n), id, n);
      turns_.push_back(&wave_at(n));
    }
    wave::Executor::GroupEnd end = launch_.executor.run_group(group_, turns_);
    while (launch_.trap_handler && go_on_after_trap(end)) end = launch_.executor.resume_group(group_, turns_);
    for (Wave* w : turns_) compiled_ += w->compiled, called_ += w->called, interpreted_ += w->interpreted;
    if (end.stop == Stop::End) {
      ended_ += shape.waves;
      return true;
    }
    Wave& w = *turns_[end.wave];
    w.stop = end.stop;
    if (end.stop != Stop::Interrupted) report(w, id);
    return false;
  }
  std::vector<Wave*> turns_;

  // True if the group goes on in its own program after its waves were in the trap handler. `end`: how it stopped, and how it ends
  // if not.
  bool go_on_after_trap(wave::Executor::GroupEnd& end) {
    if (launch_.stop.load(std::memory_order_relaxed)) return end.stop = Stop::Interrupted, false;
    if (end.stop == Stop::Fault) {
      Wave& w = *turns_[end.wave];
      w.stop = end.stop;
      if (!launch_.trap_handler->enter_by_exception(w)) return false;
    } else if (end.stop != Stop::Elsewhere && end.stop != Stop::Barrier) {
      return false;
    }
    wave::Executor::GroupEnd there = launch_.trap_handler->run(group_, turns_);
    if (there.stop == Stop::End) return true;
    // A wave on its way there waits at a barrier first, for the others.
    if (there.stop == Stop::Barrier && end.stop == Stop::Elsewhere) return true;
    if (there.stop != Stop::Barrier) end = there;
    return false;
  }

  void report(Wave& w, const std::array<uint32_t, 3>& id) {
    std::lock_guard lock(launch_.mutex);
    int none = 0;
    launch_.stop.compare_exchange_strong(none, stop_fault);
    if (launch_.result.fault) return;
    launch_.result.fault = gpu::fault_of(w, dispatch_.entry);
    launch_.result.fault->group = id;
    launch_.result.fault->address = launch_.space.meant_address(launch_.result.fault->address);
  }
};

// A thread's share. Storage for waves is asked of the machine, which may have no more.
void run_groups(Launch& launch) {
  try {
    GroupRunner(launch).run();
  } catch (const std::bad_alloc&) {
    std::lock_guard lock(launch.mutex);
    launch.error = "this machine has no memory left for its waves";
  }
}

}  // namespace

Expected<RunResult> run(const Dispatch& dispatch, AddressSpace& space, const RunOptions& options) {
  if (!space.contains(dispatch.code_start, dispatch.code_bytes))
    return fail("{}: not all of its code is in memory, {} bytes at {:#x}", dispatch.kernel, dispatch.code_bytes,
                dispatch.code_start);
  // A copy: what is decoded while waves run must neither change nor go.
  auto* first_word = reinterpret_cast<const uint32_t*>(space.host(dispatch.code_start));
  const std::vector<uint32_t> code(first_word, first_word + dispatch.code_bytes / 4);
  const bool watched = options.trap_handler.address || reads_exceptions(code);
  wave::Program program(
      isa(dispatch.wave_size, {.vgprs = wave_setup(dispatch).vgprs}, watched ? Exceptions::watched : Exceptions::unseen),
      dispatch.code_start, code);
  // Any wave of the launch, for what is the same in all of them.
  Wave like;
  like.lanes = dispatch.wave_size;
  like.window = space.base(), like.window_bytes = space.window_bytes();
  like.inspected = false;
  like.flat_shared_high = target().shared_aperture_high, like.flat_private_high = target().private_aperture_high;
  wave::Executor executor(program, options.engine, like, {.findings = options.findings});
  if (options.engine == Engine::Jit && !executor.error().empty()) return fail("{}", executor.error());

  ComputeEnvironment environment(space);
  std::unique_ptr<TrapHandler> trap_handler;
  if (options.trap_handler.address) {
    auto made = TrapHandler::make(options.trap_handler, space, program.isa(), options.engine, like);
    if (!made) return std::unexpected(made.error());
    trap_handler = std::move(*made);
    environment.set_traps(trap_handler->base());
  }
  unsigned threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  uint64_t groups = uint64_t(dispatch.groups[0]) * dispatch.groups[1] * dispatch.groups[2];
  if (options.deterministic) threads = 1;
  threads = unsigned(std::min<uint64_t>(threads, std::max<uint64_t>(groups, 1)));
  std::atomic<int> own_stop{0};
  std::atomic<int>& stop = options.stop ? *options.stop : own_stop;

  RunResult result;
  std::string error;
  std::vector<double> times;
  auto run_rounds = [&] {
    WorkerPool pool(threads);
    for (unsigned round = 0; round < std::max(1u, options.repeat); round++) {
      if (round) executor.wait_for_compilation();
      Launch launch{dispatch, space, executor, environment, stop, {groups, threads}, trap_handler.get()};
      double start = seconds();
      pool.run_together(threads, [&](unsigned, unsigned) { run_groups(launch); });
      times.push_back(seconds() - start);
      result = std::move(launch.result), error = std::move(launch.error);
      if (result.fault || stop.load() || !error.empty()) break;
    }
  };
  // GPU code runs on Atoll's own threads only (fault handling, signal mask, MXCSR).
  std::thread(run_rounds).join();
  if (!error.empty()) return fail("{}: {}", dispatch.kernel, error);
  if (options.engine == Engine::Jit && !executor.error().empty() && !result.fault) return fail("{}", executor.error());
  // The first of several rounds includes the compilations: the median of the others counts.
  if (times.size() > 1) times.erase(times.begin());
  std::sort(times.begin(), times.end());
  result.run_seconds = times[times.size() / 2];
  result.compile_seconds = executor.compile_seconds();
  result.instructions_compiled = executor.instructions_compiled();
  result.instructions = result.compiled + result.called + result.interpreted;
  result.threads = threads;
  result.engine = wave::name_of(options.engine);
  result.stopped = !result.fault && stop.load() != 0;
  for (const auto& unknown : environment.unknowns()) result.unknown.push_back(unknown.what);
  return result;
}

}  // namespace Atoll::rdna4
