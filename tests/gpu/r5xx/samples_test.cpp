// Several samples a pixel in the forms that Mesa's r300g writes (22.3.6: r300_emit.c, r300_emit_fb_state_pipelined,
// r300_emit_aa_state, r300_emit_dsa_state): its positions, coverage from alpha, masks, centroids, depth of each sample, resolves
// of each format.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx {
namespace {

using test::Scene;
using Format = RB3D_COLORPITCH::COLORFORMAT;
using Out = US_OUT_FMT::OUT_FMT;

struct Arrangement {
  uint32_t config;
  unsigned samples;
  std::array<std::pair<unsigned, unsigned>, 6> place;  // in twelfths
};
const Arrangement arrangements[] = {{0, 2, {{{3, 9}, {9, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 3}}}},
                                    {2, 4, {{{4, 4}, {8, 8}, {2, 10}, {10, 2}, {10, 2}, {10, 2}}}},
                                    {3, 6, {{{3, 1}, {7, 3}, {11, 5}, {1, 7}, {5, 9}, {9, 10}}}}};

// r300_get_mspos: two words of x and y of three samples, with the least distances from the pixel's borders above.
void set_samples(Scene& scene, const Arrangement& a) {
  unsigned x = 11, y = 11, least = 11;
  for (auto& p : a.place) x = std::min(x, p.first), y = std::min(y, p.second), least = std::min({least, p.first, p.second});
  if (x == 8) x = 7;
  auto three = [&](unsigned n) {
    uint32_t word = 0;
    for (unsigned k = 0; k < 3; k++) word |= a.place[n + k].first << k * 8 | a.place[n + k].second << (k * 8 + 4);
    return word;
  };
  scene.stream.set(GB_AA_CONFIG::address(), GB_AA_CONFIG::AA_ENABLE::of(1) | GB_AA_CONFIG::NUM_AA_SUBSAMPLES::of(a.config));
  scene.stream.set(GB_MSPOS0::address(), {three(0) | y << 24 | x << 28, three(3) | least << 24});
}

uint32_t sample_at(const Scene& scene, const Arrangement& a, unsigned x, unsigned y, unsigned s) {
  uint32_t value;
  std::memcpy(&value, scene.target.host_pointer + ((size_t(y) * Scene::width + x) * a.samples + s) * 4, 4);
  return value;
}

// Borders in every twelfth of a pixel, in x and in y: a sample is covered if it lies left of it (or above).
TEST(SampleForms, PositionsAsMesaSetsThem) {
  for (auto& a : arrangements)
    for (unsigned border = 0; border <= 12; border++)
      for (bool upright : {true, false}) {
        Scene scene;
        set_samples(scene, a);
        float at = 16 + float(border) / 12;
        scene.rectangle(0, 0, upright ? at : 64, upright ? 32 : at, {1, 1, 1, 1}).run();
        for (unsigned s = 0; s < a.samples; s++) {
          unsigned place = upright ? a.place[s].first : a.place[s].second;
          bool covered = place < border;
          EXPECT_EQ(sample_at(scene, a, 16, 16, s) != 0, covered)
              << a.samples << " samples, border " << border << " sample " << s;
        }
      }
}

// As many samples as alpha says; Mesa asks for the finer of two steps (AM_CFG).
TEST(SampleForms, CoverageFromAlpha) {
  for (auto& a : arrangements)
    for (unsigned step = 0; step <= 12; step++) {
      Scene scene;
      set_samples(scene, a);
      scene.stream.set(FG_ALPHA_FUNC::address(), FG_ALPHA_FUNC::AM_EN::of(1) | FG_ALPHA_FUNC::AM_CFG::of(1));
      const float alpha = float(step) / 12;
      scene.whole({1, 1, 1, alpha}).run();
      unsigned covered = 0;
      for (unsigned y = 8; y < 16; y++)
        for (unsigned x = 8; x < 16; x++)
          for (unsigned s = 0; s < a.samples; s++) covered += sample_at(scene, a, x, y, s) != 0;
      EXPECT_NEAR(double(covered) / 64, alpha * float(a.samples), 0.51) << a.samples << " samples, alpha " << alpha;
      if (step == 0) EXPECT_EQ(covered, 0u);
      if (step == 12) EXPECT_EQ(covered, 64 * a.samples);
    }
  // Without several samples it does nothing.
  Scene scene;
  scene.stream.set(FG_ALPHA_FUNC::address(), FG_ALPHA_FUNC::AM_EN::of(1) | FG_ALPHA_FUNC::AM_CFG::of(1));
  scene.whole({1, 1, 1, 0}).run();
  EXPECT_EQ(scene.count(0x00ffffff), Scene::width * Scene::height);
}

// RS_INST.TEX_ADJ: where a primitive covers a part of a pixel, its attributes stay within what its corners have.
TEST(SampleForms, CentroidsStayInside) {
  for (auto& a : arrangements)
    for (bool centroid : {true, false}) {
      Scene scene;
      set_samples(scene, a);
      scene.colour_format(Format::ARGB16161616, Out::C2_32_FP | 1u << 8);  // red and alpha
      scene.stream.set(RS_INST::address(0), RS_INST::TEX_CN::of(1) | RS_INST::TEX_ADJ::of(centroid));
      // x from 0 at 10.7 to 1 at 20.7: the pixel's middle at 10.5 is outside.
      scene
          .draw(VAP_VF_CNTL::PRIM_TYPE::Quad_List, {{10.6f, 0, 0, 1, {0, 0, 0, 1}},
                                                    {20.6f, 0, 0, 1, {1, 0, 0, 1}},
                                                    {20.6f, 32, 0, 1, {1, 0, 0, 1}},
                                                    {10.6f, 32, 0, 1, {0, 0, 0, 1}}})
          .run();
      unsigned found = 0;
      for (unsigned s = 0; s < a.samples; s++) {
        float value[2];
        std::memcpy(value, scene.target.host_pointer + ((size_t(9) * Scene::width + 10) * a.samples + s) * 8, 8);
        if (value[1] == 0) continue;
        found++;
        EXPECT_EQ(value[0] > -1e-6f, centroid) << a.samples << ": " << value[0];
      }
      EXPECT_GT(found, 0u) << a.samples;
    }
}

// Depth is each sample's own: two planes that cross leave an edge inside of pixels.
TEST(SampleForms, DepthOfEachSample) {
  for (auto& a : arrangements) {
    Scene scene;
    set_samples(scene, a);
    scene.depth_buffer(2).fill_depth<uint32_t>(~0u);
    std::memset(scene.depth.host_pointer, 0xff, Scene::width * Scene::height * 4 * a.samples);
    scene.stream.set(ZB_CNTL::address(), {ZB_CNTL::Z_ENABLE::of(1) | ZB_CNTL::ZWRITEENABLE::of(1), 1});
    scene.whole({1, 0, 0, 1}, 0.5f);
    // Depth rises with x and is 0.5 at the middle of pixel 16.
    const float z0 = 0.5f - 16.5f / 64;
    scene
        .draw(VAP_VF_CNTL::PRIM_TYPE::Quad_List, {{0, 0, z0, 1, {0, 1, 0, 1}},
                                                  {64, 0, z0 + 1, 1, {0, 1, 0, 1}},
                                                  {64, 32, z0 + 1, 1, {0, 1, 0, 1}},
                                                  {0, 32, z0, 1, {0, 1, 0, 1}}})
        .run();
    for (unsigned s = 0; s < a.samples; s++) {
      if (a.place[s].first == 6) continue;
      EXPECT_EQ(sample_at(scene, a, 16, 9, s), a.place[s].first < 6 ? 0xff00ff00u : 0xff0000ffu) << a.samples << " sample " << s;
    }
  }
}

// Resolves of the formats that Mesa resolves; alpha as the mean as well.
TEST(SampleForms, ResolvesOfFormats) {
  struct Row {
    const char* name;
    uint32_t colour, out;
    unsigned bytes;
    uint32_t black, white, mean[2];  // of half of the samples
    bool gamma = false;
  };
  const Row rows[] = {
      {"BGRA8", Format::ARGB8888, Out::C4_8 | 3u << 8 | 2u << 10 | 1u << 12, 4, 0, 0xffffffff, {0x7f7f7f7f, 0x80808080}},
      {"B5G6R5", Format::RGB565, Out::C4_8 | 3u << 8 | 2u << 10 | 1u << 12, 2, 0, 0xffff, {0x7bef, 0x8410}},
      // 0.5 ^ (1 / 2.2) = 0.7297 in the colours; alpha is never taken as light.
      {"BGRA8 in linear light",
       Format::ARGB8888,
       Out::C4_8 | 3u << 8 | 2u << 10 | 1u << 12,
       4,
       0,
       0xffffffff,
       {0x7fbababa, 0x80bababa},
       true},
      {"R16G16F", Format::ARGB8888, Out::C2_16_FP | 1u << 8 | 2u << 10 | 3u << 12, 4, 0, 0x3c003c00, {0x38003800, 0x38003800}},
  };
  for (auto& row : rows)
    for (auto& a : arrangements) {
      Scene scene;
      Buffer resolved = scene.machine.allocate(Scene::width * Scene::height * 16);
      set_samples(scene, a);
      scene.colour_format(row.colour, row.out);
      // Half of the samples of pixel column 16: through the mask.
      uint32_t half = a.samples == 2 ? 1 : a.samples == 4 ? 5 : 0x15;
      scene.stream.set(SC_SCREENDOOR::address(), half * 0x41041);
      scene.rectangle(16, 0, 32, 32, {1, 1, 1, 1});
      scene.stream.set(SC_SCREENDOOR::address(), 0xffffff);
      scene.rectangle(32, 0, 64, 32, {1, 1, 1, 1});
      scene.stream.set(RB3D_AARESOLVE_OFFSET::address(),
                       {uint32_t(resolved.gpu_address), Scene::width,
                        RB3D_AARESOLVE_CTL::AARESOLVE_MODE::of(1) | RB3D_AARESOLVE_CTL::AARESOLVE_ALPHA::of(1) |
                            RB3D_AARESOLVE_CTL::AARESOLVE_GAMMA::of(row.gamma)});
      scene.whole({0, 0, 0, 0}).run();
      auto at = [&](unsigned x) {
        uint32_t value = 0;
        std::memcpy(&value, resolved.host_pointer + (9 * Scene::width + x) * row.bytes, row.bytes);
        return value;
      };
      EXPECT_EQ(at(4), row.black) << row.name << a.samples;
      EXPECT_EQ(at(40), row.white) << row.name << a.samples;
      EXPECT_TRUE(at(20) == row.mean[0] || at(20) == row.mean[1]) << row.name << a.samples << std::hex << " " << at(20);
    }
}

// Least distances of samples from the pixel's borders beyond what they are: what a primitive has of a quad, or of a block of 8x8
// pixels, within so many subpixels of their borders is not looked for.
TEST(SampleMargins, LeaveOutBordersOfQuadsAndBlocks) {
  struct Case {
    uint32_t x, y, quad;
    bool upright;
    float at;    // the rectangle begins here
    bool finds;  // the pixel that this border goes through
  };
  // (The one sample lies in the middle: 6 of 12.)
  for (const Case& c :
       {Case{6, 6, 6, true, 15.4f, true}, Case{6, 6, 11, true, 15.4f, false}, Case{6, 6, 11, true, 14.4f, true},
        Case{6, 6, 11, false, 15.4f, false}, Case{11, 6, 6, true, 15.4f, false}, Case{11, 6, 6, true, 13.4f, true},
        Case{6, 11, 6, true, 15.4f, true}, Case{6, 11, 6, false, 15.4f, false}}) {
    Scene scene;
    scene.stream.set(GB_MSPOS0::address(), {0x666666 | c.y << 24 | c.x << 28, 0x666666 | c.quad << 24});
    if (c.upright)
      scene.rectangle(c.at, 0, 40, 32, {1, 1, 1, 1}).run();
    else
      scene.rectangle(0, c.at, 64, 30, {1, 1, 1, 1}).run();
    const unsigned pixel = unsigned(c.at);
    EXPECT_EQ((c.upright ? scene.at(pixel, 4) : scene.at(4, pixel)) != 0, c.finds)
        << c.x << " " << c.y << " " << c.quad << " at " << c.at;
    EXPECT_NE(c.upright ? scene.at(pixel + 1, 4) : scene.at(4, pixel + 1), 0u);
  }
}

}  // namespace
}  // namespace Atoll::r5xx
