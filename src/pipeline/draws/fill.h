// Draws that are clears in effect: an axis-aligned rectangle (a point or two triangles) of equal pixels. Drivers of GPUs
// that have no other way clear, and fill rectangles, like this.
#pragma once
#include <atomic>
#include <optional>
#include <span>

#include "pipeline/draw.h"
#include "pipeline/draws/storage.h"
#include "pipeline/tiles/target_fill.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

// Draws four pixels of the rectangle, into memory of its own that holds different bits under each, and does to the rest what
// happened to them; so everything but the rectangle's size is handled as in any draw. True or false: as run(). Nothing: this
// draw cannot be filled (or is too small to gain from it), and nothing has been done.
std::optional<bool> fill_rectangle(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
                                   std::atomic<uint64_t>* progress);

// The same for primitives that are given (given_primitives.h). may_fill_given(): the draw's state allows it at all. The
// constants: the most vertices and primitives that may be an upright rectangle.
bool may_fill_given(const Draw& draw);
inline constexpr size_t most_filled_vertices = 4, most_filled_primitives = 2;
std::optional<bool> fill_given(const Draw& draw, const GivenGroup& group, Workers& workers, Counters& counters,
                               const std::atomic<int>& stop, std::atomic<uint64_t>* progress);

// Changes all pixels of these areas of one of a draw's targets, before that draw and behind all that wait: of its colour target
// `number`, or of its depth (8; stencils that stand in its words with it). As with a fill, the tile cache only notes it. False:
// a draw that waited has failed.
inline constexpr unsigned depth_target = 8;
bool change_areas(const Targets& targets, unsigned number, std::span<const Rectangle> areas, const OwnedChange& change,
                  Workers& workers);

}  // namespace Atoll::pipeline
