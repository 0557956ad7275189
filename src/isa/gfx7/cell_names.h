// Names of a wave's registers by their place in wave::Wave (registers.h): those of the assembler, exports as their targets and
// channels ("mrt0.x"), attributes as attribute, channel and parameter ("attr0.x.p10").
#pragma once
#include <cstdint>
#include <string>

namespace Atoll::gfx7 {

// As wave::NamedRegisters gives it.
std::string cell_name(uint32_t cell, uint32_t words);

}  // namespace Atoll::gfx7
