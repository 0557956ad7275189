// The samples of a pixel that a draw reaches: those that a wave is told of, masks that it exports, masks made of alpha; also if
// targets have more samples than these count.
#include <bit>
#include <map>

#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

class SampleState : public Draws {
protected:
  static constexpr unsigned side = 64;
  Buffer target = *space->allocate(side * side * 4 * 8, 4096);

  // A triangle over 64 x 32 pixels of 2^target_log samples, rasterized at 2^raster_log. The program has one user SGPR.
  Words samples(uint64_t pixel, unsigned target_log, unsigned raster_log, uint32_t user = 0) {
    std::memset(target.host_pointer, 0, side * side * 4 * 8);
    Words w = state(big_triangle(), pixel);
    w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(1));
    w.shader(SPI_SHADER_USER_DATA_PS::address(0), user);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(CB_COLOR_BASE::address(0), uint32_t(target.gpu_address >> 8));
    w.context(CB_COLOR_PITCH::address(0), side / 8 - 1).context(CB_COLOR_SLICE::address(0), side * side / 64 - 1);
    w.context(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) |
                                               CB_COLOR_ATTRIB::NUM_SAMPLES::of(target_log) |
                                               CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(target_log));
    w.context(PA_SC_AA_CONFIG::address(),
              PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(raster_log) | PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES::of(raster_log));
    w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(raster_log > 0));
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
    return w;
  }
  // How many texels of the target have each value of red.
  std::map<unsigned, unsigned> reds() const {
    std::map<unsigned, unsigned> count;
    for (unsigned n = 0; n < side * side * 8; n++)
      if (const uint8_t* texel = target.host_pointer + n * 4; texel[3]) count[texel[0]]++;
    return count;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, SampleState, testing::Values("interpreter", "jit"));

TEST_P(SampleState, AWaveIsToldOfTheSamplesThatAreExposed) {
  uint64_t pixel = program({"v_cvt_f32_u32 v2, v2", "v_mul_f32 v2, 0x3b808081, v2" /* 1 / 255 */, "v_mov_b32 v3, 1.0",
                            "exp mrt0 v2, v3, v3, v3 done vm", "s_endpgm"});
  for (unsigned of_target = 0; of_target < 4; of_target++)
    for (unsigned of_raster = 0; of_raster <= of_target; of_raster++) {
      SCOPED_TRACE(fmt::format("{} samples of a target with {}", 1 << of_raster, 1 << of_target));
      Words w = samples(pixel, of_target, of_raster);
      constexpr uint32_t inputs = 0x4002;  // PERSP_CENTER and SAMPLE_COVERAGE
      w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
      good(triangle(w));
      std::map<unsigned, unsigned> expected{{(1u << (1u << of_raster)) - 1, width * height << of_target}};
      EXPECT_EQ(reds(), expected);
    }
}

// The depth of a pixel's one sample is that of all that the colours have, whatever a block of more samples held before.
TEST_P(SampleState, SamplesThatDepthHasNotGotReadAsThoseItHas) {
  const Buffer depth = *space->allocate(width * height * 4, 4096);
  const uint64_t pixel = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  for (float there : {0.0f, 1.0f})
    for (unsigned log = 1; log < 4; log++) {
      SCOPED_TRACE(fmt::format("{} samples, depth {}", 1 << log, there));
      for (unsigned n = 0; n < width * height; n++) reinterpret_cast<float*>(depth.host_pointer)[n] = there;
      Words w = samples(pixel, log, log);
      w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.0f));  // depth 0.5
      bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT, CompareFrag::FRAG_LESS);
      good(triangle(w));
      std::map<unsigned, unsigned> expected;
      if (there > 0.5f) expected = {{255, width * height << log}};
      EXPECT_EQ(reds(), expected);
    }
}

TEST_P(SampleState, ExportedMasksOfFewerSamplesStandForAll) {
  uint64_t pixel = program(
      {"v_mov_b32 v0, s0", "v_mov_b32 v1, 1.0", "exp mrtz off, off, v0, off", "exp mrt0 v1, v1, v1, v1 done vm", "s_endpgm"});
  for (unsigned of_target = 0; of_target < 4; of_target++)
    for (unsigned of_mask = 0; of_mask <= of_target; of_mask++)
      for (uint32_t mask = 0; mask < 1u << (1u << of_mask); mask += of_mask == 3 ? 5 : 1) {
        SCOPED_TRACE(fmt::format("mask {:b} of {} samples of a target with {}", mask, 1 << of_mask, 1 << of_target));
        Words w = samples(pixel, of_target, of_mask, mask | 0xff << (1u << of_mask));  // the bits above say nothing
        w.context(SPI_SHADER_Z_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
        w.context(DB_SHADER_CONTROL::address(), DB_SHADER_CONTROL::MASK_EXPORT_ENABLE::of(1));
        w.context(DB_EQAA::address(), DB_EQAA::MASK_EXPORT_NUM_SAMPLES::of(of_mask));
        good(triangle(w));
        unsigned lit = width * height * unsigned(std::popcount(mask)) << (of_target - of_mask);
        std::map<unsigned, unsigned> expected;
        if (lit) expected[255] = lit;
        ASSERT_EQ(reds(), expected);
      }
}

// The thresholds as radeonsi and RADV set them, without dithering and with it.
TEST_P(SampleState, AlphaLetsItsShareThrough) {
  uint64_t pixel = program({"v_mov_b32 v0, s0", "v_mov_b32 v1, 1.0", "exp mrt0 v1, v1, v1, v0 done vm", "s_endpgm"});
  using ToMask = DB_ALPHA_TO_MASK;
  for (bool dithers : {false, true})
    for (unsigned of_target = 1; of_target < 4; of_target++)
      for (unsigned of_alpha = 0; of_alpha <= of_target; of_alpha++)
        for (unsigned sixteenths = 0; sixteenths <= 16; sixteenths++) {
          SCOPED_TRACE(fmt::format("alpha {}/16 of {} samples of a target with {}{}", sixteenths, 1 << of_alpha, 1 << of_target,
                                   dithers ? ", dithered" : ""));
          float alpha = float(sixteenths) / 16;
          Words w = samples(pixel, of_target, of_alpha, std::bit_cast<uint32_t>(alpha));
          const unsigned offsets[2][4] = {{2, 2, 2, 2}, {3, 1, 0, 2}};
          const unsigned* offset = offsets[dithers];
          w.context(ToMask::address(), ToMask::ALPHA_TO_MASK_ENABLE::of(1) | ToMask::ALPHA_TO_MASK_OFFSET0::of(offset[0]) |
                                           ToMask::ALPHA_TO_MASK_OFFSET1::of(offset[1]) |
                                           ToMask::ALPHA_TO_MASK_OFFSET2::of(offset[2]) |
                                           ToMask::ALPHA_TO_MASK_OFFSET3::of(offset[3]) | ToMask::OFFSET_ROUND::of(dithers));
          w.context(DB_EQAA::address(), DB_EQAA::ALPHA_TO_MASK_NUM_SAMPLES::of(of_alpha));
          // Alpha itself is 0 or more, and not asked for.
          w.context(CB_COLOR_INFO::address(0), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8));
          good(triangle(w));
          unsigned lit = 0, of_quad = 0;
          for (unsigned n = 0; n < 4; n++)
            of_quad += unsigned(alpha * float(1u << of_alpha) + (float(offset[n]) + (dithers ? 0.5f : 0)) / 4);
          for (unsigned n = 0; n < side * side * 8; n++) lit += target.host_pointer[n * 4] != 0;
          ASSERT_EQ(lit, width * height / 4 * of_quad << (of_target - of_alpha));
        }
}

// Half of eight samples, which differ from pixel to pixel of a quad as alpha is dithered, or are the first four everywhere: those that
// the mask takes.
TEST_P(SampleState, AlphaTakesSamplesInOrderWhereEqaaIsSwitchedOff) {
  const uint64_t pixel = program({"v_mov_b32 v0, 0.5", "v_mov_b32 v1, 1.0", "exp mrt0 v1, v1, v1, v0 done vm", "s_endpgm"});
  using ToMask = DB_ALPHA_TO_MASK;
  for (uint32_t off : {0u, 1u}) {
    Words w = samples(pixel, 3, 3);
    w.context(ToMask::address(), ToMask::ALPHA_TO_MASK_ENABLE::of(1) | ToMask::ALPHA_TO_MASK_OFFSET0::of(3) |
                                     ToMask::ALPHA_TO_MASK_OFFSET1::of(1) | ToMask::ALPHA_TO_MASK_OFFSET2::of(0) |
                                     ToMask::ALPHA_TO_MASK_OFFSET3::of(2));
    w.context(DB_EQAA::address(), DB_EQAA::ALPHA_TO_MASK_NUM_SAMPLES::of(3) | DB_EQAA::ALPHA_TO_MASK_EQAA_DISABLE::of(off));
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), 0x000f000f).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), 0x000f000f);
    good(triangle(w));
    const std::map<unsigned, unsigned> expected{{255, width * height * (off ? 4 : 2)}};
    EXPECT_EQ(reds(), expected) << off;
  }
}

// --- centroids, and shading of fewer samples than there are

class SamplesInARow : public SampleState {
protected:
  static constexpr unsigned samples_log = 3;
  // Sample n of each pixel at 2n + 1 of its 16 columns.
  static unsigned column(unsigned sample) { return 2 * sample + 1; }
  Words& in_a_row(Words& w) {
    for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                             PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
      for (unsigned word = 0; word < 2; word++) {
        uint32_t places = 0;
        for (unsigned n = 0; n < 4; n++) places |= ((column(word * 4 + n) - 8) & 15) << 8 * n;
        w.context(address + word * 4, places);
      }
    return w;
  }
  // Red is the column in the pixel at which parameter 0 is interpolated, for what lies `offset` columns from the window's middle.
  Words at_centroids(float offset, uint32_t mask, bool before_mask) {
    const uint64_t pixel = program({"s_mov_b32 m0, s1", "v_interp_p1_f32 v2, v0, attr0.x", "v_interp_p2_f32 v2, v1, attr0.x",
                                    "v_mul_f32 v2, 0x42000000, v2", "v_add_f32 v2, s0, v2", "v_fract_f32 v2, v2",
                                    "v_mul_f32 v2, 0x3d808081, v2" /* 16 / 255 */, "v_mov_b32 v3, 1.0",
                                    "exp mrt0 v2, v3, v3, v3 done vm", "s_endpgm"});
    Words w = samples(pixel, samples_log, samples_log, std::bit_cast<uint32_t>(offset));
    in_a_row(w);
    w.context(PA_CL_VPORT_XOFFSET::address(0), std::bit_cast<uint32_t>(float(width) / 2 + offset));
    w.context(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(samples_log) |
                                              PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES::of(samples_log) |
                                              PA_SC_AA_CONFIG::AA_MASK_CENTROID_DTMN::of(before_mask));
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), mask * 0x10001).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), mask * 0x10001);
    constexpr uint32_t inputs = 4;  // PERSP_CENTROID
    return w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, SamplesInARow, testing::Values("interpreter", "jit"));

// Each of the sixteen places in the order names sample 5, the others 0: it comes before 3.
TEST_P(SamplesInARow, CentroidsAreTheFirstInTheirOrder) {
  constexpr uint32_t mask = 1 << 3 | 1 << 5;
  for (unsigned place = 0; place <= 16; place++) {  // 16: none
    Words w = at_centroids(0, mask, false);
    w.context(PA_SC_CENTROID_PRIORITY_0::address(), place < 8 ? 5u << 4 * place : 0);
    w.context(PA_SC_CENTROID_PRIORITY_1::address(), place >= 8 && place < 16 ? 5u << 4 * (place - 8) : 0);
    good(triangle(w));
    const std::map<unsigned, unsigned> expected{{column(place < 16 ? 5 : 3), 2 * width * height}};
    EXPECT_EQ(reds(), expected) << place;
  }
}

// The mask takes samples away before the centroid is found, or after that.
TEST_P(SamplesInARow, CentroidsCountWhatTheMaskTakes) {
  for (bool before_mask : {false, true}) {
    Words w = at_centroids(0, 1 << 6, before_mask);
    good(triangle(w));
    std::map<unsigned, unsigned> expected{{before_mask ? 8 : column(6), width * height}};  // the whole pixel's: its centre
    EXPECT_EQ(reds(), expected);
    // The triangle begins in the middle of a pixel, after sample 3.
    w = at_centroids(8.5f, 1 << 6, before_mask);
    good(triangle(w));
    expected = {{column(6), before_mask ? 0 : (width - 8) * height}};
    if (before_mask) expected = {{8, (width - 9) * height}, {column(4), height}};
    EXPECT_EQ(reds(), expected);
  }
}

// Depth grows along a row and is, in memory, that of each pixel's middle: the samples left of it are nearer. Those that a depth buffer
// of one sample has not got are as deep as that one, which is the leftmost, unless their own depth is asked for.
TEST_P(SamplesInARow, DepthAtSamplesThatTheDepthBufferHasNotGot) {
  const Buffer depth = *space->allocate(width * height * 4, 4096);
  const uint64_t pixel = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  // big_triangle() with a depth of x in window space.
  const uint64_t vertex = program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0",
                                   "v_cndmask_b32 v3, v1, v2, vcc", "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc",
                                   "v_mov_b32 v6, 1.0", "exp pos0 v3, v4, v3, v6 done", "exp param0 v3, v4, v6, v6", "s_endpgm"});
  for (uint32_t own : {0u, 1u}) {
    Words w = samples(pixel, samples_log, samples_log);
    w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(vertex >> 8))
        .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(vertex >> 40));
    in_a_row(w);
    w.context(PA_CL_VPORT_ZSCALE::address(0), std::bit_cast<uint32_t>(0.25f));
    w.context(PA_CL_VPORT_ZOFFSET::address(0), std::bit_cast<uint32_t>(0.5f));
    // A tile of 8x8 pixels is 64 texels, in which the columns' bits are 0, 2 and 4.
    for (unsigned n = 0; n < width * height; n++) {
      const unsigned x = n / 64 % (width / 8) * 8 + ((n & 1) | (n >> 1 & 2) | (n >> 2 & 4));
      reinterpret_cast<float*>(depth.host_pointer)[n] = 0.25f + 0.5f * (float(x) + 0.5f) / float(width);
    }
    bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT, CompareFrag::FRAG_LESS);
    w.context(DB_EQAA::address(), DB_EQAA::INTERPOLATE_SRC_Z::of(own));
    good(triangle(w));
    const std::map<unsigned, unsigned> expected{{255, width * height * (own ? 4 : 8)}};
    EXPECT_EQ(reds(), expected) << own;
  }
}

TEST_P(SamplesInARow, ARunIsForTheSamplesOfOneInSoMany) {
  const uint64_t pixel =
      program({"v_fract_f32 v2, v2", "v_mul_f32 v2, 0x3d808081, v2", "v_cvt_f32_u32 v3, v3",
               "v_mul_f32 v3, 0x3b808081, v3" /* 1 / 255 */, "v_mov_b32 v4, 1.0", "exp mrt0 v2, v3, v4, v4 done vm", "s_endpgm"});
  for (uint32_t runs_log = 0; runs_log <= samples_log; runs_log++) {
    Words w = samples(pixel, samples_log, samples_log);
    in_a_row(w);
    w.context(PA_SC_MODE_CNTL_1::address(), PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(1));
    w.context(DB_EQAA::address(), DB_EQAA::PS_ITER_SAMPLES::of(runs_log));
    w.context(SPI_BARYC_CNTL::address(), SPI_BARYC_CNTL::POS_FLOAT_LOCATION::of(2));  // the sample's
    constexpr uint32_t inputs = 0x4101;                                               // PERSP_SAMPLE, POS_X, SAMPLE_COVERAGE
    w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
    good(triangle(w));
    std::map<std::pair<unsigned, unsigned>, unsigned> expected, found;
    for (unsigned run = 0; run < 1u << runs_log; run++) {
      unsigned of_run = 0;
      for (unsigned n = run; n < 8; n += 1u << runs_log) of_run |= 1u << n;
      expected[{column(run), of_run}] = width * height * (8u >> runs_log);
    }
    for (unsigned n = 0; n < side * side * 8; n++)
      if (const uint8_t* texel = target.host_pointer + n * 4; texel[3]) found[{texel[0], texel[1]}]++;
    EXPECT_EQ(found, expected) << runs_log;
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
