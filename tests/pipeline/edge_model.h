// The pixels of a polygon or a line by a rule for samples on its edges, pixel by pixel in doubles: places are halves of pixels in
// these tests, which doubles have exactly. Written apart from the pipeline.
#pragma once
#include <cmath>
#include <vector>

namespace Atoll::test {

// The side of an edge, seen from what lies inside; `rows`: an edge that is neither upright nor level counts as top or bottom.
struct Sides {
  bool left, right, top, bottom, rows = false;
};
struct Corner {
  double x, y;
};

// True if a sample on an edge belongs to what lies to its right (dx > 0) or left, below (dy > 0) or above; zeros: the edge is
// level or upright.
inline bool on_edge(const Sides& sides, double dx, double dy) {
  if (dx == 0) return dy > 0 ? sides.top : sides.bottom;
  if (dy == 0 || !sides.rows) return dx > 0 ? sides.left : sides.right;
  return dy > 0 ? sides.top : sides.bottom;
}

// A convex polygon, corners in the order of a clock's hands on a screen (y downwards).
inline bool polygon_has(const std::vector<Corner>& corners, const Sides& sides, double x, double y) {
  for (size_t n = 0; n < corners.size(); n++) {
    const Corner &from = corners[n], &to = corners[(n + 1) % corners.size()];
    const double inwards_x = from.y - to.y, inwards_y = to.x - from.x;
    const double distance = inwards_x * (x - from.x) + inwards_y * (y - from.y);
    if (distance < 0 || (distance == 0 && !on_edge(sides, inwards_x, inwards_y))) return false;
  }
  return true;
}

// A line of one sample, one pixel wide, whose ends lie between pixels' centres along its major axis.
inline bool line_has(Corner from, Corner to, const Sides& sides, double x, double y) {
  double dx = to.x - from.x, dy = to.y - from.y;
  const bool by_x = std::abs(dx) >= std::abs(dy);
  const double along = by_x ? x : y, first = by_x ? from.x : from.y, last = by_x ? to.x : to.y;
  if (along < std::min(first, last) || along > std::max(first, last)) return false;
  const double t = (along - first) / (last - first);
  const double off = by_x ? y - (from.y + t * dy) : x - (from.x + t * dx);
  if (std::abs(off) != 0.5) return std::abs(off) < 0.5;
  // On the upper or left side what is inside lies below or right of it, as the line's slope has it.
  if (by_x) {
    const double down = off < 0 ? 1 : -1;
    return on_edge(sides, dy == 0 ? 0 : down * (dx * dy > 0 ? -1 : 1), down);
  }
  const double right = off < 0 ? 1 : -1;
  return on_edge(sides, right, dx == 0 ? 0 : right * (dx * dy > 0 ? -1 : 1));
}

// Lines that pass through pixels' centres at their sides, in every direction, and level and upright ones.
struct Line {
  Corner from, to;
};
inline std::vector<Line> lines_through_centres() {
  std::vector<Line> lines = {{{4, 8}, {14, 8}}, {{8.0, 4}, {8.0, 14}}};
  for (double dy : {10.0, -10.0, 5.0, -5.0, 2.5, -2.5}) lines.push_back({{4, 15.5}, {14, 15.5 + dy}});
  for (double dx : {5.0, -5.0, 2.5, -2.5}) lines.push_back({{15.5, 4}, {15.5 + dx, 14}});
  for (size_t n = 0, count = lines.size(); n < count; n++) lines.push_back({lines[n].to, lines[n].from});
  return lines;
}

}  // namespace Atoll::test
