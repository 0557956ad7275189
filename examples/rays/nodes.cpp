// Trees as RDNA4 reads them: nodes of four boxes and of a triangle (image_bvh64_intersect_ray), nodes of eight quantised boxes and
// packets of up to four triangles (image_bvh8_intersect_ray). Layouts: GPURT (gfx10/BoxNode1_0.hlsli, gfx10/TriangleNode1_0.hlsli,
// gfx12/internalNode.hlsli, gfx12/primitiveNode.hlsli). Pointers: bits 31:3 in units of 64 bytes, below them the type.
#include <algorithm>
#include <bit>
#include <cmath>

#include "scene.h"

namespace {

constexpr uint32_t none = 0xffffffff;
uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }
float number(uint32_t u) { return std::bit_cast<float>(u); }

void put(uint32_t* words, unsigned at, uint32_t value, unsigned count) {
  for (unsigned n = 0; n < count; n++) words[(at + n) / 32] |= (value >> n & 1) << (at + n) % 32;
}

// --- eight

constexpr unsigned node_words = 32;  // every node takes 128 bytes

class Eight {
public:
  Eight(const std::vector<Triangle>& triangles) : triangles_(triangles), tree_(build_tree(triangles, 8, 4)) {
    words_.resize(node_words);
    write(0, 0, none);
  }
  std::vector<uint32_t> words() { return std::move(words_); }

private:
  const std::vector<Triangle>& triangles_;
  std::vector<TreeNode> tree_;
  std::vector<uint32_t> words_;

  static uint32_t pointer(uint32_t node, uint32_t type) { return node * (128 / 64) << 3 | type; }

  // Node `at` of the output. Its children stand in rows: first nodes, then packets.
  void write(const uint32_t tree_node, uint32_t at, uint32_t parent) {
    std::vector<uint32_t> children = tree_[tree_node].children;
    auto leaves = std::partition(children.begin(), children.end(), [&](uint32_t c) { return !tree_[c].children.empty(); });
    const uint32_t inner = uint32_t(leaves - children.begin()), first = uint32_t(words_.size() / node_words);
    std::vector<std::vector<Packet>> packets(children.size());
    size_t count = inner;
    for (size_t n = inner; n < children.size(); n++)
      packets[n] = packed(tree_[children[n]].triangles), count += packets[n].size();
    words_.resize(words_.size() + count * node_words);
    uint32_t* w = &words_[at * node_words];
    w[0] = pointer(first, 0), w[1] = pointer(first + inner, 0), w[2] = parent;
    const Box& box = tree_[tree_node].box;
    float step[3];
    uint32_t exponents = 0;
    for (int axis = 0; axis < 3; axis++) {
      w[3 + axis] = bits(box.low[axis]);
      // The least power of two that holds the box, rounding included.
      const float size = std::nextafter(box.high[axis] - box.low[axis], 1e30f);
      const uint32_t exponent = std::max((bits(size) + 0x7fffff) >> 23, 13u);
      exponents |= exponent << 8 * axis;
      step[axis] = number((exponent - 12) << 23);
    }
    w[6] = exponents | uint32_t(children.size() - 1) << 28;
    w[7] = 0x7f;  // no rotation
    for (size_t n = 0; n < children.size(); n++) {
      const Box& child = tree_[children[n]].box;
      uint32_t low[3], high[3];
      for (int axis = 0; axis < 3; axis++) {
        // Planes as they will be read: outside of the box.
        auto plane = [&](int steps) { return box.low[axis] + step[axis] * float(steps); };
        int l = int(std::clamp((child.low[axis] - box.low[axis]) / step[axis], 0.0f, 4095.0f)), h = l + 1;
        while (l > 0 && plane(l) > child.low[axis]) l--;
        h = std::max(h, int(std::clamp((child.high[axis] - box.low[axis]) / step[axis], 0.0f, 4095.0f)));
        while (h < 4096 && plane(h) < child.high[axis]) h++;
        low[axis] = uint32_t(l), high[axis] = uint32_t(h) - 1;
      }
      uint32_t* c = w + 8 + 3 * n;
      c[0] = low[0] | low[1] << 12;
      c[1] = low[2] | high[0] << 12 | 0xffu << 24;
      c[2] = high[1] | high[2] << 12 | (n < inner ? 5u : 0u) << 24 | uint32_t(n < inner ? 1 : packets[n].size()) << 28;
    }
    uint32_t next = first + inner;
    for (size_t n = inner; n < children.size(); n++)
      for (const Packet& packet : packets[n]) write_packet(packet, next++, &packet == &packets[n].back());
    for (uint32_t n = 0; n < inner; n++) write(children[n], first + n, pointer(at, 5));
  }

  struct Packet {
    std::vector<uint32_t> triangles;
    std::vector<Vector> corners;
    uint32_t corner(Vector p) {
      auto same = [&](Vector q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
      auto found = std::find_if(corners.begin(), corners.end(), same);
      if (found == corners.end()) found = corners.insert(found, p);
      return uint32_t(found - corners.begin());
    }
  };
  // A leaf's triangles, as many to a packet as it has room for: eight corners.
  std::vector<Packet> packed(const std::vector<uint32_t>& part) const {
    std::vector<Packet> all(1);
    for (uint32_t t : part) {
      Packet more = all.back();
      more.triangles.push_back(t);
      for (Vector p : triangles_[t].corner) more.corner(p);
      if (more.corners.size() <= 8) {
        all.back() = more;
        continue;
      }
      all.push_back({});
      all.back().triangles.push_back(t);
      for (Vector p : triangles_[t].corner) all.back().corner(p);
    }
    return all;
  }

  // Corners are stored once each, in full; each triangle's index in 20 bits.
  void write_packet(Packet packet, uint32_t at, bool last) {
    const std::vector<uint32_t>& part = packet.triangles;
    uint32_t* w = &words_[at * node_words];
    const unsigned pairs = unsigned(part.size() + 1) / 2, id_bits = 20,
                   middle = 1024 - 29 * pairs - (2 * pairs - 1) * id_bits - id_bits;
    put(w, 0, 31, 5), put(w, 5, 31, 5), put(w, 10, 31, 5);
    put(w, 28, pairs - 1, 3), put(w, 32, id_bits, 5), put(w, 37, id_bits, 5), put(w, 42, middle, 10);
    for (unsigned n = 0; n < packet.corners.size(); n++)
      for (int axis = 0; axis < 3; axis++) put(w, 52 + 96 * n + 32 * unsigned(axis), bits(packet.corners[n][axis]), 32);
    for (unsigned n = 0; n < part.size(); n++) {
      put(w, middle + id_bits * n, part[n], id_bits);
      const unsigned descriptor = 1024 - 29 * (n / 2 + 1), fields = descriptor + (n & 1 ? 1 : 15);
      if (last && n / 2 + 1 == pairs && !(n & 1)) put(w, descriptor, 1, 1);  // the range ends
      put(w, fields, 3, 2);                                                  // two-sided, opaque
      for (unsigned c = 0; c < 3; c++) put(w, fields + 2 + 4 * c, packet.corner(triangles_[part[n]].corner[c]), 4);
    }
  }
};

}  // namespace

std::vector<uint32_t> nodes_of_four(const std::vector<Triangle>& triangles) {
  const std::vector<TreeNode> tree = build_tree(triangles, 4, 1);
  // 128 bytes for boxes, 64 for a triangle, in the tree's order.
  std::vector<uint32_t> place(tree.size());
  uint32_t end = 0;
  for (size_t n = 0; n < tree.size(); n++) place[n] = end, end += tree[n].children.empty() ? 1 : 2;
  std::vector<uint32_t> words(size_t(end) * 16);
  for (size_t n = 0; n < tree.size(); n++) {
    uint32_t* w = &words[size_t(place[n]) * 16];
    if (tree[n].children.empty()) {
      const Triangle& t = triangles[tree[n].triangles[0]];
      for (unsigned c = 0; c < 3; c++)
        for (int axis = 0; axis < 3; axis++) w[3 * c + unsigned(axis)] = bits(t.corner[c][axis]);
      w[12] = tree[n].triangles[0];
      w[15] = 1 | 2 << 2;  // weights of the second and the third corner
      continue;
    }
    for (unsigned c = 0; c < 4; c++) {
      const bool there = c < tree[n].children.size();
      const uint32_t child = there ? tree[n].children[c] : 0;
      w[c] = there ? place[child] << 3 | (tree[child].children.empty() ? 0u : 5u) : none;
      for (int axis = 0; axis < 3; axis++) {
        w[4 + 6 * c + unsigned(axis)] = there ? bits(tree[child].box.low[axis]) : 0x7fc00000;
        w[7 + 6 * c + unsigned(axis)] = there ? bits(tree[child].box.high[axis]) : 0x7fc00000;
      }
    }
  }
  return words;
}

std::vector<uint32_t> nodes_of_eight(const std::vector<Triangle>& triangles) { return Eight(triangles).words(); }
