// The second way into the pipeline: vertices that are shaded already, with the primitives between them, as stages behind the
// vertex shader leave them (geometry and tessellation stages, mesh shaders, NGG). A draw is opened, gets any number of groups in
// their order, and is ended; its pixels are drawn at once or deferred, as those of other draws.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "pipeline/draw.h"
#include "pipeline/front/assembly.h"

namespace Atoll::pipeline {

class FrontEnd;
struct SceneDraw;

// A group's vertices, to be filled in.
struct GivenVertices {
  std::span<Vertex> vertices;   // as Vertex{}
  float* attributes = nullptr;  // Draw::attribute_count() * 4 floats each, vertex after vertex
};

class GivenDraw {
public:
  // Vertices more than asked for whose attributes may be written: stages leave whole waves'.
  static constexpr size_t spare_vertices = 64;

  // Its pixels are drawn when end() returns. `draw` stands until then.
  GivenDraw(const Draw& draw, Workers& workers, const std::atomic<int>& stop, std::atomic<uint64_t>* progress = nullptr);
  // Its pixels are deferred; finished() is told of them.
  GivenDraw(std::unique_ptr<WaitingDraw> draw, Workers& workers, const std::atomic<int>& stop,
            std::atomic<uint64_t>* progress = nullptr);
  // Without end() the draw has failed: those of its primitives that are binned may be drawn.
  ~GivenDraw();
  GivenDraw(const GivenDraw&) = delete;
  GivenDraw& operator=(const GivenDraw&) = delete;

  // Room for a group's vertices, until its primitives come. No other draw may run meanwhile.
  GivenVertices vertices(size_t count);
  // The group's primitives, slots being numbers of its vertices; one with a slot beyond them is dropped. `values`: of each
  // primitive, or empty: its provoking vertex's layer and viewport are. `own`: `own_attributes` times four floats a primitive
  // (PrimitiveAttributes::own), or null. False: the draw is stopped, or a draw before it has failed.
  bool add(std::span<const Assembled> primitives, std::span<const PrimitiveValues> values = {}, const float* own = nullptr,
           unsigned own_attributes = 0);
  // The same for numbers that the draw's vertex stage shades.
  bool add(const Segment& segment);

  // False: a stage failed (it has the report), or the draw was stopped. Counts are added to `counters`, but for deferred draws,
  // whose finished() gets them.
  bool end(Counters& counters);

  // For an Assembler whose segments are given.
  VertexCache& cache();

private:
  void hold_or_begin();
  void begin();
  // The held group goes the way of all: its vertices, or all of it.
  void give_held_vertices();
  bool give_held();
  void close(bool good, Counters& counters);

  std::unique_ptr<WaitingDraw> waiting_;  // null: at once
  const Draw& draw_;
  Workers& workers_;
  const std::atomic<int>& stop_;
  std::atomic<uint64_t>* const progress_;
  SceneDraw* scene_draw_ = nullptr;  // null: ended, or never begun
  std::unique_ptr<FrontEnd> front_;
  bool good_ = false;
  // A draw that may be filled instead (fill.h) is not begun before more comes than a rectangle has: until then its only group is held.
  enum class Held : uint8_t { no, open, closed } held_ = Held::no;
};

}  // namespace Atoll::pipeline
