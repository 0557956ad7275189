// Shared by the parser and the printer of the vertex shader's text.
#pragma once
#include <string_view>

#include "isa/r500/vertex_instruction.h"

namespace Atoll::r500::vs {

inline constexpr std::string_view channel_letters = "xyzw", select_letters = "xyzw01h_";
inline constexpr std::string_view source_banks[] = {"t", "i", "c", "u"};                  // by SourceType
inline constexpr std::string_view destination_banks[] = {"t", "a", "o", "ox", "u", "i"};  // by DestinationType

// The source that stands for one that the text leaves out: the register of the one before it with zeroes (as Mesa's r3xx_vertprog.c
// writes them).
inline Source left_out(const Instruction& i, uint8_t n) {
  if (n == 0 || i.op == Op::Nop || i.op == Op::MathNop) return {};
  Source s = i.source[n - 1];
  s.absolute = 0, s.negate = 0;
  for (uint8_t& letter : s.swizzle) letter = SELECT_0;
  return s;
}

}  // namespace Atoll::r500::vs
