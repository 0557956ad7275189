// Boxes of every form against the model, on both engines: which children come back, and in which order.
#include <set>

#include "isa/rdna4/semantics/ray_node.h"
#include "ray_bench.h"

namespace Atoll::rdna4::test {
namespace {

constexpr uint32_t kNone = 0xffffffff;

float real(Words& r, float range) { return (float(int32_t(r.next())) * 0x1p-31f) * range; }

// Rays towards something near the origin; some along axes, some with infinities or NaNs.
ModelRay random_ray(Words& r) {
  ModelRay ray;
  for (int n = 0; n < 3; n++) ray.origin[n] = real(r, 6), ray.direction[n] = -ray.origin[n] / 3 + real(r, 1);
  ray.extent = r.next() % 4 ? 1e30f : std::fabs(real(r, 8));
  for (int n = 0; n < 3; n++)
    if (r.next() % 8 == 0) ray.direction[n] = r.next() & 1 ? 0.0f : -0.0f;
  if (r.next() % 24 == 0) ray.direction[r.next() % 3] = std::bit_cast<float>(r.mixed());
  if (r.next() % 24 == 0) ray.origin[r.next() % 3] = std::bit_cast<float>(r.mixed());
  if (r.next() % 24 == 0) ray.extent = std::bit_cast<float>(r.mixed());
  for (int n = 0; n < 3; n++) ray.inverse[n] = 1 / ray.direction[n];
  ray.mask = r.next() & 0xff;
  return ray;
}

struct ModelNode {
  std::array<ModelBox, 8> box;
  unsigned boxes = 0;
};
uint32_t random_child(Words& r, bool packets) {
  static constexpr uint32_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 5, 5}, compressed[] = {0, 1, 2, 3, 5, 6, 8, 9, 10, 11};
  return (r.next() & 0xfffff0) << 1 | (packets ? compressed : types)[r.next() % 10];
}
void random_box(Words& r, ModelBox& box) {
  for (int n = 0; n < 3; n++) {
    float a = real(r, 2), b = real(r, 2);
    box.low[n] = std::min(a, b), box.high[n] = std::max(a, b);
  }
  box.child = random_child(r, false);
  box.flags = r.next() % 3 ? 0 : r.next() & 15;
  box.mask = 0xff;
  if (r.next() % 16 == 0)
    for (int n = 0; n < 3; n++) box.low[n] = box.high[n] = std::numeric_limits<double>::quiet_NaN();
  if (r.next() % 16 == 0) box.child = kNone;
}

// --- the forms in memory

void write_box32(uint32_t* w, ModelBox* box) {
  for (int n = 0; n < 4; n++) {
    w[n] = box[n].child;
    for (int axis = 0; axis < 3; axis++)
      w[4 + 6 * n + axis] = bits(float(box[n].low[axis])), w[7 + 6 * n + axis] = bits(float(box[n].high[axis]));
    w[28] = (w[28] & ~(0xffu << 8 * n)) | box[n].flags << 8 * n;
  }
}
void write_box16(uint32_t* w, ModelBox* box) {
  BitWriter b{w};
  for (int n = 0; n < 4; n++) b.put(box[n].child, 32), box[n].flags = 0;
  for (int n = 0; n < 4; n++)
    for (double* side : {box[n].low, box[n].high})
      for (int axis = 0; axis < 3; axis++) {
        _Float16 h = _Float16(side[axis]);
        side[axis] = double(h);
        b.put(__builtin_bit_cast(uint16_t, h), 16);
      }
}
// Signs and mantissas under one exponent an axis; what is cut off the model allows as slack.
void write_box64b(uint32_t* w, ModelBox* box, Words& r) {
  uint32_t place = r.next() & 0x1ffffff, exponent[3];
  for (int axis = 0; axis < 3; axis++) {
    double most = 0;
    for (int n = 0; n < 4; n++)
      for (double x : {box[n].low[axis], box[n].high[axis]})
        if (!std::isnan(x)) most = std::max(most, std::fabs(x));
    exponent[axis] = most > 0 ? uint32_t(std::ilogb(most) + 127) : 0;
  }
  BitWriter b{w};
  b.put(place, 29);
  uint32_t types[4];
  for (int n = 0; n < 4; n++) {
    static constexpr uint32_t some[] = {0, 1, 3, 4, 5, 6, 7, 2};
    types[n] = box[n].child == kNone ? 2 : some[r.next() & 7];
    box[n].child = types[n] == 2 ? kNone : place << 3 | types[n];
    place += types[n] == 6 || types[n] == 3 ? 2 : 1;
    b.put(types[n], 3);
  }
  for (int n = 0; n < 4; n++) b.put(box[n].flags, n == 3 ? 3 : 4);
  box[3].flags &= 7;
  for (int axis = 0; axis < 3; axis++) b.put(exponent[axis], 8);
  for (int n = 0; n < 4; n++) {
    for (double* side : {box[n].low, box[n].high})
      for (int axis = 0; axis < 3; axis++) {
        double unit = std::ldexp(1.0, int(exponent[axis]) - 127 - 16);
        uint32_t steps = std::isnan(side[axis]) ? 0 : uint32_t(std::min(131071.0, std::fabs(side[axis]) / unit));
        b.put(steps | uint32_t(side[axis] < 0) << 17, 18);
        side[axis] = (side[axis] < 0 ? -1.0 : 1.0) * steps * unit;
      }
    box[n].slack = 0x1p-15;
  }
}
// A child's 12-bit steps of a power of two from the node's origin.
void write_quantised(BitWriter& b, const float* origin, const uint32_t* exponent, ModelBox& box, uint32_t type, uint32_t range,
                     Words& r) {
  uint32_t low[3], high[3];
  for (int axis = 0; axis < 3; axis++) {
    low[axis] = r.next() & 0xfff, high[axis] = r.next() & 0xfff;
    if (r.next() % 8) std::tie(low[axis], high[axis]) = std::minmax({low[axis], high[axis]});
    double unit = std::ldexp(1.0, int(exponent[axis]) - 127 - 12);
    box.low[axis] = origin[axis] + low[axis] * unit, box.high[axis] = origin[axis] + (high[axis] + 1) * unit;
  }
  box.flags = r.next() % 3 ? 0 : r.next() & 15, box.mask = r.next() % 4 ? 0xff : r.next() & 0xff;
  b.put(low[0], 12), b.put(low[1], 12), b.put(box.flags, 4), b.put(r.next(), 4);
  b.put(low[2], 12), b.put(high[0], 12), b.put(box.mask, 8);
  b.put(high[1], 12), b.put(high[2], 12), b.put(type, 4), b.put(range, 4);
}
void random_frame(BitWriter& b, float* origin, uint32_t* exponent, uint32_t count, Words& r) {
  for (int axis = 0; axis < 3; axis++) origin[axis] = -1 + real(r, 1), b.put(bits(origin[axis]), 32);
  for (int axis = 0; axis < 3; axis++)
    exponent[axis] = r.next() % 8 ? 126 + r.next() % 3 : r.next() % 20, b.put(exponent[axis], 8);
  b.put(0, 1), b.put(r.next(), 3), b.put(count - 1, 4);
}
ModelNode write_box8(uint32_t* w, uint32_t rotation, Words& r) {
  ModelNode node;
  node.boxes = 1 + r.next() % 8;
  BitWriter b{w};
  uint32_t boxes_at = (r.next() & 0xffffff) << 4, primitives_at = (r.next() & 0xffffff) << 4;
  b.put(boxes_at, 32), b.put(primitives_at, 32), b.put(r.next(), 32);
  float origin[3];
  uint32_t exponent[3];
  random_frame(b, origin, exponent, node.boxes, r);
  b.put(rotation, 7), b.put(0, 25);
  for (unsigned n = 0; n < 8; n++) {
    uint32_t type = random_child(r, true) & 15, range = 1 + r.next() % 3;
    write_quantised(b, origin, exponent, node.box[n], type, range, r);
    uint32_t& at = type == 5 ? boxes_at : primitives_at;
    if (n < node.boxes)
      node.box[n].child = at | type, at += range * 16;
    else
      node.box[n].child = kNone;
    if (rotation < 104) node.box[n].slack = 1e-6;
  }
  return node;
}

// The ray along the axes of one of 104 rotations, by a quaternion: 13 axes, of each a quarter, half, three quarters and whole right
// angle, there and back.
ModelRay turned(const ModelRay& ray, uint32_t index) {
  if (index >= 104) return ray;
  static constexpr int axes[13][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {0, 1, 1},  {0, -1, 1}, {1, 0, 1},  {1, 0, -1},
                                      {1, 1, 0}, {-1, 1, 0}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};
  const int* a = axes[index / 8];
  V axis{double(a[0]), double(a[1]), double(a[2])};
  const uint32_t eighths = index % 8 / 2 + 1;
  double angle = std::acos(-1.0) / 8 * eighths * (index & 1 ? -1 : 1), s = std::sin(angle / 2) / length(axis);
  V q{axis.x * s, axis.y * s, axis.z * s};
  auto turn = [&](const float* f, float* to) {
    V v = v_of(f), t = times(q, v), u = times(q, t);
    double w = std::cos(angle / 2);
    to[0] = float(v.x + 2 * (w * t.x + u.x)), to[1] = float(v.y + 2 * (w * t.y + u.y)), to[2] = float(v.z + 2 * (w * t.z + u.z));
  };
  ModelRay out = ray;
  turn(ray.origin, out.origin), turn(ray.direction, out.direction);
  for (int n = 0; n < 3; n++) out.inverse[n] = 1 / out.direction[n];
  return out;
}

// --- the answer

// Culling by flags, in GPURT's words.
bool culled(uint32_t box, uint32_t ray) {
  bool opaque = (box & 1 || ray & 1) && !(ray & 2), other = (box & 2 || ray & 2) && !(ray & 1);
  return (opaque && ray & 0x40) || (other && ray & 0x80) || (box & 4 && ray & 0x100) || (box & 8 && ray & 0x200);
}

struct Case {
  TreeFlags flags;
  uint32_t ray_flags = 0, last_leaf = 3;
};
// `from` to `to` of the node's boxes came back in as many places of `data`.
void check_order(const Case& c, const ModelRay& ray, const ModelNode& node, unsigned from, unsigned to, const uint32_t* data,
                 const std::string& where) {
  std::multiset<uint32_t> certain, possible;
  std::map<uint32_t, std::vector<BoxAnswer>> by_child;
  for (unsigned n = from; n < to; n++) {
    const ModelBox& box = node.box[n];
    if (box.child == kNone || !(box.mask & ray.mask)) continue;
    if (c.flags.pointer_flags && culled(box.flags, c.ray_flags)) continue;
    BoxAnswer a = meets(ray, box, c.flags.grow);
    by_child[box.child].push_back(a);
    if (a.met == Answer::yes) certain.insert(box.child);
    if (a.met != Answer::no) possible.insert(box.child);
  }
  std::vector<uint32_t> came;
  for (unsigned n = 0; n < to - from; n++)
    if (data[n] != kNone) came.push_back(data[n]);
  for (uint32_t child : came) {
    auto at = possible.find(child);
    ASSERT_NE(at, possible.end()) << where << ": " << std::hex << child << " is not met";
    possible.erase(at);
    if (auto sure = certain.find(child); sure != certain.end()) certain.erase(sure);
  }
  ASSERT_TRUE(certain.empty()) << where << ": " << std::hex << *certain.begin() << " is met";
  if (!c.flags.sort) {  // each in its own place
    for (unsigned n = 0; n < to - from; n++) ASSERT_TRUE(data[n] == kNone || data[n] == node.box[from + n].child) << where;
    return;
  }
  for (unsigned n = 0; n < came.size(); n++) ASSERT_NE(data[n], kNone) << where << ": misses come last";
  auto rank = [&](uint32_t child) {
    if (!c.flags.triangles_first) return 0u;
    return ((child & 7) > c.last_leaf) * 2u + ((child & 7) != 1);
  };
  for (unsigned n = 1; n < came.size(); n++) {
    ASSERT_LE(rank(came[n - 1]), rank(came[n])) << where;
    if (rank(came[n - 1]) != rank(came[n]) || by_child[came[n]].size() > 1 || by_child[came[n - 1]].size() > 1) continue;
    const BoxAnswer &a = by_child[came[n - 1]][0], &b = by_child[came[n]][0];
    unsigned heuristic = c.flags.heuristic % 3;
    double x = a.key[heuristic], y = b.key[heuristic];
    if (std::isfinite(x) && std::isfinite(y) && std::fabs(x) < 1e30 && std::fabs(y) < 1e30)
      ASSERT_LE(x, y + 4 * (a.error + b.error)) << where << ": order";
  }
}

TreeFlags random_flags(Words& r) {
  return {.sort = r.next() % 4 != 0,
          .wide = (r.next() & 1) != 0,
          .triangles_first = (r.next() & 1) != 0,
          .pointer_flags = (r.next() & 1) != 0,
          .heuristic = r.next() & 3,
          .grow = r.next() % 3 ? 6 : r.next() & 0xff};
}
uint32_t random_ray_flags(Words& r) { return r.next() % 3 ? 0 : r.next() & 0x3ff; }
uint64_t random_exec(Words& r) { return r.next() % 3 ? ~uint64_t(0) : r.next64(); }

enum class Form { box16, box32, box64b };
void write(Form form, uint32_t* w, ModelNode& node, unsigned from, Words& r) {
  for (unsigned n = from; n < from + 4; n++) random_box(r, node.box[n]);
  if (form == Form::box16) write_box16(w, &node.box[from]);
  if (form == Form::box32) write_box32(w, &node.box[from]);
  if (form == Form::box64b) write_box64b(w, &node.box[from], r);
  node.boxes = from + 4;
}
uint32_t type_of(Form form) { return form == Form::box32 ? 5 : 4; }

class RayBoxesOfFour : public testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, RayBoxesOfFour, testing::Values(Form::box16, Form::box32, Form::box64b));

TEST_P(RayBoxesOfFour, FourOfANode) {
  const Form form = GetParam();
  Words r(11 + unsigned(form));
  for (unsigned round = 0; round < 120; round++) {
    RayBench bench(round & 2 ? Op::bvh : Op::bvh64, round & 1, round % 10 == 9);
    Case c{.flags = random_flags(r)};
    c.flags.box_64b = form == Form::box64b;
    c.flags.barycentrics = r.next() & 1;
    bench.exec = random_exec(r);
    bench.resource = descriptor(c.flags, SingleStep::memory_base, 65536);
    std::array<ModelNode, 64> nodes;
    std::array<uint32_t, 64> flags{};
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      lane.ray = random_ray(r);
      if (bench.a16)
        for (int n = 0; n < 3; n++)
          lane.ray.direction[n] = float(_Float16(lane.ray.direction[n])),
          lane.ray.inverse[n] = float(_Float16(1 / lane.ray.direction[n]));
      lane.ray.mask = 0xff;
      write(form, bench.words(l), nodes[l], 0, r);
      flags[l] = bench.op == Op::bvh64 ? random_ray_flags(r) : 0;
      if (!c.flags.pointer_flags) flags[l] = 0;
      lane.base = uint64_t(RayBench::place(l)) << 3 | type_of(form) | uint64_t(flags[l]) << 54;
    }
    ASSERT_TRUE(bench.run());
    ASSERT_EQ(bench.stop, wave::Stop::End);
    for (unsigned l = 0; l < bench.count(); l++) {
      c.ray_flags = flags[l];
      if (bench.active(l))
        check_order(c, bench.lanes[l].ray, nodes[l], 0, 4, bench.data[l], fmt::format("round {} lane {}", round, l));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(RayBoxesOfFour, OfTwoNodes) {
  const Form form = GetParam();
  Words r(21 + unsigned(form));
  for (unsigned round = 0; round < 100; round++) {
    RayBench bench(Op::dual, round & 1);
    Case c{.flags = random_flags(r)};
    c.flags.box_64b = form == Form::box64b;
    bench.exec = random_exec(r);
    bench.resource = descriptor(c.flags, SingleStep::memory_base, 65536);
    std::array<ModelNode, 64> nodes;
    std::array<uint32_t, 64> flags{};
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      lane.ray = random_ray(r);
      for (unsigned n = 0; n < 2; n++) {
        write(form, bench.words(l, 256 * n), nodes[l], 4 * n, r);
        lane.pointers[n] = RayBench::place(l % 7 + 1, 0) << 3;
        lane.pointers[n] = (RayBench::place(l, 256 * n) - 3) << 3 | type_of(form);
      }
      lane.ray.mask = 0xff;
      flags[l] = c.flags.pointer_flags ? random_ray_flags(r) : 0;
      lane.base = 3 << 3 | uint64_t(flags[l]) << 54;
      if (l == 0)  // (no offset is negative)
        for (unsigned n = 0; n < 2; n++)
          lane.base = uint64_t(flags[l]) << 54, lane.pointers[n] = RayBench::place(l, 256 * n) << 3 | type_of(form);
    }
    ASSERT_TRUE(bench.run());
    for (unsigned l = 0; l < bench.count(); l++) {
      if (!bench.active(l)) continue;
      c.ray_flags = flags[l];
      std::string where = fmt::format("round {} lane {}", round, l);
      if (c.flags.wide) {
        check_order(c, bench.lanes[l].ray, nodes[l], 0, 8, bench.data[l], where);
      } else {
        check_order(c, bench.lanes[l].ray, nodes[l], 0, 4, bench.data[l], where);
        check_order(c, bench.lanes[l].ray, nodes[l], 4, 8, bench.data[l] + 4, where);
      }
      EXPECT_EQ(bench.data[l][8], kNone);
      if (HasFailure()) return;
    }
  }
}

enum class Eight { box32_pair, box64b_pair, quantised };
class RayBoxesOfEight : public testing::TestWithParam<Eight> {};
INSTANTIATE_TEST_SUITE_P(Forms, RayBoxesOfEight, testing::Values(Eight::box32_pair, Eight::box64b_pair, Eight::quantised));

TEST_P(RayBoxesOfEight, OfANode) {
  const Eight form = GetParam();
  Words r(31 + unsigned(form));
  for (unsigned round = 0; round < 160; round++) {
    RayBench bench(Op::bvh8, round & 1);
    Case c{.flags = random_flags(r)};
    c.flags.compressed = form == Eight::quantised;
    c.last_leaf = c.flags.compressed ? 3 : 1;
    bench.exec = random_exec(r);
    bench.resource = descriptor(c.flags, SingleStep::memory_base, 65536);
    std::array<ModelNode, 64> nodes;
    std::array<ModelRay, 64> rays;
    std::array<uint32_t, 64> flags{};
    for (unsigned l = 0; l < bench.count(); l++) {
      RayLane& lane = bench.lanes[l];
      lane.ray = random_ray(r);
      uint32_t rotation = r.next() & 1 ? 0x7f : r.next() % 128;
      if (form == Eight::quantised) {
        nodes[l] = write_box8(bench.words(l), rotation, r);
      } else {
        lane.ray.mask = 0xff;
        Form half = form == Eight::box32_pair ? Form::box32 : Form::box64b;
        write(half, bench.words(l), nodes[l], 0, r);
        write(half, bench.words(l, half == Form::box32 ? 128 : 64), nodes[l], 4, r);
      }
      rays[l] = lane.ray;
      if (form == Eight::quantised && rotation < 104) {
        // Nearly along an axis the last bit of a sine decides: not these.
        do
          for (float& d : lane.ray.direction) d = real(r, 1);
        while (rays[l] = turned(lane.ray, rotation),
               std::any_of(rays[l].inverse, rays[l].inverse + 3, [](float i) { return !(std::fabs(i) < 1e3f); }));
      }
      lane.pointers[0] = RayBench::place(l) << 3 | (form == Eight::quantised ? 5 : form == Eight::box32_pair ? 2 : 3);
      lane.pointers[1] = r.next();
      flags[l] = c.flags.pointer_flags ? random_ray_flags(r) : 0;
      lane.base = uint64_t(flags[l]) << 54;
    }
    ASSERT_TRUE(bench.run());
    for (unsigned l = 0; l < bench.count(); l++) {
      if (!bench.active(l)) continue;
      c.ray_flags = flags[l];
      std::string where = fmt::format("round {} lane {}", round, l);
      if (c.flags.wide) {
        check_order(c, rays[l], nodes[l], 0, 8, bench.data[l], where);
      } else {
        check_order(c, rays[l], nodes[l], 0, 4, bench.data[l], where);
        check_order(c, rays[l], nodes[l], 4, 8, bench.data[l] + 4, where);
      }
      for (unsigned n = 0; n < 3; n++) EXPECT_EQ(bits(bench.origin[l][n]), bits(bench.lanes[l].ray.origin[n]));
      if (HasFailure()) return;
    }
  }
}

// The part cut off a block's mantissa lies inside the box, and the box is less than a unit larger.
TEST(RayBoxes, OfHighPrecisionContainWhatWasCutOff) {
  Words r(61);
  for (unsigned round = 0; round < 2000; round++) {
    uint32_t words[16] = {}, exponent = 100 + r.next() % 60;
    for (uint32_t& w : words) w = r.next();
    BitWriter b{words, 56};
    for (int axis = 0; axis < 3; axis++) b.put(exponent, 8);
    Boxes boxes;
    unpack_box64b(words, boxes, 0);
    double unit = std::ldexp(1.0, int(exponent) - 127 - 16);
    for (unsigned n = 0; n < 4; n++)
      for (unsigned side = 0; side < 2; side++)
        for (unsigned axis = 0; axis < 3; axis++) {
          unsigned at = 80 + 18 * (6 * n + 3 * side + axis);
          uint32_t block = 0;
          for (unsigned bit = 0; bit < 18; bit++) block |= (words[(at + bit) / 32] >> (at + bit) % 32 & 1) << bit;
          double steps = block & 0x1ffff, least = steps * unit, most = (steps + 1) * unit;
          if (block >> 17) std::tie(least, most) = std::pair(-most, -least);
          double x = (side ? boxes.high : boxes.low)[axis][n];
          EXPECT_GE(x, side ? (block >> 17 ? most : least) : least) << std::hex << block;
          EXPECT_LE(x, side ? most : (block >> 17 ? most : least)) << std::hex << block;
          if (side ? !(block >> 17) : block >> 17) EXPECT_GT(std::fabs(x), steps * unit) << std::hex << block;
        }
  }
}

}  // namespace
}  // namespace Atoll::rdna4::test
