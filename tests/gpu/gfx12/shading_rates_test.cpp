// Rates of shading: what draws, vertices, primitives, surfaces, sample shading and the override ask for, combined one after the other.
// Sizes are worked out here as Vulkan's combiners have them (Vulkan 1.3, 26.8 "Combining the Fragment Shading Rates": keep, replace, min,
// max, multiply), which RADV writes into the registers as they are (Mesa 25.0.7 radv_cmd_buffer.c).
#include "gpu/gfx12/draw/shading_rates.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "gpu/gfx12/draw_registers.h"
#include "registers/gfx12.h"

namespace Atoll::gfx12::test {
namespace {

// Pixels across and down.
struct Size {
  unsigned width = 1, height = 1;
};

Size by_vulkan(unsigned operation, Size a, Size b) {
  auto axis = [&](unsigned x, unsigned y) {
    switch (operation) {
      case 0: return x;
      case 1: return y;
      case 2: return std::min(x, y);
      case 3: return std::max(x, y);
      default: return std::min(x * y, 2u);
    }
  };
  return {axis(a.width, b.width), axis(a.height, b.height)};
}
Size size_of(unsigned rate) { return {rate & 2 ? 2u : 1u, rate & 1 ? 2u : 1u}; }
// VRSrate: logarithms, of the width from bit 2 on.
uint32_t code_of(Size s) { return (s.width / 2) << 2 | s.height / 2; }

struct ShadingRates : DrawRegistersTest {
  static constexpr uint32_t payload = 0x28aa0, draw_rate = 0x3098c, combiners = 0x28848, out = 0x28818, last = 0x283d0,
                            samples = 0x28a4c, index_format = 0x28648;
  pipeline::Rasterization find() {
    pipeline::Rasterization raster;
    EXPECT_TRUE(find_shading_rates(context, raster));
    return raster;
  }
};

TEST_F(ShadingRates, Registers) {
  EXPECT_EQ(VGT_DRAW_PAYLOAD_CNTL::address(), payload);
  EXPECT_EQ(GE_VRS_RATE::address(), draw_rate);
  EXPECT_EQ(PA_CL_VRS_CNTL::address(), combiners);
  EXPECT_EQ(PA_CL_VS_OUT_CNTL::address(), out);
  EXPECT_EQ(PA_SC_VRS_OVERRIDE_CNTL::address(), last);
  EXPECT_EQ(PA_SC_MODE_CNTL_1::address(), samples);
  EXPECT_EQ(SPI_SHADER_IDX_FORMAT::address(), index_format);
}

TEST_F(ShadingRates, AreCombinedInOrder) {
  using Out = PA_CL_VS_OUT_CNTL;
  std::mt19937 random(3);
  unsigned coarse = 0, single = 0;
  set(SPI_SHADER_IDX_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_2COMP);
  for (unsigned round = 0; round < 4000; round++) {
    unsigned mode[5];
    for (unsigned& m : mode) m = random() % 5;
    const Size of_draw = size_of(random() % 4), of_last = size_of(random() % 4);
    const bool draws = random() % 4, skips_vertices = random() % 4 == 0, skips_primitives = random() % 4 == 0,
               by_sample = random() % 4 == 0;
    set({{payload, uint32_t(draws) << 6},
         {draw_rate, (of_draw.width - 1) | (of_draw.height - 1) << 4},
         {combiners, mode[0] | mode[1] << 3 | mode[2] << 6 | mode[3] << 9},
         {out, Out::USE_VTX_VRS_RATE::of(1) | Out::BYPASS_VTX_RATE_COMBINER::of(skips_vertices) |
                   Out::BYPASS_PRIM_RATE_COMBINER::of(skips_primitives)},
         {last, mode[4] | code_of(of_last) << 4},
         {samples, PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(by_sample)}});
    const pipeline::Rasterization raster = find();
    bool any = false;
    for (unsigned rate = 0; rate < 16; rate++) {
      Size s = draws ? of_draw : Size{};
      if (!skips_vertices) s = by_vulkan(mode[0], s, size_of(rate & 3));
      if (!skips_primitives) s = by_vulkan(mode[1], s, size_of(rate >> 2));
      if (by_sample) s = by_vulkan(mode[3], s, {});
      s = by_vulkan(mode[4], s, of_last);
      any |= s.width * s.height > 1;
      if (raster.has_coarse_pixels)
        ASSERT_EQ(raster.coarse[rate], (pipeline::CoarsePixel{uint8_t(s.width), uint8_t(s.height)}))
            << "round " << round << " rate " << rate;
    }
    ASSERT_EQ(raster.has_coarse_pixels, any) << round;
    (any ? coarse : single)++;
  }
  EXPECT_GT(coarse, 1000u);
  EXPECT_GT(single, 100u);
  EXPECT_EQ(unknown(), "");
}

// A rate that nobody gives is a single pixel: no draw is a coarse one because of it.
TEST_F(ShadingRates, WhatNobodySays) {
  using Out = PA_CL_VS_OUT_CNTL;
  set(combiners, 1 | 1 << 3);  // the primitive's, of the vertex's
  EXPECT_FALSE(find().has_coarse_pixels);
  set(combiners, 1);
  set(out, Out::USE_VTX_VRS_RATE::of(1));
  EXPECT_TRUE(find().has_coarse_pixels);
  set(out, Out::USE_VTX_VRS_RATE::of(1) | Out::BYPASS_VTX_RATE_COMBINER::of(1));
  EXPECT_FALSE(find().has_coarse_pixels);
  set(out, 0);
  set(combiners, 1 << 3);
  EXPECT_FALSE(find().has_coarse_pixels);
  set(index_format, SPI_SHADER_FORMAT::SPI_SHADER_2COMP);
  EXPECT_TRUE(find().has_coarse_pixels);
  EXPECT_EQ(unknown(), "");
}

// A rate per vertex or primitive: VRSrate with what it has beyond 2x2, and what stands for several runs a pixel.
TEST_F(ShadingRates, Codes) {
  constexpr unsigned sizes[16][2] = {{1, 1}, {1, 2}, {1, 2}, {1, 1}, {2, 1}, {2, 2}, {2, 2}, {1, 1},
                                     {2, 1}, {2, 2}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  for (uint32_t n = 0; n < 16; n++) {
    const Size s = size_of(rate_of(n));
    EXPECT_TRUE(s.width == sizes[n][0] && s.height == sizes[n][1]) << n;
  }
}

TEST_F(ShadingRates, WhatIsNotModelledIsSaid) {
  set(payload, 1 << 6), set(draw_rate, 3 | 2 << 4);
  EXPECT_FALSE(find().has_coarse_pixels);
  EXPECT_EQ(unknown(), "GE_VRS_RATE.RATE_X 3\nGE_VRS_RATE.RATE_Y 2\n");
}

TEST_F(ShadingRates, ModesWithoutANameAreSaid) {
  set(combiners, 5 | 6 << 3 | 7 << 6 | 5 << 9), set(last, 6);
  find();
  EXPECT_EQ(unknown(),
            "PA_CL_VRS_CNTL.VERTEX_RATE_COMBINER_MODE 5\nPA_CL_VRS_CNTL.PRIMITIVE_RATE_COMBINER_MODE 6\n"
            "PA_CL_VRS_CNTL.HTILE_RATE_COMBINER_MODE 7\nPA_CL_VRS_CNTL.SAMPLE_ITER_COMBINER_MODE 5\n"
            "PA_SC_VRS_OVERRIDE_CNTL.VRS_OVERRIDE_RATE_COMBINER_MODE 6\n");
}

TEST_F(ShadingRates, BySampleTheyAreSingle) {
  pipeline::Rasterization raster;
  raster.sample_shading = true, raster.samples = 4;
  set(last, 1 | 5 << 4);
  EXPECT_TRUE(find_shading_rates(context, raster));
  EXPECT_FALSE(raster.has_coarse_pixels);
  EXPECT_EQ(unknown(), "PA_CL_VRS_CNTL.SAMPLE_ITER_COMBINER_MODE: coarse pixels that are shaded by sample\n");
}

// A byte for each 8x8 pixels, linear or in blocks of 256 bytes (16x16 of them, whose places are those of images of a byte).
TEST_F(ShadingRates, OfSurfaces) {
  constexpr uint64_t at = 0x20'0000'0000;
  constexpr unsigned across = 21, down = 13;
  ASSERT_TRUE(space->map(at, *space->memory().allocate(0x10000), 0x10000));
  std::mt19937 random(5);
  uint8_t* bytes = space->host(at);
  for (unsigned n = 0; n < 0x10000; n++) bytes[n] = uint8_t(random());
  set({{0x283f0, uint32_t(at >> 8)}, {0x283f4, uint32_t(at >> 40)}, {0x283f8, (across - 1) | (down - 1) << 16}});
  set(last, 1 << 12), set(combiners, 1 << 6);
  const pipeline::Rasterization raster = find();
  ASSERT_TRUE(raster.has_coarse_pixels && raster.coarse_places);
  EXPECT_TRUE(has_rate_surface(context.registers));
  for (unsigned place = 0; place < 4; place++)
    for (unsigned rate = 0; rate < 16; rate++) {
      const Size s = size_of(place);
      EXPECT_EQ(raster.coarse[place * 16 + rate], (pipeline::CoarsePixel{uint8_t(s.width), uint8_t(s.height)}));
    }
  // Rows of linear images take multiples of 128 bytes (RDNA4 ISA 10.5, "pitch"; Mesa's addrlib).
  for (unsigned y = 0; y < down; y++)
    for (unsigned x = 0; x < across; x++) ASSERT_EQ(raster.coarse_places->at(x, y), rate_of(bytes[y * 128 + x] & 15)) << x << y;
  EXPECT_EQ(raster.coarse_places->at(across, 0), 0u);
  set(0x283e0, 1);  // PA_SC_VRS_INFO.RATE_SW_MODE: 256B_2D
  const pipeline::Rasterization tiled = find();
  ASSERT_TRUE(tiled.coarse_places);
  // Within a block bits x0 x1 y0 x2 y1 y2 x3 y3 of a byte's place (addrlib's GFX12_SW_256B_2D pattern for 8 bits).
  auto place_of = [&](unsigned x, unsigned y) {
    const unsigned block = y / 16 * ((across + 15) / 16) + x / 16;
    return block * 256 + ((x & 3) | (y & 1) << 2 | (x >> 2 & 1) << 3 | (y >> 1 & 3) << 4 | (x >> 3 & 1) << 6 | (y >> 3 & 1) << 7);
  };
  for (unsigned y = 0; y < down; y++)
    for (unsigned x = 0; x < across; x++)
      ASSERT_EQ(tiled.coarse_places->at(x, y), rate_of(bytes[place_of(x, y)] & 15)) << x << " " << y;
  EXPECT_EQ(unknown(), "");
}

}  // namespace
}  // namespace Atoll::gfx12::test
