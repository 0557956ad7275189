// The SIMM16 operands with a syntax of their own, read from text: hwreg(), sendmsg(), s_delay_alu, wait counters, s_version, and
// DS_SWIZZLE's offset.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

using amd::Lexer;

// Reads an operand of this kind into SIMM16's bits; on failure `why` says what is wrong.
std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why);

}  // namespace Atoll::rdna4
