// Words to instructions.
#pragma once
#include <cstddef>
#include <span>

#include "isa/xe_lp/instruction.h"
#include "isa/xe_lp/words.h"

namespace Atoll::xe_lp {

// The instruction that `bytes` begin with, native (16 bytes) or compacted (8). Null, or why it is none.
const char* decode(std::span<const uint8_t> bytes, Instruction& instruction);
const char* decode(std::span<const std::byte> bytes, Instruction& instruction);
// Bytes of the instruction that begins so: 8 or 16.
constexpr size_t size_of(uint32_t first_dword) { return first_dword >> field::compacted.low & 1 ? 8 : 16; }
const char* decode_native(const Words& words, Instruction& instruction);

}  // namespace Atoll::xe_lp
