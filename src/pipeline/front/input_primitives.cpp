#include "pipeline/front/input_primitives.h"

#include <algorithm>

namespace Atoll::pipeline {

unsigned input_vertices(const Assembly& assembly) {
  switch (assembly.topology) {
    case Topology::points: return 1;
    case Topology::lines:
    case Topology::line_strip:
    case Topology::line_loop: return 2;
    case Topology::lines_adjacency:
    case Topology::line_strip_adjacency: return 4;
    case Topology::triangles:
    case Topology::triangle_strip:
    case Topology::triangle_fan: return 3;
    case Topology::triangles_adjacency:
    case Topology::triangle_strip_adjacency: return 6;
    case Topology::patches: return assembly.patch_vertices;
    case Topology::quads:
    case Topology::quad_strip:
    case Topology::polygon:
    case Topology::rectangles: break;
  }
  return 0;
}

// A strip with adjacency of n triangles has 2n + 4 vertices: corners at even places, between them the vertices across the edges.
// The vertex across a triangle's free edge depends on whether the triangle is the strip's first or last.
void InputPrimitives::triangle_with_adjacency(uint64_t first, bool last) {
  auto v = [&](uint64_t n) { return of_strip(first + n); };
  uint32_t before = first == 0 ? v(1) : of_strip(first - 2), after = v(last ? 5 : 6);
  if (first / 2 % 2 == 0 || assembly_.strips_keep_order)
    add({v(0), before, v(2), after, v(4), v(3)});
  else if (assembly_.odd_adjacency_from_first)
    add({v(0), v(3), v(4), after, v(2), before});
  else
    add({v(2), before, v(0), v(3), v(4), after});
}

void InputPrimitives::take(uint32_t number) {
  bool leading = assembly_.provoking == ProvokingVertex::first;
  uint64_t n = in_strip_++;
  if (n == 0) first_ = number;
  of_strip(n) = number;
  auto back = [&](uint64_t distance) { return of_strip(n - distance); };
  switch (assembly_.topology) {
    case Topology::points:
    case Topology::lines:
    case Topology::triangles:
    case Topology::lines_adjacency:
    case Topology::triangles_adjacency:
    case Topology::patches:
      if (unsigned each = input_vertices(assembly_); each && in_strip_ % each == 0)
        for (unsigned v = each; v-- > 0;) out_->push_back(back(v));
      break;
    case Topology::line_strip:
    case Topology::line_loop:
      if (n >= 1) add({back(1), number});
      break;
    case Topology::line_strip_adjacency:
      if (n >= 3) add({back(3), back(2), back(1), number});
      break;
    case Topology::triangle_strip:
      if (n < 2) break;
      if (n % 2 == assembly_.strips_begin_odd || assembly_.strips_keep_order)
        add({back(2), back(1), number});
      else if (leading)
        add({back(2), number, back(1)});
      else
        add({back(1), back(2), number});
      break;
    case Topology::triangle_fan:
      if (n < 2) break;
      if (leading)
        add({back(1), number, first_});
      else
        add({first_, back(1), number});
      break;
    case Topology::triangle_strip_adjacency:
      // A triangle is known not to be the last when the next one is there as a whole.
      if (n >= 7 && n % 2 == 1) triangle_with_adjacency(n - 7, false);
      break;
    case Topology::quads:
    case Topology::quad_strip:
    case Topology::polygon:
    case Topology::rectangles: break;
  }
}

void InputPrimitives::end_strip() {
  if (assembly_.topology == Topology::line_loop && in_strip_ >= 2) add({of_strip(in_strip_ - 1), first_});
  if (assembly_.topology == Topology::triangle_strip_adjacency && in_strip_ >= 6)
    triangle_with_adjacency((in_strip_ - 6) / 2 * 2, true);
  in_strip_ = 0;
}

bool InputPrimitives::next(size_t most, std::vector<uint32_t>& numbers) {
  numbers.clear();
  out_ = &numbers;
  const uint64_t first = at_, max_read = at_ + (1u << 20);
  const size_t max_numbers = most * std::max(1u, input_vertices(assembly_));
  while (at_ < vertices_.count && at_ < max_read && numbers.size() < max_numbers) {
    uint32_t raw = raw_index(vertices_, at_++);
    if (assembly_.restart && (vertices_.index_bytes || assembly_.restart_without_indices) && raw == assembly_.restart_index)
      restarts_++, end_strip();
    else
      take(vertex_number(vertices_, raw));
    if (at_ == vertices_.count) end_strip();
  }
  return at_ != first;
}

}  // namespace Atoll::pipeline
