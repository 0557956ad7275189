// The submissions in which Mesa's r300g draws a triangle (recorded, values as in the recording): a clear that colour buffer and
// Z unit share, the triangle, a point sprite that copies the result to a linear buffer.
#include <gtest/gtest.h>

#include <cmath>

#include "registers/r5xx.h"
#include "surface/r300_tiling.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::bits;
using test::Machine;
using test::Stream;

constexpr unsigned width = 64, height = 64;

void set_invariant_state(Stream& s) {
  s.set(0x4f14, 1).set(0x4bd4, 0).set(0x4f00, {0, 0, 0}).set(0x4fd4, 0).set(0x4be0, 0).set(0x4e18, 0);
  s.set(0x4e04, {0, 0, 0xf}).set(0x4e50, 0).set(0x4ef8, {0, 0}).set(0x43b0, {0, 0xffffffff}).set(0x43e8, 0x00ffffff);
  s.set(0x401c, 0).set(0x4bc0, 0).set(0x4290, 0).set(0x42a0, 0).set(0x42c0, {0x4b7fffff, 0}).set(0x43a8, 0x2da49525);
  s.set(0x4258, 0).set(0x4114, 0).set(0x2284, 0).set(0x2288, 0xffff);
  s.set(0x2220, {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}).set(0x21dc, 0xaaaaaaaa).set(0x2218, 0);
}
void set_raster_state(Stream& s, uint32_t point_size) {
  s.set(0x2140, 0).set(0x421c, point_size).set(0x4230, {0, 0x00020006}).set(0x42b4, {0, 4}).set(0x4238, 0).set(0x4260, 0);
  s.set(0x4288, 0).set(0x428c, 0x31).set(0x43d0, 0xffff).set(0x4010, {0x66666666, 0x06666666}).set(0x4020, 0).set(0x4e88, 0);
}
// Colour buffer 0: ARGB8888, components red, green, blue, alpha in memory.
void set_target(Stream& s, uint32_t address, uint32_t pitch) {
  s.set(0x43e0, {0, (height - 1) << 13 | (width - 1)}).set(0x4e00, 0x4000).set(0x4e28, address).set(0x4e38, pitch);
  s.set(0x46a4, {0x3900, 0xf, 0xf, 0xf}).set(0x4f1c, 0);
}
// out0 = in0; out1 = in1
void set_vertex_shader(Stream& s) {
  s.set(0x2150, 0x21030003).set(0x21e0, 0xf688f688).set(0x22d0, 0x00100000).set(0x22d8, 1).set(0x2200, 0);
  s.burst(0x2208, {0x00f00203, 0x00d10001, 0x01248001, 0x01248001, 0x00f02203, 0x00d10021, 0x01248021, 0x01248021});
  s.set(0x2080, 0x00b0085a).set(0x22dc, 0).set(0x22d4, 0).set(0x208c, 0);
}
// One instruction: o0 = constant 0, or register 0.
void set_pixel_shader(Stream& s, bool constant) {
  uint32_t source = constant ? 0x08020100 : 0x08020000;
  s.set(0x4600, 2).set(0x4604, 1).set(0x4624, 0).set(0x4634, {0, 0}).set(0x4630, 0).set(0x4250, 0);
  s.burst(0x4254, {0x00078005, source, source, 0x00db0220, 0x00c0c000, 0x20490000});
  s.set(0x4bd8, 0).set(0x46b4, 0);
}
void set_clear(Stream& s, std::array<float, 4> colour) {
  s.set(0x2180, {0x5555, 0x401})
      .set(0x2090, {1, 4})
      .set(0x4008, 0)
      .set(0x4074, 0x000c2040)
      .set(0x4300, {0x00040004, 0})
      .set(0x4320, 0);
  set_pixel_shader(s, true);
  s.set(0x4250, 0x10000).burst(0x4254, {bits(colour[0]), bits(colour[1]), bits(colour[2]), bits(colour[3])});
  s.set(0x221c, 0x10000).set(0x20b0, 0x300).set(0x20b4, 8).set(0x2134, {1, 0});
}
void draw_point(Stream& s, float x, float y) {
  s.packet(packets::_3D_DRAW_IMMD_2::opcode, {0x00010031, bits(x), bits(y), 0x3f800000, 0x3f800000, 0, 0, 0, 0});
}
void draw_triangle(Stream& s) {
  s.set(0x1d98, {bits(32), bits(32), bits(32), bits(32), bits(0.5f), bits(0.5f)}).set(0x20b0, 0x43f);
  s.set(0x2180, {0x5555, 0x401}).set(0x2090, {1, 4}).set(0x4008, 0).set(0x4074, 0x000c2040).set(0x4300, {0x00040004, 0});
  s.set(0x4320, 0x10).set(0x221c, 0xc000);
  set_pixel_shader(s, false);
  s.set(0x4278, 0x0003aaaa).set(0x2134, {2, 0}).set(0x20b4, 8);
  s.packet(packets::_3D_DRAW_IMMD_2::opcode,
           {0x00030034, 0xbf4ccccd, 0xbf4ccccd, 0,          0x3f800000, 0x3f800000, 0,         0,          0x3f800000,
            0x3f4ccccd, 0xbf4ccccd, 0,          0x3f800000, 0,          0x3f800000, 0,         0x3f800000, 0,
            0x3f4ccccd, 0,          0x3f800000, 0,          0,          0x3f800000, 0x3f800000});
}

// The triangle's interpolated colour at a pixel's centre; nothing outside or too near to an edge to tell.
std::optional<std::array<float, 3>> expected(unsigned px, unsigned py) {
  double x = (px + 0.5 - 32) / 32, y = (py + 0.5 - 32) / 32;
  double a[2] = {-0.8, -0.8}, b[2] = {0.8, -0.8}, c[2] = {0, 0.8};
  double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  double wa = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area;
  double wb = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area, wc = 1 - wa - wb;
  if (std::min({wa, wb, wc}) < 0.02) return {};
  return std::array<float, 3>{float(wa), float(wb), float(wc)};
}
bool clearly_outside(unsigned px, unsigned py) {
  double x = (px + 0.5 - 32) / 32, y = (py + 0.5 - 32) / 32;
  return y < -0.85 || y > 0.85 || std::abs(x) > 0.85 || 1.6 * std::abs(x) > 0.8 - y + 0.1;
}

class TriangleTest : public testing::TestWithParam<const char*> {};

// Macro and micro tiles, 32 bits.
constexpr surface::R300Surface tiled{.element_bytes = 4, .pitch = 64, .micro = surface::R300MicroTile::tiled, .macro = true};
constexpr uint32_t tiled_pitch = 0x00c30040, linear_pitch = 0x00c00040;

const uint8_t* pixel(const Buffer& target, unsigned x, unsigned y) { return target.host_pointer + surface::address(tiled, x, y); }

TEST_P(TriangleTest, TheClearFillsBothHalves) {
  Machine machine(GetParam());
  Buffer target = machine.allocate(width * height * 4);
  std::memset(target.host_pointer, 0x11, width * height * 4);
  Stream s;
  set_invariant_state(s);
  set_target(s, uint32_t(target.gpu_address), tiled_pitch);
  // The Z unit has the lower half of the same buffer, as a 24-bit buffer, and the packed colour.
  s.set(0x43e4, (height / 2 - 1) << 13 | (width - 1));
  s.set(0x4f10, 2)
      .set(0x4f20, uint32_t(target.gpu_address) + 0x2000)
      .set(0x4f24, 0x00030040)
      .set(0x4f1c, 0x20)
      .set(0x4f28, 0xffbf8040);
  set_vertex_shader(s);
  set_raster_state(s, 0x018000c0);
  set_clear(s, {0.25f, 0.5f, 0.75f, 1});
  draw_point(s, 32, 16);
  auto result = machine.run(s);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(machine.unknowns(), "");
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      uint32_t value;
      std::memcpy(&value, pixel(target, x, y), 4);
      ASSERT_EQ(value, 0xffbf8040u) << x << ", " << y;
    }
}

TEST_P(TriangleTest, TheTrianglesColoursAreInterpolated) {
  Machine machine(GetParam());
  Buffer target = machine.allocate(width * height * 4);
  Stream s;
  set_invariant_state(s);
  set_target(s, uint32_t(target.gpu_address), tiled_pitch);
  set_vertex_shader(s);
  set_raster_state(s, 0x00060006);
  draw_triangle(s);
  auto result = machine.run(s);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(machine.unknowns(), "");
  unsigned inside = 0;
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      const uint8_t* p = pixel(target, x, y);
      if (auto colour = expected(x, y)) {
        inside++;
        for (unsigned c = 0; c < 3; c++) EXPECT_NEAR(p[c], (*colour)[c] * 255, 1.5) << x << ", " << y << " component " << c;
        EXPECT_EQ(p[3], 255);
      } else if (clearly_outside(x, y)) {
        EXPECT_EQ(p[3], 0) << x << ", " << y;
      }
    }
  EXPECT_GT(inside, 1000u);
  auto statistics = machine.queue->statistics();
  EXPECT_EQ(statistics.draws, 1u);
  EXPECT_EQ(statistics.vertices, 3u);
  EXPECT_GT(statistics.waves, 1u);
}

TEST_P(TriangleTest, APointSpriteCopiesItToALinearBuffer) {
  Machine machine(GetParam());
  Buffer target = machine.allocate(width * height * 4), copy = machine.allocate(width * height * 4);
  Stream s;
  set_invariant_state(s);
  set_target(s, uint32_t(target.gpu_address), tiled_pitch);
  set_vertex_shader(s);
  set_raster_state(s, 0x00060006);
  draw_triangle(s);
  set_target(s, uint32_t(copy.gpu_address), linear_pitch);
  s.set(0x2180, {0x5555, 1}).set(0x2090, {1, 0}).set(0x4074, 0x00ffe040).set(0x4300, {0x00040002, 0}).set(0x4320, 0x10);
  s.set(0x4634, {0x00010000, 0}).set(0x4630, 0x00010000).set(0x4250, 0);
  s.burst(0x4254,
          {0x00007807, 0x02400000, 0xe400f400, 0, 0, 0, 0x00078005, 0x08020000, 0x08020000, 0x00db0220, 0x00c0c000, 0x20490000});
  s.set(0x4100, 0).set(0x4104, 1).set(0x4400, 0x00002a12).set(0x4440, 0x80000008).set(0x45c0, 0).set(0x4480, 0x0001f83f);
  s.set(0x44c0, 0x0008860c).set(0x4500, 0).set(0x4540, uint32_t(target.gpu_address) | 0xc);
  s.set(0x421c, 0x01800180)
      .set(0x4008, 0x00020001)
      .set(0x4200, {0, 0x3f800000, 0x3f800000, 0})
      .set(0x221c, 0x10000)
      .set(0x20b0, 0x300);
  s.set(0x20b4, 8).set(0x2134, {1, 0});
  draw_point(s, 32, 32);
  auto result = machine.run(s);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(machine.unknowns(), "");
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++)
      ASSERT_EQ(std::memcmp(copy.host_pointer + (y * width + x) * 4, pixel(target, x, y), 4), 0) << x << ", " << y;
}

INSTANTIATE_TEST_SUITE_P(Chips, TriangleTest, testing::Values("rv515", "r520", "rv530", "r580"));

// GA_ROUND_MODE.GEOMETRY_MASK leaves out bits of a position's subpixels: 11 twelfths lose 8, 2 or both.
TEST(SubpixelMask, LeavesOutBits) {
  struct Case {
    uint32_t mask;
    float at;
    unsigned first;
  };
  // (A pixel is drawn if its middle, 6 twelfths, lies behind the border.)
  for (const Case& c :
       {Case{0, 16 + 11.0f / 12, 17}, Case{8, 16 + 11.0f / 12, 16}, Case{2, 16 + 11.0f / 12, 17}, Case{15, 16 + 11.0f / 12, 16},
        Case{0, 16 + 7.0f / 12, 17}, Case{1, 16 + 7.0f / 12, 16}, Case{4, 16 + 7.0f / 12, 16}, Case{8, 16 + 7.0f / 12, 17}}) {
    test::Scene scene;
    scene.stream.set(GB_MSPOS0::address(), {0x666666, 0x666666});
    scene.stream.set(GA_ROUND_MODE::address(), 0x31 | GA_ROUND_MODE::GEOMETRY_MASK::of(c.mask));
    scene.rectangle(c.at, 0, 40, 32, {1, 1, 1, 1}).run();
    EXPECT_EQ(scene.at(16, 4) != 0, c.first == 16) << c.mask << " at " << c.at;
    EXPECT_NE(scene.at(17, 4), 0u);
  }
}

}  // namespace
}  // namespace Atoll::r5xx
