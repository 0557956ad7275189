#include "wave/executor.h"

#include <xmmintrin.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/shared_range.h"
#include "memory/fault.h"
#include "wave/interpreter/level.h"
#include "wave/probe.h"

namespace Atoll::wave {
namespace {

constexpr uint32_t kQuickRuns = 8;  // runs of a quick region before the full tier is asked for
// After kNanExits more exits for NaNs at less than this interval (in nanoseconds) the exact version replaces the fast one. An exit
// costs about a tenth of it.
constexpr uint64_t kNanExitEvery = 30000;
constexpr uint32_t kNanExits = 16;
// `auto` interprets what is entered so rarely, and makes code then: it costs LLVM as much as some thousand of these runs.
constexpr uint32_t kAloneRuns = 64, kExactRuns = 64;
constexpr uint32_t kUnfitExits = 16;  // then code is made for what was met, or that calls what it had taken for granted
constexpr unsigned max_others = 5;    // forms of textures that a region has code for, beside the first

thread_local FaultRecovery* recovery_point = nullptr;

// One for each thread: making it installs handlers and an alternate stack, which costs more than a short wave.
FaultRecovery& recovery_of_thread() {
  static thread_local FaultRecovery recovery;
  return recovery;
}

// As Wave::code_table has it.
void* code_table_of(CodeTable& table) { return &table; }

}  // namespace

FaultRecovery* Executor::recovery_of_gpu_code() { return recovery_point; }

void leave_by_fault(Wave&) {
  ATOLL_ASSERT(recovery_point);
  recovery_point->deactivate();
  siglongjmp(recovery_point->environment, 2);
}

Executor::Executor(const Program& program, EngineChoice engine, const Wave& like, ExecutorOptions options)
    : program_(program),
      engine_(options.findings ? EngineChoice::Interpreter : engine),
      options_(std::move(options)),
      like_(like),
      level_(level_entries()),
      note_(program, like),
      findings_(program.isa().wait_rule() ? options_.findings : nullptr) {
  if (engine_ != EngineChoice::Interpreter) expect_compiler();
  if (engine_ == EngineChoice::Jit) open_compiler();
}

// --- running -------------------------------------------------------------------------------------------------------------------
void Executor::run(Wave& wave) {
  WorkGroup alone;
  reset(alone, 1);
  WorkGroup* group = wave.group;
  if (!group) wave.group = &alone;
  Wave* only = &wave;
  wave.stop = Stop::Run;
  wave.next = nullptr;
  wave.group->current = &wave;
  if (findings_) begin_watching(wave);
  uint32_t mxcsr = 0;
  guard([&] { run_inside(wave, mxcsr); }, *wave.group, std::span<Wave* const>(&only, 1));
  wave.group = group;
}

void Executor::run_series(Wave& wave, bool (*next)(void* data), void* data) {
  WorkGroup alone;
  reset(alone, 1);
  Wave* only = &wave;
  WorkGroup* group = wave.group;
  if (group) alone.grid = group->grid;
  wave.group = &alone;
  wave.next = nullptr;
  alone.current = &wave;
  uint32_t mxcsr = 0;
  volatile uint64_t waves = 0;  // (a fault leaves by longjmp)
  constexpr uint32_t no_denormals = 0x8040;
  const uint32_t control = _mm_getcsr();
  void* table = nullptr;  // where code for all of them begins
  auto body = [&] {
    for (;;) {
      if (!wave.code_table) wave.code_table = table;
      waves = waves + 1;
      wave.stop = Stop::Run;
      if (findings_) begin_watching(wave);
      run_inside(wave, mxcsr);
      if (wave.stop != Stop::End) return;
      // The mode that most waves run in is not restored: setting the register twice would cost a tenth of a short wave.
      if (mxcsr != control && mxcsr != (control | no_denormals)) _mm_setcsr(control), mxcsr = 0;
      if (!next(data)) return;
      if (!wave.code_table && !table) table = code_table_of(table_for(program_.isa().float_mode(wave)));
    }
  };
  guard(body, alone, std::span<Wave* const>(&only, 1));
  if (series_waves() < most_series_waves) series_waves_.fetch_add(waves, std::memory_order_relaxed);
  wave.group = group;
}

Executor::GroupEnd Executor::run_group(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields) {
  reset(group, uint32_t(waves.size()));
  if (findings_)
    for (const Wave* wave : waves) begin_watching(*wave);
  return run_group_guarded(group, waves, max_yields, true);
}

Executor::GroupEnd Executor::resume_group(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields) {
  return run_group_guarded(group, waves, max_yields, false);
}

Executor::GroupEnd Executor::run_group_guarded(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields, bool begin) {
  for (size_t n = 0; n < waves.size(); n++) {
    ATOLL_ASSERT(waves[n]->index == n);
    waves[n]->next = waves[n + 1 < waves.size() ? n + 1 : 0];
  }
  group.waves = waves;
  group.current = waves[0];
  GroupEnd end;
  auto body = [&] {
    if (begin) begin_turns(waves);
    end = take_turns(group, waves, max_yields);
  };
  if (!guard(body, group, waves)) end = {group.current->stop, group.current->index};
  return end;
}

// Compiled code hands over to waves that have not begun as it does to those at barriers.
void Executor::begin_turns(std::span<Wave* const> waves) {
  Table* table = nullptr;  // of the wave before
  const uint32_t cell = program_.register_file().mode_cell;
  for (size_t n = 0; n < waves.size(); n++) {
    Wave& wave = *waves[n];
    wave.waits_at_barrier = true, wave.waits_for = WaitsFor::Turn;
    wave.resume = nullptr;
    if (engine_ == EngineChoice::Interpreter || !program_.contains(wave.pc)) continue;
    if (!table || !cell || word_of(wave, cell) != word_of(*waves[n - 1], cell))
      table = &table_for(program_.isa().float_mode(wave));
    wave.code_table = code_table_of(*table);
    wave.resume =
        reinterpret_cast<void*>(std::atomic_ref(table->direct[program_.index(wave.pc)]).load(std::memory_order_acquire));
  }
}

// Runs `body` where faults of GPU code are caught; false when one was, which is then that of the group's current wave.
template <class Body>
bool Executor::guard(Body body, WorkGroup& group, std::span<Wave* const> waves) {
  for (Wave* wave : waves) wave->program = &program_, wave->step = nullptr, wave->code_table = nullptr;
  FaultRecovery& recovery = recovery_of_thread();
  FaultRecovery* outer = recovery_point;
  uint32_t control = _mm_getcsr();
  int jumped = sigsetjmp(recovery.environment, 0);
  if (jumped == 0) {
    recovery_point = &recovery;
    recovery.activate();
    try {
      body();
    } catch (...) {  // no memory, say, for what an instruction calls
      recovery.deactivate();
      recovery_point = outer;
      _mm_setcsr(control);
      throw;
    }
    recovery.deactivate();
  }
  recovery_point = outer;
  if (jumped) {
    Wave& wave = *group.current;
    const HostFault& f = recovery.last_fault();
    FaultReport met = wave.fault;  // by compiled code's slow way to memory; its chunk's, not the first of all lanes
    resolve_fault(wave, f.address, f.address_known, f.access == HostAccess::Write);
    if (jumped == 2 && wave.fault.lane < 0) wave.fault = met;
  }
  if (Wave& wave = *group.current; wave.stop == Stop::Fault) wave.pc = wave.fault.pc;
  _mm_setcsr(control);
  return jumped == 0;
}

Executor::GroupEnd Executor::take_turns(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields) {
  uint32_t mxcsr = 0, yields = 0;
  ATOLL_ASSERT(waves.size() <= 1024);
  while (group.ended < group.members) {
    bool progress = false, only_yields = true;
    Wave *waiting = nullptr, *yielding = nullptr;
    for (size_t n = 0; n < waves.size(); n++) {
      Wave& wave = *waves[n];
      if (is_over(group, n) || wave.privileged != like_.privileged) continue;  // (elsewhere: in a trap handler)
      if (wave.waits_at_barrier && !may_resume(group, wave)) continue;
      // The compiler must have this in memory before GPU code runs: a fault leaves by longjmp.
      *const_cast<Wave* volatile*>(&group.current) = &wave;
      wave.stop = Stop::Run;
      run_inside(wave, mxcsr);
      Wave& last = *group.current;  // compiled waves hand over to each other at barriers, in the order of turns
      n = last.index;
      progress |= &last != &wave || last.stop != Stop::Wait;
      only_yields &= &last == &wave && (last.stop == Stop::Yield || last.stop == Stop::Wait);
      if (last.stop == Stop::End)
        leave(group, last.index);
      else if (last.stop == Stop::Fault || last.stop == Stop::Interrupted || last.stop == Stop::Elsewhere)
        return {last.stop, last.index};
      else if (last.stop == Stop::Wait)
        waiting = &last;
      else if (last.stop == Stop::Yield)
        yielding = &last;
    }
    if (!progress && waiting) return {Stop::Wait, waiting->index};
    yields = yielding && only_yields ? yields + 1 : 0;
    if (max_yields && yields >= max_yields) return {Stop::Yield, yielding->index};
    if (!progress)
      for (size_t n = 0; n < waves.size(); n++)
        if (!is_over(group, n)) return {Stop::Barrier, n};
    bool left = group.ended < group.members;
    if (left && waves[0]->stop_flag->load(std::memory_order_relaxed)) return {Stop::Interrupted, 0};
  }
  return {};
}

// Finds the step and lane that faulted: the interpreter knows its step and probes the lanes; compiled code is replayed on the lanes it had not committed,
// by the interpreter, from the start of the region, where the state is exact.
void Executor::resolve_fault(Wave& wave, uintptr_t host_address, bool known, bool write) {
  const LevelEntries& level = level_;
  const Step* step = wave.step;
  uint32_t first_lane = 0;
  constexpr uint64_t most_replayed = 1 << 24;  // instructions: a loop may have gone round for a second
  // Both ways go over the same ground again, and what touches memory besides loads and stores (an image) faults once more.
  auto once_more = [](auto body) {
    FaultRecovery again;
    FaultRecovery* outer = recovery_point;
    bool faulted = sigsetjmp(again.environment, 0) != 0;
    if (!faulted) {
      recovery_point = &again;
      again.activate();
      body();
      again.deactivate();
    }
    recovery_point = outer;
    return faulted;
  };
  if (!step) {
    first_lane = wave.chunk;
    wave.stop = Stop::Run;
    bool faulted = once_more([&] { level.replay(wave, program_, most_replayed, first_lane); });
    step = wave.step;
    // If memory faulted again, an earlier check's fault need not be the lowest lane's.
    if (!faulted && wave.stop == Stop::Fault && wave.fault.kind != FaultKind::None) return;
  }
  wave.stop = Stop::Run;
  if (step) {
    once_more([&] { level.probe(wave, program_, *step, first_lane); });
    wave.step = nullptr;
    if (wave.stop == Stop::Fault) return;
  }
  // Mapped, but not so: a store to read-only memory, or state that changed since.
  wave.stop = Stop::Fault;
  wave.fault = {write ? FaultKind::Store : FaultKind::Load,
                known ? uint64_t(host_address - uintptr_t(wave.window)) : 0,
                0,
                step ? step->pc : wave.pc,
                -1,
                known ? nullptr : "an address beyond 48 bits"};
}

// A wave begins in these registers.
void Executor::begin_watching(const Wave& wave) {
  auto rule = program_.isa().wait_rule();
  std::lock_guard lock(watched_mutex_);
  watched_[&wave].rule = std::move(rule);
}

Executor::Watched& Executor::watched(const Wave& wave) {
  std::lock_guard lock(watched_mutex_);
  return watched_[&wave];
}

void Executor::run_watched(Wave& wave) {
  Watched& w = watched(wave);
  while (wave.stop == Stop::Run) {
    const Step& step = program_.decoded(*program_.at(wave.pc));
    w.found.clear();
    if (step.instruction) w.rule->before(wave, step, w.found);
    for (const EarlyUse& use : w.found) findings_->add(program_, wave, step, use);
    level_.run(wave, program_, 1, false);
  }
}

void Executor::run_inside(Wave& wave, uint32_t& mxcsr) {
  if (findings_) {
    run_watched(wave);
    mxcsr = 0;
    return;
  }
  if (engine_ == EngineChoice::Auto || (engine_ == EngineChoice::Jit && compiler_)) return run_compiled(wave, mxcsr);
  level_.run(wave, program_, ~uint64_t(0), false);
  mxcsr = 0;
}

// `mxcsr` is what the host's register holds, 0 when that is not known. Runs `first`, and the waves that compiled code hands over
// to, until one of them stops with nobody to hand over to: the group's current wave.
void Executor::run_compiled(Wave& first, uint32_t& mxcsr) {
  std::reference_wrapper<Wave> running = first;
  if (!first.code_table) first.code_table = code_table_of(table_for(program_.isa().float_mode(first)));
  Table* table = static_cast<Table*>(static_cast<CodeTable*>(first.code_table));
  while (running.get().stop == Stop::Run) {
    Wave& wave = running;
    if (wave.stop_flag->load(std::memory_order_relaxed)) [[unlikely]] {
      wave.stop = Stop::Interrupted;
      return;
    }
    Entry* entry = program_.contains(wave.pc) ? table->entries[program_.index(wave.pc)].load(std::memory_order_acquire) : nullptr;
    if (!entry) [[unlikely]] {
      table = run_uncompiled(wave, *table);
      mxcsr = 0;
      continue;
    }
    if (Entry* front = entry->front.load(std::memory_order_relaxed)) entry = front;
    if (entry->mxcsr != mxcsr) _mm_setcsr(mxcsr = entry->mxcsr);
    if (entry->called) {
      // A sample that had met no texture when code was made.
      if (entry->form == no_form && met_form(*entry->called) != no_form && met_form(*entry->called) != many_forms &&
          entry->runs.fetch_add(1, std::memory_order_relaxed) == kQuickRuns) {
        entry->outdated.store(true, std::memory_order_relaxed);
        table->requested[program_.index(wave.pc)].store(false, std::memory_order_relaxed);
        request_full(*table, wave.pc);
      }
      level_.run_one(wave, program_, *entry->called, table->mode);
      wave.called++;
      if (entry->called->ends_region) {
        table = &table_for(program_.isa().float_mode(wave));
        wave.code_table = code_table_of(*table);
        mxcsr = 0;
      }
      continue;
    }
    if (entry->quick && entry->runs.fetch_add(1, std::memory_order_relaxed) == kQuickRuns) request_full(*table, wave.pc);
    const CodeFunction function = entry->function.load(std::memory_order_relaxed);
    if (!function) [[unlikely]] {
      table = run_alone(wave, *table, *entry);
      mxcsr = 0;
      continue;
    }
    uint64_t result = function(&wave, 0);
    running = *wave.group->current;
    if (auto* now = static_cast<Table*>(static_cast<CodeTable*>(running.get().code_table)); now != table)
      table = now, mxcsr = now->mxcsr;  // code has changed the mode by itself
    constexpr uint64_t index_bits = (uint64_t(1) << code_shift) - 1;
    if (Code(result >> code_shift) == Code::Unfit) {
      result = run_other(running, *table, result & index_bits);
      running = *wave.group->current;
    }
    // Quick code jumps nowhere by itself, so that it is the entry's own; final code may have come from anywhere.
    Entry* met = entry->quick ? entry : nullptr;
    while (Code(result >> code_shift) == Code::Nan) [[unlikely]] {
      if (!met) met = table->entries[result & index_bits].load(std::memory_order_acquire);
      result = run_exact_of(running, *met, result & index_bits);
      met = nullptr;
      running = *wave.group->current;
    }
    uint64_t index = result & index_bits;
    switch (Code(result >> code_shift)) {
      case Code::Next:
      case Code::Stopped: running.get().pc = program_.base() + index * 4; break;
      case Code::Interrupted: running.get().stop = Stop::Interrupted; break;
      case Code::Unfit:
        table = run_unfit(running, *table, index);
        mxcsr = 0;
        break;
      default:  // Elsewhere: wave.pc is set
        // With byte-addressed registers, these hold the mode.
        if (program_.register_file().whole_wave) table = change_mode(running, *table);
        break;
    }
  }
}

// No code stands at wave.pc: makes it, or interprets up to the next jump. Gives the table to go on with.
Executor::Table* Executor::run_uncompiled(Wave& wave, Table& table) {
  if (find_code(table, wave.pc)) return &table;
  if (engine_ == EngineChoice::Jit && program_.contains(wave.pc) && compile(table, wave.pc, options_.first_tier, wave.stop_flag))
    return &table;
  uint64_t before = wave.interpreted, from = wave.pc;
  level_.run(wave, program_, 2000, true);
  Table* now = &table_for(program_.isa().float_mode(wave));
  wave.code_table = code_table_of(*now);
  // Short waves prove hot together: the next one begins where this one did, and goes on where it went. The stretch may have
  // changed the mode, and with it the table.
  if (engine_ != EngineChoice::Auto) return now;
  constexpr uint64_t way_in = 32;  // what clearing registers and going in and out of a short wave takes, in instructions
  const uint64_t more = wave.interpreted - before + way_in;
  interpreted_.fetch_add(more, std::memory_order_relaxed);
  if (!put_off_.load(std::memory_order_relaxed) &&
      interpreted_alone_.fetch_add(more, std::memory_order_relaxed) > options_.hot_instructions) {
    if (program_.contains(from) && code_pays(wave) && compile(table, from, Tier::Full, wave.stop_flag)) return now;
    request_full(table, from);
    if (wave.stop == Stop::Run) request_full(*now, wave.pc);
  }
  return now;
}

// True if the wave's grid would be interpreted for longer than LLVM takes to make code, so that the thread had better wait for it: an
// interpreted instruction takes about ten times as long as a compiled one, and a thread that interprets takes the processor's time
// from the one that compiles. (Beside the code generator's rate, the constant is what interpreted instructions of 32 lanes take on an
// AVX-512 host; that of the slower levels is larger, which only makes the answer come later.)
bool Executor::code_pays(const Wave& wave) const {
  const SharedRange* grid = wave.group->grid;
  if (!grid) return false;
  constexpr double interpreted_nanoseconds = 8, compiled_nanoseconds = 250000, margin = 2;  // an instruction
  const uint64_t left = grid->left(), begun = std::max<uint64_t>(grid->count() - left, 1);
  const double to_come =
      double(interpreted_.load(std::memory_order_relaxed)) / double(begun) * double(left) / double(grid->takers());
  return to_come * interpreted_nanoseconds >
         margin * compiled_nanoseconds * double(std::min<size_t>(program_.words(), kUnitInstructions));
}

// The region at `index` samples a texture that the code which was tried was not made for, and nothing of it is done: perhaps one of
// the region's other codes was. That one is tried first from now on: the waves of a draw sample the same.
uint64_t Executor::run_other(Wave& wave, Table& table, uint64_t index) {
  const uint64_t unfit = uint64_t(Code::Unfit) << code_shift | index;
  Entry& first = *table.entries[index].load(std::memory_order_acquire);
  Entry* entry = first.other.load(std::memory_order_acquire) ? &first : nullptr;
  wave.pc = program_.base() + index * 4;
  for (; entry; entry = entry->other.load(std::memory_order_acquire)) {
    uint64_t result = entry->function.load(std::memory_order_relaxed)(&wave, 0);
    if (result == unfit) continue;
    first.front.store(entry == &first ? nullptr : entry, std::memory_order_relaxed);
    if (!first.outdated && first.mxcsr == mxcsr_for(table.mode, FloatClass::F32))
      std::atomic_ref(table.direct[index]).store(entry->function.load(std::memory_order_relaxed), std::memory_order_release);
    // The first one jumps on by itself: what it comes back with may be another region's.
    if (entry == &first || Code(result >> code_shift) != Code::Nan) return elsewhere_if_unfit(wave, result);
    return elsewhere_if_unfit(wave, run_exact(wave, *entry, index));
  }
  return unfit;
}

// An Unfit of a region that was reached by direct jumps, as the executor takes it: that region is tried once more.
uint64_t Executor::elsewhere_if_unfit(Wave& wave, uint64_t result) {
  if (Code(result >> code_shift) != Code::Unfit) return result;
  Wave& now = *wave.group->current;
  now.pc = program_.base() + (result & ((uint64_t(1) << code_shift) - 1)) * 4;
  return uint64_t(Code::Elsewhere) << code_shift;
}

// The exact version for a NaN that one of the region's codes met: the one that is for the same textures, which alone does anything.
uint64_t Executor::run_exact_of(Wave& wave, Entry& first, uint64_t index) {
  Entry* front = first.front.load(std::memory_order_relaxed);
  uint64_t result = run_exact(wave, front ? *front : first, index);
  const uint64_t unfit = uint64_t(Code::Unfit) << code_shift | index;
  if (result != unfit || !first.other.load(std::memory_order_acquire)) return result;
  for (Entry* entry = &first; entry && result == unfit; entry = entry->other.load(std::memory_order_acquire))
    if (entry != front) result = run_exact(wave, *entry, index);
  return result;
}

// No code is for what the region at `index` samples: the interpreter goes through it, and notes what the instructions meet.
Executor::Table* Executor::run_unfit(Wave& wave, Table& table, uint64_t index) {
  Entry& entry = *table.entries[index].load(std::memory_order_acquire);
  const CodeRegion& region = entry.set->regions[entry.region];
  wave.pc = program_.base() + index * 4;
  level_.run(wave, program_, region.steps.size(), false);
  if (entry.unfit_exits.fetch_add(1, std::memory_order_relaxed) == kUnfitExits) {
    unsigned others = 0;
    for (Entry* other = entry.other.load(std::memory_order_acquire); other; other = other->other.load(std::memory_order_acquire))
      others++;
    if (!entry.quick && others < max_others) {
      request_again(table, entry, Wanted::Beside);
    } else if (table.requested[index].store(false, std::memory_order_relaxed); entry.quick) {
      request_full(table, region.pc);
    } else {
      for (const Step* step : region.steps)
        if (uint64_t form = std::atomic_ref(step->texture_form).load(std::memory_order_relaxed); form & other_form)
          std::atomic_ref(step->texture_form).store(many_forms, std::memory_order_relaxed);
      entry.outdated.store(true, std::memory_order_relaxed);
      request_full(table, region.pc);
    }
  }
  Table* now = &table_for(program_.isa().float_mode(wave));
  wave.code_table = code_table_of(*now);
  return now;
}

// A region that so far was met in passages alone, and is entered by itself since one of them has left off: code for it is made where
// that comes often.
Executor::Table* Executor::run_alone(Wave& wave, Table& table, Entry& entry) {
  if (engine_ == EngineChoice::Jit && compile_alone(table, entry, wave.stop_flag)) return &table;
  if (engine_ == EngineChoice::Auto && entry.runs.fetch_add(1, std::memory_order_relaxed) == kAloneRuns)
    request_again(table, entry, Wanted::Alone);
  level_.run(wave, program_, entry.set->regions[entry.region].steps.size(), false);
  Table* now = &table_for(program_.isa().float_mode(wave));
  wave.code_table = code_table_of(*now);
  return now;
}

// (Threads that come here at once may lose an exit.)
bool Executor::Entry::exits_often() {
  const uint64_t now = uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  const uint64_t since = (now - last_nan_exit.exchange(now, std::memory_order_relaxed)) / kNanExitEvery;
  const uint32_t before = nan_exits.load(std::memory_order_relaxed);
  const uint32_t count = before > since ? before - uint32_t(since) : 0;
  nan_exits.store(count + 1, std::memory_order_relaxed);
  return count >= kNanExits;
}

// A NaN's payload would have been seen in the region at `index`: its exact version takes over from the chunk that had it.
uint64_t Executor::run_exact(Wave& wave, Entry& entry, uint64_t index) {
  wave.pc = program_.base() + index * 4;
  CodeFunction exact = entry.exact.load(std::memory_order_acquire);
  if (!exact && engine_ == EngineChoice::Auto && program_.register_file().whole_wave) {
    // Such regions begin anew from their start: nobody waits for code that may never be needed again.
    nan_exits_.fetch_add(1, std::memory_order_relaxed);
    if (entry.exact_runs.fetch_add(1, std::memory_order_relaxed) == kExactRuns)
      request_again(*static_cast<Table*>(static_cast<CodeTable*>(wave.code_table)), entry, Wanted::Exact);
    const uint32_t control = _mm_getcsr();
    level_.run(wave, program_, entry.set->regions[entry.region].steps.size(), false);
    _mm_setcsr(control);
    return uint64_t(Code::Elsewhere) << code_shift;
  }
  if (!exact) exact = compile_exact(entry, wave.stop_flag);
  if (!exact && error().empty()) {  // nobody waits for it
    wave.stop = Stop::Interrupted;
    return uint64_t(Code::Elsewhere) << code_shift;
  }
  if (!exact) {
    wave.stop = Stop::Fault;
    wave.fault = {FaultKind::Illegal, 0, 0, wave.pc, -1, "the JIT could not compile an exact version"};
    return uint64_t(Code::Elsewhere) << code_shift;
  }
  nan_exits_.fetch_add(1, std::memory_order_relaxed);
  if (entry.exits_often() && entry.function.exchange(exact, std::memory_order_relaxed) != exact)
    log(LogLevel::info, "jit", "NaNs come often in the region at {:#x}: its exact version takes its place", wave.pc);
  return exact(&wave, wave.chunk);
}

Executor::Table& Executor::table_for(const FloatMode& mode) {
  // Programs that change their mode ask for each wave.
  for (Table* t = first_table_.load(std::memory_order_acquire); t; t = t->next.load(std::memory_order_acquire))
    if (t->mode == mode) return *t;
  std::lock_guard lock(mutex_);
  for (auto& table : tables_)
    if (table->mode == mode) return *table;
  tables_.push_back(std::make_unique<Table>(program_, mode));
  Table* made = tables_.back().get();
  (tables_.size() == 1 ? first_table_ : tables_[tables_.size() - 2]->next).store(made, std::memory_order_release);
  return *made;
}

// The wave's instruction may have changed its mode. Code does so by itself the next time.
Executor::Table* Executor::change_mode(Wave& wave, Table& from) {
  Table& to = table_for(program_.isa().float_mode(wave));
  wave.code_table = code_table_of(to);
  const uint32_t cell = program_.register_file().mode_cell;
  if (!cell || &to == &from) return &to;
  const uint32_t word = word_of(wave, cell);
  if (const auto* known = from.change.load(std::memory_order_acquire); known && known->word == word) return &to;
  constexpr size_t most_changes = 64;
  std::lock_guard lock(mutex_);
  if (changes_.size() < most_changes) from.change.store(&changes_.emplace_back(word, to.mxcsr, &to), std::memory_order_release);
  return &to;
}

}  // namespace Atoll::wave
