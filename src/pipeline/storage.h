// The memory that draws work in, kept from one to the next so that nothing is allocated again.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "pipeline/assembly.h"
#include "pipeline/tile.h"
#include "pipeline/viewport.h"

namespace Atoll::pipeline {

// A primitive's place in a tile's list.
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
  uint32_t stipple_counter = 0;  // pixels of the line strip so far; stippled draws have one part
  // Room for `more` behind the others.
  Primitive* room_for(size_t more) {
    if (primitives.size() < count + more) primitives.resize(std::max(count + more, 2 * primitives.size()));
    return primitives.data() + count;
  }
  void clear() { bins.clear(), count = 0, in = out = 0; }
};

struct Storage {
  explicit Storage(unsigned workers) : tiles(workers) {}
  VertexCache cache;
  Segment segment;
  std::vector<Vertex> vertices;
  std::vector<float> attributes;
  std::vector<ScreenVertex> screen;
  std::vector<SetupPart> parts;
  std::vector<uint32_t> tile_count;  // by tile
  std::vector<uint32_t> busy_tiles;  // those that have primitives
  std::vector<uint32_t> tile_end;    // by busy tile: where its primitives end
  std::vector<const Primitive*> tile_primitives;
  std::vector<std::unique_ptr<Tile>> tiles;  // by worker
  KeptBlocks kept;
  std::vector<KeptBlocks::Tile*> open_tiles;  // by busy tile
  KeptBlocks probed;                          // of the memory that fill_rectangle() tries a draw in
};

}  // namespace Atoll::pipeline
