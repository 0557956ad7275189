// The offset of DS_SWIZZLE_B32 as text: swizzle(QUAD_PERM,…), swizzle(BITMASK_PERM,"…"), swizzle(SWAP,…) … or a number (LLVM
// docs, "Syntax of AMDGPU Instruction Operands": swizzle; the same on every GPU with that instruction).
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"

namespace Atoll::amd {

std::string swizzle_text(uint16_t offset);
std::optional<uint16_t> parse_swizzle(Lexer& text, std::string& why);

}  // namespace Atoll::amd
