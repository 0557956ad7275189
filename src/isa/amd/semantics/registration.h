// Turns the list of a semantics file into table entries. Each list is compiled four times: for the three host levels of the
// interpreter (ATOLL_LEVEL) and for the recorder (ATOLL_RECORDING). ATOLL_ISA is the instruction set's namespace, which has
// Adaptor and Instruction.
//
// A group is a header with templates `template <class A> void v_add_f32(A& e, const typename A::Instruction& i)`, a list macro
// ATOLL_<GROUP>(SCALAR, LANES, WHOLE) and a .cpp with ATOLL_SEMANTICS. The encodings of an instruction share one template.
//   SCALAR  runs once an instruction
//   LANES   runs once per 32 lanes
//   CALLED  a template as LANES, for the interpreter alone: the JIT calls it (ATOLL_CALLED_ENTRY)
//   WHOLE   a plain function `void name(wave::Wave&, const Instruction&)` that sees the whole wave; the JIT calls it
//   a WHOLE that neither touches memory nor stops the wave nor writes scalars: compiled code calls it itself
//           (ATOLL_DIRECT_ENTRY)
// ATOLL_SCALAR_AS and ATOLL_LANES_AS (mnemonic, template) serve instructions that have another name here than their template.
#pragma once
#include "isa/amd/semantics/entry.h"

#ifdef ATOLL_RECORDING
#include "wave/jit/recorder.h"

namespace Atoll::ATOLL_ISA::recording {
template <auto Semantic>
void record(wave::Recorder& recorder, const wave::Step& step) {
  Adaptor<wave::Recorder> e(recorder);
  Semantic(e, *static_cast<const Instruction*>(step.instruction));
}
template <auto Function>
void record_whole(wave::Recorder& recorder, const wave::Step& step) {
  recorder.call_whole<Function>(*static_cast<const Instruction*>(step.instruction));
}
}  // namespace Atoll::ATOLL_ISA::recording
#define ATOLL_SCALAR_AS(mnemonic, name) {#mnemonic, nullptr, &record<&name<Adaptor<wave::Recorder>>>},
#define ATOLL_LANES_AS(mnemonic, name) ATOLL_SCALAR_AS(mnemonic, name)
#define ATOLL_WHOLE_ENTRY(name) {#name, nullptr, nullptr},
#define ATOLL_DIRECT_ENTRY(name) {#name, nullptr, &record_whole<&name>},
#define ATOLL_CALLED_ENTRY(name) ATOLL_WHOLE_ENTRY(name)
#define ATOLL_SEMANTICS_NAMESPACE recording
#else
#include "wave/interpreter/interpreter.h"

namespace Atoll::ATOLL_ISA::ATOLL_LEVEL {
using LevelInterpreter = wave::ATOLL_LEVEL::Interpreter;
template <auto Function>
void run_whole(void* interpreter, const wave::Step& step) {
  Function(static_cast<LevelInterpreter*>(interpreter)->wave, *static_cast<const Instruction*>(step.instruction));
}
}  // namespace Atoll::ATOLL_ISA::ATOLL_LEVEL
#define ATOLL_SCALAR_AS(mnemonic, name) \
  {#mnemonic, &wave::ATOLL_LEVEL::run_scalar<&name<Adaptor<LevelInterpreter>>, Adaptor<LevelInterpreter>, Instruction>, nullptr},
#define ATOLL_LANES_AS(mnemonic, name) \
  {#mnemonic, &wave::ATOLL_LEVEL::run_lanes<&name<Adaptor<LevelInterpreter>>, Adaptor<LevelInterpreter>, Instruction>, nullptr},
#define ATOLL_CALLED_ENTRY(name) ATOLL_LANES_ENTRY(name)
#define ATOLL_WHOLE_ENTRY(name) {#name, &run_whole<&name>, nullptr},
#define ATOLL_DIRECT_ENTRY(name) ATOLL_WHOLE_ENTRY(name)
#define ATOLL_SEMANTICS_NAMESPACE ATOLL_LEVEL
#endif
#define ATOLL_SCALAR_ENTRY(name) ATOLL_SCALAR_AS(name, name)
#define ATOLL_LANES_ENTRY(name) ATOLL_LANES_AS(name, name)

// In a group's .cpp: ATOLL_SEMANTICS(salu, ATOLL_SALU)
#define ATOLL_SEMANTICS(group, LIST)                                                                                    \
  namespace Atoll::ATOLL_ISA::ATOLL_SEMANTICS_NAMESPACE {                                                               \
  static const amd::SemanticEntry group##_entries[] = {LIST(ATOLL_SCALAR_ENTRY, ATOLL_LANES_ENTRY, ATOLL_WHOLE_ENTRY)}; \
  std::span<const amd::SemanticEntry> group() { return group##_entries; }                                               \
  }
