// How a frame's templates, `template <class E> void f(E& e, const State& state)`, become functions of steps: compiled for each host
// level of the interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING). Those that want to know after which of the program's
// steps they stand (what a message says) take `const wave::Step& step` as well.
#pragma once
#include "pixel/framed_program.h"

namespace Atoll::pixel {
template <auto Semantic, class E, class State>
void call(E& e, const State& state, const wave::Step& step) {
  if constexpr (requires { Semantic(e, state, step); })
    Semantic(e, state, step);
  else
    Semantic(e, state);
}
}  // namespace Atoll::pixel

#ifdef ATOLL_RECORDING
#include "wave/jit/recorder.h"

namespace Atoll::pixel::recording {
template <auto Semantic, class State>
void record_framed(wave::Recorder& recorder, const wave::Step& step) {
  const auto& framed = *static_cast<const FramedStep*>(step.instruction);
  if (framed.last.record)
    framed.last.record(recorder, framed.last);
  else if (framed.last.interpret)
    return recorder.call_instead();
  call<Semantic>(recorder, *static_cast<const State*>(framed.state), framed.last);
  if (framed.ends) recorder.stop(wave::Stop::End);
}
}  // namespace Atoll::pixel::recording
// In the family's namespace: the functions of its frames' three templates.
#define ATOLL_FRAME_FUNCTIONS(begin, end, write, State)                                                              \
  namespace recording {                                                                                              \
  extern const wave::RecordFunction frame_functions[3];                                                              \
  const wave::RecordFunction frame_functions[3] = {&pixel::recording::record_framed<&begin<wave::Recorder>, State>,  \
                                                   &pixel::recording::record_framed<&end<wave::Recorder>, State>,    \
                                                   &pixel::recording::record_framed<&write<wave::Recorder>, State>}; \
  }
#else
#include "wave/interpreter/interpreter.h"

namespace Atoll::pixel::ATOLL_LEVEL {
template <auto Semantic, class State>
void run_framed(void* interpreter, const wave::Step& step) {
  auto& core = *static_cast<wave::ATOLL_LEVEL::Interpreter*>(interpreter);
  const auto& framed = *static_cast<const FramedStep*>(step.instruction);
  const State& state = *static_cast<const State*>(framed.state);
  if (framed.last.interpret) {
    framed.last.interpret(interpreter, framed.last);
    if (core.wave.stop != wave::Stop::End && core.wave.stop != wave::Stop::Run) return;
  }
  call<Semantic>(core, state, framed.last);
  if (core.wide) {
    core.set_chunk(1);
    call<Semantic>(core, state, framed.last);
    core.set_chunk(0);
    core.commit_words();
  }
  if (framed.ends)
    core.stop(wave::Stop::End);
  else if (framed.goes)
    core.jump(framed.entry);
}
}  // namespace Atoll::pixel::ATOLL_LEVEL
#define ATOLL_FRAME_FUNCTIONS(begin, end, write, State)                                \
  namespace ATOLL_LEVEL {                                                              \
  extern const wave::InterpretFunction frame_functions[3];                             \
  const wave::InterpretFunction frame_functions[3] = {                                 \
      &pixel::ATOLL_LEVEL::run_framed<&begin<wave::ATOLL_LEVEL::Interpreter>, State>,  \
      &pixel::ATOLL_LEVEL::run_framed<&end<wave::ATOLL_LEVEL::Interpreter>, State>,    \
      &pixel::ATOLL_LEVEL::run_framed<&write<wave::ATOLL_LEVEL::Interpreter>, State>}; \
  }
#endif
