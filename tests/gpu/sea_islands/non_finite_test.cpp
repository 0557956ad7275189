// Positions that are no numbers: rules for them, and the switch that takes the rules away.
#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

class NonFinitePositions : public Draws {};
INSTANTIATE_TEST_SUITE_P(Engines, NonFinitePositions, testing::Values("interpreter", "jit"));

// A depth that is none drops the triangle, unless it counts as an infinite one, which is held to the viewport's range; a w that is
// none, unless its reciprocal counts as 0.
TEST_P(NonFinitePositions, RulesForNansHoldUnlessTheyAreNotProcessed) {
  using Rules = PA_CL_NANINF_CNTL;
  auto vertex = [&](const char* z, const char* w) {
    return program({"v_mov_b32 v1, 0", "v_mov_b32 v2, 0x43000000", "v_cmp_eq_u32 vcc, 1, v0", "v_cndmask_b32 v3, v1, v2, vcc",
                    "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc", fmt::format("v_mov_b32 v5, {}", z),
                    fmt::format("v_mov_b32 v6, {}", w), "exp pos0 v3, v4, v5, v6 done", "exp param0 v3, v4, v3, v4", "s_endpgm"});
  };
  const uint64_t pixel = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  constexpr const char *none = "0x7fc00000", *one = "1.0";
  struct Row {
    uint64_t vertex;
    uint32_t rule;
  };
  for (const Row& row :
       {Row{vertex(none, one), Rules::VS_Z_NAN_TO_INF::of(1)}, Row{vertex(one, none), Rules::VTE_W_RECIP_NAN_IS_0::of(1)}})
    for (uint32_t rule : {0u, row.rule})
      for (uint32_t disable : {0u, 1u}) {
        SCOPED_TRACE(fmt::format("rules {:#x}, {}", rule, disable ? "not processed" : "processed"));
        std::memset(colour.host_pointer, 0, width * height * 4);
        Words w = state(row.vertex, pixel);
        w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
        w.context(PA_CL_CLIP_CNTL::address(), PA_CL_CLIP_CNTL::CLIP_DISABLE::of(1));
        w.context(PA_CL_VTE_CNTL::address(), PA_CL_VTE_CNTL::VTX_XY_FMT::of(1) | PA_CL_VTE_CNTL::VTX_Z_FMT::of(1));
        w.context(Rules::address(), rule);
        w.packet(SET_CONFIG_REG::opcode,
                 {(PA_CL_ENHANCE::address() - 0x8000) / 4, PA_CL_ENHANCE::VE_NAN_PROC_DISABLE::of(disable)});
        good(triangle(w));
        EXPECT_EQ(Draws::pixel(3, 3) != 0, rule && !disable);
      }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
