// From Instruction to words: the reverse of decode.h.
#pragma once
#include "base/expected.h"
#include "isa/amd/words.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

using amd::Words;

// The words of an instruction that decode() or parse() made, or that was put together by hand. An Instruction that no words can
// stand for (a register out of range, a modifier that the row does not have …) is an error; its `bytes` is not read.
Expected<Words> encode(const Instruction& instruction);

}  // namespace Atoll::gfx7
