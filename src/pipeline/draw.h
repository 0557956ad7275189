// Draws through the pipeline: vertices are assembled, shaded once each, clipped, set up and binned to screen tiles; each tile is
// rasterised, shaded and merged by one worker in the order of draws and primitives, so that the result does not depend on the number
// of workers.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>

#include "base/expected.h"
#include "pipeline/stages.h"
#include "pipeline/state.h"
#include "pipeline/target.h"

namespace Atoll::pipeline {

// The progress of line patterns, from the first line of a draw to the last.
struct LineProgress {
  uint32_t pattern = 0;     // stipple: pixels since the pattern began
  uint32_t coordinate = 0;  // Rasterization::line_coordinate, in 1/256 pixel, 24 bits
  bool begun = false;       // there was a line
};

struct Draw {
  Vertices vertices;
  Assembly assembly;
  std::array<Viewport, 16> viewports;
  std::array<Rectangle, 16> viewport_scissors{};  // by viewport; used where scissor_viewports
  bool scissor_viewports = false;
  Clip clip;
  Rasterization rasterization;
  DepthStencil depth_stencil;
  ColourOutput colour;
  Targets targets;
  VertexStage* vertex_stage = nullptr;
  unsigned given_attributes = 0;      // without a vertex stage: attributes of each given vertex (given_primitives.h)
  PixelStage* pixel_stage = nullptr;  // null: depth and stencil only
  // The caller promises that the pixel stage depends on nothing but attributes, however interpolated, and the facing. A
  // rectangle whose vertices have the same attributes is then filled instead of drawn, if tests and blending allow it
  // (fill.h).
  bool uniform_pixels = false;
  // The caller promises to call write_back() before anybody reads the targets' memory, changes it, or destroys a target. Until
  // then the draw's changes may stay in the pipeline's cache (tile_cache.h).
  bool stays_open = false;
  // Receives the progress of lines when the draw's primitives are set up, which they are when run() returns; may be null.
  LineProgress* lines_end = nullptr;

  unsigned attribute_count() const { return vertex_stage ? vertex_stage->attribute_count() : given_attributes; }
};

// The index at place `at`, as the buffer has it; the place itself without indices.
inline uint32_t raw_index(const Vertices& vertices, uint64_t at) {
  if (!vertices.index_bytes) return uint32_t(at);
  if (at >= vertices.index_limit || !vertices.indices) return 0;
  uint32_t value = 0;
  if (vertices.index_swap) {
    for (unsigned n = 0; n < vertices.index_bytes; n++) {
      const uintptr_t place = reinterpret_cast<uintptr_t>(vertices.indices) + at * vertices.index_bytes + n;
      value |= uint32_t(*reinterpret_cast<const uint8_t*>(place ^ vertices.index_swap)) << n * 8;
    }
    return value;
  }
  std::memcpy(&value, vertices.indices + at * vertices.index_bytes, std::min(vertices.index_bytes, 4u));
  return value;
}
// The number of the vertex that an index selects.
inline uint32_t vertex_number(const Vertices& vertices, uint32_t raw) {
  uint32_t number = uint32_t(int64_t(raw) + vertices.base_vertex);
  return vertices.lowest <= vertices.highest ? std::clamp(number, vertices.lowest, vertices.highest) : number;
}

// Counters, added up over draws.
struct Counters {
  uint64_t vertices = 0, primitives = 0;  // read by assembly
  uint64_t vertex_invocations = 0, pixel_invocations = 0;
  uint64_t geometry_invocations = 0, geometry_primitives = 0;  // of earlier stages: counted by the code that runs them
  uint64_t hull_invocations = 0, domain_invocations = 0;       // patches, vertices
  uint64_t clipped_primitives_in = 0, clipped_primitives_out = 0;
  uint64_t samples_passed = 0;
  double line_length = 0;  // of measured lines, pixels
  Counters& operator+=(const Counters& more);
  std::array<uint64_t, pixel_paths> pixels_by_path{};  // invocations
  // Adds them, by name.
  void add_paths(std::map<std::string_view, uint64_t>& paths) const {
    for (size_t n = 0; n < pixel_paths; n++)
      if (pixels_by_path[n]) paths[name(PixelPath(n))] += pixels_by_path[n];
  }
};

// The threads that share tiles, kept from draw to draw.
class Workers;
class TileCache;

// False: a stage failed (it has the report) or `stop` was raised. `progress` increases while the draw advances; may be null.
// Deferred draws are drawn before it.
bool run(const Draw& draw, Workers& workers, Counters& counters, const std::atomic<int>& stop,
         std::atomic<uint64_t>* progress = nullptr);
// The same without a look at `stays_open` and `uniform_pixels`, or at deferred draws: blocks stay in `cache`.
bool run(const Draw& draw, Workers& workers, TileCache& cache, Counters& counters, const std::atomic<int>& stop,
         std::atomic<uint64_t>* progress = nullptr);

// A number for WaitingDraw::state that no state had before, of any queue.
uint64_t new_draw_state();

// A draw whose pixels may be drawn later, together with those of others (scene.h): vertices are shaded at once, the pixel stage
// runs until finished(), and holds all that it needs by value. Nothing that it reads in memory may change before write_back().
class WaitingDraw {
public:
  WaitingDraw() = default;
  explicit WaitingDraw(const Draw& draw) : draw(draw) {}
  virtual ~WaitingDraw() = default;
  Draw draw;  // `stays_open`
  // Not 0: draws with the same number differ only in their vertices and in their stages' inputs that are no state (constants of
  // shaders). The pipeline then derives its data from the state once.
  uint64_t state = 0;
  // Called once, in the order of draws, on the thread that calls run() or write_back(); the draw is destroyed after it. Not
  // `good`: it has failed, or an earlier one has, whose finished() was called before.
  virtual void finished(const Counters& counters, bool good) = 0;
};
// False: it has failed, or an earlier one has; finished() tells which.
bool run(std::unique_ptr<WaitingDraw> draw, Workers& workers, const std::atomic<int>& stop,
         std::atomic<uint64_t>* progress = nullptr);

// Draws all deferred pixels and stores all cached blocks. False: a draw failed; targets have all draws before it, and any part of
// it and of the deferred draws behind it.
bool write_back(Workers& workers);
// The same, if a deferred draw or a cached block lies in one of these ranges.
bool write_back(Workers& workers, std::span<const MemoryRange> ranges);
// Draws all deferred pixels; cached blocks stay.
bool draw_waiting(Workers& workers);

}  // namespace Atoll::pipeline
