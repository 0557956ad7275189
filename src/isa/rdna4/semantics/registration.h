// Turns the list of a semantics file into table entries. Each list is compiled four times: for the three host levels of the
// interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING).
//
// A group is a header with templates `template <class A> void v_add_f32(A& e, const Instruction& i)` (named as the instruction;
// e32, e64, DPP and VOPD forms share one), a list macro ATOLL_<GROUP>(SCALAR, LANES, WHOLE) and a .cpp with ATOLL_SEMANTICS.
//   SCALAR  runs once an instruction
//   LANES   runs once per 32 lanes
//   CALLED  a template as LANES, for the interpreter alone: the JIT calls it (ATOLL_CALLED_ENTRY)
//   WHOLE   a plain function `void name(wave::Wave&, const Instruction&)` that sees the whole wave; the JIT calls it
#pragma once
#include "isa/rdna4/adaptor.h"
#include "isa/rdna4/dpp.h"
#include "isa/rdna4/semantics/semantics.h"

#ifdef ATOLL_RECORDING
#include "wave/jit/recorder.h"

namespace Atoll::rdna4::recording {
template <auto Semantic>
void record(wave::Recorder& recorder, const wave::Step& step) {
  Adaptor<wave::Recorder> e(recorder);
  Semantic(e, *static_cast<const Instruction*>(step.instruction));
}
}  // namespace Atoll::rdna4::recording
#define ATOLL_SCALAR_ENTRY(name) {#name, nullptr, &record<&name<Adaptor<wave::Recorder>>>},
#define ATOLL_LANES_ENTRY(name) ATOLL_SCALAR_ENTRY(name)
#define ATOLL_WHOLE_ENTRY(name) {#name, nullptr, nullptr},
#define ATOLL_CALLED_ENTRY(name) ATOLL_WHOLE_ENTRY(name)
#define ATOLL_SEMANTICS_NAMESPACE recording
#else
#include "wave/interpreter/interpreter.h"

namespace Atoll::rdna4::ATOLL_LEVEL {
using LevelInterpreter = wave::ATOLL_LEVEL::Interpreter;
template <auto Function>
void run_whole(void* interpreter, const wave::Step& step) {
  Function(static_cast<LevelInterpreter*>(interpreter)->wave, *static_cast<const Instruction*>(step.instruction));
}
}  // namespace Atoll::rdna4::ATOLL_LEVEL
#define ATOLL_SCALAR_ENTRY(name) \
  {#name, &wave::ATOLL_LEVEL::run_scalar<&name<Adaptor<LevelInterpreter>>, Adaptor<LevelInterpreter>, Instruction>, nullptr},
#define ATOLL_LANES_ENTRY(name) \
  {#name, &wave::ATOLL_LEVEL::run_lanes<&name<Adaptor<LevelInterpreter>>, Adaptor<LevelInterpreter>, Instruction>, nullptr},
#define ATOLL_CALLED_ENTRY(name) ATOLL_LANES_ENTRY(name)
#define ATOLL_WHOLE_ENTRY(name) {#name, &run_whole<&name>, nullptr},
#define ATOLL_SEMANTICS_NAMESPACE ATOLL_LEVEL
#endif

// In a group's .cpp: ATOLL_SEMANTICS(salu, ATOLL_SALU)
#define ATOLL_SEMANTICS(group, LIST)                                                                               \
  namespace Atoll::rdna4::ATOLL_SEMANTICS_NAMESPACE {                                                              \
  static const SemanticEntry group##_entries[] = {LIST(ATOLL_SCALAR_ENTRY, ATOLL_LANES_ENTRY, ATOLL_WHOLE_ENTRY)}; \
  std::span<const SemanticEntry> group() { return group##_entries; }                                               \
  }
