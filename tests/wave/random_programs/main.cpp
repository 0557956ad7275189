// random_programs: the interpreter and the JIT must leave the same bits after random programs, whichever way compiled code is
// entered. Prints a minimised program for the first failures and ends with status 1.
//
//   random_programs [--isa gfx1200|gfx7|xe-lp] [--count N] [--seed S] [--jobs N] [--only INDEX] [--failures N] [--read-only] [--verbose]
//
// --read-only: a page of each program's buffer may only be read, and stores and atomics there fault.
// --verbose: how often each instruction was executed, one a line.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <span>

#include "machine.h"
#include "memory/fault.h"
#include "minimised.h"
#include "wave/executor.h"
#include "wave/interpreter/level.h"

namespace Atoll::test {
namespace {

constexpr uint64_t step_budget = 20000;

// How the JIT is entered.
enum class Way { Quick, Full, FullWithProfile, QuickExact, FullExact, AfterInterpreter };
struct WayRow {
  const char* name;
  uint32_t percent;  // of the programs; the full tier takes four times as long to compile
};
const WayRow ways[] = {{"quick tier", 35},
                       {"full tier", 5},
                       {"full tier with a profile", 7},
                       {"quick tier, exact NaNs", 20},
                       {"full tier, exact NaNs", 5},
                       {"quick tier after the interpreter", 28}};

Way random_way(Random& r) {
  uint32_t percent = r.below(100), way = 0;
  while (percent >= ways[way].percent) percent -= ways[way++].percent;
  return Way(way);
}

struct Case {
  unsigned lanes = 32;
  uint32_t mode = 0;
  uint64_t state_seed = 0;
  Way way = Way::Quick;
  uint64_t interpreted_first = 0;  // steps, Way::AfterInterpreter
  bool inspected = true;           // of the wave: code may leave out what nobody reads
  RandomProgram program;
};

Case make_case(Machine& machine, uint64_t seed, uint64_t index) {
  Random r{seed * 0x9e3779b97f4a7c15ull + index * 0xd1342543de82ef95ull};
  r.next64();
  Case c;
  c.lanes = machine.random_lanes(r);
  c.mode = machine.random_mode(r);
  machine.vary(r, false);
  c.state_seed = r.next64();
  c.way = random_way(r);
  c.interpreted_first = 1 + r.below(20);
  c.program = machine.generate(r, c.lanes);
  c.inspected = r.chance(60);
  return c;
}

// Raises the stop flag of a run that takes too much of the processor, whatever else the machine does. One at a time.
class Watch {
public:
  explicit Watch(std::atomic<int>& flag) {
    flag_ = &flag;
    for (int signal : {SIGPROF, SIGALRM}) std::signal(signal, [](int) { *flag_ = 1; });
    set(seconds, seconds_asleep);
  }
  ~Watch() { set(0, 0); }

private:
  static constexpr time_t seconds = 20, seconds_asleep = 1200;
  static inline std::atomic<int>* flag_ = nullptr;

  static void set(time_t of_processor, time_t of_clock) {
    itimerval processor{{0, 0}, {of_processor, 0}};
    setitimer(ITIMER_PROF, &processor, nullptr);
    alarm(unsigned(of_clock));
  }
};

enum class Verdict { Agree, Differ, TooLong };

struct Counters {
  uint64_t programs = 0, instructions = 0, compiled = 0, called = 0, faults = 0, too_long = 0, failures = 0;
  double compile_seconds = 0;
  void add(const Counters& c) {
    programs += c.programs, instructions += c.instructions, compiled += c.compiled, called += c.called;
    faults += c.faults, too_long += c.too_long, failures += c.failures, compile_seconds += c.compile_seconds;
  }
};

// True if the interpreter gets through within the budget; a fault is an end, too. Notes the row of each instruction.
bool ends(const Machine& machine, wave::Wave& wave, const wave::Program& program, std::vector<uint32_t>& rows) {
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return true;
  recovery.activate();
  wave.program = &program;
  while (rows.size() < step_budget && (wave.stop == wave::Stop::Run || wave.stop == wave::Stop::Yield)) {
    const wave::Step& step = program.decoded(*program.at(wave.pc));
    rows.push_back(step.instruction ? uint32_t(machine.row_of(step)) : ~0u);
    wave.stop = wave::Stop::Run;
    wave::level_entries().run(wave, program, 1, false);
  }
  recovery.deactivate();
  return wave.stop != wave::Stop::Run && wave.stop != wave::Stop::Yield;
}

struct Tally {
  Counters counters;
  std::vector<uint64_t> rows;  // how often each was executed
};

Verdict run_case(Machine& machine, const Case& c, std::string* report, Tally* tally) {
  wave::Program program(machine.isa(c.lanes), code_base, c.program.words);
  machine.reset(c.lanes, c.mode, c.state_seed);
  std::vector<uint32_t> rows;
  if (!ends(machine, machine.wave(), program, rows)) return Verdict::TooLong;
  machine.reset(c.lanes, c.mode, c.state_seed);
  {
    wave::Executor interpreter(program, wave::EngineChoice::Interpreter, machine.wave());
    do interpreter.run(machine.wave());
    while (machine.wave().stop == wave::Stop::Yield);
  }
  Machine::State expected = machine.state();
  uint64_t steps = machine.wave().interpreted;
  machine.reset(c.lanes, c.mode, c.state_seed);
  wave::Wave& wave = machine.wave();
  wave.inspected = c.inspected;
  wave::Program fresh(machine.isa(c.lanes), code_base, c.program.words);
  const wave::Program& used = c.way == Way::FullWithProfile ? program : fresh;
  {
    Watch watch(machine.stop_flag());
    if (c.way == Way::AfterInterpreter && expected.stop != wave::Stop::Fault) {
      wave.program = &used;
      wave::level_entries().run(wave, used, std::min(c.interpreted_first, steps - 1), false);
      wave.stop = wave::Stop::Run;
    }
    wave::ExecutorOptions options;
    if (c.way == Way::Full || c.way == Way::FullWithProfile || c.way == Way::FullExact) options.first_tier = wave::Tier::Full;
    options.exact = c.way == Way::QuickExact || c.way == Way::FullExact;
    wave::Executor jit(used, wave::EngineChoice::Jit, wave, options);
    do jit.run(wave);
    while (wave.stop == wave::Stop::Yield);
    if (std::string why = jit.error(); !why.empty()) {
      if (report) *report = "  the JIT failed: " + why + "\n";
      return Verdict::Differ;
    }
    if (tally) {
      Counters& counters = tally->counters;
      counters.compile_seconds += jit.compile_seconds();
      counters.instructions += steps, counters.compiled += wave.compiled, counters.called += wave.called;
      counters.faults += expected.stop == wave::Stop::Fault;
      for (uint32_t row : rows)
        if (row < tally->rows.size()) tally->rows[row]++;
    }
  }
  std::string text = machine.difference(expected, machine.state(), c.lanes, c.inspected);
  if (report) *report = text;
  return text.empty() ? Verdict::Agree : Verdict::Differ;
}

Case minimised(Machine& machine, Case c) {
  c.program = test::minimised(c.program, machine.nop(), [&](const RandomProgram& program) {
    Case candidate = c;
    candidate.program = program;
    return run_case(machine, candidate, nullptr, nullptr) == Verdict::Differ;
  });
  return c;
}

std::string title(const Case& c) {
  return fmt::format("wave{}, mode {:#x}, {}{}", c.lanes, c.mode, ways[int(c.way)].name,
                     c.inspected ? "" : ", registers read by nobody at the end");
}

void print_case(const Machine& machine, const Case& c) {
  wave::Program program(machine.isa(c.lanes), 0, c.program.words);
  for (uint32_t at = 0; at < c.program.words.size();) {
    const wave::Step& step = program.decoded(*program.at(at * 4));
    if (c.program.words[at] != machine.nop()[0]) {
      std::string words;
      for (uint32_t n = 0; n < step.words; n++) words += fmt::format("{:08x} ", c.program.words[at + n]);
      fmt::print("  {:4x}  {:28}{}\n", at * 4, words, program.isa().text(step));
    }
    at += step.words;
  }
}

void fail_case(Machine& machine, uint64_t seed, uint64_t index, const Case& c, const std::string& report) {
  fmt::print("seed {} program {}: {}\n{}", seed, index, title(c), report);
  std::fflush(stdout);
  Case small = minimised(machine, c);
  std::string now;
  run_case(machine, small, &now, nullptr);
  fmt::print(" minimised:\n{}", now);
  print_case(machine, small);
  std::fflush(stdout);
}

using MakeMachine = std::unique_ptr<Machine> (*)();

// `at`: the program that is running, for whoever finds this process dead.
Tally work(MakeMachine make, bool read_only, uint64_t seed, uint64_t first, uint64_t last, uint64_t every, int failures_allowed,
           uint64_t& at) {
  auto machine = make();
  if (read_only) machine->protect_a_page();
  Tally tally{{}, std::vector<uint64_t>(machine->row_count())};
  if (!machine->prepare()) broken_promise("no address space", __FILE__, __LINE__);
  for (uint64_t index = first; index < last; index += every) {
    at = index;
    Case c = make_case(*machine, seed, index);
    std::string report;
    tally.counters.programs++;
    switch (run_case(*machine, c, &report, &tally)) {
      case Verdict::Agree: break;
      case Verdict::TooLong: tally.counters.too_long++; break;
      case Verdict::Differ:
        fail_case(*machine, seed, index, c, report);
        if (int(++tally.counters.failures) >= failures_allowed) return tally;
    }
  }
  return tally;
}

// Through a pipe between processes.
bool send(int to, const void* data, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    ssize_t n = write(to, static_cast<const char*>(data) + at, bytes - at);
    if (n <= 0) return false;
    at += size_t(n);
  }
  return true;
}
bool receive(int from, void* data, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    ssize_t n = read(from, static_cast<char*>(data) + at, bytes - at);
    if (n <= 0) return false;
    at += size_t(n);
  }
  return true;
}

// Prints how often instructions were executed: the rarest, and those that were not at all.
void print_rows(const Machine& machine, const std::vector<uint64_t>& rows, bool verbose) {
  size_t kinds = 0, never = 0;
  uint64_t least = ~uint64_t(0);
  std::string rarest;
  for (size_t n = 0; n < rows.size(); n++) {
    std::string name = machine.row_name(n);
    if (name.empty()) continue;
    kinds++, never += rows[n] == 0;
    if (rows[n] < least) least = rows[n], rarest = name;
    if (verbose) fmt::print("  {:8} {}\n", rows[n], name);
  }
  fmt::print("{} kinds of instruction, {} of them not executed at all; the rarest {} times: {}\n", kinds, never, least, rarest);
}

}  // namespace
}  // namespace Atoll::test

int main(int argc, char** argv) {
  using namespace Atoll::test;
  uint64_t count = 2000, seed = 1, jobs = 1, only = ~uint64_t(0);
  int failures_allowed = 1;
  bool verbose = false, read_only = false;
  MakeMachine make = rdna4_machine;
  for (int n = 1; n < argc; n++) {
    auto value = [&] { return n + 1 < argc ? std::strtoull(argv[++n], nullptr, 0) : 0ull; };
    if (!std::strcmp(argv[n], "--isa")) {
      std::string_view isa = n + 1 < argc ? argv[++n] : "";
      if (isa != "gfx1200" && isa != "gfx7" && isa != "xe-lp")
        return fmt::print(stderr, "random_programs: --isa gfx1200, gfx7 or xe-lp\n"), 2;
      make = isa == "gfx7" ? gfx7_machine : isa == "xe-lp" ? xe_lp_machine : rdna4_machine;
    } else if (!std::strcmp(argv[n], "--count"))
      count = value();
    else if (!std::strcmp(argv[n], "--seed"))
      seed = value();
    else if (!std::strcmp(argv[n], "--jobs"))
      jobs = std::max(uint64_t(1), uint64_t(value()));
    else if (!std::strcmp(argv[n], "--only"))
      only = value();
    else if (!std::strcmp(argv[n], "--failures"))
      failures_allowed = int(value());
    else if (!std::strcmp(argv[n], "--read-only"))
      read_only = true;
    else if (!std::strcmp(argv[n], "--verbose"))
      verbose = true;
    else
      return fmt::print(stderr,
                        "random_programs [--isa ISA] [--count N] [--seed S] [--jobs N] [--only INDEX] [--failures N] "
                        "[--read-only] [--verbose]\n"),
             2;
  }
  if (only != ~uint64_t(0)) {
    auto machine = make();
    Case c = make_case(*machine, seed, only);
    fmt::print("{}\n", title(c));
    print_case(*machine, c);
    uint64_t at = 0;
    return work(make, read_only, seed, only, only + 1, 1, 1, at).counters.failures ? 1 : 0;
  }
  // Processes, not threads: the code generator works for one at a time.
  auto start = std::chrono::steady_clock::now();
  std::vector<std::pair<pid_t, int>> children;
  auto machine = make();
  Tally total{{}, std::vector<uint64_t>(machine->row_count())};
  void* shared = mmap(nullptr, jobs * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  std::span<uint64_t> programs(static_cast<uint64_t*>(shared), jobs);  // that each process runs
  for (uint64_t job = 0; job < jobs; job++) {
    int ends[2];
    if (pipe(ends)) return 2;
    pid_t child = fork();
    if (child == 0) {
      Tally t = work(make, read_only, seed, job, count, jobs, failures_allowed, programs[job]);
      std::fflush(stdout);
      bool written =
          send(ends[1], &t.counters, sizeof t.counters) && send(ends[1], t.rows.data(), t.rows.size() * sizeof t.rows[0]);
      _exit(written ? 0 : 2);
    }
    close(ends[1]);
    children.emplace_back(child, ends[0]);
  }
  bool broken = false;
  for (size_t job = 0; job < children.size(); job++) {
    auto [child, end] = children[job];
    Tally t{{}, std::vector<uint64_t>(total.rows.size())};
    bool got = receive(end, &t.counters, sizeof t.counters) && receive(end, t.rows.data(), t.rows.size() * sizeof t.rows[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!got || status) {
      fmt::print("seed {} program {}: {} {}\n", seed, programs[job],
                 WIFSIGNALED(status) ? "the process was ended by signal" : "the process ended with",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      broken = true;
      continue;
    }
    total.counters.add(t.counters);
    for (size_t n = 0; n < t.rows.size(); n++) total.rows[n] += t.rows[n];
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print_rows(*machine, total.rows, verbose);
  const Counters& c = total.counters;
  auto percent = [&](uint64_t n) { return 100.0 * double(n) / double(std::max<uint64_t>(1, c.instructions)); };
  fmt::print(
      "{} random programs: {} differ, {} fault, {} took too long; {} instructions run, {:.1f} % of them compiled, {:.1f} % "
      "called; "
      "{:.1f} s compiling, {:.1f} s in all\n",
      c.programs, c.failures, c.faults, c.too_long, c.instructions, percent(c.compiled), percent(c.called), c.compile_seconds,
      seconds);
  return c.failures || broken ? 1 : 0;
}
