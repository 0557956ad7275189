// The pipeline's counters, which are registers of a context that go on from draw to draw (registers/dg1_mmio.h).
#pragma once
#include "gpu/dg1/state/context.h"
#include "pipeline/draw.h"

namespace Atoll::dg1 {

// The stages that count, according to a draw's state.
struct CountingStages {
  bool fetch = false, vertices = false, hull = false, domain = false, geometry = false, clip = false, pixels = false;
  uint32_t geometry_increment = 1;  // of a geometry shader's run
};
CountingStages counting_stages(const GraphicsState& state);

// Adds a draw's counts of these stages.
void count_statistics(Context& context, const CountingStages& of, const pipeline::Counters& counters);

// All counters of the stages, and of samples that passed, begin anew.
void reset_statistics(Context& context);

}  // namespace Atoll::dg1
