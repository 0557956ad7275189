// SIMM16 in its various spellings: hwreg(…), sendmsg(…), wait counters, plain numbers; MTBUF's format:[…].
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "isa/amd/lexer.h"
#include "isa/gfx7/table.h"

namespace Atoll::gfx7 {

using amd::Lexer;

std::string immediate_text(Kind kind, uint16_t value);
std::optional<uint16_t> parse_immediate(Lexer& text, Kind kind, std::string& why);

// format:[DATA,NUMBER] without "format:"; "" for the default (8_UNORM), which is not written.
struct DataAndNumber {
  uint16_t dfmt = 1, nfmt = 0;
};
std::string buffer_format_text(DataAndNumber format);
std::optional<DataAndNumber> parse_buffer_format(Lexer& text, std::string& why);

}  // namespace Atoll::gfx7
