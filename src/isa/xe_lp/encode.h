// Instructions to words.
#pragma once
#include <vector>

#include "base/expected.h"
#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/words.h"

namespace Atoll::xe_lp {

// The native form, whether or not the instruction is said to be compacted. An error says what no word can hold.
Expected<Words> encode_native(const Instruction& instruction);
// 16 bytes, or 8 for an instruction that is said to be compacted: an error where it has no such form.
Expected<std::vector<uint8_t>> encode(const Instruction& instruction);

}  // namespace Atoll::xe_lp
