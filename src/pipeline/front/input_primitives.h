// Primitives as geometry and tessellation stages take them: with all their vertices, adjacent ones included, none of them shared.
// Vulkan 1.3 chapter 21 "Drawing Commands", primitive topologies; OpenGL 4.6 table 10.1 for strips with adjacency.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "pipeline/draw.h"

namespace Atoll::pipeline {

// Vertices of one input primitive; 0: the topology has no such form (quads, polygons, rectangles).
unsigned input_vertices(const Assembly& assembly);

// Reads the primitives of one instance; every instance has the same. The vertices of an unfinished primitive are dropped.
class InputPrimitives {
public:
  InputPrimitives(const Vertices& vertices, const Assembly& assembly) : vertices_(vertices), assembly_(assembly) {}
  // Replaces `numbers` by those of the coming primitives' vertices, after base vertex and clamping, input_vertices() for each;
  // about `most` primitives at once. False: there were none left. May give none although more are to come.
  bool next(size_t most, std::vector<uint32_t>& numbers);
  // But for indices that begin strips anew, which are no vertices.
  uint64_t vertices_read() const { return at_ - restarts_; }

private:
  void take(uint32_t number);
  void end_strip();
  void triangle_with_adjacency(uint64_t first, bool last);
  // Vertex n of the strip, one of the last `kept`.
  uint32_t& of_strip(uint64_t n) { return window_[n % kept]; }
  void add(std::initializer_list<uint32_t> vertices) { out_->insert(out_->end(), vertices); }

  static constexpr uint64_t kept = 64;  // vertices of a strip: as many as a patch has
  const Vertices& vertices_;
  const Assembly& assembly_;
  uint64_t at_ = 0, in_strip_ = 0, restarts_ = 0;
  uint32_t first_ = 0;  // of the strip
  std::array<uint32_t, kept> window_{};
  std::vector<uint32_t>* out_ = nullptr;
};

}  // namespace Atoll::pipeline
