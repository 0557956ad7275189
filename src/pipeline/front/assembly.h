// Input assembly: vertex numbers become primitives whose corners are slots of a segment, each vertex of which is shaded once
// (Vulkan 1.3 chapter 21 "Drawing Commands", primitive topologies; OpenGL 4.6 compatibility 10.1 for quads and polygons).
#pragma once
#include <cstdint>
#include <vector>

#include "base/zeroed_array.h"
#include "pipeline/draw.h"

namespace Atoll::pipeline {

// A primitive as assembled: one point, a line's ends, or a triangle's (or rectangle's) corners.
struct Assembled {
  uint32_t slot[3];
  uint32_t provoking;  // slot
  uint32_t number;     // of the primitive in its instance
  uint32_t stipple;    // lines: pieces of the same strip before this one, or ~0 where a strip begins
  PrimitiveKind kind;
  bool rectangle = false;
  uint8_t edges = 7;   // bit n: the edge from corner n to the next is the primitive's own (not the diagonal of a quad)
  uint32_t given = 0;  // of primitives that were given: its number among the group's (GivenValues)
};

// A part of a draw that goes through the pipeline at once.
struct Segment {
  static constexpr unsigned max_vertices = 32768, max_primitives = 32768;
  // One vertex adds two primitives and six corners at most, the end of a strip as many.
  static constexpr size_t reserve = 16;
  bool is_full() const { return number.size() + reserve > max_vertices || primitives.size() + reserve > max_primitives; }
  std::vector<uint32_t> number, instance;  // of each vertex to shade
  std::vector<uint32_t> primitive;         // likewise, where the assembly asks for it
  std::vector<Assembled> primitives;
  void clear() { number.clear(), instance.clear(), primitive.clear(), primitives.clear(); }
};

// Maps vertices to slots of the segment. Open addressing; entries of other generations are empty.
class VertexCache {
public:
  VertexCache() : entries_(size) {}
  void forget() {
    if (++generation_ == 0) {
      for (auto& entry : entries_) entry.generation = 0;
      generation_ = 1;
    }
  }
  [[gnu::always_inline]] uint32_t slot(Segment& segment, uint32_t number, uint32_t instance) {
    const Entry& first = entries_[number & (size - 1)];
    if (first.generation == generation_ && first.number == number) return first.slot;
    return find(segment, number, instance);
  }

private:
  static constexpr uint32_t size = 2 * Segment::max_vertices;
  struct Entry {
    uint32_t generation, number, slot;
  };
  ZeroedArray<Entry> entries_;
  uint32_t generation_ = 1;

  uint32_t find(Segment& segment, uint32_t number, uint32_t instance) {
    for (uint32_t at = number;; at++) {
      Entry& entry = entries_[at & (size - 1)];
      if (entry.generation == generation_) {
        if (entry.number == number) return entry.slot;
        continue;
      }
      entry = {generation_, number, uint32_t(segment.number.size())};
      segment.number.push_back(number);
      segment.instance.push_back(instance);
      return entry.slot;
    }
  }
};

class Assembler {
public:
  Assembler(const Draw& draw, VertexCache& cache) : Assembler(draw.vertices, draw.assembly, cache) {}
  // All three outlive it. `cut_at_provoking`: quads are cut along the diagonal that ends at their provoking vertex, so that each of the
  // triangles has it.
  Assembler(const Vertices& vertices, const Assembly& assembly, VertexCache& cache, bool cut_at_provoking = false)
      : vertices_(vertices),
        assembly_(assembly),
        cache_(cache),
        cut_at_provoking_(cut_at_provoking),
        primitive_(assembly.first_primitive) {}
  // Fills the segment with the next vertices. False: the draw is at its end and nothing was added.
  bool next(Segment& segment);
  uint64_t vertices_read() const { return vertices_read_; }
  uint64_t primitives_read() const { return primitives_read_; }

private:
  void take(Segment& segment, uint32_t number);
  template <class Index>
  void take_triangles(Segment& segment, const Index* indices, uint64_t count);
  void take_triangles(Segment& segment);
  void take_triangles_in_order(Segment& segment, uint64_t count);
  void end_strip(Segment& segment);
  void begin_strip() { held_ = 0, in_strip_ = 0; }
  uint32_t slot(Segment& segment, uint32_t number) {
    uint32_t instance = vertices_.first_instance + instance_;
    if (!assembly_.vertices_have_primitives) return cache_.slot(segment, number, instance);
    segment.number.push_back(number);
    segment.instance.push_back(instance);
    segment.primitive.push_back(primitive_);
    return uint32_t(segment.number.size() - 1);
  }
  void point(Segment& segment, uint32_t a);
  void line(Segment& segment, uint32_t a, uint32_t b, bool first);
  void triangle(Segment& segment, uint32_t a, uint32_t b, uint32_t c, uint32_t provoking, uint8_t edges = 7, bool counts = true);

  const Vertices& vertices_;
  const Assembly& assembly_;
  VertexCache& cache_;
  const bool cut_at_provoking_;
  uint32_t instance_ = 0;
  uint64_t at_ = 0;  // in the instance
  uint32_t primitive_;
  uint32_t window_[8] = {};  // numbers of the vertices that coming primitives still need
  uint32_t first_ = 0;       // the strip's first vertex
  unsigned held_ = 0;
  uint64_t in_strip_ = 0;
  uint64_t vertices_read_ = 0, primitives_read_ = 0;
};

}  // namespace Atoll::pipeline
