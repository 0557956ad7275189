// The 8 bits of an instruction's SWSB annotation as Gen12LP has them (IGC: iga_types_swsb.cpp, SingleDistPipe).
#pragma once
#include <cstdint>

#include "isa/xe_lp/executable.h"

namespace Atoll::xe_lp {

enum class TokenMode : uint8_t { None, Set, Destination, Source };  // $N, $N.dst, $N.src

struct Swsb {
  uint8_t distance = 0;  // @N; 0: none
  uint8_t token = 0;
  TokenMode mode = TokenMode::None;
};

// Done in any order, each with a token of its own.
constexpr bool is_out_of_order(Op op) { return is_send(op) || op == Op::Math; }

constexpr Swsb swsb_of(const Instruction& i) {
  const uint8_t low = i.swsb & 15, high = i.swsb >> 4;
  if (i.swsb & 0x80) return {uint8_t(high & 7), low, is_out_of_order(i.op) ? TokenMode::Set : TokenMode::Destination};
  constexpr TokenMode modes[8] = {TokenMode::None, TokenMode::None, TokenMode::Destination, TokenMode::Source,
                                  TokenMode::Set,  TokenMode::None, TokenMode::None,        TokenMode::None};
  if (high == 0) return {low, 0, TokenMode::None};
  return {0, low, modes[high]};
}

}  // namespace Atoll::xe_lp
