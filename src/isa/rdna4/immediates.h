// The SIMM16 operands with a syntax of their own, read from text: hwreg(), sendmsg(), s_delay_alu, wait counters, s_version, and
// DS_SWIZZLE's offset.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/rdna4/lexer.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

// Reads an operand of this kind into SIMM16's bits; on failure `why` says what is wrong.
std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why);

// Reads what follows `offset:` of ds_swizzle_b32: a number or swizzle(…).
std::optional<uint16_t> parse_swizzle(Lexer& text, std::string& why);

}  // namespace Atoll::rdna4
