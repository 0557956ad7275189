// Surfaces of several samples that nobody has drawn into yet.
#pragma once
#include "gpu/dg1/state/context.h"

namespace Atoll::dg1 {

// Mesa makes the MCS of such a surface of ones, by the processor, which says of each pixel that it has the clear colour, that of zeros, and
// leaves out a first clear to zeros (22.3.6 iris_resource.c, iris_resource_init_aux_buf; iris_clear.c, fast_clear_color); the samples
// are what was in memory before. Here a layer whose MCS begins with ones is cleared to zeros when a state of it is met first, and the ones
// go. `cleared`: the surface is filled already. False: the context is lost.
bool settle_new_samples(Context& context, const SurfaceWords& state, bool cleared, bool& filled);

}  // namespace Atoll::dg1
