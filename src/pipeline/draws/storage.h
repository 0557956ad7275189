// The memory that draws work in, reused from one to the next, with the deferred draws and the tile cache.
#pragma once
#include <array>
#include <vector>

#include "pipeline/front/assembly.h"
#include "pipeline/front/viewport.h"
#include "pipeline/tiles/scene.h"

namespace Atoll::pipeline {

// Derived from the last draw's state alone, for draws of the same state to reuse.
struct DrawFindings {
  uint64_t state = 0;  // WaitingDraw::state; 0: of that draw alone
  bool has_overlaps = false;
  bool rasterizes = false;
  DrawConstants constants;
  DrawOutputs outputs;
  std::array<GuardBand, 16> guards;
};

// Vertices that are shaded, with the primitives between them.
struct GivenGroup {
  std::vector<Vertex> vertices;
  std::vector<float> attributes;  // vertex after vertex; behind them there may be more
  std::vector<Assembled> primitives;
};

struct Storage {
  explicit Storage(unsigned workers) : scene(workers), at_once(workers) {}
  VertexCache cache;
  Segment segment;
  DrawFindings findings;
  GivenGroup group;  // of a draw that may be filled
  std::vector<Vertex> vertices;
  std::vector<ScreenVertex> screen;
  // The deferred draws, and the tile cache. Beside these a scene and a cache for draws apart, as fill_rectangle() tries one.
  Scene scene, at_once;
  TileCache tile_cache, probe_cache;
};

}  // namespace Atoll::pipeline
