// random_programs: the interpreter and the JIT must leave the same bits after random programs, whichever way compiled code is
// entered. Prints a minimised program for the first failures and ends with status 1.
//
//   random_programs [--isa gfx1200|gfx7] [--count N] [--seed S] [--jobs N] [--only INDEX] [--keep-going]
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "machine.h"
#include "memory/fault.h"
#include "wave/executor.h"
#include "wave/interpreter/level.h"

namespace Atoll::test {
namespace {

constexpr uint64_t step_budget = 20000;

// How the JIT is entered.
enum class Way { Quick, Full, FullWithProfile, Exact, AfterInterpreter, Count };
const char* const way_names[] = {"quick tier", "full tier", "full tier with a profile", "exact NaNs",
                                 "quick tier after the interpreter"};

struct Case {
  unsigned lanes = 32;
  uint32_t mode = 0;
  uint64_t state_seed = 0;
  Way way = Way::Quick;
  uint64_t interpreted_first = 0;  // steps, Way::AfterInterpreter
  RandomProgram program;
};

Case make_case(const Machine& machine, uint64_t seed, uint64_t index) {
  Random r{seed * 0x9e3779b97f4a7c15ull + index * 0xd1342543de82ef95ull};
  r.next64();
  Case c;
  c.lanes = machine.random_lanes(r);
  c.mode = machine.random_mode(r);
  c.state_seed = r.next64();
  c.way = Way(r.below(uint32_t(Way::Count)));
  c.interpreted_first = 1 + r.below(20);
  c.program = machine.generate(r, c.lanes);
  return c;
}

// Raises the stop flag of a run that takes too long.
class Watch {
public:
  Watch(std::atomic<int>& flag, double seconds)
      : thread_([this, &flag, seconds] {
          for (int n = 0; n < int(seconds * 100) && !done_; n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
          if (!done_) flag = 1;
        }) {}
  ~Watch() { done_ = true, thread_.join(); }

private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

enum class Verdict { Agree, Differ, TooLong };

struct Counters {
  uint64_t programs = 0, instructions = 0, compiled = 0, called = 0, faults = 0, too_long = 0, failures = 0;
  double compile_seconds = 0;
};

// Whether the interpreter gets through within the budget; a fault is an end, too.
bool ends(wave::Wave& wave, const wave::Program& program) {
  FaultRecovery recovery;
  if (sigsetjmp(recovery.environment, 0)) return true;
  recovery.activate();
  wave::level_entries().run(wave, program, step_budget, false);
  recovery.deactivate();
  return wave.stop != wave::Stop::Run;
}

Verdict run_case(Machine& machine, const Case& c, std::string* report, Counters* counters) {
  wave::Program program(machine.isa(c.lanes), code_base, c.program.words);
  machine.reset(c.lanes, c.mode, c.state_seed);
  if (!ends(machine.wave(), program)) return Verdict::TooLong;
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
  wave::Program fresh(machine.isa(c.lanes), code_base, c.program.words);
  const wave::Program& used = c.way == Way::FullWithProfile ? program : fresh;
  {
    Watch watch(machine.stop_flag(), 20);
    if (c.way == Way::AfterInterpreter && expected.stop != wave::Stop::Fault) {
      wave::level_entries().run(wave, used, std::min(c.interpreted_first, steps - 1), false);
      wave.stop = wave::Stop::Run;
    }
    wave::ExecutorOptions options;
    if (c.way == Way::Full || c.way == Way::FullWithProfile) options.first_tier = wave::Tier::Full;
    options.exact = c.way == Way::Exact;
    wave::Executor jit(used, wave::EngineChoice::Jit, wave, options);
    do jit.run(wave);
    while (wave.stop == wave::Stop::Yield);
    if (std::string why = jit.error(); !why.empty()) {
      if (report) *report = "  the JIT failed: " + why + "\n";
      return Verdict::Differ;
    }
    if (counters) {
      counters->compile_seconds += jit.compile_seconds();
      counters->instructions += steps, counters->compiled += wave.compiled, counters->called += wave.called;
      counters->faults += expected.stop == wave::Stop::Fault;
    }
  }
  std::string text = machine.difference(expected, machine.state(), c.lanes);
  if (report) *report = text;
  return text.empty() ? Verdict::Agree : Verdict::Differ;
}

// The case with as many instructions as possible turned into s_nop, so that branches keep their distance.
Case minimised(Machine& machine, Case c) {
  auto without = [](const Case& from, size_t first, size_t count) {
    Case out = from;
    const auto& starts = out.program.starts;
    for (size_t n = first; n < std::min(first + count, starts.size()); n++) {
      uint32_t end = n + 1 < starts.size() ? starts[n + 1] : uint32_t(out.program.words.size());
      for (uint32_t w = starts[n]; w < end; w++) out.program.words[w] = 0xbf800000;
    }
    return out;
  };
  for (size_t count = std::max<size_t>(1, c.program.starts.size() / 2); count; count /= 2)
    for (bool again = true; again;) {
      again = false;
      for (size_t first = 0; first < c.program.starts.size(); first += count) {
        Case candidate = without(c, first, count);
        if (candidate.program.words == c.program.words) continue;
        if (run_case(machine, candidate, nullptr, nullptr) == Verdict::Differ) c = candidate, again = true;
      }
    }
  return c;
}

void print_case(const Machine& machine, const Case& c) {
  wave::Program program(machine.isa(c.lanes), 0, c.program.words);
  for (uint32_t at = 0; at < c.program.words.size();) {
    const wave::Step& step = program.decoded(*program.at(at * 4));
    if (c.program.words[at] != 0xbf800000) {
      std::string words;
      for (uint32_t n = 0; n < step.words; n++) words += fmt::format("{:08x} ", c.program.words[at + n]);
      fmt::print("  {:4x}  {:28}{}\n", at * 4, words, program.isa().text(step));
    }
    at += step.words;
  }
}

void fail_case(Machine& machine, uint64_t seed, uint64_t index, const Case& c, const std::string& report) {
  fmt::print("seed {} program {}: wave{}, mode {:#x}, {}\n{}", seed, index, c.lanes, c.mode, way_names[int(c.way)], report);
  std::fflush(stdout);
  Case small = minimised(machine, c);
  std::string now;
  run_case(machine, small, &now, nullptr);
  fmt::print(" minimised:\n{}", now);
  print_case(machine, small);
  std::fflush(stdout);
}

using MakeMachine = std::unique_ptr<Machine> (*)();

Counters work(MakeMachine make, uint64_t seed, uint64_t first, uint64_t last, uint64_t every, int failures_allowed) {
  Counters counters;
  auto machine = make();
  if (!machine->prepare()) broken_promise("no address space", __FILE__, __LINE__);
  for (uint64_t index = first; index < last; index += every) {
    Case c = make_case(*machine, seed, index);
    std::string report;
    counters.programs++;
    switch (run_case(*machine, c, &report, &counters)) {
      case Verdict::Agree: break;
      case Verdict::TooLong: counters.too_long++; break;
      case Verdict::Differ:
        fail_case(*machine, seed, index, c, report);
        if (int(++counters.failures) >= failures_allowed) return counters;
    }
  }
  return counters;
}

}  // namespace
}  // namespace Atoll::test

int main(int argc, char** argv) {
  using namespace Atoll::test;
  uint64_t count = 2000, seed = 1, jobs = 1, only = ~uint64_t(0);
  int failures_allowed = 1;
  MakeMachine make = rdna4_machine;
  for (int n = 1; n < argc; n++) {
    auto value = [&] { return n + 1 < argc ? std::strtoull(argv[++n], nullptr, 0) : 0ull; };
    if (!std::strcmp(argv[n], "--isa")) {
      std::string_view isa = n + 1 < argc ? argv[++n] : "";
      if (isa != "gfx1200" && isa != "gfx7") return fmt::print(stderr, "random_programs: --isa gfx1200 or gfx7\n"), 2;
      make = isa == "gfx7" ? gcn2_machine : rdna4_machine;
    } else if (!std::strcmp(argv[n], "--count"))
      count = value();
    else if (!std::strcmp(argv[n], "--seed"))
      seed = value();
    else if (!std::strcmp(argv[n], "--jobs"))
      jobs = value();
    else if (!std::strcmp(argv[n], "--only"))
      only = value();
    else if (!std::strcmp(argv[n], "--failures"))
      failures_allowed = int(value());
    else
      return fmt::print(stderr, "random_programs [--isa ISA] [--count N] [--seed S] [--jobs N] [--only INDEX] [--failures N]\n"),
             2;
  }
  if (only != ~uint64_t(0)) {
    auto machine = make();
    Case c = make_case(*machine, seed, only);
    fmt::print("wave{}, mode {:#x}, {}\n", c.lanes, c.mode, way_names[int(c.way)]);
    print_case(*machine, c);
    return work(make, seed, only, only + 1, 1, 1).failures ? 1 : 0;
  }
  // Processes, not threads: the code generator works for one at a time.
  auto start = std::chrono::steady_clock::now();
  std::vector<std::pair<pid_t, int>> children;
  Counters total;
  for (uint64_t job = 0; job < jobs; job++) {
    int ends[2];
    if (pipe(ends)) return 2;
    pid_t child = fork();
    if (child == 0) {
      Counters c = work(make, seed, job, count, jobs, failures_allowed);
      bool written = write(ends[1], &c, sizeof c) == sizeof c;
      _exit(written ? 0 : 2);
    }
    close(ends[1]);
    children.emplace_back(child, ends[0]);
  }
  bool broken = false;
  for (auto [child, end] : children) {
    Counters c;
    bool got = read(end, &c, sizeof c) == sizeof c;
    int status = 0;
    waitpid(child, &status, 0);
    if (!got || status) {
      fmt::print("a process ended with status {:#x}\n", status);
      broken = true;
      continue;
    }
    total.programs += c.programs, total.instructions += c.instructions, total.compiled += c.compiled, total.called += c.called;
    total.faults += c.faults, total.too_long += c.too_long, total.failures += c.failures,
        total.compile_seconds += c.compile_seconds;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print(
      "{} random programs of {} kinds of instruction: {} differ, {} fault, {} took too long; {} instructions run, "
      "{:.0f} % of them compiled, {:.0f} % called; {:.1f} s compiling, {:.1f} s in all\n",
      total.programs, make()->row_count(), total.failures, total.faults, total.too_long, total.instructions,
      100.0 * double(total.compiled) / double(std::max<uint64_t>(1, total.instructions)),
      100.0 * double(total.called) / double(std::max<uint64_t>(1, total.instructions)), total.compile_seconds, seconds);
  return total.failures || broken ? 1 : 0;
}
