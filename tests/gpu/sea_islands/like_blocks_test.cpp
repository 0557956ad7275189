// Blocks of a primitive whose attributes are the same everywhere: one wave makes the colours of all of a tile, if the program cannot
// tell them apart.
#include "gpu/sea_islands/draws.h"
#include "gpu/sea_islands/shaders/effects.h"
#include "isa/gfx7/isa.h"

namespace Atoll::sea_islands::test {
namespace {

class LikeBlocks : public Draws {
protected:
  static constexpr unsigned blocks = width * height / 64;
  // As big_triangle(), with the parameter 0.25, 1, 0.25, 1.
  uint64_t even_triangle() {
    return program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0", "v_cndmask_b32 v3, v1, v2, vcc",
                    "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc", "v_mov_b32 v5, s0", "v_mov_b32 v6, 1.0",
                    "exp pos0 v3, v4, v5, v6 done", "v_mov_b32 v7, 0x3e800000", "exp param0 v7, v6, v7, v6", "s_endpgm"});
  }
  // Waves that a draw of one triangle takes, its one of vertices left out.
  uint64_t pixel_waves(uint64_t vertex, uint64_t pixel, uint32_t in_control = SPI_PS_IN_CONTROL::NUM_INTERP::of(1)) {
    const uint64_t before = queue(gpu::QueueKind::graphics).statistics().waves;
    Words w = state(vertex, pixel);
    w.context(SPI_PS_IN_CONTROL::address(), in_control);
    good(triangle(w));
    return queue(gpu::QueueKind::graphics).statistics().waves - before - 1;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, LikeBlocks, testing::Values("interpreter", "jit"));

TEST_P(LikeBlocks, OneWaveMakesThem) {
  EXPECT_EQ(pixel_waves(even_triangle(), interpolating()), 1u);
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) ASSERT_EQ(pixel(x, y), 0xff40ff40) << x << "," << y;
  EXPECT_EQ(queue(gpu::QueueKind::graphics).statistics().pixels, width * height);
}

TEST_P(LikeBlocks, AttributesThatDiffer) {
  EXPECT_EQ(pixel_waves(big_triangle(), interpolating()), blocks);
  EXPECT_NE(pixel(0, 0), pixel(width - 1, 0));
}

// The coordinates behind the interpolated attributes are the place in the primitive, whatever its vertices have.
TEST_P(LikeBlocks, GeneratedCoordinates) {
  const uint64_t coordinates = program({"s_mov_b32 m0, s0", "v_interp_p1_f32 v2, v0, attr1.z", "v_interp_p2_f32 v2, v1, attr1.z",
                                        "v_interp_p1_f32 v3, v0, attr1.w", "v_interp_p2_f32 v3, v1, attr1.w",
                                        "v_cvt_pkrtz_f16_f32 v2, v2, v3", "exp mrt0 v2, v2, v2, v2 done compr vm", "s_endpgm"});
  using Control = SPI_PS_IN_CONTROL;
  EXPECT_EQ(pixel_waves(even_triangle(), coordinates, Control::NUM_INTERP::of(1) | Control::PARAM_GEN::of(1)), blocks);
  EXPECT_NE(pixel(0, 0), pixel(width - 1, 0)) << "I";
  EXPECT_NE(pixel(0, 0) >> 8 & 0xff, pixel(0, height - 1) >> 8 & 0xff) << "J";
}

// Attributes are the only values that a program has of its pixels and that are the same in two blocks.
TEST_P(LikeBlocks, BarycentricsAsColours) {
  EXPECT_EQ(pixel_waves(even_triangle(), program({"v_mov_b32 v2, v0", "v_cvt_pkrtz_f16_f32 v2, v2, v1",
                                                  "exp mrt0 v2, v2, v2, v2 done compr vm", "s_endpgm"})),
            blocks);
  EXPECT_NE(pixel(0, 0), pixel(width - 1, 0));
}

struct Row {
  std::vector<const char*> lines;
  bool same;
};
const Row rows[] = {
    {{"v_interp_mov_f32 v0, p0, attr0.x", "v_cvt_pkrtz_f16_f32 v0, v0, v0", "exp mrt0 v0, v0, v0, v0 done compr vm"}, true},
    {{"v_interp_p1_f32 v2, v0, attr0.x", "v_interp_p2_f32 v2, v1, attr0.x", "exp mrt0 v2, v2, v2, v2 done vm"}, true},
    {{"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v1, s4", "exp mrt0 v1, v1, v1, v1 done vm"}, true},
    // Barycentrics that are read: exported, by an operation, as what is added to, in 64 bits.
    {{"v_mov_b32 v0, 0", "exp mrt0 v0, v0, v1, v0 done vm"}, false},
    {{"v_mov_b32 v0, 0", "exp mrt0 v0, v0, v0, v0 done compr vm"}, true},
    {{"v_mov_b32 v0, 0", "exp mrt0 v0, v0, v1, v1 done compr vm"}, false},
    {{"v_add_f32 v2, 1.0, v1", "exp mrt0 v2, v2, v2, v2 done vm"}, false},
    {{"v_mac_f32 v1, 1.0, 1.0", "exp mrt0 v1, v1, v1, v1 done vm"}, false},
    {{"v_interp_p2_f32 v1, v0, attr0.x", "exp mrt0 v1, v1, v1, v1 done vm"}, false},
    {{"v_mov_b32 v0, 0", "v_cvt_f32_f64 v2, v[0:1]", "exp mrt0 v2, v2, v2, v2 done vm"}, false},
    {{"v_cvt_f64_f32 v[0:1], 1.0", "exp mrt0 v0, v0, v0, v0 done vm"}, true},
    // Lanes that are switched off keep what they have; registers by M0 may be any.
    {{"s_mov_b64 exec, 0", "v_mov_b32 v0, 0", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"s_mov_b32 exec_lo, 0", "v_mov_b32 v0, 0", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"v_cmpx_eq_u32 vcc, 0, v2", "v_mov_b32 v0, 0", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"s_mov_b32 m0, 0", "v_movrels_b32 v2, v2", "exp mrt0 v2, v2, v2, v2 done vm"}, false},
    // A write of one lane, or of a scalar register with the same number, does not replace a barycentric.
    {{"v_writelane_b32 v0, s4, 1", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"v_readfirstlane_b32 s0, v2", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"v_readlane_b32 s0, v2, 0", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"v_mov_b32 v0, 0", "v_mov_b32 v1, 0", "flat_store_dword v[2:3], v0", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"s_memtime s[4:5]", "v_mov_b32 v0, s4", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
    {{"s_branch 0", "v_mov_b32 v0, 0", "exp mrt0 v0, v0, v0, v0 done vm"}, false},
};

TEST(SameInBlocks, Programs) {
  for (const Row& row : rows) {
    std::vector<uint32_t> words;
    for (std::string line : row.lines) {
      const auto i = gfx7::parse(line);
      ASSERT_TRUE(i) << line << ": " << i.error().message;
      const auto encoded = gfx7::encode(*i);
      ASSERT_TRUE(encoded) << line;
      words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    words.push_back(gfx7::encode(*gfx7::parse("s_endpgm"))->dwords[0]);
    const wave::Program program(gfx7::isa(), 0x1000, words);
    const unsigned varying[] = {0, 1};
    EXPECT_EQ(same_in_blocks(program, 0x1000, varying), row.same) << row.lines[0] << " ... " << row.lines.back();
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
