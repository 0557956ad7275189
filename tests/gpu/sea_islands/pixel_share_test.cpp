// LDS that pixel waves have for themselves (SPI_SHADER_PGM_RSRC2_PS.EXTRA_LDS_SIZE): each lane writes its number there and reads its
// neighbour's.
#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

class PixelShare : public Draws {
protected:
  // Red what the neighbour wrote plus 1, green the lane, blue what stood there before plus 1; 0 where there is no LDS.
  PixelShare()
      : exchanging(program({"s_mov_b32 m0, -1",
                            "v_mbcnt_lo_u32_b32 v0, -1, 0",
                            "v_mbcnt_hi_u32_b32 v0, -1, v0",
                            "v_lshlrev_b32 v1, 2, v0",
                            "v_add_i32 v1, vcc, s0, v1",
                            "v_xor_b32 v2, 4, v1",
                            "v_add_i32 v3, vcc, 1, v0",
                            "ds_read_b32 v4, v2",
                            "ds_write_b32 v1, v3",
                            "ds_read_b32 v5, v2",
                            "s_waitcnt lgkmcnt(0)",
                            "v_mul_u32_u24 v4, 9, v4",
                            "v_cvt_f32_u32 v5, v5",
                            "v_cvt_f32_u32 v0, v0",
                            "v_cvt_f32_u32 v4, v4",
                            "v_mul_f32 v5, 0x3b808081, v5",
                            "v_mul_f32 v0, 0x3b808081, v0",
                            "v_mul_f32 v4, 0x3b808081, v4",
                            "v_mov_b32 v6, 1.0",
                            "exp mrt0 v5, v0, v4, v6 done vm",
                            "s_endpgm"})) {}
  // The lanes' dwords from byte `place` on.
  void draw(uint32_t size, uint32_t place) {
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(big_triangle(), exchanging);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    using Resources = SPI_SHADER_PGM_RSRC2_PS;
    w.shader(Resources::address(), Resources::USER_SGPR::of(1) | Resources::EXTRA_LDS_SIZE::of(size));
    w.shader(SPI_SHADER_USER_DATA_PS::address(0), place);
    good(triangle(w));
  }
  // Expects the neighbour's number in lanes below `lanes`, and nothing in others.
  void expect_exchanged_below(uint32_t lanes) {
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) {
        const uint32_t lane = pixel(x, y) >> 8 & 255;
        ASSERT_EQ(pixel(x, y), 0xff000000u | lane << 8 | (lane < lanes ? (lane ^ 1) + 1 : 0)) << x << ", " << y;
      }
  }
  const uint64_t exchanging;
};
INSTANTIATE_TEST_SUITE_P(Engines, PixelShare, testing::Values("interpreter", "jit"));

TEST_P(PixelShare, WavesHaveAsMuchAsTheFieldSays) {
  draw(0, 0);
  expect_exchanged_below(0);
  for (uint32_t size : {1u, 2u, 5u, 127u}) {
    SCOPED_TRACE(size);
    draw(size, 0);
    expect_exchanged_below(64);
    draw(size, size * 512 - 256);
    expect_exchanged_below(64);
    draw(size, size * 512 - 128);
    expect_exchanged_below(32);
    draw(size, size * 512);
    expect_exchanged_below(0);
  }
}

// More than 127 blocks of 128 dwords are not to be set.
TEST_P(PixelShare, TheMostIsAsTheReferenceHasIt) {
  draw(255, 127 * 512 - 128);
  expect_exchanged_below(32);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
