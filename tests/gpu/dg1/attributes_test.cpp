// 3DSTATE_SBE and 3DSTATE_SBE_SWIZ, topologies and provoking vertices: what each says, in tables written apart.
#include "gpu/dg1/draw/attributes.h"

#include <gtest/gtest.h>

#include <random>

#include "batch.h"
#include "gpu/dg1/draw/topology.h"
#include "registers/lookup.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;

struct DrawnState : ::testing::Test {
  std::unique_ptr<AddressSpace> space = *AddressSpace::create_sectioned();
  gpu::Options options;
  std::atomic<int> stop{0};
  Context context{*gpu::find_chip("dg1"), gpu::QueueKind::graphics, *space, options, stop};

  void send_words(std::vector<uint32_t> words) {
    context.graphics.set(*registers::find_command(registers::dg1_tables, words[0]), words);
  }
  template <class Command, class Set>
  void send(Set&& set) {
    Batch words;
    words.add<Command>(set);
    send_words(words);
  }
};

// Dwords with bits put at their places in the manual: 3DSTATE_SBE is 0x781f, 3DSTATE_SBE_SWIZ 0x7851.
TEST_F(DrawnState, EveryAttribute) {
  std::mt19937 random(3);
  unsigned tried = 0;
  for (unsigned round = 0; round < 500; round++) {
    const uint32_t count = random() % 33, offset = random() % 3, pairs = random() % 17, sprites = random(), constants = random();
    const bool swizzles = random() % 2, lower_left = random() % 2, override_id = random() % 3 == 0;
    const uint32_t id_attribute = random() % 32, id_components = override_id ? 1 + random() % 15 : 0;
    send_words({0x781f0004,
                1u << 29 | 1u << 28 | count << 22 | uint32_t(swizzles) << 21 | uint32_t(lower_left) << 20 | id_components << 16 |
                    pairs << 11 | offset << 5 | id_attribute,
                sprites, constants, ~0u, ~0u});
    uint16_t of[16];
    std::vector<uint32_t> words{0x78510009};
    for (auto& bits : of) bits = uint16_t((random() % 32) | (random() % 4) << 6 | (random() % 4) << 9 | (random() % 16) << 12);
    const uint32_t wraps[2] = {uint32_t(random()), uint32_t(random())};
    for (unsigned n = 0; n < 8; n++) words.push_back(uint32_t(of[2 * n]) | uint32_t(of[2 * n + 1]) << 16);
    words.insert(words.end(), wraps, wraps + 2);
    send_words(words);
    const AttributeMap map = find_attributes(context.graphics);
    EXPECT_EQ(map.read_offset, offset);
    EXPECT_EQ(map.vertex_attributes, std::min(32u, pairs * 2));
    EXPECT_EQ(map.sprite_origin_lower_left, lower_left);
    ASSERT_EQ(map.inputs.size(), std::min(count, 32u));
    for (unsigned n = 0; n < map.inputs.size(); n++, tried++) {
      PixelInput expected;
      expected.front = expected.back = uint8_t(n);
      // (Swizzle Control Mode: the entry is that of the attribute 16 behind.)
      if (const auto entry = of[n % 16]; swizzles && (entry >> 11 & 1) == (n >= 16)) {
        expected.front = entry & 31, expected.back = uint8_t((entry & 31) + (entry >> 6 & 1));
        expected.x_is_w = entry >> 7 & 1;
        expected.overridden = entry >> 12;
        expected.value = PixelInput::Value(entry >> 9 & 3);
      }
      expected.constant = constants >> n & 1, expected.point_sprite = sprites >> n & 1;
      if (n < 16 && !expected.constant) expected.wrapped = wraps[n / 8] >> n % 8 * 4 & 15;
      if (id_components && n == id_attribute)
        expected.overridden = uint8_t(id_components), expected.value = PixelInput::Value::PRIM_ID;
      EXPECT_EQ(map.inputs[n], expected) << round << " attribute " << n;
    }
  }
  EXPECT_GT(tried, 5000u);
}

// By the manual's numbers (3D_Prim_Topo_Type), with what OpenGL's two conventions make of 3DSTATE_SF (Mesa 22.3.6 iris_state.c).
TEST_F(DrawnState, EveryTopology) {
  using T = pipeline::Topology;
  const std::map<uint32_t, T> known = {{1, T::points},
                                       {2, T::lines},
                                       {3, T::line_strip},
                                       {4, T::triangles},
                                       {5, T::triangle_strip},
                                       {6, T::triangle_fan},
                                       {7, T::quads},
                                       {8, T::quad_strip},
                                       {9, T::lines_adjacency},
                                       {10, T::line_strip_adjacency},
                                       {11, T::triangles_adjacency},
                                       {12, T::triangle_strip_adjacency},
                                       {14, T::polygon},
                                       {15, T::rectangles},
                                       {16, T::line_loop},
                                       {13, T::triangle_strip},
                                       {17, T::points},
                                       {18, T::line_strip},
                                       {19, T::line_strip},
                                       {20, T::line_strip},
                                       {22, T::triangle_fan}};
  for (uint32_t last : {0u, 1u}) {
    send<_3DSTATE_SF>([&](uint32_t* w) { w[3] = last ? 2u << 29 | 1u << 27 | 2u << 25 : 1u << 25; });
    for (uint32_t type = 0; type < 64; type++) {
      send<_3DSTATE_VF_TOPOLOGY>([&](uint32_t* w) { w[1] = type; });
      pipeline::Assembly assembly;
      const bool expected = known.contains(type) || type >= 32;
      Context other(*gpu::find_chip("dg1"), gpu::QueueKind::graphics, *space, options, stop);
      other.graphics = context.graphics;
      ASSERT_EQ(find_assembly(other, {.indexed = true}, assembly), expected) << type;
      if (!expected) {
        EXPECT_NE(other.report().find(fmt::format("Primitive Topology Type {}", type)), std::string::npos) << other.report();
        continue;
      }
      EXPECT_EQ(assembly.topology, type >= 32 ? T::patches : known.at(type)) << type;
      if (type >= 32) EXPECT_EQ(assembly.patch_vertices, type - 31);
      EXPECT_EQ(assembly.strips_begin_odd, type == 13) << type;
      if (type > 1 && type != 14 && type != 15 && type != 17 && type < 32)
        EXPECT_EQ(assembly.provoking, last ? pipeline::ProvokingVertex::last : pipeline::ProvokingVertex::first) << type;
    }
  }
}

// A vertex that is counted cuts as one of the index buffer does, if its number (with the first vertex's) is the cut index.
TEST_F(DrawnState, CutsWithoutIndices) {
  send<_3DSTATE_VF_TOPOLOGY>([&](uint32_t* w) { w[1] = 5; });
  for (const bool indexed : {false, true})
    for (const bool sequential : {false, true})
      for (const bool in_buffer : {false, true}) {
        send<_3DSTATE_VF>([&](uint32_t* w) {
          _3DSTATE_VF::Sequential_Draw_Cut_Index_Enable::set(w, sequential),
              _3DSTATE_VF::Indexed_Draw_Cut_Index_Enable::set(w, in_buffer), _3DSTATE_VF::Cut_Index::set(w, 17);
        });
        pipeline::Assembly assembly;
        ASSERT_TRUE(find_assembly(context, {.indexed = indexed, .vertices = 20, .start_vertex = 10}, assembly));
        EXPECT_EQ(assembly.restart, indexed ? in_buffer : sequential);
        EXPECT_EQ(assembly.restart_without_indices, !indexed && sequential);
        EXPECT_EQ(assembly.restart_index, indexed ? 17u : 7u);
      }
}

}  // namespace
}  // namespace Atoll::dg1
