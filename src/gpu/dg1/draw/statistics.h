// The pipeline's counters, which are registers of a context that go on from draw to draw (registers/dg1_mmio.h).
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// What a draw counted, where the state lets its stages count.
void count_statistics(Context& context, const pipeline::Counters& counters);

}  // namespace Atoll::dg1
