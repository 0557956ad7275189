// Operand numbers and inline constants that AMD's instruction sets have in common: the operand space 128-255 and what stands in
// it. Sea Islands register guide section 4 (SRC0); RDNA4 ISA 6.2, 7.2.
#pragma once
#include <cstdint>

namespace Atoll::amd {

enum Operand : uint16_t {
  VCC_LO = 106,
  VCC_HI = 107,
  EXEC_LO = 126,
  EXEC_HI = 127,
  INTEGER_0 = 128,
  INTEGER_64 = 192,
  INTEGER_MINUS_1 = 193,
  INTEGER_MINUS_16 = 208,
  FLOAT_HALF = 240,
  SRC_VCCZ = 251,
  SRC_EXECZ = 252,
  SRC_SCC = 253,
  LITERAL = 255,
  VGPR0 = 256,
};

// How many of the floats an instruction set has, from FLOAT_HALF on.
inline constexpr unsigned floats_of_sea_islands = 8, floats_of_rdna4 = 9;  // the last one is 1/(2 pi)
constexpr bool is_inline_float(uint32_t operand, unsigned floats) {
  return operand >= FLOAT_HALF && operand < FLOAT_HALF + floats;
}
constexpr bool is_inline_integer(uint32_t operand) { return operand >= INTEGER_0 && operand <= INTEGER_MINUS_16; }
constexpr int32_t inline_integer(uint32_t operand) {
  return operand <= INTEGER_64 ? int32_t(operand) - INTEGER_0 : INTEGER_64 - int32_t(operand);
}
constexpr bool is_inline_constant(uint32_t operand, unsigned floats) {
  return is_inline_integer(operand) || is_inline_float(operand, floats);
}
// 0.5 -0.5 1 -1 2 -2 4 -4 1/(2 pi), in operand order from FLOAT_HALF on. Sea Islands does not have the last one.
inline constexpr uint16_t inline_f16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
inline constexpr uint16_t inline_bf16[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22};
inline constexpr uint32_t inline_f32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                          0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
inline constexpr uint64_t inline_f64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                          0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                          0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

}  // namespace Atoll::amd
