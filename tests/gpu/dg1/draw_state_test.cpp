// The fixed functions' state, field by field: what 3DSTATE commands and structures in memory come to, and small draws into tiled
// surfaces against a model of one edge function a side.
#include "draw_machine.h"

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

}  // namespace
}  // namespace Atoll::dg1
