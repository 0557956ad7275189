// Runs waves of one program on the engines and swaps between them where a wave's state is exact: at region ends.
//
//   interpreter   every instruction through the interpreter
//   jit           compiled before it first runs (quick tier), later again with what was learned (full tier, in the background)
//   auto          interpreted until it proves hot, then compiled in the background (full tier)
//
// One Executor serves all threads of a launch. Compiled code stands in a table by PC, one table for each floating-point mode.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/expected.h"
#include "wave/engine_choice.h"
#include "wave/findings.h"
#include "wave/interpreter/level.h"
#include "wave/jit/compiler.h"
#include "wave/program.h"
#include "wave/program_note.h"
#include "wave/work_group.h"

namespace Atoll {
class FaultRecovery;
}

namespace Atoll::wave {

// Options for tests and measurements: the code that the JIT makes first.
struct ExecutorOptions {
  Tier first_tier = Tier::Quick;
  bool exact = false;                  // exact code (NaN payloads by rule) from the start, not only after a NaN was seen
  uint64_t hot_instructions = 200000;  // interpreted by all waves (about a millisecond) before `auto` compiles
  // Not null: every instruction is looked at before it runs, and goes through the interpreter whichever engine was chosen.
  std::shared_ptr<Findings> findings = nullptr;
};

class Executor {
public:
  // `like`: a wave that stands for all waves of the launch (lanes, apertures, window); it must outlive the executor.
  Executor(const Program& program, EngineChoice engine, const Wave& like, ExecutorOptions options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs the wave until it stops (wave.stop is not Run). A fault in GPU code becomes Stop::Fault.
  void run(Wave& wave);

  // Runs a series of waves in the same registers, all from the start and in the float mode of the first one. When one has ended,
  // `next(data)` sets registers and pc for the next, or returns false if there is none; it computes in the host's float mode,
  // except that denormals may be zero if the waves have none. Returns when there is none, or at any other stop.
  void run_series(Wave& wave, bool (*next)(void* data), void* data);

  // Runs the waves of a work-group by turns, in their order, each to its next barrier or end, until all have ended (Stop::End) or
  // one of them ends the launch: Fault, Interrupted, or Barrier when what is left waits for a barrier that nobody can complete.
  // With three other results the group is not done. Wait: every remaining wave waits for something outside of the group (or for a
  // wave that does). Elsewhere: a wave continues in another program, and its turns are skipped until it is as privileged as the
  // executor's waves. Yield: for `max_yields` turns (0: no limit) the waves only yielded. resume_group() continues with the rest,
  // on any thread.
  struct GroupEnd {
    Stop stop = Stop::End;
    size_t wave = 0;  // which one
  };
  GroupEnd run_group(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields = 0);
  GroupEnd resume_group(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields = 0);

  // The lane registers (cells) that a wave which starts at `pc` may read before it has written them; null: not known (yet), it may
  // read any. Every call is for the same `pc`.
  const std::vector<uint32_t>* reads_at_start(uint64_t pc) {
    begin_at(pc);
    return start_reads_.load(std::memory_order_acquire);
  }

  // Scalar registers (cells of words) that waves which start at `pc` may have written when they end, if all they did was compiled;
  // null: not known. As reads_at_start().
  const std::vector<uint32_t>* scalars_written() const { return scalars_written_.load(std::memory_order_acquire); }
  // How often an exact version took over because a NaN's payload would have been seen.
  uint64_t nan_exits() const { return nan_exits_.load(std::memory_order_relaxed); }
  // Set while other programs are to replace this one (src/pixel's frames): `auto` then does not compile it, however often it is
  // interpreted.
  void put_off(bool off) {
    if (put_off_.load(std::memory_order_relaxed) != off) put_off_.store(off, std::memory_order_relaxed);
  }
  // The number of waves run in series so far; counting stops at the maximum.
  static constexpr uint64_t most_series_waves = 1 << 16;
  uint64_t series_waves() const { return series_waves_.load(std::memory_order_relaxed); }
  // True if waves have run long enough that `auto` compiles.
  bool is_hot() const { return interpreted_.load(std::memory_order_relaxed) > options_.hot_instructions; }
  // The same of another process's waves, as far as processes keep code for each other. note_hot() tells them, once this one's is.
  bool was_hot() { return note_.was_hot(); }
  void note_hot() {
    if (!noted_hot_.exchange(true, std::memory_order_relaxed)) note_.store_hot();
  }
  // True if there is code for waves that start at `pc` in this mode. compile_soon() asks for it, in the background.
  bool has_code(uint64_t pc, const FloatMode& mode) {
    return program_.contains(pc) && table_for(mode).entries[program_.index(pc)].load(std::memory_order_acquire);
  }
  // True if another process has made it, and kept all of it: there is code now. Looks once.
  bool find_code(uint64_t pc, const FloatMode& mode) { return find_code(table_for(mode), pc); }
  void compile_soon(uint64_t pc, const FloatMode& mode) {
    begin_at(pc);
    request_full(table_for(mode), pc);
  }
  // There is code for waves that start at `pc`, or it has been found now.
  bool has_or_finds_code(uint64_t pc, const FloatMode& mode) {
    if (has_code(pc, mode)) return true;
    begin_at(pc);
    return find_code(table_for(mode), pc);
  }
  // The same for another place, where waves go on.
  void compile_besides(uint64_t pc, const FloatMode& mode) { request_full(table_for(mode), pc); }

  // Seconds spent in the code generator so far, on any thread, and instructions compiled.
  double compile_seconds() const { return double(compile_nanoseconds_.load()) * 1e-9; }
  uint64_t instructions_compiled() const { return instructions_compiled_.load(); }
  // Why nothing could be compiled; empty if compilation works.
  std::string error() const;
  // Waits for compilations in progress.
  void wait_for_compilation();

private:
  void begin_at(uint64_t pc) {
    if (start_.load(std::memory_order_relaxed) != pc) start_.store(pc, std::memory_order_relaxed);  // (threads share the line)
  }
  static constexpr size_t kUnitInstructions = 600;  // compiled together

  // Code that serves one region, or one step that is called.
  struct Entry {
    std::atomic<CodeFunction> function{nullptr};  // null: so far a part of passages alone (jit/passages.h)
    std::atomic<CodeFunction> exact{nullptr};
    const Step* called = nullptr;
    std::shared_ptr<RegionSet> set;
    size_t region = 0;
    uint32_t mxcsr = 0x1f80;
    std::atomic<uint64_t> last_nan_exit{0};
    std::atomic<uint32_t> nan_exits{0};   // less what time has forgiven
    std::atomic<uint32_t> runs{0};        // of the quick tier; of a part of passages, by itself without code
    std::atomic<uint32_t> exact_runs{0};  // interpreted, since there is no exact version yet
    std::atomic<uint32_t> unfit_exits{0};
    std::atomic<bool> outdated{false};   // to be made again, with what was learned
    std::atomic<Entry*> other{nullptr};  // the same steps for other forms of textures; at most max_others of them
    std::atomic<Entry*> front{nullptr};  // of the first of them: the one that fitted last, if that is not the first itself
    uint64_t form = 0;                   // of a step that is called: what it had met
    bool quick = false;
    bool loops = true;  // CompileOptions::loops
    // Counts an exit for a NaN. True if such exits cost more than the exact version would.
    bool exits_often();
  };
  // True if code of this tier need not be made once more.
  static bool is_final(const Entry* entry, Tier tier) {
    return entry && !entry->outdated && (tier == Tier::Quick || !entry->quick);
  }
  struct Table : CodeTable {
    FloatMode mode;
    std::vector<std::atomic<Entry*>> entries;
    std::vector<CodeFunction> direct_code;      // final code that other code may jump to
    std::vector<std::atomic<bool>> requested;   // in the full tier; each once
    std::vector<std::atomic<bool>> looked_for;  // on disk; each once
    std::atomic<Table*> next{nullptr};          // of tables_
    Table(const Program& program, const FloatMode& m)
        : CodeTable{},
          mode(m),
          entries(program.words()),
          direct_code(program.words()),
          requested(program.words()),
          looked_for(program.words()) {
      direct = direct_code.data(), mxcsr = mxcsr_for(m, FloatClass::F32), base = program.base();
    }
  };
  enum class Wanted : uint8_t {
    Full,    // all code that is reachable from `pc`
    Beside,  // another form of the entry's region, after those that it has
    Alone,   // the entry's region by itself
    Exact,   // its exact version
  };
  struct Request {
    Table* table;
    uint64_t pc;
    Wanted what = Wanted::Full;
    Entry* entry = nullptr;
  };

  const Program& program_;
  const EngineChoice engine_;
  const ExecutorOptions options_;
  std::atomic<uint64_t> nan_exits_{0};
  const Wave& like_;
  const LevelEntries& level_;
  std::atomic<Compiler*> compiler_{nullptr};  // opened at once (jit), by the background thread (auto)
  mutable std::mutex mutex_;                  // tables, entries, requests
  std::timed_mutex compile_mutex_;            // one compilation at a time, synchronous or not
  bool given_up_ = false;                     // no more code is made (under compile_mutex_)
  std::deque<std::unique_ptr<Table>> tables_;
  std::deque<CodeTable::ModeChange> changes_;
  std::atomic<Table*> first_table_{nullptr};  // of the mode that most waves have
  std::deque<std::unique_ptr<Entry>> entries_;
  std::atomic<uint64_t> start_{~uint64_t(0)};
  std::atomic<const std::vector<uint32_t>*> start_reads_{nullptr};
  std::atomic<const std::vector<uint32_t>*> scalars_written_{nullptr};
  std::vector<uint32_t> start_reads_found_, scalars_written_found_;  // written once, before the pointers are
  std::deque<std::shared_ptr<void>> code_;                           // machine code of the entries
  std::deque<Request> requests_;
  std::condition_variable idle_;
  std::thread background_;
  std::atomic<bool> ending_{false};
  bool compiling_ = false;  // the thread has not yet seen that there are no more requests
  std::string error_;
  std::atomic<uint64_t> compile_nanoseconds_{0}, instructions_compiled_{0};
  std::atomic<uint64_t> interpreted_{0}, interpreted_alone_{0};  // alone: while nothing was put off
  std::atomic<uint64_t> series_waves_{0};
  std::atomic<bool> put_off_{false}, noted_hot_{false};
  ProgramNote note_;
  const std::shared_ptr<Findings> findings_;  // null: not asked for, or the ISA's waves have nothing to wait for
  std::mutex watched_mutex_;
  struct Watched {
    std::shared_ptr<WaitRule> rule;
    std::vector<EarlyUse> found;  // here, since a fault leaves by longjmp
  };
  std::unordered_map<const Wave*, Watched> watched_;  // waves under way, where findings are asked for

  template <class Body>
  bool guard(Body body, WorkGroup& group, std::span<Wave* const> waves);
  bool open_compiler();
  void run_inside(Wave& wave, uint32_t& mxcsr);
  void run_watched(Wave& wave);
  Watched& watched(const Wave& wave);
  void begin_watching(const Wave& wave);
  GroupEnd run_group_guarded(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields, bool begin);
  void begin_turns(std::span<Wave* const> waves);
  GroupEnd take_turns(WorkGroup& group, std::span<Wave* const> waves, uint32_t max_yields);
  void run_compiled(Wave& first, uint32_t& mxcsr);
  Table* run_uncompiled(Wave& wave, Table& table);
  bool code_pays(const Wave& wave) const;
  uint64_t run_other(Wave& wave, Table& table, uint64_t index);
  uint64_t elsewhere_if_unfit(Wave& wave, uint64_t result);
  Table* run_unfit(Wave& wave, Table& table, uint64_t index);
  Table* run_alone(Wave& wave, Table& table, Entry& entry);
  uint64_t run_exact(Wave& wave, Entry& entry, uint64_t index);
  uint64_t run_exact_of(Wave& wave, Entry& first, uint64_t index);
  Table& table_for(const FloatMode& mode);
  Table* change_mode(Wave& wave, Table& from);
  void count_compilation(uint64_t start, const char* kind, uint64_t pc);
  static FaultRecovery* recovery_of_gpu_code();  // the calling thread's, or null
  // Compiles all code that is reachable from `pc` and enters it into the table. `stop`: the launch's stop flag, which means that
  // the result is no longer wanted; null: it is wanted as long as the executor lives.
  bool compile(Table& table, uint64_t pc, Tier tier, const std::atomic<int>* stop = nullptr);
  bool compile_locked(Table& table, uint64_t pc, Tier tier, const std::function<bool()>& given_up, bool found_only);
  bool find_code(Table& table, uint64_t pc);
  bool compile_other(Table& table, Entry& first);
  void find_scalars_written(const RegionSet& set);
  CodeFunction compile_exact(Entry& entry, const std::atomic<int>* stop);
  bool compile_alone(Table& table, Entry& entry, const std::atomic<int>* stop = nullptr);
  Expected<CompiledRegions> compile_region(const Entry& entry, bool exact, const std::function<bool()>& given_up);
  std::function<bool()> unwanted(const std::atomic<int>* stop) const;
  void give_up(const std::string& why);
  void request_full(Table& table, uint64_t pc);
  void request_again(Table& table, Entry& entry, Wanted what);
  bool add_request(const Request& request);
  void background();
  void resolve_fault(Wave& wave, uintptr_t host_address, bool known, bool write);
};

}  // namespace Atoll::wave
