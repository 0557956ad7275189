// Draws that are clears in effect: an axis-aligned rectangle (a point or two triangles) of equal pixels. Drivers of GPUs
// that have no other way clear, and fill rectangles, like this.
#pragma once
#include <atomic>
#include <optional>

#include "pipeline/draw.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

// Draws four pixels of the rectangle, into memory of its own that holds different bits under each, and does to the rest what
// happened to them; so everything but the rectangle's size is handled as in any draw. True or false: as run(). Nothing: this
// draw cannot be filled (or is too small to gain from it), and nothing has been done.
std::optional<bool> fill_rectangle(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                                   std::atomic<uint64_t>* progress);

}  // namespace Atoll::pipeline
