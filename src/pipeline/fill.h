// Draws that are clears in effect: an upright rectangle (a point, or two triangles) whose pixels are all alike. Drivers of GPUs
// without other means clear, and fill rectangles, in this way.
#pragma once
#include <atomic>
#include <optional>

#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

// Draws four pixels of the rectangle, into memory of its own that holds different bits under each, and does to the rest what
// happened to them; so everything but the size of the rectangle goes the way of all draws. True or false: as run(). Nothing: this
// draw cannot be filled (or is too small to gain from it), and nothing has been done.
std::optional<bool> fill_rectangle(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                                   std::atomic<uint64_t>* progress);

}  // namespace Atoll::pipeline
