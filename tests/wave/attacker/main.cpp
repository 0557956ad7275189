// attacker: programs with hostile addresses, offsets, descriptors and indices must do the same on the interpreter and in compiled
// code, and leave the poison around everything whole.
//
//   attacker [--isa NAME,...] [--count N] [--first N] [--seed S] [--jobs N] [--every] [--findings N] [--only INDEX [--way W]
//            [--level L]] [--quiet]
//   attacker --checks     the checks that prove_checks takes out one at a time: name, who can find it missing, where it stands
//
// --count: programs of each instruction set. Each runs on the interpreter and on one tier of compiled code and one host level
// that its number draws; with --every on all tiers and levels, and the interpreters of all levels must agree. --findings: how
// many to show before giving up. Ends with status 1 if there were any.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "../random_programs/minimised.h"
#include "base/removable_check.h"
#include "run.h"

namespace Atoll::attacker {
namespace {

constexpr uint64_t slice = 500;  // programs that a process runs

struct InstructionSet {
  const char* name;
  std::unique_ptr<Attacker> (*make)();
};
constexpr InstructionSet instruction_sets[] = {{"gfx1200", rdna4_attacker},
                                               {"gfx7", gfx7_attacker},
                                               {"r500-fs", r500_pixel_attacker},
                                               {"r500-vs", r500_vertex_attacker},
                                               {"xe-lp", xe_lp_attacker}};

struct Options {
  std::vector<const InstructionSet*> isas;
  uint64_t count = 1000, first = 0, seed = 1, jobs = 1, findings = 1, only = ~uint64_t(0);
  bool every = false, quiet = false;
  int way = -1, level = -1;
};

struct Draw {
  Way way;
  unsigned level;
};
Draw draw(uint64_t seed, uint64_t index) {
  Random r{(seed ^ 0x5bd1e995) * 0x9e3779b97f4a7c15ull + index};
  uint32_t percent = r.below(100);
  Way way = percent < 45 ? Way::Quick : percent < 70 ? Way::Full : percent < 78 ? Way::FullExact : Way::Auto;
  return {way, r.below(level_count)};
}
Attack attack_of(Attacker& attacker, uint64_t seed, uint64_t index) {
  Random r{seed * 0x9e3779b97f4a7c15ull + index * 0xd1342543de82ef95ull};
  r.next64();
  return attacker.make(r);
}

// The report of a process to the one that started it, in memory that both have.
struct Report {
  uint64_t current = 0, programs = 0, runs = 0, findings = 0, first_finding = ~uint64_t(0), too_long = 0, compiled = 0,
           called = 0;
  uint64_t stops[9] = {}, faults[9] = {};  // by wave::Stop, by wave::FaultKind
  double compile_seconds = 0;
  Way way{};
  void add(const Report& r) {
    programs += r.programs, runs += r.runs, findings += r.findings, too_long += r.too_long;
    compiled += r.compiled, called += r.called, compile_seconds += r.compile_seconds;
    first_finding = std::min(first_finding, r.first_finding);
    for (int n = 0; n < 9; n++) stops[n] += r.stops[n], faults[n] += r.faults[n];
  }
};

void print_program(Attacker& attacker, const Attack& a) {
  wave::Program program(attacker.machine().isa(a.lanes), code_base, a.program.words);
  for (uint32_t at = 0; at < a.program.words.size();) {
    const wave::Step& step = program.decoded(*program.at(code_base + at * 4));
    if (attacker.nop() != a.program.words[at]) {
      std::string words;
      for (uint32_t n = 0; n < std::min<uint32_t>(step.words, 5); n++) words += fmt::format("{:08x} ", a.program.words[at + n]);
      fmt::print("  {:4x}  {:28}{}\n", at * 4, words, program.isa().text(step));
    }
    at += step.words;
  }
}

void show(Arena& arena, const Options& o, uint64_t index, unsigned level, Way way, const Attack& a, const std::string& report) {
  fmt::print("{} seed {} program {} on {}, {}: wave{}, LDS {}, private {}, {} VGPRs\n{}", arena.attacker().name(), o.seed, index,
             way_names[int(way)], level_names[level], a.lanes, a.lds_bytes, a.scratch_bytes, a.vgprs, report);
  std::fflush(stdout);
  Attack small = a;
  if (auto nop = arena.attacker().nop(); nop && !a.model) {
    small.program = minimised(a.program, {*nop}, [&](const RandomProgram& program) {
      Attack candidate = a;
      candidate.program = program;
      return arena.run(candidate, way).verdict == Verdict::Differ;
    });
    fmt::print(" minimised:\n{}", arena.run(small, way).report);
  }
  print_program(arena.attacker(), small);
  std::fflush(stdout);
}

// The programs [first, last) that are drawn for the level.
void work(const Options& o, const InstructionSet& isa, unsigned level, uint64_t first, uint64_t last, Report& report,
          uint64_t* digests) {
  Arena arena(isa.make());
  for (uint64_t index = first; index < last; index++) {
    Draw drawn = draw(o.seed, index);
    if (!o.every && o.level < 0 && drawn.level != level) continue;
    report.current = index;
    Attack a = attack_of(arena.attacker(), o.seed, index);
    report.programs += !o.every || level == 0;
    for (unsigned w = 0; w < way_count; w++) {
      Way way = Way(w);
      if (o.way >= 0 ? w != unsigned(o.way) : !o.every && way != drawn.way) continue;
      report.way = way;
      Outcome out = arena.run(a, way);
      report.runs++;
      report.stops[size_t(out.stop)]++, report.faults[size_t(out.fault)]++;
      report.compiled += out.compiled, report.called += out.called, report.compile_seconds += out.compile_seconds;
      if (digests) digests[index - o.first] = out.digest;
      if (out.verdict == Verdict::TooLong) {
        report.too_long++;
        break;
      }
      if (out.verdict == Verdict::Agree) continue;
      report.findings++;
      if (report.first_finding > index) report.first_finding = index;
      if (!o.quiet) show(arena, o, index, level, way, a, out.report);
      if (report.findings >= o.findings) return;
    }
  }
}

template <class T>
T* shared_memory(size_t count) {
  void* at = ::mmap(nullptr, sizeof(T) * std::max<size_t>(count, 1), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ATOLL_ASSERT(at != MAP_FAILED);
  return static_cast<T*>(at);
}

struct Task {
  const InstructionSet* isa;
  unsigned level;
  uint64_t first, last;
};
struct Running {
  Task task;
  Report* report;
  bool ended = false;  // by us
};

int run_all(const Options& o) {
  auto start = std::chrono::steady_clock::now();
  std::deque<Task> tasks;
  std::map<std::pair<const InstructionSet*, unsigned>, uint64_t*> digests;
  for (uint64_t at = 0; at < o.count; at += slice)
    for (const InstructionSet* isa : o.isas)
      for (unsigned level = 0; level < level_count; level++)
        if (o.level < 0 || level == unsigned(o.level))
          tasks.push_back({isa, level, o.first + at, o.first + std::min(o.count, at + slice)});
  if (o.every)
    for (const InstructionSet* isa : o.isas)
      for (unsigned level = 0; level < level_count; level++) digests[{isa, level}] = shared_memory<uint64_t>(o.count);
  std::map<pid_t, Running> running;
  std::map<const InstructionSet*, Report> sums;
  uint64_t findings = 0, crashes = 0;
  while (!tasks.empty() || !running.empty()) {
    while (!tasks.empty() && running.size() < o.jobs && findings < o.findings) {
      Task task = tasks.front();
      tasks.pop_front();
      Report* report = new (shared_memory<Report>(1)) Report;
      report->current = task.first;
      std::fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        ::setenv("ATOLL_LEVEL", level_names[task.level], 1);
        work(o, *task.isa, task.level, task.first, task.last, *report, o.every ? digests[{task.isa, task.level}] : nullptr);
        std::fflush(stdout);
        _exit(0);
      }
      running[child] = {task, report, false};
    }
    if (running.empty()) break;
    int status = 0;
    pid_t child = ::wait(&status);
    auto found = running.find(child);
    if (found == running.end()) continue;
    auto [task, report, ended] = found->second;
    running.erase(found);
    if (status && !ended) {
      // The program that was being run is the finding; the others of the slice still have to be.
      crashes++;
      report->findings++;
      report->first_finding = std::min(report->first_finding, report->current);
      fmt::print("{} seed {} program {} on {}, {}: {}\n", task.isa->name, o.seed, report->current, way_names[int(report->way)],
                 level_names[task.level],
                 WIFSIGNALED(status)
                     ? fmt::format("the process died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                 : WEXITSTATUS(status) == hang_status ? "it hangs"
                                                      : fmt::format("the process ended with status {}", WEXITSTATUS(status)));
      if (report->current + 1 < task.last) tasks.push_front({task.isa, task.level, report->current + 1, task.last});
    }
    findings += report->findings;
    if (findings >= o.findings)  // enough: what else runs ends with what it has
      for (auto& [other, running_task] : running) ::kill(other, SIGKILL), running_task.ended = true;
    sums[task.isa].add(*report);
    ::munmap(report, sizeof(Report));
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (o.every && findings == 0)
    for (const InstructionSet* isa : o.isas)
      for (uint64_t n = 0; n < o.count; n++)
        for (unsigned level = 1; level < level_count; level++)
          if (digests[{isa, 0}][n] != digests[{isa, level}][n] && findings++ < o.findings)
            fmt::print("{} seed {} program {}: the interpreter at level {} leaves something else than at {}\n", isa->name, o.seed,
                       o.first + n, level_names[level], level_names[0]);
  uint64_t least = ~uint64_t(0), programs = 0;
  static constexpr const char* kinds[] = {"", "load", "store", "atomic", "scalar load", "fetch", "illegal", "trap", ""};
  for (auto& [isa, r] : sums) {
    std::string faults;
    uint64_t all = 0;
    for (int n = 1; n < 8; n++)
      if (r.faults[n]) faults += fmt::format("{}{} {}", faults.empty() ? "" : ", ", r.faults[n], kinds[n]), all += r.faults[n];
    fmt::print(
        "{}: {} programs, {} runs compared with the interpreter's, {} of them end in a fault ({}); {} took too long; {} "
        "instructions ran compiled, {} called; {:.1f} s compiling\n",
        isa->name, r.programs, r.runs, all, faults, r.too_long, r.compiled, r.called, r.compile_seconds);
    least = std::min(least, r.first_finding), programs += r.programs;
  }
  if (findings) fmt::print("the first finding is program {}\n", least);
  fmt::print("{} programs, {} findings ({} of them crashes or hangs), {:.1f} s\n", programs, findings, crashes, seconds);
  return findings ? 1 : 0;
}

int usage() {
  fmt::print(stderr,
             "attacker [--isa NAME,...] [--count N] [--first N] [--seed S] [--jobs N] [--every] [--findings N] [--only "
             "INDEX [--way quick|full|exact|auto] [--level baseline|avx2|avx512]] [--quiet]\nattacker --checks\n  names:");
  for (const InstructionSet& isa : instruction_sets) fmt::print(stderr, " {}", isa.name);
  fmt::print(stderr, "\n");
  return 2;
}

bool add_isas(std::string_view names, Options& o) {
  o.isas.clear();
  while (!names.empty()) {
    std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    size_t before = o.isas.size();
    for (const InstructionSet& isa : instruction_sets)
      if (name == isa.name) o.isas.push_back(&isa);
    if (o.isas.size() == before) return false;
  }
  return true;
}

int main_of(int argc, char** argv) {
  Options o;
  for (const InstructionSet& isa : instruction_sets) o.isas.push_back(&isa);
  for (int n = 1; n < argc; n++) {
    std::string_view option = argv[n];
    auto text = [&] { return std::string_view(n + 1 < argc ? argv[++n] : ""); };
    auto value = [&] { return std::strtoull(std::string(text()).c_str(), nullptr, 0); };
    if (option == "--isa") {
      if (!add_isas(text(), o)) return usage();
    } else if (option == "--count")
      o.count = value();
    else if (option == "--first")
      o.first = value();
    else if (option == "--seed")
      o.seed = value();
    else if (option == "--jobs")
      o.jobs = std::max<uint64_t>(1, value());
    else if (option == "--findings")
      o.findings = std::max<uint64_t>(1, value());
    else if (option == "--only")
      o.only = value();
    else if (option == "--every")
      o.every = true;
    else if (option == "--quiet")
      o.quiet = true;
    else if (option == "--checks") {
      for (const RemovableCheck& check : removable_checks) fmt::print("{} {} {}\n", check.name, check.isas, check.engines);
      return 0;
    } else if (option == "--way") {
      std::string_view name = text();
      for (unsigned w = 0; w < way_count; w++)
        if (name == way_names[w] || (name == "exact" && Way(w) == Way::FullExact)) o.way = int(w);
      if (o.way < 0) return usage();
    } else if (option == "--level") {
      std::string_view name = text();
      for (unsigned l = 0; l < level_count; l++)
        if (name == level_names[l]) o.level = int(l);
      if (o.level < 0) return usage();
    } else
      return usage();
  }
  if (o.only == ~uint64_t(0)) return run_all(o);
  // In this process, for a debugger.
  Draw drawn = draw(o.seed, o.only);
  unsigned level = o.level < 0 ? drawn.level : unsigned(o.level);
  if (o.way < 0) o.way = int(drawn.way);
  ::setenv("ATOLL_LEVEL", level_names[level], 1);
  o.level = int(level);
  {
    auto attacker = o.isas[0]->make();
    Attack a = attack_of(*attacker, o.seed, o.only);
    fmt::print("{}, {}, wave{}, mode {:#x}, LDS {}, private {}, {} VGPRs\n", way_names[o.way], level_names[level], a.lanes,
               a.mode, a.lds_bytes, a.scratch_bytes, a.vgprs);
    print_program(*attacker, a);
    std::fflush(stdout);
  }
  Report report;
  work(o, *o.isas[0], level, o.only, o.only + 1, report, nullptr);
  return report.findings ? 1 : 0;
}

}  // namespace
}  // namespace Atoll::attacker

int main(int argc, char** argv) { return Atoll::attacker::main_of(argc, argv); }
