// An executor's compiled code: the code generator, entries and their tiers, and the thread that makes code in the background.
#include <pthread.h>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/start_thread.h"
#include "memory/fault.h"
#include "wave/executor.h"

namespace Atoll::wave {
namespace {

// A crash of the compiler's own is none of the GPU code's, and must not be left by a longjmp with its lock held.
struct OutsideOfGpuCode {
  FaultRecovery* recovery;
  explicit OutsideOfGpuCode(FaultRecovery* of_gpu_code) : recovery(of_gpu_code) {
    if (recovery) recovery->deactivate();
  }
  ~OutsideOfGpuCode() {
    if (recovery) recovery->activate();
  }
};

// False: it is not wanted any more before its turn has come.
bool take(std::unique_lock<std::timed_mutex>& lock, const std::function<bool()>& unwanted) {
  while (!lock.try_lock_for(std::chrono::milliseconds(5)))
    if (unwanted()) return false;
  return true;
}

uint64_t now() { return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }

}  // namespace

// Opens the code generator, which `auto` does for the first program that proves hot.
bool Executor::open_compiler() {
  auto compiler = host_compiler();
  std::lock_guard lock(mutex_);
  if (compiler)
    compiler_ = *compiler;
  else
    error_ = compiler.error().message;
  return bool(compiler);
}

// Nobody waits for LLVM: what is compiled is not wanted any more, and the thread is back in milliseconds.
Executor::~Executor() {
  ending_ = true;
  {
    std::lock_guard lock(mutex_);
    requests_.clear();
  }
  if (background_.joinable()) background_.join();
}

std::string Executor::error() const {
  std::lock_guard lock(mutex_);
  return error_;
}

void Executor::wait_for_compilation() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return !compiling_; });
}

// Code from `pc` on has been made since `start`, of this kind.
void Executor::count_compilation(uint64_t start, const char* kind, uint64_t pc) {
  const uint64_t took = now() - start;
  compile_nanoseconds_ += took;
  log(LogLevel::trace, "jit", "program at {:#x} of {} dwords, from {:#x}: {}, {:.1f} ms", program_.base(), program_.words(), pc,
      kind, double(took) * 1e-6);
}

// Under mutex_: nothing of the program is compiled any more, since it may have taken minutes until LLVM failed.
void Executor::give_up(const std::string& why) {
  given_up_ = true;
  if (error_.empty() && why != program_ends) log(LogLevel::error, "jit", "{}: interpreted from here on", why);
  error_ = why;
}

// (Once it has said so, it does not say otherwise: a stop flag is lowered again.)
std::function<bool()> Executor::unwanted(const std::atomic<int>* stop) const {
  return [this, stop, said = false]() mutable {
    return said = said || ending_.load(std::memory_order_relaxed) || (stop && stop->load(std::memory_order_relaxed));
  };
}

bool Executor::compile(Table& table, uint64_t pc, Tier tier, const std::atomic<int>* stop) {
  OutsideOfGpuCode outside(recovery_of_gpu_code());
  const std::function<bool()> given_up = unwanted(stop);
  std::unique_lock compiling(compile_mutex_, std::defer_lock);
  if (!take(compiling, given_up)) return false;
  return compile_locked(table, pc, tier, given_up, false);
}

// Code of the last tier that another process has made of the same program, before LLVM is opened or anything is interpreted: where the
// note on the program says that it has. Not while code is made, which takes longer.
bool Executor::find_code(Table& table, uint64_t pc) {
  if (!program_.contains(pc) || options_.exact) return false;
  auto& looked_for = table.looked_for[program_.index(pc)];
  if (looked_for.load(std::memory_order_relaxed)) return false;
  OutsideOfGpuCode outside(recovery_of_gpu_code());
  const std::unique_lock compiling(compile_mutex_, std::try_to_lock);
  if (!compiling || looked_for.exchange(true, std::memory_order_relaxed) || !note_.has_code(table.mode, pc)) return false;
  note_.give_hints();
  return compile_locked(table, pc, Tier::Full, unwanted(nullptr), true);
}

// Under compile_mutex_.
bool Executor::compile_locked(Table& table, uint64_t pc, Tier tier, const std::function<bool()>& given_up, bool found_only) {
  auto& slot = table.entries[program_.index(pc)];
  if (Entry* there = slot.load(std::memory_order_acquire); is_final(there, tier)) return true;
  if (given_up_ || (!compiler_ && !open_compiler())) return false;
  uint64_t start = now();
  auto set = std::make_shared<RegionSet>(cut_regions(program_, pc, like_, table.mode, kUnitInstructions));
  const bool noted = tier == Tier::Full && !found_only && !options_.exact;
  std::vector<ProgramNote::Hint> hints;
  if (noted) hints = note_.hints();
  // Regions that have their final code already are not compiled again.
  for (CodeRegion& region : set->regions) {
    Entry* there = table.entries[program_.index(region.pc)].load(std::memory_order_acquire);
    region.has_code = is_final(there, tier);
  }
  auto functions = compiler_.load()->compile(
      program_, set,
      {.tier = tier, .exact = options_.exact, .found_only = found_only, .direct = tier == Tier::Full, .unwanted = &given_up});
  const char* kind = tier == Tier::Quick ? "quick" : "full";
  count_compilation(start, !found_only ? kind : functions ? "found" : "not found", pc);
  if (noted && functions) note_.store_code(table.mode, pc, std::move(hints));
  std::lock_guard lock(mutex_);
  // (The next launch asks again; or `auto` does, once it is hot.)
  if (!functions && (functions.error().message == not_wanted || functions.error().message == not_found)) return false;
  if (!functions) {
    give_up(functions.error().message);
    return false;
  }
  code_.push_back(functions->code);
  for (size_t n = 0; n < set->regions.size(); n++) {
    const CodeRegion& region = set->regions[n];
    if (region.pc == start_.load(std::memory_order_relaxed) && region.live && !start_reads_.load(std::memory_order_relaxed)) {
      std::set<uint64_t> reads = *region.live;
      // (what reads inactive lanes too reads those that no write before it has touched)
      for (const CodeRegion& any : set->regions)
        for (const Node& x : any.nodes)
          if (x.op == Op::ReadWhole || x.op == Op::ReadLane) reads.insert(x.imm);
      start_reads_found_.assign(reads.begin(), reads.end());
      start_reads_.store(&start_reads_found_, std::memory_order_release);
      find_scalars_written(*set);
    }
    if (region.has_code) continue;
    auto entry = std::make_unique<Entry>();
    entry->set = set;
    entry->region = n;
    entry->quick = tier == Tier::Quick;
    entry->mxcsr = mxcsr_for(table.mode, region.float_class == FloatClass::None ? FloatClass::F32 : region.float_class);
    if (region.kind == RegionKind::Called) entry->called = region.steps[0], entry->form = met_form(*entry->called);
    entry->function.store(functions->functions[n], std::memory_order_relaxed);
    if (options_.exact) entry->exact.store(functions->functions[n], std::memory_order_relaxed);
    if (region.kind == RegionKind::Compiled) instructions_compiled_ += region.steps.size();  // (by itself or in a passage)
    auto& home = table.entries[program_.index(region.pc)];
    if (Entry* old = home.load(); old && !old->outdated && !(old->quick && tier == Tier::Full) && region.pc != pc) continue;
    home.store(entry.get(), std::memory_order_release);
    // A jump's target runs in the mode that is set at the jump: f32's.
    if (tier == Tier::Full && entry->mxcsr == mxcsr_for(table.mode, FloatClass::F32) && functions->functions[n])
      std::atomic_ref(table.direct[program_.index(region.pc)]).store(functions->functions[n], std::memory_order_release);
    entries_.push_back(std::move(entry));
  }
  return slot.load() != nullptr;
}

// Code for the forms that the first entry's region has met last, as one more of its others. It stays where it is: what it leads to
// it reaches through the executor.
bool Executor::compile_other(Table& table, Entry& first) {
  OutsideOfGpuCode outside(recovery_of_gpu_code());
  const std::function<bool()> given_up = unwanted(nullptr);
  std::unique_lock compiling(compile_mutex_, std::defer_lock);
  if (!take(compiling, given_up)) return false;
  uint64_t start = now();
  const uint64_t pc = first.set->regions[first.region].pc;
  auto set = std::make_shared<RegionSet>(cut_regions(program_, pc, like_, table.mode, kUnitInstructions));
  size_t n = 0;
  while (n < set->regions.size() && set->regions[n].pc != pc) n++;
  // An exact version may take over from any of them in the middle of the region: all have the same steps.
  const CodeRegion& like = first.set->regions[first.region];
  if (n == set->regions.size() || set->regions[n].kind != like.kind || set->regions[n].float_class != like.float_class ||
      set->regions[n].steps != like.steps || set->regions[n].tail != like.tail)
    return false;
  auto functions = compiler_.load()->compile(
      program_, set, {.tier = Tier::Full, .exact = options_.exact, .loops = false, .only = int(n), .unwanted = &given_up});
  count_compilation(start, "for other textures", pc);
  std::lock_guard lock(mutex_);
  if (!functions || !functions->functions[n]) return false;
  code_.push_back(functions->code);
  const CodeRegion& region = set->regions[n];
  auto entry = std::make_unique<Entry>();
  entry->set = set;
  entry->region = n;
  entry->mxcsr = first.mxcsr;
  entry->loops = false;
  entry->function.store(functions->functions[n], std::memory_order_relaxed);
  if (options_.exact) entry->exact.store(functions->functions[n], std::memory_order_relaxed);
  instructions_compiled_ += region.steps.size();
  Entry* last = &first;
  while (Entry* other = last->other.load(std::memory_order_acquire)) last = other;
  last->other.store(entry.get(), std::memory_order_release);
  entries_.push_back(std::move(entry));
  first.unfit_exits.store(0, std::memory_order_relaxed);
  return true;
}

// Known where all that is reached is compiled.
void Executor::find_scalars_written(const RegionSet& set) {
  std::set<uint32_t> cells;
  std::set<uint64_t> places;
  for (const CodeRegion& r : set.regions) places.insert(r.pc);
  for (const CodeRegion& r : set.regions) {
    if (r.kind == RegionKind::Called || !r.tail.empty()) return;
    const Step& last = *r.steps.back();
    if (last.flow == Flow::Indirect) return;
    const bool goes_on = last.flow != Flow::Branch && last.flow != Flow::End;
    const bool jumps = last.flow == Flow::Branch || last.flow == Flow::Conditional;
    if ((goes_on && !places.count(r.next_pc)) || (jumps && !places.count(last.target))) return;
    for (const Node& x : r.nodes) {
      if (x.op == Op::WriteScalar || x.op == Op::WriteMask) cells.insert(uint32_t(x.imm));
      if (x.op == Op::WriteMask && like_.lanes > 32) cells.insert(uint32_t(x.imm) + 4);
      if (x.op == Op::WriteRegion) return;
    }
  }
  scalars_written_found_.assign(cells.begin(), cells.end());
  scalars_written_.store(&scalars_written_found_, std::memory_order_release);
}

// An entry's region and nothing else.
Expected<CompiledRegions> Executor::compile_region(const Entry& entry, bool exact, const std::function<bool()>& given_up) {
  const uint64_t start = now();
  auto functions = compiler_.load()->compile(program_, entry.set,
                                             {.tier = entry.quick ? Tier::Quick : Tier::Full,
                                              .exact = exact,
                                              .loops = !entry.quick && entry.loops,
                                              .only = int(entry.region),
                                              .direct = !entry.quick,
                                              .unwanted = &given_up});
  const CodeRegion& region = entry.set->regions[entry.region];
  count_compilation(start, exact ? "exact" : "alone", region.pc);
  if (!functions) return functions;
  {
    std::lock_guard lock(mutex_);
    code_.push_back(functions->code);
  }
  instructions_compiled_ += region.steps.size();
  return functions;
}

CodeFunction Executor::compile_exact(Entry& entry, const std::atomic<int>* stop) {
  OutsideOfGpuCode outside(recovery_of_gpu_code());
  const std::function<bool()> given_up = unwanted(stop);
  std::unique_lock compiling(compile_mutex_, std::defer_lock);
  if (!take(compiling, given_up)) return nullptr;
  if (CodeFunction made = entry.exact.load(std::memory_order_acquire)) return made;
  auto functions = compile_region(entry, true, given_up);
  if (!functions) {
    if (functions.error().message == not_wanted || functions.error().message == program_ends) return nullptr;
    std::lock_guard lock(mutex_);
    error_ = functions.error().message;
    return nullptr;
  }
  entry.exact.store(functions->functions[entry.region], std::memory_order_release);
  return functions->functions[entry.region];
}

// False: there is none, and none to be had now.
bool Executor::compile_alone(Table& table, Entry& entry, const std::atomic<int>* stop) {
  OutsideOfGpuCode outside(recovery_of_gpu_code());
  const std::function<bool()> given_up = unwanted(stop);
  std::unique_lock compiling(compile_mutex_, std::defer_lock);
  if (!take(compiling, given_up)) return false;
  if (entry.function.load(std::memory_order_acquire)) return true;
  if (given_up_) return false;
  auto functions = compile_region(entry, false, given_up);
  if (!functions) {
    if (functions.error().message == not_wanted) return false;
    std::lock_guard lock(mutex_);
    give_up(functions.error().message);
    return false;
  }
  const CodeFunction made = functions->functions[entry.region];
  CodeFunction none = nullptr;  // (its exact version may have come before)
  if (!entry.function.compare_exchange_strong(none, made)) return true;
  auto& direct = table.direct[program_.index(entry.set->regions[entry.region].pc)];
  if (entry.mxcsr == mxcsr_for(table.mode, FloatClass::F32)) std::atomic_ref(direct).store(made, std::memory_order_release);
  return true;
}

void Executor::request_full(Table& table, uint64_t pc) {
  if (!program_.contains(pc)) return;
  auto& requested = table.requested[program_.index(pc)];
  if (requested.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex_);
  if (requested.load(std::memory_order_relaxed)) return;
  if (add_request({&table, pc})) requested.store(true, std::memory_order_relaxed);
}

void Executor::request_again(Table& table, Entry& entry, Wanted what) {
  std::lock_guard lock(mutex_);
  add_request({&table, entry.set->regions[entry.region].pc, what, &entry});
}

// Under mutex_. False: there is nobody who would take it.
bool Executor::add_request(const Request& request) {
  requests_.push_back(request);
  // Most shaders of a graphics program never prove hot: a thread only for those that do, and only while they are compiled.
  if (compiling_) return true;
  if (background_.joinable()) background_.join();
  auto started = start_thread([this] { background(); });
  if (!started) {  // none to be had: as it is, then, until it is asked for again
    requests_.pop_back();
    return false;
  }
  background_ = std::move(*started);
  compiling_ = true;
  return true;
}

void Executor::background() {
  ::pthread_setname_np(::pthread_self(), "atoll-compile");  // for profilers and debuggers, which else show the queue's name
  std::unique_lock lock(mutex_);
  while (!ending_ && !requests_.empty()) {
    Request request = requests_.front();
    requests_.pop_front();
    lock.unlock();
    try {
      if (compiler_ || open_compiler()) switch (request.what) {
          case Wanted::Alone: compile_alone(*request.table, *request.entry); break;
          case Wanted::Exact: compile_exact(*request.entry, nullptr); break;
          case Wanted::Beside:
            if (compile_other(*request.table, *request.entry)) break;
            request.entry->outdated.store(true, std::memory_order_relaxed);
            [[fallthrough]];
          case Wanted::Full: compile(*request.table, request.pc, Tier::Full); break;
        }
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the code stays as it is, then
    }
    lock.lock();
  }
  compiling_ = false;
  idle_.notify_all();
}

}  // namespace Atoll::wave
