// The source addresses that an instruction's operands use. Three RGB and three alpha addresses serve both units: channels r,
// g, b of a source are read at the RGB address, channel a at the alpha address (US_ALU_RGB_ADDR, US_ALU_ALPHA_ADDR).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "isa/r500/instruction.h"

namespace Atoll::r500 {

// An operand that reads `slot` with these swizzle letters (Swizzle); its select is to be found.
struct SourceNeed {
  Slot slot;
  std::span<const uint8_t> letters;
  uint8_t* select;
  uint8_t* also = nullptr;  // the alpha unit's, where it takes the fourth letter (dp4)
};
using SourceNeeds = std::vector<SourceNeed>;

// Fills the selects and the pair's addresses; the first fit in the order of the operands. False: there is none.
bool address_sources(const SourceNeeds& needs, Pair& pair);

}  // namespace Atoll::r500
