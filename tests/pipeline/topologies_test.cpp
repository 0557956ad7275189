// Every topology at every length up to its fourth primitive and beyond, with strips begun anew anywhere: the assembly and what geometry
// stages are given against the specifications' lists of primitives.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "canvas.h"
#include "pipeline/front/assembly.h"
#include "pipeline/front/input_primitives.h"
#include "topology_lists.h"

namespace Atoll::pipeline {
namespace {

constexpr Topology topologies[] = {Topology::points,
                                   Topology::lines,
                                   Topology::line_strip,
                                   Topology::line_loop,
                                   Topology::triangles,
                                   Topology::triangle_strip,
                                   Topology::triangle_fan,
                                   Topology::lines_adjacency,
                                   Topology::line_strip_adjacency,
                                   Topology::triangles_adjacency,
                                   Topology::triangle_strip_adjacency,
                                   Topology::rectangles,
                                   Topology::quads,
                                   Topology::quad_strip,
                                   Topology::polygon,
                                   Topology::patches};

// Calls back with index buffers of every length up to that of the fourth primitive and two more: without a restart, with one at each
// place, at each two places of up to twelve, and at random ones.
template <class Body>
size_t sweep(Topology topology, Body body) {
  size_t cases = 0, longest = 1;
  while (count_of(topology, longest) < 4 && !(topology == Topology::polygon && longest == 6)) longest++;
  longest += 2;
  std::mt19937 random(unsigned(topology) + 1);
  for (size_t length = 0; length <= longest; length++) {
    std::vector<uint32_t> plain(length);
    // Numbers that do not say their places: some twice.
    for (size_t n = 0; n < length; n++) plain[n] = uint32_t(3 * n % 64 + 1);
    auto run = [&](const std::vector<size_t>& places) {
      std::vector<uint32_t> indices = plain;
      for (size_t at : places) indices[at] = restart;
      body(indices), cases++;
    };
    run({});
    for (size_t a = 0; a < length; a++) run({a});
    for (size_t a = 0; a < length && length <= 12; a++)
      for (size_t b = a + 1; b < length; b++) run({a, b});
    for (int round = 0; length && round < 40; round++) {
      std::vector<size_t> places;
      for (size_t a = 0; a < length; a++)
        if (random() % 4 == 0) places.push_back(a);
      run(places);
    }
  }
  return cases;
}

// Two strips' worth of the same vertices, so that one ends where the next begins.
std::vector<uint32_t> twice(std::vector<uint32_t> indices) {
  std::vector<uint32_t> all = indices;
  all.push_back(restart);
  all.insert(all.end(), indices.begin(), indices.end());
  return all;
}

struct Buffer {
  std::vector<uint8_t> bytes;
  Buffer(const std::vector<uint32_t>& indices, unsigned size) {
    for (uint32_t index : indices)
      for (unsigned n = 0; n < size; n++) bytes.push_back(uint8_t(index >> 8 * n));
    bytes.resize(bytes.size() + 8);
  }
};

Draw draw_of(Topology topology, const std::vector<uint32_t>& indices, const Buffer& buffer, unsigned size, bool first) {
  Draw draw;
  draw.assembly.topology = topology;
  draw.assembly.provoking = first ? ProvokingVertex::first : ProvokingVertex::last;
  draw.assembly.provoking_of_quads_is_last = !first && topology != Topology::polygon;
  draw.assembly.restart = true, draw.assembly.restart_index = restart;
  draw.assembly.patch_vertices = patch;
  draw.vertices.indices = buffer.bytes.data();
  draw.vertices.index_bytes = size, draw.vertices.index_limit = indices.size();
  draw.vertices.count = uint32_t(indices.size());
  return draw;
}

void check_assembly(const Draw& draw, const std::vector<Listed>& expected, size_t vertices, unsigned instances) {
  static VertexCache cache;
  Assembler assembler(draw, cache);
  Segment segment;
  size_t at = 0, piece = 0;
  std::vector<std::vector<uint32_t>> wanted;
  while (assembler.next(segment))
    for (const Assembled& p : segment.primitives) {
      if (wanted.empty()) {
        ASSERT_LT(at, expected.size() * instances) << "a primitive too many";
        wanted = pieces(expected[at % expected.size()]), piece = 0;
      }
      const Listed& listed = expected[at % expected.size()];
      std::vector<uint32_t> corners;
      for (size_t n = 0; n < wanted[piece].size(); n++) corners.push_back(segment.number[p.slot[n]]);
      const bool line = corners.size() == 2;
      ASSERT_EQ(line ? corners : turned(corners), line ? wanted[piece] : turned(wanted[piece])) << "primitive " << at;
      ASSERT_EQ(segment.number[p.provoking], listed.provoking) << "primitive " << at;
      ASSERT_EQ(p.number, at % expected.size()) << "primitive " << at;
      ASSERT_EQ(segment.instance[p.slot[0]], at / expected.size());
      if (++piece == wanted.size()) at++, wanted.clear();
    }
  ASSERT_EQ(at, expected.size() * instances);
  ASSERT_EQ(assembler.primitives_read(), expected.size() * instances);
  ASSERT_EQ(assembler.vertices_read(), vertices * instances);
}

TEST(Topologies, Assembled) {
  size_t cases = 0;
  for (Topology topology : topologies) {
    if (topology == Topology::patches) continue;  // they are not assembled
    for (bool first : {true, false})
      for (unsigned size : {2u, 4u})
        cases += sweep(topology, [&](const std::vector<uint32_t>& one) {
          if (testing::Test::HasFatalFailure()) return;
          for (const std::vector<uint32_t>& indices : {one, twice(one)}) {
            SCOPED_TRACE(testing::Message() << "topology " << int(topology) << ", indices " << testing::PrintToString(indices));
            const Buffer buffer(indices, size);
            Draw draw = draw_of(topology, indices, buffer, size, first);
            const size_t vertices = indices.size() - size_t(std::ranges::count(indices, restart));
            const auto expected = list(topology, indices, first);
            for (unsigned instances : {1u, 2u}) {
              draw.vertices.instances = instances;
              check_assembly(draw, expected, vertices, instances);
            }
          }
        });
    // Without indices: vertices by number, and nothing begins anew.
    for (bool first : {true, false})
      for (uint32_t count = 0; count < 40; count++, cases++) {
        SCOPED_TRACE(testing::Message() << "topology " << int(topology) << ", vertices " << count);
        std::vector<uint32_t> numbers(count);
        for (uint32_t n = 0; n < count; n++) numbers[n] = n + 7;
        Draw draw = draw_of(topology, numbers, Buffer({}, 2), 2, first);
        draw.vertices.indices = nullptr, draw.vertices.index_bytes = 0, draw.vertices.base_vertex = 7;
        check_assembly(draw, list(topology, numbers, first), count, 1);
      }
  }
  RecordProperty("cases", int(cases));
}

// The primitives that stages are given. Strips' odd triangles begin with the one or the other corner, as the draw says; the order
// around is the same.
TEST(Topologies, GivenToStages) {
  size_t cases = 0;
  for (Topology topology : topologies)
    for (bool first : {true, false})
      for (bool from_first : {true, false})
        cases += sweep(topology, [&](const std::vector<uint32_t>& one) {
          if (testing::Test::HasFatalFailure()) return;
          for (const std::vector<uint32_t>& indices : {one, twice(one)}) {
            SCOPED_TRACE(testing::Message() << "topology " << int(topology) << ", indices " << testing::PrintToString(indices));
            const Buffer buffer(indices, 2);
            Draw draw = draw_of(topology, indices, buffer, 2, first);
            draw.assembly.odd_adjacency_from_first = from_first;
            const unsigned each = input_vertices(draw.assembly);
            const auto expected = list(topology, indices, first);
            if (!each) continue;  // quads, polygons and rectangles have no stages
            for (size_t most : {size_t(1), size_t(1000)}) {
              InputPrimitives input(draw.vertices, draw.assembly);
              std::vector<uint32_t> numbers;
              size_t at = 0;
              while (input.next(most, numbers)) {
                ASSERT_EQ(numbers.size() % each, 0u);
                for (size_t n = 0; n < numbers.size(); n += each, at++) {
                  ASSERT_LT(at, expected.size());
                  std::vector<uint32_t> whole(numbers.begin() + ptrdiff_t(n), numbers.begin() + ptrdiff_t(n + each));
                  const bool turns = each == 3 || each == 6;
                  const size_t by = each / 3;
                  if (turns && topology != Topology::patches)
                    ASSERT_EQ(turned(whole, by), turned(expected[at].whole, by)) << "primitive " << at;
                  else
                    ASSERT_EQ(whole, expected[at].whole) << "primitive " << at;
                  if (each == 3 && topology != Topology::patches)
                    ASSERT_EQ(whole[first ? 0 : 2], expected[at].provoking) << "primitive " << at;
                  // The table's first corner.
                  if (each == 6 && !from_first) ASSERT_EQ(whole, expected[at].whole) << "primitive " << at;
                }
              }
              ASSERT_EQ(at, expected.size());
              ASSERT_EQ(input.vertices_read(), indices.size() - size_t(std::ranges::count(indices, restart)));
            }
          }
        });
  RecordProperty("cases", int(cases));
}

// A million restarts, and a draw of nothing else: it comes back, and its end is found.
TEST(Topologies, OnlyRestarts) {
  const std::vector<uint32_t> indices(size_t(3) << 20, restart);
  const Buffer buffer(indices, 2);
  const Draw draw = draw_of(Topology::triangle_strip, indices, buffer, 2, true);
  VertexCache cache;
  Assembler assembler(draw, cache);
  Segment segment;
  unsigned turns = 0;
  while (assembler.next(segment)) {
    ASSERT_TRUE(segment.primitives.empty());
    ASSERT_LT(++turns, 10u);
  }
  EXPECT_GE(turns, 2u);
  EXPECT_EQ(assembler.vertices_read(), 0u);
}

}  // namespace
}  // namespace Atoll::pipeline
