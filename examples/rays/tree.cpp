// A tree by the surface area heuristic (I. Wald 2007, "On fast construction of SAH-based bounding volume hierarchies"), in which
// children are then taken into their parents until a node is full.
#include <algorithm>
#include <numeric>
#include <span>

#include "scene.h"

void Box::add(Vector p) {
  for (int n = 0; n < 3; n++) low[n] = std::min(low[n], p[n]), high[n] = std::max(high[n], p[n]);
}
void Box::add(const Box& other) {
  for (int n = 0; n < 3; n++) low[n] = std::min(low[n], other.low[n]), high[n] = std::max(high[n], other.high[n]);
}
float Box::area() const {
  float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
  return x < 0 ? 0 : x * y + y * z + z * x;
}

namespace {

constexpr int bins = 16;

class TreeBuilder {
public:
  TreeBuilder(const std::vector<Triangle>& triangles, unsigned width, unsigned leaf)
      : width_(width), leaf_(leaf), order_(triangles.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    for (const Triangle& t : triangles) {
      Box box;
      for (Vector p : t.corner) box.add(p);
      boxes_.push_back(box);
    }
  }
  std::vector<TreeNode> build() {
    node(order_, true);
    return std::move(nodes_);
  }

private:
  unsigned width_, leaf_;
  std::vector<uint32_t> order_;
  std::vector<Box> boxes_;
  std::vector<TreeNode> nodes_;

  Box box_of(std::span<const uint32_t> part) const {
    Box box;
    for (uint32_t t : part) box.add(boxes_[t]);
    return box;
  }
  float centre(uint32_t t, int axis) const { return (boxes_[t].low[axis] + boxes_[t].high[axis]) / 2; }

  // Sorts the part into two, and says where the second begins.
  size_t split(std::span<uint32_t> part) {
    Box centres;
    for (uint32_t t : part) centres.add(Vector{centre(t, 0), centre(t, 1), centre(t, 2)});
    float best = 1e30f, best_at = 0;
    int best_axis = -1;
    for (int axis = 0; axis < 3; axis++) {
      float low = centres.low[axis], step = (centres.high[axis] - low) / bins;
      if (!(step > 0)) continue;
      Box box[bins], right[bins];
      int count[bins] = {};
      for (uint32_t t : part) {
        int b = std::min(bins - 1, int((centre(t, axis) - low) / step));
        box[b].add(boxes_[t]), count[b]++;
      }
      right[bins - 1] = box[bins - 1];
      for (int b = bins - 1; b-- > 0;) right[b] = right[b + 1], right[b].add(box[b]);
      Box left;
      int before = 0;
      for (int b = 1; b < bins; b++) {
        left.add(box[b - 1]), before += count[b - 1];
        if (!before || before == int(part.size())) continue;
        float cost = left.area() * float(before) + right[b].area() * float(int(part.size()) - before);
        if (cost < best) best = cost, best_axis = axis, best_at = low + step * float(b);
      }
    }
    if (best_axis < 0) return part.size() / 2;
    auto middle = std::partition(part.begin(), part.end(), [&](uint32_t t) { return centre(t, best_axis) < best_at; });
    size_t at = size_t(middle - part.begin());
    return at == 0 || at == part.size() ? part.size() / 2 : at;
  }

  uint32_t node(std::span<uint32_t> part, bool root = false) {
    uint32_t index = uint32_t(nodes_.size());
    nodes_.push_back({box_of(part), {}, {}});
    if (part.size() <= leaf_ && !root) {
      nodes_[index].triangles.assign(part.begin(), part.end());
      return index;
    }
    // The largest part is split until there are enough.
    std::vector<std::span<uint32_t>> parts{part};
    while (parts.size() < width_) {
      size_t most = parts.size();
      float area = 0;
      for (size_t n = 0; n < parts.size(); n++)
        if (float a = box_of(parts[n]).area(); parts[n].size() > leaf_ && a >= area) area = a, most = n;
      if (most == parts.size()) break;
      size_t at = split(parts[most]);
      parts.push_back(parts[most].subspan(at));
      parts[most] = parts[most].first(at);
    }
    std::vector<uint32_t> children;
    children.reserve(parts.size());
    for (std::span<uint32_t> p : parts) children.push_back(node(p));
    nodes_[index].children = std::move(children);
    return index;
  }
};

}  // namespace

std::vector<TreeNode> build_tree(const std::vector<Triangle>& triangles, unsigned width, unsigned leaf) {
  return TreeBuilder(triangles, width, leaf).build();
}
