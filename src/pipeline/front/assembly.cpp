#include "pipeline/front/assembly.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace Atoll::pipeline {

bool Assembler::next(Segment& segment) {
  segment.clear();
  cache_.forget();
  const Vertices& vertices = vertices_;
  if (!vertices.count) return false;
  uint64_t left = 1u << 20;  // a draw of many vertices and no primitives comes back now and then
  while (instance_ < vertices.instances) {
    take_triangles(segment);
    while (at_ < vertices.count) {
      if (!left) return true;
      if (segment.is_full()) return true;
      left--;
      uint32_t raw = raw_index(vertices, at_++);
      if (assembly_.restart && (vertices.index_bytes || assembly_.restart_without_indices) && raw == assembly_.restart_index) {
        end_strip(segment);
        begin_strip();
        continue;
      }
      vertices_read_++;  // (an index that begins strips anew is no vertex)
      take(segment, vertex_number(vertices, raw));
    }
    if (segment.is_full()) return true;
    end_strip(segment);
    begin_strip();
    instance_++;
    at_ = 0;
    if (!assembly_.primitives_go_on) primitive_ = assembly_.first_primitive;
    cache_.forget();  // another instance's vertices are others
  }
  return !segment.primitives.empty();
}

void Assembler::point(Segment& segment, uint32_t a) {
  uint32_t s = slot(segment, a);
  segment.primitives.push_back({{s, s, s}, s, primitive_++, ~0u, PrimitiveKind::point});
  primitives_read_++;
}

void Assembler::line(Segment& segment, uint32_t a, uint32_t b, bool first) {
  uint32_t s = slot(segment, a), t = slot(segment, b);
  uint32_t provoking = assembly_.provoking == ProvokingVertex::first ? s : t;
  segment.primitives.push_back({{s, t, s}, provoking, primitive_++, first ? 0u : 1u, PrimitiveKind::line});
  primitives_read_++;
}

void Assembler::triangle(Segment& segment, uint32_t a, uint32_t b, uint32_t c, uint32_t provoking, uint8_t edges, bool counts) {
  uint32_t s = slot(segment, a), t = slot(segment, b), u = slot(segment, c);
  Assembled assembled{{s, t, u},
                      provoking == a   ? s
                      : provoking == b ? t
                      : provoking == c ? u
                                       : slot(segment, provoking),
                      primitive_,
                      ~0u,
                      PrimitiveKind::triangle};
  assembled.edges = edges;
  assembled.rectangle = assembly_.topology == Topology::rectangles;
  segment.primitives.push_back(assembled);
  if (counts) primitive_++, primitives_read_++;
}

template <class Index>
void Assembler::take_triangles(Segment& segment, const Index* indices, uint64_t count) {
  const bool first = assembly_.provoking == ProvokingVertex::first;
  const Vertices vertices = vertices_;
  const uint32_t instance = vertices.first_instance + instance_;
  uint64_t taken = 0;
  for (; taken < count && !segment.is_full(); taken++) {
    uint32_t corner[3];
    for (unsigned k = 0; k < 3; k++) corner[k] = cache_.slot(segment, vertex_number(vertices, indices[3 * taken + k]), instance);
    segment.primitives.push_back(
        {{corner[0], corner[1], corner[2]}, corner[first ? 0 : 2], primitive_++, ~0u, PrimitiveKind::triangle});
  }
  at_ += 3 * taken, vertices_read_ += 3 * taken, primitives_read_ += taken;
}

// Lists of triangles without indices: each vertex is used once, and nobody looks for it.
void Assembler::take_triangles_in_order(Segment& segment, uint64_t count) {
  if (!count || segment.is_full()) return;
  const Vertices& vertices = vertices_;
  const int64_t from = int64_t(at_) + vertices.base_vertex, last = from + int64_t(3 * count) - 1;
  if (from < 0 || last > int64_t(UINT32_MAX)) return;  // numbers wrap round
  if (vertices.lowest <= vertices.highest && (from < vertices.lowest || last > vertices.highest)) return;
  const size_t slots = segment.number.size(), before = segment.primitives.size();
  count = std::min({count, uint64_t(Segment::max_vertices - Segment::reserve - slots) / 3 + 1,
                    uint64_t(Segment::max_primitives - Segment::reserve - before) + 1});
  segment.number.resize(slots + 3 * count);
  std::iota(segment.number.begin() + ptrdiff_t(slots), segment.number.end(), uint32_t(from));
  segment.instance.resize(slots + 3 * count, vertices.first_instance + instance_);
  const unsigned provoking = assembly_.provoking == ProvokingVertex::first ? 0 : 2;
  for (uint64_t n = 0; n < count; n++) {
    const uint32_t slot = uint32_t(slots + 3 * n);
    segment.primitives.push_back({{slot, slot + 1, slot + 2}, slot + provoking, primitive_++, ~0u, PrimitiveKind::triangle});
  }
  at_ += 3 * count, vertices_read_ += 3 * count, primitives_read_ += count;
}

// Lists of triangles by indices that are all there, or without: the same as take() of one after the other.
void Assembler::take_triangles(Segment& segment) {
  const Vertices& vertices = vertices_;
  const Assembly& assembly = assembly_;
  if (assembly.topology != Topology::triangles || assembly.vertices_have_primitives || held_ || at_ >= vertices.count) return;
  const uint64_t count = (vertices.count - at_) / 3;
  if (!vertices.index_bytes && !(assembly.restart && assembly.restart_without_indices))
    return take_triangles_in_order(segment, count);
  if (assembly.restart || vertices.index_swap || !vertices.indices) return;
  if (at_ + 3 * count > vertices.index_limit) return;
  auto indices = [&]<class Index>(Index) { return reinterpret_cast<const Index*>(vertices.indices) + at_; };
  const bool aligned = reinterpret_cast<uintptr_t>(vertices.indices) % std::max(1u, vertices.index_bytes) == 0;
  if (vertices.index_bytes == 4 && aligned) take_triangles(segment, indices(uint32_t()), count);
  if (vertices.index_bytes == 2 && aligned) take_triangles(segment, indices(uint16_t()), count);
}

void Assembler::take(Segment& segment, uint32_t number) {
  const Assembly& assembly = assembly_;
  bool first = assembly.provoking == ProvokingVertex::first;
  bool quad_last = !first || assembly.provoking_of_quads_is_last;
  uint64_t n = in_strip_++;
  if (n == 0) first_ = number;
  // Collects `count` vertices; true when the window is full (it is then empty for the next time).
  auto collect = [&](unsigned count) {
    window_[held_++] = number;
    if (held_ < count) return false;
    held_ = 0;
    return true;
  };
  auto slide = [&](unsigned length) {
    if (held_ < length) {
      window_[held_++] = number;
    } else {
      std::memmove(window_, window_ + 1, (length - 1) * sizeof(uint32_t));
      window_[length - 1] = number;
    }
    return held_ == length;
  };
  const uint32_t* w = window_;
  switch (assembly.topology) {
    case Topology::points: point(segment, number); break;
    case Topology::lines:
      if (collect(2)) line(segment, w[0], w[1], true);
      break;
    case Topology::line_strip:
    case Topology::line_loop:
      if (slide(2)) line(segment, w[0], w[1], n == 1);
      break;
    case Topology::lines_adjacency:
      if (collect(4)) line(segment, w[1], w[2], true);
      break;
    case Topology::line_strip_adjacency:
      if (slide(4)) line(segment, w[1], w[2], n == 3);
      break;
    case Topology::triangles:
    case Topology::rectangles:
      if (collect(3)) triangle(segment, w[0], w[1], w[2], first ? w[0] : w[2]);
      break;
    case Topology::triangles_adjacency:
      if (collect(6)) triangle(segment, w[0], w[2], w[4], first ? w[0] : w[4]);
      break;
    case Topology::triangle_strip:
      if (slide(3)) {
        if ((n & 1) == assembly.strips_begin_odd || assembly.strips_keep_order)
          triangle(segment, w[0], w[1], w[2], first ? w[0] : w[2]);
        else if (first)
          triangle(segment, w[0], w[2], w[1], w[0]);
        else
          triangle(segment, w[1], w[0], w[2], w[2]);
      }
      break;
    case Topology::triangle_strip_adjacency:
      // Corners stand at even places, and the vertices across the edges count: n triangles take 2n + 4 (OpenGL 4.6 10.1.14).
      if (slide(6) && n % 2 == 1) {
        if (n / 2 % 2 == 0 || assembly.strips_keep_order)
          triangle(segment, w[0], w[2], w[4], first ? w[0] : w[4]);
        else if (first)
          triangle(segment, w[0], w[4], w[2], w[0]);
        else
          triangle(segment, w[2], w[0], w[4], w[4]);
      }
      break;
    case Topology::triangle_fan:
      if (slide(2) && n >= 2) {
        if (first)
          triangle(segment, w[0], w[1], first_, w[0]);
        else
          triangle(segment, first_, w[0], w[1], w[1]);
      }
      break;
    case Topology::polygon:
      // The last edge is drawn when the polygon is known to end; until then it is the next one's diagonal. A polygon is one
      // primitive, filled as a fan.
      if (slide(2) && n >= 2)
        triangle(segment, first_, w[0], w[1], assembly.provoking_of_quads_is_last ? w[1] : first_, n == 2 ? 3 : 2, false);
      break;
    case Topology::quads:
      if (collect(4)) {
        const uint32_t provoking = quad_last ? w[3] : w[0];
        if (quad_last && cut_at_provoking_) {
          triangle(segment, w[0], w[1], w[3], provoking, 5, false);
          triangle(segment, w[1], w[2], w[3], provoking, 3);
          break;
        }
        triangle(segment, w[0], w[1], w[2], provoking, 3, false);
        triangle(segment, w[0], w[2], w[3], provoking, 6);
      }
      break;
    case Topology::quad_strip:
      if (slide(4) && n % 2 == 1 && n >= 3) {
        // Corners in order around the quad: 0, 1, 3, 2.
        const uint32_t provoking = quad_last ? w[3] : w[0];  // (the diagonal ends at both)
        triangle(segment, w[0], w[1], w[3], provoking, 3, false);
        triangle(segment, w[0], w[3], w[2], provoking, 6);
      }
      break;
    case Topology::patches: break;  // they go through a tessellator (input_primitives.h)
  }
}

void Assembler::end_strip(Segment& segment) {
  if (assembly_.topology == Topology::line_loop && in_strip_ >= 2) line(segment, window_[1], first_, false);
  // A polygon's closing edge.
  if (assembly_.topology == Topology::polygon && in_strip_ >= 3) {
    if (!segment.primitives.empty()) segment.primitives.back().edges |= 4;
    primitive_++, primitives_read_++;
  }
}

}  // namespace Atoll::pipeline
