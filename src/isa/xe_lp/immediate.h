// Immediates as text.
#pragma once
#include <string>

#include "isa/xe_lp/eu.h"

namespace Atoll::xe_lp::eu {

// Without the type: signed integers in decimals, unsigned ones and vectors in hexadecimals, floats in decimals where these give
// the number back.
std::string text_of_immediate(uint64_t bits, Type type);

}  // namespace Atoll::xe_lp::eu
