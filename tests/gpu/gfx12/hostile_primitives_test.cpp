// Draws whose registers fit neither each other nor the packet: what the primitive stage takes of the host, and of memory of its own, has
// bounds whatever they say.
#include <sys/resource.h>

#include <vector>

#include "primitive_machine.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::Canvas;

constexpr unsigned width = 32, height = 32;

class HostilePackets : public testing::TestWithParam<gpu::Engine> {};
INSTANTIATE_TEST_SUITE_P(Engines, HostilePackets, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& info) { return std::string(wave::name_of(info.param)); });

// Vertices of a draw packet, where registers say that groups of mesh shaders are launched, whose primitives have attributes: nobody made
// room for those.
TEST_P(HostilePackets, VerticesForMeshShaders) {
  for (unsigned own : {0u, 1u, 31u}) {
    PrimitiveMachine machine({GetParam(), 1, 64, 128, 128});
    Canvas drawn(width, height);
    for (unsigned n = 0; n < 300; n++) drawn.vertices.add(float(n % 7), float(n % 5), 0.5f, 1, {1, 1, 1, 1});
    machine.vertices(drawn.vertices);
    machine.assemble(passthrough(64));
    machine.assembly(drawn.draw.assembly, 2);
    machine.stages(VGT_SHADER_STAGES_EN::GS_FAST_LAUNCH::of(1) | VGT_SHADER_STAGES_EN::PRIMGEN_PASSTHRU_NO_MSG::of(1));
    using Room = SPI_SHADER_GS_MESHLET_EXP_ALLOC;
    machine.set<Room>(Room::MAX_EXP_VERTS::of(128) | Room::MAX_EXP_PRIMS::of(128));
    using Out = SPI_SHADER_GS_OUT_CONFIG_PS;
    machine.set<Out>(Out::NUM_INTERP::of(1) | Out::PRIM_EXPORT_COUNT::of(own) | Out::NUM_PRIM_INTERP::of(own));
    PrimitiveStage stage;
    EXPECT_FALSE(machine.draw(drawn, stage));
    EXPECT_NE(machine.context->report().find("GS_FAST_LAUNCH"), std::string::npos) << machine.context->report();
  }
}

// And groups of a mesh packet, where registers say that vertices are assembled.
TEST_P(HostilePackets, GroupsForVertexShaders) {
  PrimitiveMachine machine({GetParam(), 1, 64, 128, 128});
  machine.assemble("s_endpgm\n");
  Canvas drawn(width, height);
  PrimitiveStage stage;
  bool good = true;
  std::thread([&] {
    if (!stage.prepare(*machine.context)) return;
    pipeline::Draw draw = drawn.draw;
    draw.vertex_stage = nullptr, draw.given_attributes = stage.attribute_count();
    pipeline::GivenDraw given(draw, machine.workers, machine.stop);
    good = stage.run_groups({3, 2, 1}, given, drawn.counters);
  }).join();
  EXPECT_FALSE(good);
  EXPECT_NE(machine.context->report().find("GS_FAST_LAUNCH"), std::string::npos) << machine.context->report();
}

size_t most_resident() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return size_t(usage.ru_maxrss) * 1024;
}

// A geometry shader may leave 256 vertices for each primitive in each of 32 instances, in a group of its own: two millions for a
// draw of 256 points. The number that is taken at once does not grow with it.
TEST(HostilePrimitives, VerticesThatAGeometryShaderMayLeave) {
  PrimitiveMachine machine({gpu::Engine::Interpreter, 1, 64, 1, 1});
  machine.assemble("s_endpgm\n");
  Canvas drawn(width, height);
  drawn.draw.assembly.topology = pipeline::Topology::points;
  machine.assembly(drawn.draw.assembly, 0);
  machine.stages(VGT_SHADER_STAGES_EN::GS_EN::of(1));
  machine.attributes(8);
  using Instances = VGT_GS_INSTANCE_CNT;
  machine.set<Instances>(Instances::ENABLE::of(1) | Instances::CNT::of(32) | Instances::EN_MAX_VERT_OUT_PER_GS_INSTANCE::of(1));
  machine.set<GE_NGG_SUBGRP_CNTL>(GE_NGG_SUBGRP_CNTL::PRIM_AMP_FACTOR::of(511));
  machine.set<GE_MAX_OUTPUT_PER_SUBGROUP>(256);
  drawn.draw.vertices.count = 256;
  PrimitiveStage stage;
  const size_t before = most_resident();
  ASSERT_TRUE(machine.draw(drawn, stage)) << machine.context->report();
  EXPECT_LT(most_resident() - before, size_t(128) << 20);
  EXPECT_EQ(drawn.counters.geometry_invocations, 256u * 32);
}

}  // namespace
}  // namespace Atoll::gfx12::test
