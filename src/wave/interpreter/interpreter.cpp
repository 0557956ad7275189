// The interpreter's loop and its entry points for one host level.
#include "wave/interpreter/interpreter.h"

#include <xmmintrin.h>

#include "wave/interpreter/level.h"
#include "wave/probe.h"

namespace Atoll::wave::ATOLL_LEVEL {

namespace {
void decode_and_run(void* interpreter, const Step& step);
}

template <bool Mixed, bool UntilJump, bool Skip>
uint64_t Interpreter::loop(uint64_t steps) {
  uint64_t left = steps;
  while (left) {
    wave.step = step = next;
    InterpretFunction interpret = step->ready();
    if constexpr (Mixed)
      if (interpret == decode_and_run) interpret = program.decoded(*step).interpret;
    next = step + step->words;
    if constexpr (Mixed) {
      if constexpr (Skip)
        if (step->vector) {
          left--;
          continue;
        }
      if (step->float_class != FloatClass::None) _mm_setcsr(mxcsr_for(mode, step->float_class));
    }
    interpret(this, *step);
    left--;
    if (wave.stop != Stop::Run || mode_moved) break;
    if (UntilJump && next != step + step->words) break;
  }
  return steps - left;
}

void Interpreter::run(uint64_t steps, bool until_jump) {
  wave.stop = Stop::Run;
  uint32_t saved = _mm_getcsr();
  next = program.at(wave.pc);
  while (steps && wave.stop == Stop::Run) {
    mode_moved = false;
    bool mixed = classes_differ(mode);
    _mm_setcsr(mxcsr_for(mode, FloatClass::F32));
    uint64_t done = mode.skip_vectors ? until_jump ? loop<true, true, true>(steps) : loop<true, false, true>(steps)
                    : mixed ? until_jump ? loop<true, true>(steps) : loop<true, false>(steps)
                    : until_jump ? loop<false, true>(steps)
                                      : loop<false, false>(steps);
    wave.interpreted += done;
    steps -= done;
    if (until_jump && next != step + step->words) break;
  }
  wave.step = nullptr;
  // The step outside of the program has no pc: the jump that led there left its target in wave.pc.
  const Step* here = wave.stop == Stop::Fault ? step : next;
  if (here->pc) wave.pc = here->pc;
  _mm_setcsr(saved);
}

namespace {

void decode_and_run(void* interpreter, const Step& step) {
  auto& e = *static_cast<Interpreter*>(interpreter);
  const Step& decoded = e.program.decoded(step);
  e.step = &decoded;
  e.next = &decoded + decoded.words;
  decoded.interpret(interpreter, decoded);
}
void illegal(void* interpreter, const Step&) {
  static_cast<Interpreter*>(interpreter)->illegal("not an instruction of this ISA");
}
void fetch_fault(void* interpreter, const Step&) {
  auto& e = *static_cast<Interpreter*>(interpreter);
  if (e.wave.stop == Stop::Fault) return;
  // The step behind the last word has its pc; that of all other places has none, and the jump there left it in the wave.
  uint64_t pc = e.step->pc ? e.step->pc : e.wave.pc;
  e.wave.stop = Stop::Fault;
  e.wave.fault = {FaultKind::Fetch, pc, 4, pc, -1, nullptr};
}

void run_wave(Wave& wave, const Program& program, uint64_t steps, bool until_jump) {
  Interpreter(wave, program).run(steps, until_jump);
}

void run_single(Wave& wave, const Program& program, const Step& step, const FloatMode& mode) {
  Interpreter e(wave, program, mode);
  e.step = &step;
  e.next = &step + step.words;
  const Step* following = e.next;
  wave.step = &step;
  step.interpret(&e, step);
  wave.step = nullptr;
  // A jump has set wave.pc itself; the step after this one otherwise. A fault stays where it was.
  if (wave.stop == Stop::Fault)
    wave.pc = step.pc;
  else if (e.next == following)
    wave.pc = following->pc;
}

// Goes from wave.pc on through what compiled code had begun when it met a fault; lanes below `first_lane` were through with it.
void replay_wave(Wave& wave, const Program& program, uint64_t steps, uint32_t first_lane) {
  Interpreter e(wave, program);
  e.memory_lanes = first_lane < 64 ? ~uint64_t(0) << first_lane : 0;
  e.run(steps, false);
}

// Takes up after a memory fault in `step`: goes through its lanes without touching memory until one has no mapping.
void probe_step(Wave& wave, const Program& program, const Step& step, uint32_t first_lane) {
  Interpreter e(wave, program);
  e.memory_lanes = first_lane < 64 ? ~uint64_t(0) << first_lane : 0;
  e.probing = true;
  if (e.wide) e.set_chunk(int(wave.chunk / 32));
  e.step = &step;
  e.next = &step + step.words;
  wave.stop = Stop::Run;
  step.interpret(&e, step);
}

}  // namespace

void load16(Wave&, const MemoryAccess&, uint64_t, const uint32_t*, const uint32_t*, uint32_t, uint32_t, uint32_t*);
void store16(Wave&, const MemoryAccess&, uint64_t, const uint32_t*, const uint32_t*, uint32_t, uint32_t, const uint32_t*);
void run_atomic(Wave&, const AtomicCall&, uint64_t, const uint32_t*);

extern const LevelEntries entries;
const LevelEntries entries = {run_wave, run_single, replay_wave,    probe_step, load16,
                              store16,  run_atomic, decode_and_run, illegal,    fetch_fault};

}  // namespace Atoll::wave::ATOLL_LEVEL
