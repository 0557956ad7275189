// Tiled resources' translation tables (TR-TT): a sixteenth of the address space in which memory is found by tables of the driver's, in
// tiles of 64 KiB, on top of the GPU's own page tables.
#pragma once
#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {

// Puts the context's tables into effect, while no thread runs and nothing of a draw is left in the pipeline. False: the context
// is lost.
bool translate_tiled_resources(Context& context);

}  // namespace Atoll::dg1
