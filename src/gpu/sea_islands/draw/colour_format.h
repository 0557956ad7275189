// The formats of colour buffers.
#pragma once
#include "registers/sea_islands.h"
#include "surface/format.h"

namespace Atoll::sea_islands {

// CB_COLORn_INFO's FORMAT, NUMBER_TYPE and COMP_SWAP.
Expected<surface::Format> colour_format(registers::access::Word<CB_COLOR_INFO> info);
// True if no component of CB_COLORn_INFO's FORMAT has more than 11 bits.
bool has_small_components(registers::access::Word<CB_COLOR_INFO> info);

}  // namespace Atoll::sea_islands
