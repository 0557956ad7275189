// Samples that the registers place otherwise in each pixel of a quad (PA_SC_AA_SAMPLE_LOCS_PIXEL_*), and masks that differ between them
// (PA_SC_AA_MASK_*).
#include <map>

#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

class PixelSamples : public Draws {
protected:
  static constexpr unsigned side = 64, samples_log = 2, samples = 1 << samples_log;
  Buffer target = *space->allocate(side * side * 4 * samples, 4096);

  // A triangle over 64 x 32 pixels of four samples, whose program runs once a sample and writes where in its pixel that lies.
  Words by_sample() {
    std::memset(target.host_pointer, 0, side * side * 4 * samples);
    const uint64_t pixel =
        program({"v_fract_f32 v2, v2", "v_fract_f32 v3, v3", "v_mul_f32 v2, 0x3d808081, v2" /* 16 / 255 */,
                 "v_mul_f32 v3, 0x3d808081, v3", "v_mov_b32 v4, 1.0", "exp mrt0 v2, v3, v4, v4 done vm", "s_endpgm"});
    Words w = state(big_triangle(), pixel);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(CB_COLOR_BASE::address(0), uint32_t(target.gpu_address >> 8));
    w.context(CB_COLOR_PITCH::address(0), side / 8 - 1).context(CB_COLOR_SLICE::address(0), side * side / 64 - 1);
    w.context(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(14) |
                                               CB_COLOR_ATTRIB::NUM_SAMPLES::of(samples_log) |
                                               CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(samples_log));
    w.context(PA_SC_AA_CONFIG::address(),
              PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(samples_log) | PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES::of(samples_log));
    w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
    w.context(PA_SC_MODE_CNTL_1::address(), PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(1));
    w.context(DB_EQAA::address(), DB_EQAA::PS_ITER_SAMPLES::of(samples_log));
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
    w.context(SPI_BARYC_CNTL::address(), SPI_BARYC_CNTL::POS_FLOAT_LOCATION::of(at_sample));
    constexpr uint32_t inputs = 0x301;  // PERSP_SAMPLE, POS_X, POS_Y
    w.context(SPI_PS_INPUT_ENA::address(), inputs).context(SPI_PS_INPUT_ADDR::address(), inputs);
    return w;
  }
  // How many samples of the target have each red and green, which are parts of 16 of a pixel.
  std::map<std::pair<unsigned, unsigned>, unsigned> places() const {
    std::map<std::pair<unsigned, unsigned>, unsigned> count;
    for (unsigned n = 0; n < side * side * samples; n++)
      if (const uint8_t* texel = target.host_pointer + n * 4; texel[3]) count[{texel[0], texel[1]}]++;
    return count;
  }
  static constexpr unsigned in_quads = width * height / 4;  // pixels of each kind
  static constexpr uint32_t at_centre = 0, at_centroid = 1, at_sample = 2;
};
INSTANTIATE_TEST_SUITE_P(Engines, PixelSamples, testing::Values("interpreter", "jit"));

// Sample n of pixel k lies at column 4k + n, and row 15 less that, counted from the pixel's left and upper edge.
TEST_P(PixelSamples, EachPixelOfAQuadHasItsOwnPlaces) {
  Words w = by_sample();
  std::map<std::pair<unsigned, unsigned>, unsigned> expected;
  for (unsigned k = 0; k < 4; k++) {
    uint32_t word = 0;
    for (unsigned n = 0; n < samples; n++) {
      const unsigned column = 4 * k + n, row = 15 - column;
      word |= ((column ^ 8) | (row ^ 8) << 4) << 8 * n;  // from the centre, signed
      expected[{column, row}] = in_quads;
    }
    constexpr uint32_t registers[] = {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                                      PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()};
    w.context(registers[k], word);
  }
  good(triangle(w));
  EXPECT_EQ(places(), expected);
}

// The position that programs get: the pixel's centre, the first of its samples that are covered if not all are, or the sample's own.
TEST_P(PixelSamples, PositionsAreWhereTheyAreWanted) {
  constexpr uint32_t place = 0x3 | 0x5 << 4;  // column 11, row 13
  auto drawn = [&](uint32_t location, bool by_samples, uint32_t mask) {
    Words w = by_sample();
    for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                             PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
      w.context(address, place << 16 | 0x88);  // the third sample
    w.context(SPI_BARYC_CNTL::address(), SPI_BARYC_CNTL::POS_FLOAT_LOCATION::of(location));
    if (!by_samples) w.context(PA_SC_MODE_CNTL_1::address(), 0).context(DB_EQAA::address(), 0);
    w.context(PA_SC_AA_MASK_X0Y0_X1Y0::address(), mask * 0x10001).context(PA_SC_AA_MASK_X0Y1_X1Y1::address(), mask * 0x10001);
    good(triangle(w));
    return places();
  };
  using Places = std::map<std::pair<unsigned, unsigned>, unsigned>;
  constexpr unsigned pixels = width * height;
  EXPECT_EQ(drawn(at_centre, false, 4), (Places{{{8, 8}, pixels}}));
  EXPECT_EQ(drawn(at_centre, true, 4), (Places{{{8, 8}, pixels}}));
  EXPECT_EQ(drawn(at_centroid, false, 4), (Places{{{11, 13}, pixels}}));
  EXPECT_EQ(drawn(at_centroid, false, 0xf), (Places{{{8, 8}, 4 * pixels}}));
  EXPECT_EQ(drawn(at_sample, false, 4), (Places{{{8, 8}, pixels}}));
  EXPECT_EQ(drawn(at_sample, true, 4), (Places{{{11, 13}, pixels}}));
}

TEST_P(PixelSamples, EachPixelOfAQuadHasItsOwnMask) {
  Words w = by_sample();
  using Even = PA_SC_AA_MASK_X0Y0_X1Y0;
  using Odd = PA_SC_AA_MASK_X0Y1_X1Y1;
  // Sample n of every pixel in column n.
  const uint32_t word = 8 | 9u << 8 | 10u << 16 | 11u << 24;
  for (uint32_t address : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                           PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
    w.context(address, word);
  w.context(Even::address(), Even::AA_MASK_X0Y0::of(1) | Even::AA_MASK_X1Y0::of(6));
  w.context(Odd::address(), Odd::AA_MASK_X0Y1::of(0) | Odd::AA_MASK_X1Y1::of(12));
  good(triangle(w));
  const std::map<std::pair<unsigned, unsigned>, unsigned> expected = {
      {{0, 8}, in_quads}, {{1, 8}, in_quads}, {{2, 8}, 2 * in_quads}, {{3, 8}, in_quads}};
  EXPECT_EQ(places(), expected);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
