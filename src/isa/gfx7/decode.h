// From instruction words to Instruction (Sea Islands register guide, section 4). Never reads outside the given bytes.
#pragma once
#include <cstdint>
#include <span>

#include "base/expected.h"
#include "isa/gfx7/instruction.h"

namespace Atoll::gfx7 {

// Decodes the instruction at the beginning of `bytes` (at most 8 of them are looked at); its `bytes` is its size.
// Errors: unknown opcodes, reserved bits, operands that the instruction does not take, fields that it does not use and that are
// not 0, and bytes that end too early.
Expected<Instruction> decode(std::span<const uint8_t> bytes);

// The treatment of unused fields that are not 0: text cannot tell them, hardware ignores them (and
// compilers leave them as they are: Mesa's ACO sets every VSRC of an export).
enum class Unused : uint8_t { refused, ignored };

// The same into room of the caller, for loops: returns null, or why not (a string that lives until this thread's next call).
// Ignored fields are 0 in the Instruction.
const char* decode_into(std::span<const uint8_t> bytes, Instruction& out, Unused unused = Unused::refused);

}  // namespace Atoll::gfx7
