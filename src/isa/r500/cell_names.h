// Names of a wave's registers by their place in wave::Wave: temporaries t0.x, constants c0.x, outputs o0.x, as the text has them.
#pragma once
#include <cstdint>
#include <string>

namespace Atoll::r500 {

// As wave::NamedRegisters gives it, of pixel waves (registers.h).
std::string cell_name(uint32_t cell);

namespace vs {
// For vertex waves (registers_vs.h).
std::string cell_name(uint32_t cell);
}  // namespace vs

}  // namespace Atoll::r500
