// Which samples of a pixel a draw reaches: what a wave is told of them, masks that it exports, masks made of alpha; where targets
// have more samples than these count, too.
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

}  // namespace
}  // namespace Atoll::sea_islands::test
