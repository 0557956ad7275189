// Vertices that pass through NGG waves: what is drawn of them is what the pipeline draws of the same vertices from a table, to the bit,
// however the geometry engine cuts the draw into subgroups.
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "primitive_machine.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::Assembly, pipeline::Canvas, pipeline::ProvokingVertex, pipeline::Topology;

constexpr unsigned width = 96, height = 64;

const Setting settings[] = {
    {gpu::Engine::Interpreter, 1, 64, 128, 128}, {gpu::Engine::Jit, 1, 64, 128, 128},
    {gpu::Engine::Jit, 3, 64, 128, 128},         {gpu::Engine::Jit, 1, 64, 24, 7},
    {gpu::Engine::Jit, 3, 64, 256, 256},         {gpu::Engine::Interpreter, 1, 32, 40, 60},
    {gpu::Engine::Jit, 3, 32, 128, 128},
};

class PrimitiveStageTest : public testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Settings, PrimitiveStageTest, testing::ValuesIn(settings), [](const auto& info) {
  const Setting& s = info.param;
  return std::string(wave::name_of(s.engine)) + "_" + std::to_string(s.threads) + "_threads_wave" + std::to_string(s.lanes) +
         "_" + std::to_string(s.vertices) + "_" + std::to_string(s.primitives);
});

// VGT_GS_OUT_PRIM_TYPE.
uint32_t output_of(Topology topology) {
  switch (topology) {
    case Topology::points: return 0;
    case Topology::lines:
    case Topology::line_strip:
    case Topology::line_loop: return 1;
    case Topology::rectangles: return 3;
    default: return 2;
  }
}

bool is_cut(Topology topology) { return topology == Topology::quads || topology == Topology::quad_strip; }

// Corners of small convex quads in the order of the topology, which strips, fans and lists of anything else take as well.
void add_vertices(Canvas& canvas, Topology topology, unsigned count, std::mt19937& random) {
  auto unit = [&] { return float(random() % 4096) / 4096; };
  float x = 0, y = 0;
  for (unsigned n = 0; n < count; n++) {
    const std::vector<float> colour = {unit(), unit(), unit(), unit()};
    if (is_cut(topology)) {
      if (n % 4 == 0) x = unit() * 80, y = unit() * 50;
      static constexpr float round[4][2] = {{0, 0}, {9, 1}, {10, 8}, {-1, 9}}, strip[4][2] = {{0, 0}, {1, 9}, {9, 1}, {10, 8}};
      const auto& corner = topology == Topology::quads ? round[n % 4] : strip[n % 4];
      canvas.vertices.add(x + corner[0], y + corner[1], unit(), 1, colour);
    } else {
      canvas.vertices.add(unit() * 120 - 12, unit() * 90 - 12, unit(), 1, colour);
    }
  }
}

constexpr Topology topologies[] = {Topology::points,     Topology::lines,          Topology::line_strip,   Topology::line_loop,
                                   Topology::triangles,  Topology::triangle_strip, Topology::triangle_fan, Topology::quads,
                                   Topology::quad_strip, Topology::polygon,        Topology::rectangles};

TEST_P(PrimitiveStageTest, TheSameBitsAsFromATable) {
  unsigned cases = 0;
  for (Topology topology : topologies)
    for (ProvokingVertex provoking : {ProvokingVertex::first, ProvokingVertex::last})
      for (bool flat : {false, true})
        for (unsigned indexed = 0; indexed < 3; indexed++) {
          // The colours of a cut quad depend on the diagonal where they are interpolated; a quad strip whose vertices go anywhere has no
          // convex quads.
          if (is_cut(topology) && (!flat || indexed)) continue;
          SCOPED_TRACE(testing::Message() << "topology " << int(topology)
                                          << (provoking == ProvokingVertex::last ? ", last" : ", first") << (flat ? ", flat" : "")
                                          << ", indices " << indexed);
          std::mt19937 random(unsigned(topology) * 8 + indexed);
          const unsigned count = topology == Topology::polygon || topology == Topology::triangle_fan ? 90 : 600;
          Canvas expected(width, height), drawn(width, height);
          add_vertices(expected, topology, topology == Topology::quad_strip ? 4 : count, random);
          std::vector<uint16_t> indices;
          if (indexed)
            for (unsigned n = 0; n < count; n++)
              indices.push_back(indexed == 2 && n % 41 == 40 ? 0xffff : uint16_t(n % 3 ? random() % count : n));
          Assembly assembly;
          assembly.topology = topology, assembly.provoking = provoking;
          assembly.provoking_of_quads_is_last = provoking == ProvokingVertex::last && topology != Topology::polygon;
          assembly.restart = indexed == 2, assembly.restart_index = 0xffff;
          for (Canvas* canvas : {&expected, &drawn}) {
            canvas->draw.assembly = assembly;
            if (flat) canvas->pixels.function = pipeline::flat_colour;
            canvas->draw.vertices.count = indexed ? count : uint32_t(expected.vertices.vertices.size());
            canvas->draw.vertices.indices = reinterpret_cast<const uint8_t*>(indices.data());
            canvas->draw.vertices.index_bytes = indexed ? 2 : 0, canvas->draw.vertices.index_limit = indices.size();
          }
          ASSERT_TRUE(expected.run());
          PrimitiveMachine machine(GetParam());
          machine.vertices(expected.vertices);
          machine.assemble(passthrough(GetParam().lanes));
          machine.assembly(assembly, output_of(topology));
          PrimitiveStage stage;
          ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
          ASSERT_EQ(drawn.colour.texels, expected.colour.texels);
          ASSERT_EQ(drawn.counters.vertices, expected.counters.vertices);
          ASSERT_EQ(drawn.counters.primitives, expected.counters.primitives);
          EXPECT_TRUE(machine.context->unknowns().empty());
          cases++;
        }
  EXPECT_EQ(cases, 9u * 2 * 2 * 3 + 2 * 2);
}

// Queues whose draws have different numbers of attributes may have one ring (radeonsi's contexts do): what one has of it no other gets.
TEST(AttributeRing, PartsOfDifferentSizesAreKeptApart) {
  constexpr unsigned units_each = 8;  // of 512 bytes: an attribute of 256 vertices
  PrimitiveMachine machine({.engine = gpu::Engine::Interpreter});
  unsigned shared = 0, apart = 0;
  for (auto [first, second] : {std::pair(1u, 5u), std::pair(8u, 3u), std::pair(32u, 31u)}) {
    AttributeRing ring, other;
    ASSERT_TRUE(ring.prepare(*machine.context, first, 256));
    ASSERT_TRUE(other.prepare(*machine.context, second, 256));
    for (unsigned worker = 0; worker < 8; worker++)
      for (unsigned n = 0; n < 8; n++) {
        const uint32_t offset = AttributeRing::Part(other, n).offset();
        std::optional<AttributeRing::Part> held(std::in_place, ring, worker);
        const uint32_t begin = held->offset();
        if (offset >= begin + first * units_each || begin >= offset + second * units_each) {
          apart++;
          continue;
        }
        std::atomic<bool> has{false}, may_have{false}, early{false};
        std::thread asking([&] {
          const AttributeRing::Part part(other, n);
          early = !may_have;
          has = true;
        });
        for (unsigned round = 0; round < 10 && !has; round++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        may_have = true;
        held.reset();
        asking.join();
        EXPECT_FALSE(early) << first << " and " << second << " attributes, parts at " << begin << " and " << offset;
        shared++;
      }
  }
  EXPECT_GT(shared, 10u);
  EXPECT_GT(apart, 10u);
}

// Many instances of few vertices share subgroups; v4 has the instance, which moves and colours it.
TEST_P(PrimitiveStageTest, InstancesShareSubgroups) {
  for (bool breaks : {false, true}) {
    constexpr unsigned instances = 50;
    Canvas expected(width, height), drawn(width, height);
    const float corners[4][2] = {{1, 1}, {9, 2}, {2, 9}, {8, 8}};
    for (unsigned i = 0; i < instances; i++)
      for (const auto& corner : corners)
        expected.vertices.add(corner[0] + float(i % 9) * 10, corner[1] + float(i / 9) * 10, 0, 1,
                              {float(i) / 50, corner[0] / 10, corner[1] / 10, 1});
    PrimitiveMachine machine(GetParam());
    machine.vertices(expected.vertices);
    // The vertex is number 4 * instance + v3.
    machine.assemble("v_lshl_add_u32 v3, v4, 2, v3\n" + passthrough(GetParam().lanes));
    if (breaks) {
      using Cntl = GE_CNTL;
      machine.set<Cntl>(machine.context->registers.raw(Cntl::address()) | Cntl::BREAK_SUBGRP_AT_EOI::of(1));
    }
    // One draw a strip.
    pipeline::Workers one(1);
    for (unsigned i = 0; i < instances; i++) {
      std::vector<uint32_t> own = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
      expected.draw.assembly.topology = Topology::triangle_strip;
      expected.draw.vertices.indices = reinterpret_cast<const uint8_t*>(own.data());
      expected.draw.vertices.index_bytes = 4, expected.draw.vertices.index_limit = 4, expected.draw.vertices.count = 4;
      ASSERT_TRUE(expected.run(one));
    }
    drawn.draw.assembly.topology = Topology::triangle_strip;
    drawn.draw.vertices.count = 4, drawn.draw.vertices.instances = instances;
    machine.assembly(drawn.draw.assembly, 2);
    PrimitiveStage stage;
    ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
    EXPECT_EQ(drawn.colour.texels, expected.colour.texels);
    EXPECT_GE(drawn.counters.vertex_invocations, 4u * instances);  // (a strip that two subgroups share has vertices twice)
  }
}

// Behind the attributes of vertices stand those of primitives, by the primitive's thread: RADV's vertex shaders leave gl_PrimitiveID there
// where it does not know whether the pixel shader reads it.
TEST_P(PrimitiveStageTest, PrimitivesHaveAttributesBehindTheVertices) {
  for (bool read : {false, true}) {
    std::mt19937 random(7);
    Canvas expected(width, height), drawn(width, height);
    for (unsigned n = 0; n < 3 * 110; n++) {
      auto unit = [&] { return float(random() % 4096) / 4096; };
      const float x = unit() * 120 - 12, y = unit() * 90 - 12, number = float(n / 3) / 256;
      expected.vertices.add(
          x, y, unit(), 1,
          read ? std::vector<float>{number, 1 - number, 0.5f, 1} : std::vector<float>{unit(), unit(), unit(), unit()});
    }
    if (read) {
      expected.pixels.function = pipeline::flat_colour;
      drawn.pixels.function = [](const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
        for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
          for (unsigned k = 0; k < 4; k++)
            results.colour[0][k][lane] = std::bit_cast<uint32_t>(batch.primitive[lane / 4].own[4 + k]);
        results.outputs = 1;
      };
    }
    for (Canvas* canvas : {&expected, &drawn}) {
      canvas->draw.assembly.topology = Topology::triangles;
      canvas->draw.vertices.count = uint32_t(expected.vertices.vertices.size());
    }
    ASSERT_TRUE(expected.run());
    PrimitiveMachine machine(GetParam());
    machine.vertices(expected.vertices);
    const bool wide = GetParam().lanes == 64;
    std::string text = passthrough(GetParam().lanes, 2);
    text.resize(text.find("s_endpgm"));
    text += std::string("s_lshl_b32 s13, s3, 8\n") + (wide ? "s_bfe_u64 exec, -1, s13\n" : "s_bfe_u32 exec_lo, -1, s13\n") +
            "s_bfe_u32 s13, s3, 0x40018\n" +
            (wide ? "s_lshl_b32 s13, s13, 6\nv_mbcnt_lo_u32_b32 v4, -1, s13\nv_mbcnt_hi_u32_b32 v4, -1, v4\n"
                  : "s_lshl_b32 s13, s13, 5\nv_mbcnt_lo_u32_b32 v4, -1, s13\n") +
            R"(v_cvt_f32_u32 v16, v1
v_mul_f32 v16, 0x3b800000, v16
v_sub_f32 v17, 1.0, v16
v_mov_b32 v18, 0.5
v_mov_b32 v19, 1.0
buffer_store_b128 v[16:19], v4, s[20:23], s5 idxen offset:16 scope:SCOPE_DEV
s_endpgm
)";
    machine.assemble(text);
    machine.assembly(drawn.draw.assembly, 2);
    using Out = SPI_SHADER_GS_OUT_CONFIG_PS;
    machine.set<Out>(Out::NUM_INTERP::of(1) | Out::PRIM_EXPORT_COUNT::of(1) | Out::NUM_PRIM_INTERP::of(read));
    PrimitiveStage stage;
    ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
    EXPECT_EQ(stage.attribute_count(), 2u);
    EXPECT_EQ(drawn.colour.texels, expected.colour.texels) << read;
    EXPECT_TRUE(machine.context->unknowns().empty());
  }
}

// Several attributes stand where the ring's buffer has them: 32 vertices side by side.
TEST_P(PrimitiveStageTest, AttributesComeFromTheRing) {
  std::mt19937 random(3);
  Canvas expected(width, height), drawn(width, height);
  add_vertices(expected, Topology::triangles, 3 * 110, random);
  // Colours of the third attribute, which are positions.
  expected.pixels.function = drawn.pixels.function = [](const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
    const bool table = batch.primitive[0].a == nullptr;
    ASSERT_FALSE(table);
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      for (unsigned k = 0; k < 4; k++)
        results.colour[0][k][lane] = std::bit_cast<uint32_t>(pipeline::interpolated(batch, lane, 8 + k) / 128);
    results.outputs = 1;
  };
  PrimitiveMachine machine(GetParam());
  machine.vertices(expected.vertices);
  machine.attributes(3);
  machine.assemble(passthrough(GetParam().lanes, 3));
  // The table's vertices get three attributes as well.
  std::vector<float> attributes;
  for (size_t n = 0; n < expected.vertices.vertices.size(); n++) {
    const float* position = expected.vertices.vertices[n].position;
    attributes.insert(attributes.end(), &expected.vertices.attributes[4 * n], &expected.vertices.attributes[4 * n] + 4);
    for (unsigned twice = 0; twice < 2; twice++) attributes.insert(attributes.end(), position, position + 4);
  }
  expected.vertices.count = 3, expected.vertices.attributes = attributes;
  ASSERT_TRUE(expected.run());
  drawn.draw.vertices.count = uint32_t(expected.vertices.vertices.size());
  machine.assembly(drawn.draw.assembly, 2);
  PrimitiveStage stage;
  ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
  EXPECT_EQ(stage.attribute_count(), 3u);
  EXPECT_EQ(drawn.colour.texels, expected.colour.texels);
}

// Memory that is not there loses the context by name; waves that leave their group's places are held to them.
// PA_CL_GB_*_DISC_ADJ below 1: vertices have their distances from the band's sides, in the places that the program's leave free
// (pipeline/front/discard_band.h).
TEST_P(PrimitiveStageTest, DistancesFromTheBandForDiscarding) {
  PrimitiveMachine machine(GetParam());
  machine.set<PA_CL_GB_HORZ_DISC_ADJ>(std::bit_cast<uint32_t>(0.5f));
  machine.set<PA_CL_GB_VERT_DISC_ADJ>(std::bit_cast<uint32_t>(1.0f));
  machine.set<PA_CL_VS_OUT_CNTL>(1 << 7);  // CLIP_DIST_ENA_7
  PrimitiveExports exports;
  exports.prepare(*machine.context, false);
  pipeline::Vertex vertex{.position = {0.25f, 3, 0, 2}};
  vertex.clip_distance[7] = 5;
  exports.finish(1, &vertex);
  EXPECT_EQ(vertex.clip_distance[6], 1.25f);  // from the left side, -0.5 w
  EXPECT_EQ(vertex.clip_distance[5], 0.75f);
  EXPECT_EQ(vertex.clip_distance[7], 5);
  EXPECT_EQ(vertex.clip_distance[4], 0);
}

TEST_P(PrimitiveStageTest, BadProgramsAndRings) {
  Canvas drawn(width, height);
  for (unsigned n = 0; n < 30; n++) drawn.vertices.add(float(n % 7) * 9, float(n / 7) * 9, 0, 1, {1, 1, 1, 1});
  drawn.draw.vertices.count = 30;
  {
    PrimitiveMachine machine(GetParam());
    machine.vertices(drawn.vertices);
    machine.assemble(passthrough(GetParam().lanes));
    machine.assembly(drawn.draw.assembly, 2);
    machine.set<SPI_ATTRIBUTE_RING_BASE>(uint32_t((ring + 0x10000000) >> 16));
    PrimitiveStage stage;
    EXPECT_FALSE(machine.draw(drawn, stage));
    EXPECT_NE(machine.context->report().find("attribute ring"), std::string::npos) << machine.context->report();
  }
  {
    PrimitiveMachine machine(GetParam());
    machine.assembly(drawn.draw.assembly, 2);
    machine.set<SPI_SHADER_PGM_HI_ES>(7);
    PrimitiveStage stage;
    EXPECT_FALSE(machine.draw(drawn, stage));
    EXPECT_NE(machine.context->report().find("geometry (NGG) shader"), std::string::npos) << machine.context->report();
  }
  {
    // Every primitive names vertices that are not there.
    PrimitiveMachine machine(GetParam());
    machine.vertices(drawn.vertices);
    machine.assemble("v_or_b32 v0, 0xff, v0\n" + passthrough(GetParam().lanes));
    machine.assembly(drawn.draw.assembly, 2);
    PrimitiveStage stage;
    EXPECT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
    EXPECT_EQ(drawn.colour.texels, std::vector<uint8_t>(drawn.colour.texels.size()));
  }
}

}  // namespace
}  // namespace Atoll::gfx12::test
