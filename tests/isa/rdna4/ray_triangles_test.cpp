// Triangles of bvh4's nodes and of bvh8's packets, and instances, against the model, on both engines.
#include "ray_bench.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kNone = 0xffffffff, kInf = 0x7f800000, kOne = 0x3f800000, kSign = 0x80000000;
using Corners = std::array<std::array<float, 3>, 3>;

float real(Words& r, float range) { return (float(int32_t(r.next())) * 0x1p-31f) * range; }
float as_float(uint32_t word) { return std::bit_cast<float>(word); }

// A ray at a point of the triangle's plane, mostly inside of it.
ModelRay ray_at(const Corners& c, Words& r) {
  ModelRay ray;
  float u = real(r, 0.6f) + 0.3f, v = real(r, 0.6f) + 0.3f;
  for (int n = 0; n < 3; n++) {
    float at = c[0][n] + u * (c[1][n] - c[0][n]) + v * (c[2][n] - c[0][n]);
    ray.direction[n] = real(r, 1);
    ray.origin[n] = at - ray.direction[n] * (1.5f + real(r, 2));
  }
  if (r.next() % 16 == 0) ray.direction[r.next() % 3] = std::bit_cast<float>(r.mixed());
  if (r.next() % 16 == 0) ray.origin[r.next() % 3] = std::bit_cast<float>(r.mixed());
  if (r.next() % 40 == 0)
    for (float& d : ray.direction) d = 0;
  for (int n = 0; n < 3; n++) ray.inverse[n] = 1 / ray.direction[n];
  ray.extent = r.next() & 1 ? 1e30f : as_float(r.mixed());
  return ray;
}

struct Kind {
  bool procedural, opaque, two_sided, flipped;
};
// Effects of pointer flags (54 upwards): what they leave out, and whether a primitive is opaque.
bool opaque_to(const Kind& k, uint32_t f) { return f & 1 ? true : f & 2 ? false : k.opaque; }
bool left_out(const Kind& k, bool front, uint32_t f) {
  if (opaque_to(k, f) ? f & 0x40 : f & 0x80) return true;
  if (k.procedural) return f & 0x200;
  if (f & 0x100) return true;
  if (k.two_sided || f & 4) return false;
  return front ? f & 0x20 : f & 0x10;
}

void near(double a, double b, const std::string& where) { EXPECT_NEAR(a, b, 2e-5 * std::max(1.0, std::fabs(b))) << where; }

// --- bvh4

class RayTriangles : public testing::TestWithParam<Op> {};
INSTANTIATE_TEST_SUITE_P(Instructions, RayTriangles, testing::Values(Op::bvh, Op::bvh64, Op::dual, Op::bvh8));

TEST_P(RayTriangles, OfANode) {
  const Op op = GetParam();
  Words r(41 + unsigned(op));
  unsigned yes = 0, no = 0, either = 0;
  for (unsigned round = 0; round < 120; round++) {
    RayBench bench(op, round & 1);
    TreeFlags f{.pointer_flags = (r.next() & 1) != 0, .barycentrics = (r.next() & 1) != 0};
    bench.exec = r.next() % 3 ? ~uint64_t(0) : r.next64();
    bench.resource = descriptor(f, SingleStep::memory_base, 65536);
    std::array<std::array<Corners, 2>, 64> triangles;
    std::array<std::array<Kind, 2>, 64> kinds;
    std::array<std::array<std::array<unsigned, 2>, 2>, 64> sources;
    std::array<uint32_t, 64> flags{}, number{};
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      uint32_t* w = bench.words(l);
      for (unsigned n = 0; n < 15; n++) w[n] = bits(real(r, 2));
      if (r.next() % 16 == 0) w[r.next() % 15] = r.mixed();
      w[15] = r.next();
      // Triangle 0 has corners 0 1 2, 1: 1 3 2, 2: 2 3 4, 3: 2 4 0.
      static constexpr unsigned of[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
      number[l] = r.next() % (op == Op::bvh8 ? 2 : 4);
      for (unsigned slot = 0; slot < 2; slot++) {
        // bvh8 tests triangles 0 and 1 of a pointer to 1.
        unsigned t = op == Op::bvh8 ? slot : op == Op::dual && slot == 1 ? (number[l] + 1) & 3 : number[l];
        for (unsigned c = 0; c < 3; c++)
          for (unsigned axis = 0; axis < 3; axis++) triangles[l][slot][c][axis] = as_float(w[3 * of[t][c] + axis]);
        if (r.next() & 1) w[15] = (w[15] & ~(15u << 8 * t)) | 9u << 8 * t;  // the usual corners
      }
      for (unsigned slot = 0; slot < 2; slot++) {
        unsigned t = op == Op::bvh8 ? slot : op == Op::dual && slot == 1 ? (number[l] + 1) & 3 : number[l];
        uint32_t about = w[15] >> 8 * t;
        sources[l][slot] = {about & 3, about >> 2 & 3};
        kinds[l][slot] = {(about >> 6 & 1) != 0, (about >> 7 & 1) != 0, (about >> 4 & 1) != 0, (about >> 5 & 1) != 0};
      }
      lane.ray = ray_at(triangles[l][0], r);
      flags[l] = f.pointer_flags && op != Op::bvh && r.next() % 3 == 0 ? r.next() & 0x3ff : 0;
      uint64_t at = uint64_t(RayBench::place(l)) << 3;
      if (bench.eight()) {
        lane.base = uint64_t(flags[l]) << 54;
        lane.pointers[0] = uint32_t(at) | number[l], lane.pointers[1] = uint32_t(at) | ((number[l] + 1) & 3);
      } else {
        lane.base = at | number[l] | uint64_t(flags[l]) << 54;
      }
    }
    ASSERT_TRUE(bench.run());
    ASSERT_EQ(bench.stop, wave::Stop::End);
    for (unsigned l = 0; l < bench.count(); l++) {
      if (!bench.active(l)) continue;
      unsigned slots = op == Op::dual || (op == Op::bvh8 && number[l] == 1) ? 2 : 1;
      for (unsigned slot = 0; slot < slots; slot++) {
        const uint32_t* d = bench.data[l] + 4 * slot;
        std::string where = fmt::format("round {} lane {} slot {} flags {:#x}", round, l, slot, flags[l]);
        Kind k = kinds[l][slot];
        TriangleAnswer a = meets(bench.lanes[l].ray, triangles[l][slot]);
        if (bench.eight()) EXPECT_EQ(bench.data[l][8 + slot], bench.words(l)[14]) << where;
        if (!f.barycentrics) EXPECT_EQ(d[2], bench.words(l)[15]) << where;
        const bool marks = f.pointer_flags && f.barycentrics;
        if (marks) {
          EXPECT_EQ(d[2] & kSign, k.procedural ? kSign : 0) << where;
          EXPECT_EQ(d[3] & kSign, opaque_to(k, flags[l]) ? 0 : kSign) << where;
        }
        if (f.pointer_flags && k.procedural) {
          EXPECT_EQ(d[0], left_out(k, true, flags[l]) ? kInf : 0) << where;
          EXPECT_EQ(d[1], kOne) << where;
          if (f.barycentrics) EXPECT_EQ(d[2] & ~kSign, kOne) << where;
          continue;
        }
        bool flip = f.pointer_flags && k.flipped != ((flags[l] & 8) != 0), front = a.front != flip;
        bool out = f.pointer_flags && left_out(k, front, flags[l]);
        if (a.met == Answer::no || (a.met == Answer::yes && out)) {
          no++;
          EXPECT_EQ(d[0], kInf) << where;
          EXPECT_EQ(d[1], kOne) << where;
          if (!f.barycentrics) EXPECT_EQ(d[3], 0u) << where;
        } else if (a.met == Answer::yes && std::isfinite(as_float(d[0])) && std::isfinite(as_float(d[1]))) {
          yes++;
          double denominator = as_float(d[1]);
          EXPECT_EQ(denominator > 0, front) << where;
          near(as_float(d[0]) / denominator, a.t, where);
          if (f.barycentrics)
            for (unsigned n = 0; n < 2; n++) {
              double w = as_float(d[2 + n]) / denominator;
              unsigned source = sources[l][slot][n];
              near(marks ? std::fabs(w) : w, source == 3 ? 0 : a.weight[source], where);
            }
          else
            EXPECT_EQ(d[3], 1u) << where;
        } else {
          either++;
        }
      }
      if (slots == 1 && bench.eight())
        for (unsigned n = 4; n < 8; n++) EXPECT_EQ(bench.data[l][n], kNone);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(yes, 400u);
  EXPECT_GT(no, 1000u);
  EXPECT_LT(either, (yes + no) / 25);
}

// --- packets

struct PacketModel {
  std::vector<std::array<float, 3>> corners;
  struct Pair {
    unsigned corner[2][3];
    Kind kind[2];
    uint32_t primitive[2], geometry[2];
    bool second, stop;
  };
  std::vector<Pair> pairs;
};
uint32_t stored(uint32_t anchor, uint32_t value, unsigned bits_of_it, unsigned anchor_bits) {
  uint32_t mask = bits_of_it >= 32 ? ~0u : (1u << bits_of_it) - 1;
  return bits_of_it >= anchor_bits ? value & mask : (anchor & ~mask) | (value & mask);
}
PacketModel write_packet(uint32_t* w, Words& r) {
  for (;;) {
    PacketModel m;
    unsigned zeros = r.next() & 1 ? r.next() % 13 : 0, shared[3], own[3], all_shared = 0, all_own = 0;
    float base[3] = {real(r, 2), real(r, 2), real(r, 2)};
    for (int axis = 0; axis < 3; axis++) {
      shared[axis] = r.next() % 3 == 0 ? 10 + r.next() % 5 : 0;
      own[axis] = 32 - zeros - shared[axis];
      all_shared += shared[axis], all_own += own[axis];
    }
    unsigned corners = 3 + r.next() % 14, pairs = 1 + r.next() % 8;
    unsigned ga = r.next() % 8, gp = r.next() % 8, pa = r.next() % 20, pp = r.next() % 12;
    if (r.next() % 8 == 0) corners = std::min(corners, 6u), pairs = 1, ga = 15, gp = 15, pa = 31, pp = 31;
    int middle = 1024 - int(29 * pairs) - int((2 * pairs - 1) * pp) - int(pa);
    if (int(52 + all_shared + corners * all_own + 2 * ga + (2 * pairs - 1) * 2 * gp) > middle) continue;
    for (unsigned n = 0; n < 32; n++) w[n] = r.next();
    BitWriter b{w};
    for (int axis = 0; axis < 3; axis++) b.put(own[axis] - 1, 5);
    b.put(zeros, 5), b.put(ga, 4), b.put(gp, 4), b.put(pairs - 1, 3), b.put(0, 1), b.put(pa, 5), b.put(pp, 5);
    b.put(uint32_t(middle), 10);
    for (int axis = 0; axis < 3; axis++)
      if (shared[axis]) b.put(bits(base[axis]) >> (32 - shared[axis]), shared[axis]);
    for (unsigned n = 0; n < corners; n++) {
      std::array<float, 3> corner;
      for (int axis = 0; axis < 3; axis++) {
        uint32_t x = bits(real(r, 2)), s = shared[axis];
        if (s) x = (bits(base[axis]) >> (32 - s) << (32 - s)) | (r.next() >> s);
        x = x >> zeros << zeros;
        corner[axis] = as_float(x);
        b.put(x >> zeros, own[axis]);
      }
      m.corners.push_back(corner);
    }
    uint32_t primitive_anchor = pa ? r.next() >> (32 - pa) : 0, geometry_anchor = ga ? r.next() >> (32 - 2 * ga) : 0;
    b.at = unsigned(middle), b.put(primitive_anchor, pa);
    b.at = unsigned(middle) - 2 * ga, b.put(geometry_anchor, 2 * ga);
    for (unsigned p = 0; p < pairs; p++) {
      PacketModel::Pair pair;
      pair.stop = r.next() & 1, pair.second = r.next() & 3;
      for (unsigned t = 0; t < 2; t++) {
        unsigned triangle = 2 * p + t;
        uint32_t primitive = r.next(), geometry = r.next();
        pair.primitive[t] = primitive_anchor, pair.geometry[t] = geometry_anchor;
        if (triangle) {
          b.at = unsigned(middle) + pa + (triangle - 1) * pp, b.put(primitive, pp);
          b.at = unsigned(middle) - 2 * ga - triangle * 2 * gp, b.put(geometry, 2 * gp);
          pair.primitive[t] = stored(primitive_anchor, primitive, pp, pa);
          pair.geometry[t] = stored(geometry_anchor, geometry, 2 * gp, 2 * ga);
        }
        pair.kind[t] = {
            .procedural = r.next() % 8 == 0, .opaque = (r.next() & 1) != 0, .two_sided = r.next() % 4 == 0, .flipped = false};
        for (unsigned c = 0; c < 3; c++) {
          unsigned& corner = pair.corner[t][c];
          corner = r.next() % corners;
          if (pair.kind[t].procedural && c < 2) corner = 15;
          if (!pair.kind[t].procedural && c == 0 && corner == 15) corner = 0;
          if (t == 1 && !pair.second) corner = 0;
          if (t == 1 && pair.second && c == 1 && !pair.kind[t].procedural && corner == 0) corner = 1;
        }
        if (t == 1 && !pair.second) pair.kind[t].procedural = false;
      }
      b.at = 1024 - 29 * (p + 1);
      b.put(pair.stop, 1);
      for (unsigned t = 2; t-- > 0;) {
        b.put(pair.kind[t].two_sided, 1), b.put(pair.kind[t].opaque, 1);
        for (unsigned corner : pair.corner[t]) b.put(corner, 4);
      }
      m.pairs.push_back(pair);
    }
    return m;
  }
}

TEST(RayPackets, Pairs) {
  Words r(71);
  unsigned yes = 0, no = 0, either = 0;
  for (unsigned round = 0; round < 300; round++) {
    RayBench bench(Op::bvh8, round & 1);
    TreeFlags f{.compressed = true, .pointer_flags = (r.next() & 1) != 0, .barycentrics = (r.next() & 1) != 0};
    bench.exec = r.next() % 3 ? ~uint64_t(0) : r.next64();
    bench.resource = descriptor(f, SingleStep::memory_base, 65536);
    std::array<PacketModel, 64> packets;
    std::array<uint32_t, 64> flags{}, number{};
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      packets[l] = write_packet(bench.words(l), r);
      number[l] = r.next() % packets[l].pairs.size();
      const auto& pair = packets[l].pairs[number[l]];
      Corners c{};
      unsigned aim = r.next() & 1;
      if (!pair.kind[aim].procedural)
        for (unsigned n = 0; n < 3; n++) c[n] = packets[l].corners[pair.corner[aim][n]];
      lane.ray = ray_at(c, r);
      flags[l] = f.pointer_flags && r.next() % 3 == 0 ? r.next() & 0x3ff : 0;
      lane.base = uint64_t(flags[l]) << 54;
      lane.pointers[0] = RayBench::place(l) << 3 | (number[l] & 3) | (number[l] & 4) << 1;
    }
    ASSERT_TRUE(bench.run());
    ASSERT_EQ(bench.stop, wave::Stop::End);
    for (unsigned l = 0; l < bench.count(); l++) {
      if (!bench.active(l)) continue;
      const auto& pair = packets[l].pairs[number[l]];
      uint32_t navigation = pair.stop ? 3 : number[l] + 1 == packets[l].pairs.size() ? 1 : 0;
      for (unsigned t = 0; t < 2; t++) {
        const uint32_t* d = bench.data[l] + 4 * t;
        std::string where = fmt::format("round {} lane {} triangle {} flags {:#x}", round, l, t, flags[l]);
        EXPECT_EQ(bench.data[l][8 + t], pair.geometry[t] << 2 | navigation) << where;
        if (t == 1 && !pair.second) {
          EXPECT_EQ(d[0], kInf) << where;
          EXPECT_EQ(d[3], 0u) << where;
          continue;
        }
        Kind k = pair.kind[t];
        EXPECT_EQ(d[3] >> 1, pair.primitive[t] & 0x7fffffff) << where;
        EXPECT_EQ(d[1] & kSign, k.procedural ? kSign : 0) << where;
        EXPECT_EQ(d[2] & kSign, opaque_to(k, flags[l]) ? 0 : kSign) << where;
        if (k.procedural) {
          EXPECT_EQ(d[0], left_out(k, true, flags[l]) ? kInf : 0) << where;
          EXPECT_EQ(d[1] & ~kSign, kOne) << where;
          EXPECT_EQ(d[2] & ~kSign, kOne) << where;
          continue;
        }
        Corners c;
        for (unsigned n = 0; n < 3; n++) c[n] = packets[l].corners[pair.corner[t][n]];
        TriangleAnswer a = meets(bench.lanes[l].ray, c);
        bool front = a.front != ((flags[l] & 8) != 0), out = left_out(k, front, flags[l]);
        if (a.met == Answer::no || (a.met == Answer::yes && out)) {
          no++;
          EXPECT_EQ(d[0], kInf) << where;
        } else if (a.met == Answer::yes) {
          yes++;
          near(as_float(d[0]), a.t, where);
          near(std::fabs(as_float(d[1])), a.weight[1], where);
          near(std::fabs(as_float(d[2])), a.weight[2], where);
          EXPECT_EQ(d[3] & 1, front ? 0u : 1u) << where;
        } else {
          either++;
        }
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(yes, 400u);
  EXPECT_GT(no, 1000u);
  EXPECT_LT(either, (yes + no) / 10);  // (triangles may have two equal corners here)
}

// --- instances

void check_instances(Op op) {
  Words r(81 + unsigned(op));
  for (unsigned round = 0; round < 100; round++) {
    RayBench bench(op, round & 1);
    TreeFlags f{.compressed = op == Op::bvh8, .instances = round % 8 != 7, .pointer_flags = (r.next() & 1) != 0, .grow = 6};
    bench.exec = r.next() % 3 ? ~uint64_t(0) : r.next64();
    bench.resource = descriptor(f, SingleStep::memory_base, 65536);
    struct Expected {
      float matrix[3][4];
      uint64_t tree;
      uint32_t next, user, mask;
      bool passes;
    };
    std::array<Expected, 64> all;
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      Expected& e = all[l];
      uint32_t *w = bench.words(l), flags = f.pointer_flags && r.next() & 1 ? r.next() & 0x3ff : 0, mine = r.next() & 0x3ff;
      for (int row = 0; row < 3; row++)
        for (int c = 0; c < 4; c++) e.matrix[row][c] = real(r, 2), w[4 * row + c] = bits(e.matrix[row][c]);
      uint64_t address = r.next64() & 0x3ffffffffffff8;
      uint64_t stored_base = address | uint64_t(mine) << 54 | (r.next() & 7);
      w[12] = uint32_t(stored_base), w[13] = uint32_t(stored_base >> 32), w[14] = r.next(), w[15] = r.next();
      e.user = w[15] & 0xffffff, e.mask = w[15] >> 24;
      for (int n = 0; n < 3; n++) lane.ray.origin[n] = real(r, 3), lane.ray.direction[n] = real(r, 1), lane.ray.inverse[n] = 0;
      lane.ray.extent = 1e30f, lane.ray.mask = r.next() % 4 ? 0xff : r.next() & 0xff;
      uint32_t kept = flags & 3 ? mine & ~3u : mine;
      e.tree = address | (f.pointer_flags ? uint64_t(kept | flags) << 54 : 0);
      bool skipped = f.pointer_flags && (mine & 0x100 ? flags & 0x200 : flags & 0x100);
      e.passes = (e.mask & lane.ray.mask) && !skipped;
      e.next = e.passes ? w[14] : kNone;
      if (op == Op::bvh8) {  // one box around everything, and one that is empty
        BitWriter b{w, 512};
        for (int n = 0; n < 3; n++) b.put(bits(-128.0f), 32);
        for (int n = 0; n < 3; n++) b.put(127 + 8, 8);
        b.put(0, 4), b.put(1, 4);
        uint32_t type = r.next() & 1 ? 5 : r.next() & 3, box_flags = r.next() & 1 ? 0 : r.next() & 15;
        b.put(0, 24), b.put(box_flags, 4), b.put(0, 4), b.put(0, 12), b.put(0xfff, 12), b.put(0xff, 8), b.put(0xffffff, 24);
        b.put(type, 4), b.put(1, 4);
        b.put(0xffffff, 24), b.put(0, 8), b.put(0xfff, 12), b.put(0, 12), b.put(0xff, 8), b.put(0, 24), b.put(5, 4), b.put(1, 4);
        bool opaque = (box_flags & 1 || flags & 1) && !(flags & 2), other = (box_flags & 2 || flags & 2) && !(flags & 1);
        bool box_out = f.pointer_flags && ((opaque && flags & 0x40) || (other && flags & 0x80) ||
                                           (box_flags & 4 && flags & 0x100) || (box_flags & 8 && flags & 0x200));
        e.next = e.passes && !box_out ? 0xffffff00 | type : kNone;
      }
      lane.base = uint64_t(flags) << 54;
      lane.pointers[0] = RayBench::place(l) << 3 | 6, lane.pointers[1] = r.next() % 5 ? 7 : 6;
    }
    ASSERT_TRUE(bench.run());
    ASSERT_EQ(bench.stop, wave::Stop::End);
    for (unsigned l = 0; l < bench.count(); l++) {
      if (!bench.active(l)) continue;
      const Expected& e = all[l];
      const uint32_t* d = bench.data[l];
      const RayLane& lane = bench.lanes[l];
      bool two = op == Op::dual && (lane.pointers[1] & 7) == 6;
      if (!f.instances || two) {
        for (unsigned n = 0; n < 10; n++) EXPECT_EQ(d[n], kNone) << round << " " << l;
        for (unsigned n = 0; n < 3; n++) EXPECT_EQ(bits(bench.origin[l][n]), bits(lane.ray.origin[n]));
        continue;
      }
      EXPECT_EQ(d[2] | uint64_t(d[3]) << 32, e.tree) << round << " " << l;
      EXPECT_EQ(d[6] & 0xffffff, e.user);
      EXPECT_EQ(d[7], e.next) << round << " " << l;
      for (unsigned n = 0; n < 3; n++) {
        double o = e.matrix[n][3], v = 0;
        for (unsigned c = 0; c < 3; c++)
          o += double(e.matrix[n][c]) * lane.ray.origin[c], v += double(e.matrix[n][c]) * lane.ray.direction[c];
        EXPECT_NEAR(bench.origin[l][n], e.passes ? o : lane.ray.origin[n], 1e-5);
        EXPECT_NEAR(bench.direction[l][n], e.passes ? v : lane.ray.direction[n], 1e-5);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}
TEST(RayInstances, OfTwoPointers) { check_instances(Op::dual); }
TEST(RayInstances, OfCompressedTrees) { check_instances(Op::bvh8); }

}  // namespace
}  // namespace Atoll::rdna4::test
