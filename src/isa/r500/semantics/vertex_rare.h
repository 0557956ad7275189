// Vertex shader instructions with relative addresses, and flow control, as plain functions on the wave: what the words of
// wave/engine.h do not say. The JIT calls them.
#pragma once
#include "isa/r500/semantics/vertex_control.h"
#include "isa/r500/vertex_instruction.h"
#include "wave/wave.h"

namespace Atoll::r500::vs {

// Copies the values of sources with relative addresses into relative_cell(), and the old value of a relative destination into
// result_cell(). After the instruction has run, finish_relative() stores result_cell() there.
void before_relative(wave::Wave& wave, const Instruction& instruction);
void finish_relative(wave::Wave& wave, const Instruction& instruction);

// Flow control behind instruction `n`; nothing where the program ends.
std::optional<uint32_t> control(wave::Wave& wave, const Flow& flow, const ControlPoint& point, uint32_t n);

}  // namespace Atoll::r500::vs
