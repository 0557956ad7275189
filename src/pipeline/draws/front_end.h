// A draw from its vertices to the tiles' lists: segments of it are assembled and shaded, or given as they are; then their
// primitives are set up and sorted into tiles.
#pragma once
#include <algorithm>
#include <atomic>
#include <span>

#include "pipeline/draws/storage.h"
#include "pipeline/front/setup.h"
#include "pipeline/workers.h"

namespace Atoll::pipeline {

// A draw from its vertices to the tiles' lists.
class FrontEnd {
public:
  // `state`: the draw's, if it is one that waits (WaitingDraw::state).
  FrontEnd(SceneDraw& draw, Scene& scene, TileCache& cache, Workers& workers, uint64_t state = 0)
      : d_(draw),
        draw_(*draw.draw),
        scene_(scene),
        cache_(cache),
        workers_(workers),
        storage_(workers.storage()),
        state_(state),
        guards_(storage_.findings.guards),
        rasterizes_(storage_.findings.rasterizes) {}

  // The whole draw, its vertices shaded by its vertex stage. False: a stage failed, or that of a draw before, or the draw was
  // stopped.
  bool run();

  // The same in steps, for primitives that are given (given_primitives.h). begin() is first and end() last; false as above.
  bool begin();
  // Room for a group's vertices and their attributes, which the caller fills; `spare` vertices more may be written behind them.
  std::span<Vertex> open_group(size_t vertices, size_t spare);
  float* attributes() const { return attributes_; }
  // Shades a segment's vertices by the draw's vertex stage, `batch` at once, on all workers. `vertices` and `attributes`: of the first
  // one; the latter have room for a batch more. shaded(vertices, first) is called behind each batch. False: the stage failed.
  template <class Shaded>
  bool shade(const Segment& segment, size_t batch, Vertex* vertices, float* attributes, Shaded shaded);
  // The primitives between them. `values`: of each, or empty: their provoking vertices'.
  bool close_group(std::span<const Assembled> primitives, std::span<const PrimitiveValues> values, const float* own,
                   unsigned own_floats);
  bool end();

private:
  bool stopped() const { return failed_.load(std::memory_order_relaxed) || d_.stopped(); }
  // A line goes on from the one before it, in whichever part that was.
  bool lines_in_order() const {
    return draw_.rasterization.line_stipple || draw_.rasterization.line_coordinate || draw_.rasterization.measure_lines;
  }
  void find_constants();
  void shade_vertices();
  // A stretch of vertices that are shaded, from number `first` on.
  void put_on_screen(std::span<const Vertex> shaded, size_t first);
  bool set_up_and_sort();
  size_t set_up_primitives(size_t first);
  size_t set_up_some(size_t first, unsigned in_part, unsigned max_parts, size_t& bins);

  SceneDraw& d_;
  const Draw& draw_;
  Scene& scene_;
  TileCache& cache_;
  Workers& workers_;
  Storage& storage_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> one_layer_{true};  // all vertices of the segment have layer, viewport and rate 0
  const uint64_t state_;
  const std::array<GuardBand, 16>& guards_;  // of the draw's findings
  float* attributes_ = nullptr;              // of the segment
  GivenValues given_;                        // likewise
  size_t group_ = 0;                         // vertices in the group at hand
  const bool& rasterizes_;                   // likewise
  LineProgress lines_;
};

template <class Shaded>
bool FrontEnd::shade(const Segment& segment, size_t batch, Vertex* vertices, float* attributes, Shaded shaded) {
  const size_t count = segment.number.size(), floats = d_.constants.attribute_floats;
  workers_.share(unsigned((count + batch - 1) / batch), [&](unsigned worker, unsigned part) {
    if (stopped()) return;
    const size_t first = size_t(part) * batch, here = std::min(batch, count - first);
    std::fill_n(vertices + first, here, Vertex{});
    VertexBatch numbers{{segment.number.data() + first, here}, {segment.instance.data() + first, here}};
    if (!segment.primitive.empty()) numbers.primitive = {segment.primitive.data() + first, here};
    if (draw_.vertex_stage->shade(worker, numbers, vertices + first, attributes + first * floats))
      shaded(std::span<const Vertex>(vertices + first, here), first);
    else
      failed_ = true;
  });
  return !failed_;
}

}  // namespace Atoll::pipeline
