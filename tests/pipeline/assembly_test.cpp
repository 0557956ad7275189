// The vertices of each primitive, their order, and the one that gives the flat colour (tables of Vulkan 1.3 chapter 21 and OpenGL
// 4.6 compatibility 10.1, 13.4).
#include "pipeline/front/assembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "canvas.h"
#include "pipeline/front/input_primitives.h"

namespace Atoll::pipeline {
namespace {

struct Made {
  std::vector<uint32_t> corners;
  uint32_t provoking;
  uint32_t instance = 0;
  bool operator==(const Made&) const = default;
};
void PrintTo(const Made& made, std::ostream* out) {
  for (uint32_t c : made.corners) *out << c << " ";
  *out << "flat " << made.provoking << " instance " << made.instance;
}

// Triangles are turned so that the smallest number comes first: their winding counts, not where they begin.
std::vector<Made> assemble(Topology topology, ProvokingVertex provoking, std::vector<uint16_t> indices, uint32_t restart = ~0u,
                           bool quads_last = false, uint32_t instances = 1) {
  TableVertices stage;
  Draw draw;
  draw.vertex_stage = &stage;
  draw.assembly.topology = topology;
  draw.assembly.provoking = provoking;
  draw.assembly.provoking_of_quads_is_last = quads_last;
  draw.assembly.restart = restart != ~0u;
  draw.assembly.restart_index = restart;
  draw.vertices.indices = reinterpret_cast<const uint8_t*>(indices.data());
  draw.vertices.index_bytes = 2;
  draw.vertices.index_limit = indices.size();
  draw.vertices.count = uint32_t(indices.size());
  draw.vertices.instances = instances;
  draw.vertices.first_instance = 5;
  VertexCache cache;
  Assembler assembler(draw, cache);
  Segment segment;
  std::vector<Made> made;
  while (assembler.next(segment))
    for (auto& p : segment.primitives) {
      unsigned count = p.kind == PrimitiveKind::point ? 1 : p.kind == PrimitiveKind::line ? 2 : 3;
      Made m;
      for (unsigned n = 0; n < count; n++) m.corners.push_back(segment.number[p.slot[n]]);
      if (count == 3) std::rotate(m.corners.begin(), std::min_element(m.corners.begin(), m.corners.end()), m.corners.end());
      m.provoking = segment.number[p.provoking];
      m.instance = segment.instance[p.slot[0]] - 5;
      made.push_back(m);
    }
  return made;
}

// Everything that a draw is assembled to, segment by segment.
std::vector<uint64_t> everything(const Draw& draw) {
  VertexCache cache;
  Assembler assembler(draw, cache);
  Segment segment;
  std::vector<uint64_t> all;
  while (assembler.next(segment)) {
    all.reserve(all.size() + segment.number.size() + 9 * segment.primitives.size() + 3);
    all.push_back(segment.primitives.size());
    for (size_t n = 0; n < segment.number.size(); n++) all.push_back(uint64_t(segment.instance[n]) << 32 | segment.number[n]);
    for (const Assembled& p : segment.primitives) {
      all.insert(all.end(), {p.slot[0], p.slot[1], p.slot[2], p.provoking, p.number, p.stipple});
      all.insert(all.end(), {uint64_t(p.kind), uint64_t(p.rectangle), p.edges});
    }
  }
  all.insert(all.end(), {assembler.vertices_read(), assembler.primitives_read()});
  return all;
}

// Lists of triangles have a shorter way, which restart closes: with an index that never comes it changes nothing.
TEST(Assembly, ListsOfTrianglesInTheShortWay) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; round++) {
    auto pick = [&](unsigned n) { return unsigned(random() % n); };
    const unsigned bytes = round % 2 ? 2 : 4, count = round % 13 ? pick(2000) : 1000000 + pick(500000), numbers = 1 + pick(60000);
    std::vector<uint8_t> indices(size_t(count) * bytes + 1);
    for (unsigned n = 0; n < count; n++) {
      const uint32_t index = pick(2) ? pick(numbers) : n / 2 % 60000;
      std::memcpy(&indices[size_t(n) * bytes], &index, bytes);
    }
    Draw draw;
    draw.assembly.provoking = pick(2) ? ProvokingVertex::first : ProvokingVertex::last;
    draw.vertices.indices = indices.data() + (pick(4) == 0), draw.vertices.index_bytes = bytes;
    draw.vertices.count = count, draw.vertices.index_limit = pick(4) ? count : count / 2;
    draw.vertices.instances = count < 5000 ? 1 + pick(3) : 1, draw.vertices.base_vertex = int(pick(3)) - 1;
    if (pick(2)) draw.vertices.lowest = 5, draw.vertices.highest = 40000;
    const auto short_way = everything(draw);
    draw.assembly.restart = true, draw.assembly.restart_index = 0xfffffffe;
    ASSERT_EQ(short_way == everything(draw), true) << round;
  }
}

// Without indices nobody looks for vertices: the same as with indices in their order, in the long way.
TEST(Assembly, ListsOfTrianglesWithoutIndices) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; round++) {
    auto pick = [&](unsigned n) { return unsigned(random() % n); };
    const unsigned count = round % 13 ? pick(2000) : 60000 + pick(100000);
    std::vector<uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0u);
    Draw draw;
    draw.assembly.provoking = pick(2) ? ProvokingVertex::first : ProvokingVertex::last;
    draw.vertices.count = count, draw.vertices.instances = 1 + pick(3), draw.vertices.first_instance = pick(4);
    draw.vertices.base_vertex = pick(4) ? int(pick(3000)) - 5 : 0x7fffffff;
    if (pick(2)) draw.vertices.lowest = pick(8), draw.vertices.highest = pick(2) ? 0xffffffff : 4000;
    const auto short_way = everything(draw);
    draw.vertices.indices = reinterpret_cast<const uint8_t*>(indices.data());
    draw.vertices.index_bytes = 4, draw.vertices.index_limit = count;
    draw.assembly.restart = true, draw.assembly.restart_index = 0xfffffffe;
    ASSERT_EQ(short_way == everything(draw), true) << round;
  }
}

constexpr auto first = ProvokingVertex::first, last = ProvokingVertex::last;

TEST(Assembly, Lists) {
  EXPECT_EQ(assemble(Topology::points, first, {4, 2}), (std::vector<Made>{{{4}, 4}, {{2}, 2}}));
  EXPECT_EQ(assemble(Topology::lines, first, {0, 1, 2, 3, 4}), (std::vector<Made>{{{0, 1}, 0}, {{2, 3}, 2}}));
  EXPECT_EQ(assemble(Topology::lines, last, {0, 1, 2, 3}), (std::vector<Made>{{{0, 1}, 1}, {{2, 3}, 3}}));
  EXPECT_EQ(assemble(Topology::triangles, first, {0, 1, 2, 5, 4, 3, 6, 7}), (std::vector<Made>{{{0, 1, 2}, 0}, {{3, 5, 4}, 5}}));
  EXPECT_EQ(assemble(Topology::triangles, last, {0, 1, 2, 5, 4, 3}), (std::vector<Made>{{{0, 1, 2}, 2}, {{3, 5, 4}, 3}}));
  EXPECT_EQ(assemble(Topology::lines_adjacency, first, {0, 1, 2, 3}), (std::vector<Made>{{{1, 2}, 1}}));
  EXPECT_EQ(assemble(Topology::triangles_adjacency, last, {0, 1, 2, 3, 4, 5}), (std::vector<Made>{{{0, 2, 4}, 4}}));
  EXPECT_EQ(assemble(Topology::quads, first, {0, 1, 2, 3}), (std::vector<Made>{{{0, 1, 2}, 0}, {{0, 2, 3}, 0}}));
  EXPECT_EQ(assemble(Topology::quads, last, {0, 1, 2, 3}), (std::vector<Made>{{{0, 1, 2}, 3}, {{0, 2, 3}, 3}}));
  EXPECT_EQ(assemble(Topology::quads, first, {0, 1, 2, 3}, ~0u, true), (std::vector<Made>{{{0, 1, 2}, 3}, {{0, 2, 3}, 3}}));
}

TEST(Assembly, Strips) {
  EXPECT_EQ(assemble(Topology::line_strip, first, {0, 1, 2}), (std::vector<Made>{{{0, 1}, 0}, {{1, 2}, 1}}));
  EXPECT_EQ(assemble(Topology::line_loop, last, {0, 1, 2}), (std::vector<Made>{{{0, 1}, 1}, {{1, 2}, 2}, {{2, 0}, 0}}));
  EXPECT_EQ(assemble(Topology::line_strip_adjacency, first, {0, 1, 2, 3, 4}), (std::vector<Made>{{{1, 2}, 1}, {{2, 3}, 2}}));
  EXPECT_EQ(assemble(Topology::triangle_strip, first, {0, 1, 2, 3, 4}),
            (std::vector<Made>{{{0, 1, 2}, 0}, {{1, 3, 2}, 1}, {{2, 3, 4}, 2}}));
  EXPECT_EQ(assemble(Topology::triangle_strip, last, {0, 1, 2, 3, 4}),
            (std::vector<Made>{{{0, 1, 2}, 2}, {{1, 3, 2}, 3}, {{2, 3, 4}, 4}}));
  EXPECT_EQ(assemble(Topology::triangle_fan, first, {0, 1, 2, 3}), (std::vector<Made>{{{0, 1, 2}, 1}, {{0, 2, 3}, 2}}));
  EXPECT_EQ(assemble(Topology::triangle_fan, last, {0, 1, 2, 3}), (std::vector<Made>{{{0, 1, 2}, 2}, {{0, 2, 3}, 3}}));
  EXPECT_EQ(assemble(Topology::polygon, last, {0, 1, 2, 3}), (std::vector<Made>{{{0, 1, 2}, 0}, {{0, 2, 3}, 0}}));
  EXPECT_EQ(assemble(Topology::quad_strip, last, {0, 1, 2, 3, 4, 5}),
            (std::vector<Made>{{{0, 1, 3}, 3}, {{0, 3, 2}, 3}, {{2, 3, 5}, 5}, {{2, 5, 4}, 5}}));
  EXPECT_EQ(assemble(Topology::triangle_strip_adjacency, first, {0, 10, 1, 11, 2, 12, 3, 13}),
            (std::vector<Made>{{{0, 1, 2}, 0}, {{1, 3, 2}, 1}}));
}

TEST(Assembly, RestartBeginsAgain) {
  EXPECT_EQ(assemble(Topology::triangle_strip, first, {0, 1, 2, 3, 99, 4, 5, 6, 7}, 99),
            (std::vector<Made>{{{0, 1, 2}, 0}, {{1, 3, 2}, 1}, {{4, 5, 6}, 4}, {{5, 7, 6}, 5}}));
  EXPECT_EQ(assemble(Topology::line_loop, first, {0, 1, 2, 99, 3, 4}, 99),
            (std::vector<Made>{{{0, 1}, 0}, {{1, 2}, 1}, {{2, 0}, 2}, {{3, 4}, 3}, {{4, 3}, 4}}));
  EXPECT_EQ(assemble(Topology::triangles, first, {0, 1, 99, 2, 3, 4}, 99), (std::vector<Made>{{{2, 3, 4}, 2}}));
}

TEST(Assembly, InstancesHaveTheirOwnVertices) {
  EXPECT_EQ(assemble(Topology::triangles, first, {0, 1, 2}, ~0u, false, 2),
            (std::vector<Made>{{{0, 1, 2}, 0, 0}, {{0, 1, 2}, 0, 1}}));
  EXPECT_EQ(assemble(Topology::line_strip, first, {0, 1}, ~0u, false, 2), (std::vector<Made>{{{0, 1}, 0, 0}, {{0, 1}, 0, 1}}));
}

// A strip longer than a segment goes on where it was.
TEST(Assembly, LongStripsGoOn) {
  std::vector<uint16_t> indices(40000);
  for (size_t n = 0; n < indices.size(); n++) indices[n] = uint16_t(n);
  auto made = assemble(Topology::triangle_strip, first, indices);
  ASSERT_EQ(made.size(), indices.size() - 2);
  for (uint32_t n = 0; n < made.size(); n++) {
    Made expected = n & 1 ? Made{{n, n + 2, n + 1}, n} : Made{{n, n + 1, n + 2}, n};
    ASSERT_EQ(made[n], expected);
  }
  EXPECT_EQ(assemble(Topology::triangle_fan, last, indices).size(), indices.size() - 2);
  EXPECT_EQ(assemble(Topology::line_loop, last, indices).size(), indices.size());
}

// Facing follows the order of corners for each of them.
TEST(Assembly, CullingAndFacing) {
  for (bool clockwise : {false, true})
    for (Topology topology :
         {Topology::triangles, Topology::triangle_strip, Topology::quads, Topology::polygon, Topology::triangle_fan})
      for (int cull = 0; cull < 3; cull++) {
        Canvas canvas(32, 32);
        canvas.draw.assembly.topology = topology;
        canvas.draw.rasterization.front_is_clockwise = clockwise;
        canvas.draw.rasterization.cull_front = cull == 1, canvas.draw.rasterization.cull_back = cull == 2;
        canvas.pixels.function = [](const PixelBatch& batch, PixelResults& results) {
          for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
            for (int c = 0; c < 4; c++)
              results.colour[0][c][lane] = std::bit_cast<uint32_t>(batch.primitive[lane / 4].front ? 1.0f : 0.5f);
          results.outputs = 1;
        };
        // Clockwise as seen on the screen, y downwards.
        auto& v = canvas.vertices;
        v.add(0, 0), v.add(32, 0);
        if (topology == Topology::triangle_strip)
          v.add(0, 32), v.add(32, 32);
        else
          v.add(32, 32), v.add(0, 32);
        ASSERT_TRUE(canvas.run());
        uint32_t expected = clockwise ? 0xffffffff : 0x80808080;
        if (cull && clockwise == (cull == 1)) expected = 0;
        ASSERT_EQ(canvas.colour.word(20, 10), expected) << clockwise << int(topology) << cull;
      }
}

// --- primitives with all their vertices, for geometry and tessellation stages

std::vector<std::vector<uint32_t>> whole_primitives(Topology topology, std::vector<uint16_t> indices, unsigned patch = 0,
                                                    size_t most = 1000) {
  Vertices vertices{.count = uint32_t(indices.size()),
                    .indices = reinterpret_cast<const uint8_t*>(indices.data()),
                    .index_bytes = 2,
                    .index_limit = indices.size()};
  Assembly assembly{.topology = topology, .provoking = last, .restart = true, .restart_index = 99, .patch_vertices = patch};
  InputPrimitives input(vertices, assembly);
  std::vector<std::vector<uint32_t>> made;
  std::vector<uint32_t> numbers;
  unsigned each = input_vertices(assembly);
  while (each && input.next(most, numbers))
    for (size_t n = 0; n + each <= numbers.size(); n += each)
      made.emplace_back(numbers.begin() + ptrdiff_t(n), numbers.begin() + ptrdiff_t(n + each));
  return made;
}
using Wholes = std::vector<std::vector<uint32_t>>;

TEST(InputPrimitives, StripsWithAdjacency) {
  // A vertex across an edge that two triangles share is the other triangle's corner.
  EXPECT_EQ(whole_primitives(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4, 5}), (Wholes{{0, 1, 2, 5, 4, 3}}));
  EXPECT_EQ(whole_primitives(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4, 5, 6, 7}),
            (Wholes{{0, 1, 2, 6, 4, 3}, {4, 0, 2, 5, 6, 7}}));
  EXPECT_EQ(whole_primitives(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
            (Wholes{{0, 1, 2, 6, 4, 3}, {4, 0, 2, 5, 6, 8}, {4, 2, 6, 9, 8, 7}}));
  EXPECT_EQ(whole_primitives(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4}), Wholes{});
  EXPECT_EQ(whole_primitives(Topology::line_strip_adjacency, {0, 1, 2, 3, 4, 99, 5, 6, 7, 8}),
            (Wholes{{0, 1, 2, 3}, {1, 2, 3, 4}, {5, 6, 7, 8}}));
}

TEST(InputPrimitives, OthersAndRestart) {
  EXPECT_EQ(whole_primitives(Topology::triangle_strip, {0, 1, 2, 3, 99, 4, 5, 6}), (Wholes{{0, 1, 2}, {2, 1, 3}, {4, 5, 6}}));
  EXPECT_EQ(whole_primitives(Topology::triangle_fan, {0, 1, 2, 3}), (Wholes{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(whole_primitives(Topology::line_loop, {0, 1, 2}), (Wholes{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(whole_primitives(Topology::triangles_adjacency, {0, 1, 2, 3, 4, 5, 6, 7}), (Wholes{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(whole_primitives(Topology::patches, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5),
            (Wholes{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}));
  EXPECT_EQ(whole_primitives(Topology::quads, {0, 1, 2, 3}), Wholes{});
}

TEST(InputPrimitives, StripsKeepTheirOrder) {
  const Vertices vertices{.count = 10};
  auto numbers = [&](Topology topology) {
    Assembly assembly;
    assembly.topology = topology, assembly.strips_keep_order = true;
    InputPrimitives input(vertices, assembly);
    std::vector<uint32_t> all, some;
    while (input.next(100, some)) all.insert(all.end(), some.begin(), some.end());
    return all;
  };
  std::vector<uint32_t> triangles;
  for (uint32_t n = 0; n < 8; n++) triangles.insert(triangles.end(), {n, n + 1, n + 2});
  EXPECT_EQ(numbers(Topology::triangle_strip), triangles);
  EXPECT_EQ(numbers(Topology::triangle_strip_adjacency),
            (std::vector<uint32_t>{0, 1, 2, 6, 4, 3, 2, 0, 4, 8, 6, 5, 4, 2, 6, 9, 8, 7}));
}

// The rest of a strip that was cut behind an odd number of triangles has the triangles that the whole one had, corner by corner, from both
// readers; and a vertex that is counted cuts a strip as an index does.
TEST(Assembly, StripsThatBeginOddAndAreCutByNumber) {
  for (const auto provoking : {ProvokingVertex::first, ProvokingVertex::last}) {
    auto triangles = [&](uint32_t first, uint32_t count, bool odd, uint32_t cut, bool whole) {
      TableVertices stage;
      Draw draw;
      draw.vertex_stage = &stage;
      Assembly& assembly = draw.assembly;
      assembly.topology = Topology::triangle_strip, assembly.provoking = provoking, assembly.strips_begin_odd = odd;
      assembly.restart = assembly.restart_without_indices = cut != ~0u, assembly.restart_index = cut;
      draw.vertices.count = count, draw.vertices.base_vertex = first;
      std::vector<uint32_t> all, some;
      if (whole) {
        InputPrimitives input(draw.vertices, assembly);
        while (input.next(100, some)) all.insert(all.end(), some.begin(), some.end());
        return all;
      }
      VertexCache cache;
      Assembler assembler(draw, cache);
      Segment segment;
      while (assembler.next(segment))
        for (const Assembled& p : segment.primitives) {
          for (const uint32_t slot : p.slot) all.push_back(segment.number[slot]);
          all.push_back(segment.number[p.provoking]);
        }
      return all;
    };
    for (const bool whole : {false, true}) {
      const size_t each = whole ? 3 : 4;
      const auto all = triangles(0, 12, false, ~0u, whole);
      ASSERT_EQ(all.size(), 10 * each);
      for (uint32_t from = 1; from < 9; from++) {
        const auto rest = triangles(from, 12 - from, from % 2, ~0u, whole);
        EXPECT_EQ(rest, (std::vector<uint32_t>(all.begin() + ptrdiff_t(from * each), all.end()))) << from;
      }
      // Cut at vertex 5: those of vertices 0 to 4, then of 6 to 11.
      auto expected = triangles(0, 5, false, ~0u, whole);
      const auto behind = triangles(6, 6, false, ~0u, whole);
      expected.insert(expected.end(), behind.begin(), behind.end());
      EXPECT_EQ(triangles(0, 12, false, 5, whole), expected);
    }
  }
}

TEST(InputPrimitives, InPiecesAsAtOnce) {
  std::vector<uint16_t> indices;
  indices.reserve(90);
  for (uint16_t n = 0; n < 90; n++) indices.push_back(n % 31 == 30 ? 99 : n);
  for (Topology topology : {Topology::points, Topology::line_strip, Topology::triangle_strip, Topology::triangle_fan,
                            Topology::line_strip_adjacency, Topology::triangle_strip_adjacency, Topology::patches})
    EXPECT_EQ(whole_primitives(topology, indices, 7, 1), whole_primitives(topology, indices, 7)) << int(topology);
}

}  // namespace
}  // namespace Atoll::pipeline
