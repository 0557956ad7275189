// SIMM16 in its various spellings: hwreg(…), sendmsg(…), s_delay_alu, wait counters, s_version, plain numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"
#include "isa/rdna4/table.h"

namespace Atoll::rdna4 {

using amd::Lexer;

std::string immediate_text(Kind kind, uint16_t value);
// On failure `why` says what is wrong.
std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why);

}  // namespace Atoll::rdna4
