// Immediates as text.
#pragma once
#include <string>
#include <string_view>

#include "base/expected.h"
#include "isa/xe_lp/instruction.h"

namespace Atoll::xe_lp {

// Without the type: signed integers in decimals, unsigned ones and vectors in hexadecimals, floats in decimals where these give
// the number back.
std::string text_of_immediate(uint64_t bits, Type type);
// The bits, extended to 64 as the type says. Integers in decimals, 0x or 0b; floats in decimals, as their bits in hexadecimals,
// inf, qnan(0x1) or snan(0x1).
Expected<uint64_t> immediate_of_text(std::string_view text, Type type);

}  // namespace Atoll::xe_lp
