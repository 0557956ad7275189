// Draws from registers and hand-written shaders to pixels: what a stage's waves begin with, interpolation, exports, formats, fast
// clears, depth. The pictures are worked out by hand.
#include <algorithm>
#include <bit>

#include "gpu/sea_islands/draws.h"
#include "surface/number.h"

namespace Atoll::sea_islands::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Engines, Draws, testing::Values("interpreter", "jit"));

TEST_P(Draws, InterpolatesOverTheWindow) {
  Words w = state(big_triangle(), interpolating());
  good(triangle(w));
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      // Clip space at the pixel's centre; what is below 0 is clamped.
      float red = std::max(0.0f, (x + 0.5f) / (width / 2) - 1), green = std::max(0.0f, (y + 0.5f) / (height / 2) - 1);
      uint32_t p = pixel(x, y);
      ASSERT_NEAR(p & 255, red * 255, 1.5) << x << "," << y;
      ASSERT_NEAR(p >> 8 & 255, green * 255, 1.5) << x << "," << y;
      ASSERT_EQ(p >> 16, 0xff40u) << x << "," << y;
    }
}

TEST_P(Draws, AProgramBehindAProlog) {
  // The program proper stands before its prolog in one case, behind it in the other.
  uint64_t first = big_triangle();
  uint64_t prolog = program({"v_mov_b32 v20, v0", "v_mov_b32 v0, v20", "s_setpc_b64 s[2:3]"});
  uint64_t second = big_triangle();
  for (uint64_t main : {first, second}) {
    std::fill_n(reinterpret_cast<uint32_t*>(colour.host_pointer), width * height, 0);
    Words w = state(prolog, interpolating());
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0005)
        .shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(4))
        .shader(SPI_SHADER_USER_DATA_VS::address(2), uint32_t(main))
        .shader(SPI_SHADER_USER_DATA_VS::address(3), uint32_t(main >> 32));
    good(triangle(w));
    EXPECT_EQ(pixel(40, 20) >> 16, 0xff40u);
    EXPECT_NEAR(pixel(40, 20) & 255, (40.5f / (width / 2) - 1) * 255, 1.5);
  }
  // One that goes where nothing is.
  Words w = state(prolog, interpolating());
  w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(4))
      .shader(SPI_SHADER_USER_DATA_VS::address(2), uint32_t(nowhere))
      .shader(SPI_SHADER_USER_DATA_VS::address(3), uint32_t(nowhere >> 32));
  EXPECT_NE(bad(triangle(w)).find("instruction fetch"), std::string::npos);
}

TEST_P(Draws, TheScissorHolds) {
  Words w = state(big_triangle(), interpolating());
  w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31 | 10 | 4 << 16)
      .context(PA_SC_GENERIC_SCISSOR_BR::address(), 20 | 9 << 16);
  good(triangle(w));
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) ASSERT_EQ(pixel(x, y) != 0, x >= 10 && x < 20 && y >= 4 && y < 9) << x << "," << y;
}

TEST_P(Draws, AProgramThatKillsPixels) {
  // Odd columns go: x from the position VGPR.
  uint64_t kill = program({"v_cvt_u32_f32 v0, v0", "v_and_b32 v0, 1, v0", "v_cmpx_eq_u32 vcc, 0, v0", "v_mov_b32 v1, 1.0",
                           "v_mov_b32 v2, 0", "exp mrt0 v1, v2, v2, v1 done vm", "s_endpgm"});
  Words w = state(big_triangle(), kill);
  w.context(SPI_PS_INPUT_ENA::address(), 0x100).context(SPI_PS_INPUT_ADDR::address(), 0x100);
  w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
  w.context(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::KILL_ENABLE::of(1));
  good(triangle(w));
  for (unsigned x = 0; x < width; x++) ASSERT_EQ(pixel(x, 7), x % 2 ? 0u : 0xff0000ffu) << x;
}

TEST_P(Draws, BlendsAndMasks) {
  std::fill_n(reinterpret_cast<uint32_t*>(colour.host_pointer), width * height, 0x80ff8040u);
  uint64_t half_red =
      program({"v_mov_b32 v0, 1.0", "v_mov_b32 v1, 0", "v_mov_b32 v2, 0.5", "exp mrt0 v0, v1, v1, v2 done vm", "s_endpgm"});
  Words w = state(big_triangle(), half_red);
  w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
  using Blend = CB_BLEND_CONTROL;
  w.context(Blend::address(0), Blend::ENABLE::of(1) | Blend::COLOR_SRCBLEND::of(BlendOp::BLEND_SRC_ALPHA) |
                                   Blend::COLOR_DESTBLEND::of(BlendOp::BLEND_ONE_MINUS_SRC_ALPHA));
  w.context(CB_TARGET_MASK::address(), 0x3);
  good(triangle(w));
  uint32_t p = pixel(5, 5);
  EXPECT_NEAR(p & 255, 0.5 * 255 + 0.5 * 0x40, 1);
  EXPECT_NEAR(p >> 8 & 255, 0.5 * 0x80, 1);
  EXPECT_EQ(p >> 16, 0x80ffu) << "blue and alpha are masked";
}

TEST_P(Draws, DepthDecides) {
  Buffer depth = *space->allocate(width * height * 4, 4096);
  uint64_t vertex = big_triangle(), one = interpolating();
  Words w = state(vertex, one);
  bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT, CompareFrag::FRAG_GREATER);
  w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.5f));  // z: 0.75 on the screen
  good(triangle(w));
  EXPECT_NE(pixel(3, 3), 0u);
  EXPECT_EQ(*reinterpret_cast<float*>(depth.host_pointer), 0.75f);
  std::memset(colour.host_pointer, 0, width * height * 4);
  Words behind = w;                                       // draws the same once more, which is not greater, and then
  behind.shader(SPI_SHADER_USER_DATA_VS::address(0), 0);  // 0.5 is not greater than 0.75
  good(triangle(behind));
  EXPECT_EQ(*reinterpret_cast<float*>(depth.host_pointer), 0.75f);
  EXPECT_EQ(pixel(3, 3), 0u);
}

TEST_P(Draws, AFastClearedTileIsItsClearColour) {
  // CMASK of 0: cleared, whatever memory holds.
  std::memset(colour.host_pointer, 0x11, width * height * 4);
  Buffer cmask = *space->allocate(4096, 4096);
  Words w = state(big_triangle(), interpolating());
  // A tiled buffer: metadata belongs to pipes.
  w.context(CB_COLOR_INFO::address(0),
            CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8) | CB_COLOR_INFO::FAST_CLEAR::of(1));
  w.context(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(13));
  w.context(CB_COLOR_CMASK::address(0), uint32_t(cmask.gpu_address >> 8));
  w.context(CB_COLOR_CLEAR_WORD0::address(0), 0x01020304);
  w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31).context(PA_SC_GENERIC_SCISSOR_BR::address(), 1 | 1 << 16);
  good(triangle(w));
  auto* words = reinterpret_cast<uint32_t*>(colour.host_pointer);
  EXPECT_EQ(std::count(words, words + 64, 0x01020304u), 63) << "the first tile: one pixel drawn, the others cleared";
  EXPECT_EQ(std::count(words + 64, words + width * height, 0x11111111u), width * height - 64) << "no other tile was touched";
  w.context(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(CB_COLOR_CONTROL::MODE::CB_ELIMINATE_FAST_CLEAR));
  good(triangle(w));
  EXPECT_EQ(std::count(words, words + width * height, 0x01020304u), width * height - 1);
}

TEST_P(Draws, FaultsAreReported) {
  uint64_t stray = program({"s_load_dword s4, s[8:9], 0x0", "s_endpgm"});
  Words w = state(big_triangle(), stray);
  std::string report = bad(triangle(w));
  EXPECT_NE(report.find("pixel shader"), std::string::npos) << report;
  EXPECT_NE(report.find("s_load_dword"), std::string::npos) << report;
}

TEST_P(Draws, MissingMemoryIsReported) {
  Words w = state(big_triangle(), interpolating());
  w.context(CB_COLOR_BASE::address(0), uint32_t(nowhere >> 8));
  EXPECT_NE(bad(triangle(w)).find("colour buffer"), std::string::npos);
}
TEST_P(Draws, AMissingProgramIsReported) {
  Words v = state(nowhere, interpolating());
  EXPECT_NE(bad(triangle(v)).find("vertex shader"), std::string::npos);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
