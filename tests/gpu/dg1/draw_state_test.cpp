// The fixed functions' state, field by field: what 3DSTATE commands and structures in memory come to, and small draws into tiled
// surfaces against a model of one edge function a side.
#include "draw_machine.h"
#include "gpu/dg1/draw/statistics.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using DrawState = DrawMachine;

uint64_t y_tiled(uint32_t pitch, uint32_t x_bytes, uint32_t y) {
  return uint64_t(y / 32 * (pitch / 128) + x_bytes / 128) * 4096 + x_bytes % 128 / 16 * 512 + y % 32 * 16 + x_bytes % 16;
}

TEST_F(DrawState, ATriangleIntoYTiles) {
  const float corners[3][2] = {{3.25f, 5.5f}, {60.125f, 20.75f}, {17.5f, 58.0f}};
  for (auto [x, y] : corners) vertices.add(x / 32 - 1, 1 - y / 32, 0, 1, {1, 0.5f, 0, 1});
  run();
  unsigned inside = 0;
  for (uint32_t y = 0; y < 64; y++)
    for (uint32_t x = 0; x < 64; x++) {
      bool covered = true;
      for (unsigned n = 0; n < 3; n++) {
        const auto& a = corners[n];
        const auto& b = corners[(n + 1) % 3];
        covered &= (b[0] - a[0]) * (float(y) + 0.5f - a[1]) - (b[1] - a[1]) * (float(x) + 0.5f - a[0]) > 0;
      }
      inside += covered;
      ASSERT_EQ(*memory<uint32_t>(colours_at + y_tiled(4096, x * 4, y)), covered ? 0xff0080ffu : 0u) << x << ", " << y;
    }
  EXPECT_GT(inside, 1000u);
}

TEST_F(DrawState, RunsOfGeometryShaders) {
  pipeline::Counters counted;
  counted.geometry_invocations = 7, counted.geometry_primitives = 3;
  uint64_t expected = 0;
  for (uint32_t increment = 0; increment < 32; increment++)
    for (const bool counts : {false, true}) {
      put<_3DSTATE_GS::Invocations_Increment_Value>(increment), put<_3DSTATE_GS::Statistics_Enable>(counts);
      count_statistics(*context, counting_stages(context->graphics), counted);
      if (counts) expected += 7 * (increment + 1);
      EXPECT_EQ(context->registers.read64(mmio::gs_invocations), expected) << increment;
    }
}

// Pixels of a draw become as deep as the clear value, whatever the draw's depths and tests are (Sandy Bridge PRM volume 2 part 1, 7.5.3.1).
TEST_F(DrawState, LegacyDepthClear) {
  using D = _3DSTATE_DEPTH_BUFFER;
  send<D>([&](uint32_t* d) {
    D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, D::Surface_Format::D32_FLOAT);
    D::Depth_Write_Enable::set(d, 1), D::Width::set(d, 63), D::Height::set(d, 63), D::Surface_Pitch::set(d, 511);
    D::Surface_Base_Address::set(d, depth_at);
  });
  const float clear = 0.375f;
  put<_3DSTATE_CLEAR_PARAMS::Depth_Clear_Value>(std::bit_cast<uint32_t>(clear));
  for (auto [x, y] : {std::pair{-1.0f, -1.0f}, std::pair{1.0f, -1.0f}, std::pair{-1.0f, 1.0f}}) vertices.add(x, y, x, 1);
  run();
  EXPECT_EQ(*memory<float>(depth_at + y_tiled(512, 4 * 4, 60)), 0.0f);
  put<_3DSTATE_WM::Legacy_Depth_Buffer_Clear_Enable>(1);
  run();
  for (uint32_t y = 0; y < 64; y++)
    for (uint32_t x = 0; x < 64; x++)
      if (x != y)  // (the diagonal is the triangle's edge)
        ASSERT_EQ(*memory<float>(depth_at + y_tiled(512, x * 4, y)), x < y ? clear : 0) << x << ", " << y;
  // Resolves leave all as it is.
  put<_3DSTATE_WM::Legacy_Depth_Buffer_Clear_Enable>(0), put<_3DSTATE_WM::Legacy_Depth_Buffer_Resolve_Enable>(1);
  put<_3DSTATE_WM::Legacy_Hierarchical_Depth_Buffer_Resolve_Enable>(1);
  run();
  EXPECT_EQ(*memory<float>(depth_at + y_tiled(512, 4 * 4, 60)), clear);
}

}  // namespace
}  // namespace Atoll::dg1
