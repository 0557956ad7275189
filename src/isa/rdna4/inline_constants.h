// RDNA4's inline constants: isa/amd/inline_constants.h up to 1/(2 pi). RDNA4 ISA 6.2, 7.2.
#pragma once
#include "isa/amd/inline_constants.h"
#include "isa/rdna4/instruction.h"

namespace Atoll::rdna4 {

using amd::inline_bf16;
using amd::inline_f16;
using amd::inline_f32;
using amd::inline_f64;
using amd::inline_integer;
using amd::is_inline_integer;

constexpr bool is_inline_float(uint32_t operand) { return operand >= FLOAT_HALF && operand <= FLOAT_INV_2PI; }

}  // namespace Atoll::rdna4
