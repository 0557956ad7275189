// The fragments of a draw before any test, in the order of the primitives, as the pipeline rasterises them: what the oracle takes
// over from the pipeline.
#pragma once
#include <functional>
#include <vector>

#include "fragments.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline::oracle {

// `inner`, where it is not null, is run for each of them, and `outputs` gets what it gives, as many a fragment as there are samples
// that are shaded apart (else one). `run_plain`: how a draw like it is run that has no targets, where its vertices are not the draw's own.
std::vector<Fragment> record(const Draw& draw, Workers& workers, PixelStage* inner = nullptr,
                             std::vector<std::array<Outputs, 16>>* outputs = nullptr,
                             const std::function<void(const Draw& plain)>& run_plain = {});

}  // namespace Atoll::pipeline::oracle
