#include "pipeline/front/tessellator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace Atoll::pipeline {
namespace {

using Fixed = uint32_t;  // 16.16
constexpr Fixed one = 1 << 16, half = 1 << 15;

// The ruler function's order: the position of vertex n among the 33 of half an edge. A half with k vertices has those below k. Vertex n
// splits the first, third, fifth … gap of the half before it.
constexpr unsigned max_half = 33;
constexpr unsigned split_place(unsigned n) { return (n - std::bit_floor(n)) * 2 + 1; }
constexpr std::array<uint8_t, max_half> ruler_order() {
  std::array<uint8_t, max_half> order{};
  for (unsigned n = 1; n < max_half; n++) {
    unsigned at = split_place(n);
    for (unsigned i = n; i > at; i--) order[i] = order[i - 1];
    order[at] = uint8_t(n);
  }
  return order;
}
constexpr auto ruler = ruler_order();

// An axis or edge cut into segments. Odd ones have a segment in the middle, even ones a point.
class Cut {
public:
  Cut() = default;
  Cut(Fixed factor, bool odd) : odd_(odd) {
    Fixed halved = (factor + 1) / 2;
    points_ = odd ? (ceiling(half + halved) >> 16) * 2 : (ceiling(halved) >> 16) * 2 + 1;
    if (odd || halved == half) halved += half;  // an even factor of 1 counts as 2
    unsigned low = halved >> 16;
    half_points_ = ceiling(halved) >> 16;
    fraction_ = halved & (one - 1);
    if (!fraction_)
      split_ = half_points_ + 1;
    else if (odd)
      split_ = low == 1 ? 0 : split_place(low - 1);
    else
      split_ = split_place(low);
    low_step_ = reciprocal(low * 2 - odd), high_step_ = reciprocal(half_points_ * 2 - odd);
  }
  bool odd() const { return odd_; }
  unsigned points() const { return points_; }
  // Vertices on either side of the middle, without a point that stands on it or the ends of a segment that crosses it.
  unsigned splits() const { return half_points_ - odd_; }
  // Room for the picture frame: where a factor of 1 leaves an axis without inner points, they are there all the same.
  void widen() { points_ = std::max(points_, odd_ ? 4u : 3u); }

  Fixed place(unsigned point) const {
    bool mirrored = point >= half_points_;
    if (mirrored) point = half_points_ * 2 - odd_ - point;
    if (point == half_points_) return half;
    unsigned before = point > split_ ? point - 1 : point;  // the point's number before the split that is under way
    Fixed at = Fixed((uint64_t(before * low_step_) * (one - fraction_) + uint64_t(point * high_step_) * fraction_ + half) >> 16);
    return mirrored ? one - at : at;
  }

private:
  static Fixed ceiling(Fixed x) { return (x + one - 1) & ~(one - 1); }
  static Fixed reciprocal(unsigned segments) { return segments ? (one + segments / 2) / segments : 0; }

  unsigned points_ = 2, half_points_ = 1, split_ = 2;
  Fixed fraction_ = 0, low_step_ = one, high_step_ = one;
  bool odd_ = true;
};

using Row = std::vector<uint32_t>;

class Work {
public:
  Work(const TessellatorState& state, Tessellation& out) : state_(state), out_(out) {}

  void triangles(const TessellationFactors& factors);
  void quads(const TessellationFactors& factors);
  void isolines(const TessellationFactors& factors);

private:
  bool whole() const { return state_.partitioning <= Partitioning::power_of_two; }
  float lowest() const { return state_.partitioning == Partitioning::fractional_even ? 2 : 1; }
  float highest() const { return state_.partitioning == Partitioning::fractional_odd ? 63 : 64; }
  float clamped(float factor, float low) const {
    factor = factor > low ? std::min(factor, highest()) : low;  // NaN becomes the bound
    return whole() ? std::ceil(factor) : factor;
  }
  bool odd(float factor) const { return whole() ? int(factor) % 2 != 0 : state_.partitioning == Partitioning::fractional_odd; }
  static Fixed fixed(float factor) { return Fixed(std::nearbyint(double(factor) * one)); }
  // The cut of an edge; inside, an integer factor of 1 counts as even.
  Cut edge_cut(float factor) const { return Cut(fixed(factor), odd(factor)); }
  Cut inner_cut(float factor) const {
    Cut cut(fixed(factor), odd(factor) && !(whole() && factor == 1));
    cut.widen();
    return cut;
  }
  // The smallest inner factor: above 1 in odd partitioning if anything is, so that a frame comes to be.
  float inner_lowest(std::span<const float> factors) const {
    if (state_.partitioning != Partitioning::fractional_odd) return lowest();
    constexpr float step = 1.0f / float(one);
    bool more = std::ranges::any_of(factors, [](float f) { return f > 1 + step / 2; });
    return more ? 1 + step : 1;
  }
  bool all_one(std::span<const float> factors) const {
    return state_.partitioning != Partitioning::fractional_even &&
           std::ranges::all_of(factors, [](float f) { return fixed(f) == one; });
  }

  uint32_t point(Fixed u, Fixed v) {
    out_.u.push_back(float(u) / float(one)), out_.v.push_back(float(v) / float(one));
    return uint32_t(out_.u.size() - 1);
  }
  void triangle(uint32_t a, uint32_t b, uint32_t c) {
    if (state_.output == TessellatorOutput::points) return;
    if (state_.output == TessellatorOutput::clockwise)
      out_.corner.insert(out_.corner.end(), {a, b, c});
    else
      out_.corner.insert(out_.corner.end(), {a, c, b});
  }
  void transition(const Row& inside, const Cut& inner, const Row& outside, const Cut& outer);
  void trapezoid(const Row& inside, const Row& outside);
  void strip(const Row& inside, const Row& outside, bool middle_turned);
  // Points, not triangles, are wanted: each point once.
  void points_only() {
    if (state_.output != TessellatorOutput::points) return;
    for (uint32_t n = 0; n < out_.u.size(); n++) out_.corner.push_back(n);
  }

  const TessellatorState& state_;
  Tessellation& out_;
};

// Between the outermost edge and the ring inside of it, whose factors differ: both rows are walked in ruler order.
void Work::transition(const Row& inside, const Cut& inner, const Row& outside, const Cut& outer) {
  size_t i = 0, o = 0;
  auto advance_outside = [&] { triangle(outside[o], outside[o + 1], inside[i]), o++; };
  auto advance_inside = [&] { triangle(inside[i], outside[o], inside[i + 1]), i++; };
  unsigned inner_splits = inner.splits(), outer_splits = outer.splits();
  if (outer_splits) advance_outside();
  for (unsigned n = 1; n < max_half; n++) {
    if (ruler[n] < inner_splits) advance_inside();
    if (ruler[n] < outer_splits) advance_outside();
  }
  if (inner.odd() && outer.odd()) {
    advance_inside();
    triangle(inside[i], outside[o], outside[o + 1]), o++;
  } else if (outer.odd()) {
    triangle(inside[i], outside[o], outside[o + 1]), o++;
  } else if (inner.odd()) {
    advance_inside();
  }
  for (unsigned n = max_half - 1; n > 0; n--) {
    if (ruler[n] < outer_splits) advance_outside();
    if (ruler[n] < inner_splits) advance_inside();
  }
  if (outer_splits) advance_outside();
}

// Between two rings: the outer row has a point more at either end. Diagonals lean away from the middle.
void Work::trapezoid(const Row& inside, const Row& outside) {
  size_t last = inside.size() - 1, o = 1;
  triangle(outside[0], outside[1], inside[0]);
  for (size_t i = 0; i < last; i++, o++) {
    if (i < inside.size() / 2) {
      triangle(outside[o], inside[i + 1], inside[i]);
      triangle(outside[o], outside[o + 1], inside[i + 1]);
    } else {
      triangle(inside[i], outside[o], outside[o + 1]);
      triangle(inside[i], outside[o + 1], inside[i + 1]);
    }
  }
  triangle(outside[o], outside[o + 1], inside[last]);
}

// The row of quads in the middle of an odd patch.
void Work::strip(const Row& inside, const Row& outside, bool middle_turned) {
  size_t last = inside.size() - 1;
  for (size_t i = 0; i < last; i++) {
    if (middle_turned && i == last / 2) {
      triangle(outside[i], inside[i + 1], inside[i]);
      triangle(outside[i], outside[i + 1], inside[i + 1]);
    } else {
      triangle(inside[i], outside[i], outside[i + 1]);
      triangle(inside[i], outside[i + 1], inside[i + 1]);
    }
  }
}

void Work::triangles(const TessellationFactors& factors) {
  float edge[3], all[4];
  for (unsigned e = 0; e < 3; e++) {
    if (!(factors.edge[e] > 0)) return;
    all[e] = edge[e] = clamped(factors.edge[e], lowest());
  }
  all[3] = clamped(factors.inside[0], inner_lowest(edge));
  if (all_one(all)) {
    uint32_t v = point(0, one), w = point(0, 0), u = point(one, 0);
    triangle(v, w, u);
    return points_only();
  }
  Cut cuts[3], inner = inner_cut(all[3]);
  Row outer[3];  // from corner v to w, w to u, u to v; the last point of each is the next one's first
  for (unsigned e = 0; e < 3; e++) {
    cuts[e] = edge_cut(edge[e]);
    unsigned end = cuts[e].points() - 1;
    for (unsigned p = 0; p < end; p++) {
      Fixed at = cuts[e].place(e == 1 ? p : end - p);
      outer[e].push_back(e == 0 ? point(0, at) : e == 1 ? point(at, 0) : point(at, one - at));
    }
  }
  for (unsigned e = 0; e < 3; e++) outer[e].push_back(outer[(e + 1) % 3][0]);

  const unsigned count = inner.points();
  for (unsigned ring = 1; ring < (count + 1) / 2; ring++) {
    unsigned segments = count - 1 - 2 * ring;
    Row inside[3];
    if (segments == 0) {
      for (Row& row : inside) row = {uint32_t(out_.u.size())};
      point(0x5555, 0x5555);
    } else {
      // An edge's points move along it by half of what they move away from it.
      Fixed away = Fixed((uint64_t(inner.place(ring)) * 0xaaaa + half) >> 16), along = (away + 1) / 2;
      for (unsigned e = 0; e < 3; e++)
        for (unsigned p = 0; p < segments; p++) {
          Fixed at = inner.place(e == 1 ? ring + p : count - 1 - ring - p) - along;
          inside[e].push_back(e == 0 ? point(away, at) : e == 1 ? point(at, away) : point(at, one - at - away));
        }
      for (unsigned e = 0; e < 3; e++) inside[e].push_back(inside[(e + 1) % 3][0]);
    }
    for (unsigned e = 0; e < 3; e++) ring == 1 ? transition(inside[e], inner, outer[e], cuts[e]) : trapezoid(inside[e], outer[e]);
    std::ranges::copy(inside, outer);
  }
  if (inner.odd()) triangle(outer[0][0], outer[1][0], outer[2][0]);
  points_only();
}

void Work::quads(const TessellationFactors& factors) {
  float all[6];
  for (unsigned e = 0; e < 4; e++) {
    if (!(factors.edge[e] > 0)) return;
    all[e] = clamped(factors.edge[e], lowest());
  }
  all[4] = factors.inside[0], all[5] = factors.inside[1];
  float inner_low = inner_lowest(all);
  for (unsigned axis = 0; axis < 2; axis++) all[4 + axis] = clamped(all[4 + axis], inner_low);
  if (all_one(all)) {
    uint32_t a = point(0, 0), b = point(one, 0), c = point(one, one), d = point(0, one);
    triangle(a, b, d);
    triangle(b, c, d);
    return points_only();
  }
  // Edges in the order u = 0 with v falling, v = 0 with u growing, u = 1 with v growing, v = 1 with u falling.
  Cut cuts[4];
  Row outer[4];
  for (unsigned e = 0; e < 4; e++) {
    cuts[e] = edge_cut(all[e]);
    unsigned end = cuts[e].points() - 1;
    for (unsigned p = 0; p < end; p++) {
      Fixed at = cuts[e].place(e == 1 || e == 2 ? p : end - p);
      outer[e].push_back(e % 2 ? point(at, e == 3 ? one : 0) : point(e == 2 ? one : 0, at));
    }
  }
  for (unsigned e = 0; e < 4; e++) outer[e].push_back(outer[(e + 1) % 4][0]);

  // The points inside stand on a lattice.
  const Cut inner[2] = {inner_cut(all[4]), inner_cut(all[5])};
  const unsigned columns = inner[0].points(), rows = inner[1].points();
  const uint32_t first = uint32_t(out_.u.size());
  for (unsigned j = 1; j + 1 < rows; j++)
    for (unsigned i = 1; i + 1 < columns; i++) point(inner[0].place(i), inner[1].place(j));
  auto at = [&](unsigned i, unsigned j) { return first + (j - 1) * (columns - 2) + i - 1; };
  auto ring_edge = [&](unsigned ring, unsigned e) {
    unsigned right = columns - 1 - ring, top = rows - 1 - ring;
    Row row;
    if (e == 0)
      for (unsigned j = top + 1; j-- > ring;) row.push_back(at(ring, j));
    else if (e == 1)
      for (unsigned i = ring; i <= right; i++) row.push_back(at(i, ring));
    else if (e == 2)
      for (unsigned j = ring; j <= top; j++) row.push_back(at(right, j));
    else
      for (unsigned i = right + 1; i-- > ring;) row.push_back(at(i, top));
    return row;
  };
  const unsigned rings = std::min((columns + 1) / 2, (rows + 1) / 2);
  for (unsigned ring = 1; ring < rings; ring++)
    for (unsigned e = 0; e < 4; e++) {
      Row inside = ring_edge(ring, e);
      ring == 1 ? transition(inside, inner[e % 2 ? 0 : 1], outer[e], cuts[e]) : trapezoid(inside, outer[e]);
      outer[e] = std::move(inside);
    }
  auto reversed = [](Row row) { return std::ranges::reverse(row), row; };
  if (columns > rows && inner[1].odd())
    strip(reversed(outer[3]), outer[1], false);
  else if (rows >= columns && inner[0].odd())
    strip(reversed(outer[2]), outer[0], inner[1].odd());
  points_only();
}

void Work::isolines(const TessellationFactors& factors) {
  if (!(factors.edge[0] > 0) || !(factors.edge[1] > 0)) return;
  Cut along = edge_cut(clamped(factors.edge[0], lowest()));
  float count = std::ceil(std::clamp(factors.edge[1], 1.0f, 64.0f));
  Cut across(fixed(count), int(count) % 2 != 0);
  for (unsigned line = 0; line + 1 < across.points(); line++)
    for (unsigned p = 0; p < along.points(); p++) {
      uint32_t n = point(along.place(p), across.place(line));
      if (p && state_.output != TessellatorOutput::points) out_.corner.insert(out_.corner.end(), {n - 1, n});
    }
  points_only();
}

}  // namespace

void tessellate(const TessellatorState& state, const TessellationFactors& factors, Tessellation& result) {
  result.clear();
  result.corners = state.output == TessellatorOutput::points ? 1 : state.domain == Domain::isolines ? 2 : 3;
  Work work(state, result);
  switch (state.domain) {
    case Domain::isolines: return work.isolines(factors);
    case Domain::triangles: return work.triangles(factors);
    case Domain::quads: return work.quads(factors);
  }
}

}  // namespace Atoll::pipeline
