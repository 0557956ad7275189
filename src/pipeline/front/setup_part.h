// The result of setting up a range of a segment's primitives: the primitives, and the tiles whose lists they go into.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "pipeline/primitive.h"

namespace Atoll::pipeline {

// An entry of a tile's list of primitives.
struct Binned {
  uint32_t tile;       // layer * tiles of a layer + tile
  uint32_t primitive;  // in its part
};

// The result of setting up one part of a segment's primitives.
struct SetupPart {
  std::vector<Primitive> primitives;  // the first `count` of them
  size_t count = 0;
  std::vector<Binned> bins;
  uint64_t in = 0, out = 0;
  bool large = false;      // some of them are as large as blocks of 8x8 pixels, or larger
  LineProgress lines;      // where lines go on from each other there is one part at a time
  double line_length = 0;  // of measured lines so far, pixels; likewise
  // Room for `more` behind the others.
  Primitive* room_for(size_t more) {
    if (primitives.size() < count + more) primitives.resize(std::max(count + more, 2 * primitives.size()));
    return primitives.data() + count;
  }
  void clear() { bins.clear(), count = 0, in = out = 0, large = false; }
};

}  // namespace Atoll::pipeline
