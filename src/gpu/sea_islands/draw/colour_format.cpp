#include "gpu/sea_islands/draw/colour_format.h"

#include "gpu/amd/draw/colour_format.h"
#include "gpu/sea_islands/state/draw_registers.h"

namespace Atoll::sea_islands {

Expected<surface::Format> colour_format(registers::access::Word<CB_COLOR_INFO> info) {
  return gpu::amd::colour_format<DrawRegisters>(info);
}

bool has_small_components(registers::access::Word<CB_COLOR_INFO> info) {
  return gpu::amd::has_small_components<DrawRegisters>(info);
}

}  // namespace Atoll::sea_islands
