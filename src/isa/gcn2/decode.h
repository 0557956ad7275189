// From instruction words to Instruction (Sea Islands register guide, section 4). Never reads outside the given bytes.
#pragma once
#include <cstdint>
#include <span>

#include "base/expected.h"
#include "isa/gcn2/instruction.h"

namespace Atoll::gcn2 {

// Decodes the instruction at the beginning of `bytes` (at most 8 of them are looked at); its `bytes` is its size.
// Errors: unknown opcodes, reserved bits, operands that the instruction does not take, fields that it does not use and that are
// not 0, and bytes that end too early.
Expected<Instruction> decode(std::span<const uint8_t> bytes);

// The same into room of the caller, for loops: returns null, or why not (a string that lives until this thread's next call).
const char* decode_into(std::span<const uint8_t> bytes, Instruction& out);

}  // namespace Atoll::gcn2
