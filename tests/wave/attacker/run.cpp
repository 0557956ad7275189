#include "run.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "wave/interpreter/level.h"

namespace Atoll::attacker {
namespace {

// Raises the stop flag of a run that takes too much of the processor, whatever else the machine does, and ends the process if
// that does not help. One at a time.
class Watch {
public:
  explicit Watch(std::atomic<int>& flag) {
    flag_ = &flag;
    for (int signal : {SIGPROF, SIGALRM}) std::signal(signal, raise);
    start();
  }
  ~Watch() { stop(); }

private:
  static constexpr time_t seconds = 10, seconds_asleep = 600;
  static inline std::atomic<int>* flag_ = nullptr;

  static void set(time_t of_processor, time_t of_clock) {
    itimerval processor{{0, 0}, {of_processor, 0}};
    setitimer(ITIMER_PROF, &processor, nullptr);
    alarm(unsigned(of_clock));
  }
  static void start() { set(seconds, seconds_asleep); }
  static void stop() { set(0, 0); }
  static void raise(int) {
    if (*flag_) _exit(hang_status);
    *flag_ = 1;
    start();
  }
};

void run_to_end(wave::Executor& executor, wave::Wave& wave) {
  do executor.run(wave);
  while (wave.stop == wave::Stop::Yield);
}

// A fault of the host's that going through the instruction again did not explain: something was touched that no check let pass.
bool unexplained(const Machine::State& s) {
  using enum wave::FaultKind;
  // (An image's fault has no bytes, but a reason.)
  bool reason = s.fault.reason && std::string_view(s.fault.reason).find("48 bits") == std::string_view::npos;
  return s.stop == wave::Stop::Fault && s.fault.bytes == 0 && !reason && (s.fault.kind == Load || s.fault.kind == Store);
}

}  // namespace

Arena::Arena(std::unique_ptr<Attacker> attacker)
    : attacker_(std::move(attacker)),
      ground_(0xa7c3e5b1, attacker_->machine().wave_bytes(), attacker_->sectioned()),
      other_(0x5b19d76d, attacker_->machine().wave_bytes(), attacker_->sectioned()) {}

void Arena::reset(const Attack& a, unsigned run, Ground& ground) {
  Machine& machine = attacker_->machine();
  machine.use(ground.places(a.lds_bytes, a.scratch_bytes, a.shared_base, a.shared_bytes));
  attacker_->prepare(ground, a, run);
  machine.reset(a.lanes, a.mode, a.state_seed + run);
  attacker_->arm(a, run, ground);
}

Machine::State Arena::state(const Attack& attack, Ground& ground, std::string& report) {
  report += attacker_->settle(attack, ground);
  Machine::State s = attacker_->machine().state();
  if (unexplained(s)) report += fmt::format("  a fault of the host's that nothing explains: address {:#x}\n", s.fault.address);
  return s;
}

uint64_t Arena::digest(const Machine::State& s, uint64_t h) const {
  auto mix = [&](uint64_t word) { h = Random{h ^ word}.next64(); };
  mix(uint64_t(s.stop)), mix(s.pc);
  if (s.stop == wave::Stop::Fault) {
    mix(uint64_t(s.fault.kind)), mix(s.fault.address), mix(s.fault.bytes), mix(uint64_t(s.fault.lane));
    return h;
  }
  for (const auto* bytes : {&s.registers, &s.lds, &s.scratch, &s.buffer, &s.shared, &s.images})
    for (size_t n = 0; n + 8 <= bytes->size(); n += 8) {
      uint64_t word;
      std::memcpy(&word, bytes->data() + n, 8);
      h = (h ^ word) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    }
  return h;
}

Outcome Arena::run(const Attack& a, Way way) {
  Outcome out;
  Machine& machine = attacker_->machine();
  const wave::Isa& isa = machine.isa(a.lanes);
  wave::Program reference(isa, code_base, a.program.words);
  std::vector<Machine::State> expected;
  for (unsigned run = 0; run <= a.tame_runs; run++) {
    reset(a, run, ground_);
    wave::Wave& wave = machine.wave();
    {
      Watch watch(machine.stop_flag());
      wave::Executor interpreter(reference, wave::EngineChoice::Interpreter, wave);
      run_to_end(interpreter, wave);
    }
    if (wave.stop == wave::Stop::Interrupted) {
      out.verdict = Verdict::TooLong;
      return out;
    }
    if (std::string wrong = attacker_->judge(a); !wrong.empty()) out.report += "  the model disagrees: " + wrong + "\n";
    expected.push_back(state(a, ground_, out.report));
    out.digest = digest(expected.back(), out.digest);
  }
  out.stop = expected.back().stop;
  if (out.stop == wave::Stop::Fault) out.fault = expected.back().fault.kind;
  if (std::string damage = ground_.damage(); !damage.empty()) out.report += " the interpreter:\n" + damage;

  wave::Program program(isa, code_base, a.program.words);
  if (a.learns && way != Way::Auto)
    for (unsigned run = 0; run < a.tame_runs; run++) {
      reset(a, run, other_);
      Watch watch(machine.stop_flag());
      wave::Executor interpreter(program, wave::EngineChoice::Interpreter, machine.wave());
      run_to_end(interpreter, machine.wave());
    }
  reset(a, 0, other_);
  wave::ExecutorOptions options;
  options.first_tier = way == Way::Quick ? wave::Tier::Quick : wave::Tier::Full;
  options.exact = way == Way::FullExact;
  options.hot_instructions = 1 + a.state_seed % 40;
  std::string report;
  {
    wave::Executor executor(program, way == Way::Auto ? wave::EngineChoice::Auto : wave::EngineChoice::Jit, machine.wave(),
                            options);
    for (unsigned run = 0; run <= a.tame_runs; run++) {
      reset(a, run, other_);
      wave::Wave& wave = machine.wave();
      {
        Watch watch(machine.stop_flag());
        run_to_end(executor, wave);
      }
      executor.wait_for_compilation();
      out.compiled += wave.compiled, out.called += wave.called;
      std::string text = machine.difference(expected[run], state(a, other_, report), a.lanes);
      if (!text.empty()) report += fmt::format(" {} run:\n", run < a.tame_runs ? "tame" : "hostile") + text;
    }
    if (std::string why = executor.error(); !why.empty()) report += "  the code generator failed: " + why + "\n";
    out.compile_seconds = executor.compile_seconds();
  }
  report += other_.damage();
  if (!report.empty()) out.report += fmt::format(" {}:\n{}", way_names[int(way)], report);
  if (!out.report.empty()) out.verdict = Verdict::Differ;
  return out;
}

}  // namespace Atoll::attacker
