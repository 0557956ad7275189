// Sampling: values known by hand for levels of detail, cubes, anisotropy, comparisons, formats; and what no coordinate may do.
#include <cmath>
#include <limits>
#include <random>

#include "surface/log2.h"
#include "test_texture.h"

namespace Atoll::surface {

namespace {

using Results = std::array<Lanes, 4>;

// A texture whose red is the level's number.
TestTexture level_numbers(unsigned width, unsigned height, unsigned levels, unsigned first_level = 0) {
  TextureDescription d = {.format = rgba32f, .width = width, .height = height};
  d.first_level = first_level;
  return make_texture(d, levels, [](unsigned level, unsigned x, unsigned, unsigned) {
    return std::array<float, 4>{float(level), float(x), 0, 1};
  });
}

// A quad whose right neighbour is `dx` texels away in s, its lower one `dy` in t.
struct Quad {
  FloatLanes s, t;
  SampleLanes call;
  Quad(unsigned width, unsigned height, float dx, float dy, float s0 = 0.5f, float t0 = 0.5f)
      : s{s0, s0 + dx / float(width), s0, s0 + dx / float(width)}, t{t0, t0, t0 + dy / float(height), t0 + dy / float(height)} {
    call = {.lanes = 4, .active = 15, .s = s, .t = t};
  }
};

float level_taken(const TestTexture& t, const Sampler& s, const SampleLanes& call, unsigned lane = 0) {
  Results result{};
  sample(*t.texture, s, call, result);
  return colour_at(result, lane)[0];
}

TEST(LevelOfDetail, FromDifferencesOfTheQuad) {
  TestTexture t = level_numbers(64, 32, 7);
  Sampler s;
  s.mip_filter = MipFilter::linear;
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 1, 1).call), 0);
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 2, 1).call), 1);
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 1, 4).call), 2);
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, -4, 0.5f).call), 2);
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 0.1f, 0.1f).call), 0);
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 1e6f, 0).call), 6);
  EXPECT_NEAR(level_taken(t, s, Quad(64, 32, 3, 1).call), std::log2(3.0), 1.0 / 256);
  s.mip_filter = MipFilter::nearest;
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 2.8f, 1).call), 1);
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 2.9f, 1).call), 2);
  s.mip_filter = MipFilter::none;
  EXPECT_EQ(level_taken(t, s, Quad(64, 32, 8, 1).call), 0);
}

TEST(LevelOfDetail, LanesThatAreMissingGiveNoDifferences) {
  TestTexture t = level_numbers(64, 64, 7);
  Sampler s;
  s.mip_filter = MipFilter::linear;
  Quad q(64, 64, 4, 2);
  q.call.active = 0xd;  // lane 1 is missing: the lower row has the difference
  EXPECT_EQ(level_taken(t, s, q.call), 2);
  q.call.active = 0x5;  // only the left column
  EXPECT_EQ(level_taken(t, s, q.call), 1);
  q.call.active = 0x8;
  EXPECT_EQ(level_taken(t, s, q.call, 3), 0);
  q.call.helpers = 0x7;
  EXPECT_EQ(level_taken(t, s, q.call, 3), 2);
}

TEST(LevelOfDetail, BiasesAndClamps) {
  TestTexture t = level_numbers(64, 64, 7);
  Sampler s;
  s.mip_filter = MipFilter::linear;
  s.lod_bias = 1;
  EXPECT_EQ(level_taken(t, s, Quad(64, 64, 2, 1).call), 2);
  Quad q(64, 64, 2, 1);
  FloatLanes bias{1.5f, 1.5f, 1.5f, 1.5f}, least{4, 4, 4, 4};
  q.call.lod_mode = LodMode::bias;
  q.call.lod = bias;
  EXPECT_EQ(level_taken(t, s, q.call), 3.5f);
  q.call.lod_clamp = least;
  EXPECT_EQ(level_taken(t, s, q.call), 4);
  s.lod_max = 2.5f;
  EXPECT_EQ(level_taken(t, s, q.call), 2.5f);
  q.call = {.lanes = 4, .active = 15, .s = q.s, .t = q.t, .lod_mode = LodMode::level, .lod = bias};
  s = {};
  s.mip_filter = MipFilter::linear;
  EXPECT_EQ(level_taken(t, s, q.call), 1.5f);
  s.lod_min = 3;
  EXPECT_EQ(level_taken(t, s, q.call), 3);
  q.call.lod_mode = LodMode::zero;
  s.lod_min = -1000;
  EXPECT_EQ(level_taken(t, s, q.call), 0);
  FloatLanes dx{8.0f / 64}, dy{};
  q.call.lod_mode = LodMode::derivatives;
  q.call.dx = {dx, dy, nullptr};
  q.call.dy = {dy, dy, nullptr};
  EXPECT_EQ(level_taken(t, s, q.call), 3);
}

// If the half by which the nearest level is found is added before the clamps, it takes no level beyond them.
TEST(LevelOfDetail, HalfALevelBeforeTheClamps) {
  TestTexture t = level_numbers(64, 64, 7);
  Quad q(64, 64, 1, 1);
  q.call.lod_mode = LodMode::level;
  auto taken = [&](bool before, float level, float least, float most) {
    Sampler s;
    s.mip_filter = MipFilter::nearest;
    s.half_before_clamps = before, s.lod_min = least, s.lod_max = most;
    FloatLanes levels{level, level, level, level};
    q.call.lod = levels;
    return level_taken(t, s, q.call);
  };
  for (bool before : {false, true}) {
    EXPECT_EQ(taken(before, 1.25f, -1000, 1000), 1);
    EXPECT_EQ(taken(before, 1.75f, -1000, 1000), 2);
    EXPECT_EQ(taken(before, -3, -1000, 1000), 0);
    EXPECT_EQ(taken(before, 9, -1000, 1000), 6);
    EXPECT_EQ(taken(before, 9, -1000, 2), 2);
    EXPECT_EQ(taken(before, 0, 3, 1000), 3);
  }
  EXPECT_EQ(taken(false, 9, -1000, 2.75f), 3);
  EXPECT_EQ(taken(true, 9, -1000, 2.75f), 2);
  EXPECT_EQ(taken(false, 0, 3.75f, 1000), 4);
  EXPECT_EQ(taken(true, 0, 3.75f, 1000), 3);
  // Between two levels: GL's nearest takes the finer one, a whole part the coarser one.
  EXPECT_EQ(taken(false, 1.5f, -1000, 1000), 1);
  EXPECT_EQ(taken(true, 1.5f, -1000, 1000), 2);
}

TEST(LevelOfDetail, CountsFromTheFirstLevel) {
  TestTexture t = level_numbers(64, 64, 7, 2);
  Sampler s;
  s.mip_filter = MipFilter::nearest;
  EXPECT_EQ(level_taken(t, s, Quad(16, 16, 1, 1).call), 2);  // a texel of level 2
  EXPECT_EQ(level_taken(t, s, Quad(16, 16, 4, 1).call), 4);
  EXPECT_EQ(level_taken(t, s, Quad(16, 16, 1e5f, 1).call), 6);
}

TEST(LevelOfDetail, Queried) {
  TestTexture t = level_numbers(64, 64, 4);
  Sampler s;
  s.mip_filter = MipFilter::linear;
  s.lod_bias = 0.5f;
  Results result{};
  query_lod(*t.texture, s, Quad(64, 64, 2, 1).call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 1.5f);
  EXPECT_EQ(colour_at(result, 0)[1], 1.5f);
  query_lod(*t.texture, s, Quad(64, 64, 64, 1).call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 3);
  EXPECT_EQ(colour_at(result, 0)[1], 6.5f);
  s.mip_filter = MipFilter::nearest;
  query_lod(*t.texture, s, Quad(64, 64, 3.9f, 1).call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 2);
}

TEST(LevelOfDetail, Log2) {
  for (double v : {1e-300, 0.1, 0.70710678, 0.70710679, 1.0, 1.5, 2.0, 3.0, 1e10, 1e300})
    EXPECT_NEAR(log2_of(v), std::log2(v), 1e-8);
}

TEST(Filter, MagnificationAndMinificationTakeTheirOwn) {
  TestTexture t = level_numbers(4, 4, 1);
  Sampler s;
  s.mag_filter = Filter::nearest;
  s.min_filter = Filter::linear;
  Results result{};
  sample(*t.texture, s, Quad(4, 4, 0.5f, 0.5f).call, result);
  EXPECT_EQ(colour_at(result, 0)[1], 2);  // s = 1/2 is the edge of texels 1 and 2
  sample(*t.texture, s, Quad(4, 4, 1.5f, 0.5f).call, result);
  EXPECT_EQ(colour_at(result, 0)[1], 1.5f);
}

TEST(Filter, WeightsAreMultiplesOf1In256) {
  TestTexture t = level_numbers(4, 1, 1);
  Sampler s;
  FloatLanes at{(1.5f + 0.4f / 256) / 4, (1.5f + 0.6f / 256) / 4, (1.5f + 100.0f / 256) / 4};
  SampleLanes call = {.lanes = 3, .active = 7, .s = at, .lod_mode = LodMode::zero};
  Results result{};
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[1], 1);
  EXPECT_EQ(colour_at(result, 1)[1], 1 + 1.0f / 256);
  EXPECT_EQ(colour_at(result, 2)[1], 1 + 100.0f / 256);
  s.truncate_coordinates = true;
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 1)[1], 1);
  s.half_fractions = true;
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 2)[1], 1);
}

TEST(Filter, OffsetsAreTexels) {
  TestTexture t = level_numbers(8, 8, 1);
  Sampler s;
  s.min_filter = s.mag_filter = Filter::nearest;
  FloatLanes at{0.5f / 8, 0.5f / 8, 0.5f / 8};
  Lanes offsets = {3, 0x3f, 0x3d};  // 3, -1, -3
  SampleLanes call = {.lanes = 3, .active = 7, .s = at, .lod_mode = LodMode::zero, .offsets = offsets.data()};
  Results result{};
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[1], 3);
  EXPECT_EQ(colour_at(result, 1)[1], 7);
  EXPECT_EQ(colour_at(result, 2)[1], 5);
}

TEST(Filter, ReductionsTakeExtremes) {
  TestTexture t = level_numbers(4, 4, 1);
  Sampler s;
  FloatLanes at{0.5f};
  SampleLanes call = {.lanes = 1, .active = 1, .s = at, .lod_mode = LodMode::zero};
  Results result{};
  s.reduction = Reduction::minimum;
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[1], 1);
  s.reduction = Reduction::maximum;
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[1], 2);
}

TEST(Filter, SrgbIsDecodedBeforeFiltering) {
  TextureDescription d = {.format = {Layout::bits_8_8_8_8, Number::srgb}, .width = 2, .height = 1};
  TestTexture t = make_texture(d, 1, [](unsigned, unsigned x, unsigned, unsigned) {
    return x ? std::array<float, 4>{1, 1, 1, 1} : std::array<float, 4>{0, 0, 0, 0};
  });
  FloatLanes at{0.5f};
  SampleLanes call = {.lanes = 1, .active = 1, .s = at, .lod_mode = LodMode::zero};
  Results result{};
  sample(*t.texture, {}, call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 0.5f);  // not what code 128 decodes to
}

TEST(Filter, BlocksOf4x4) {
  // Two blocks of BC1: red then blue, each of one colour.
  uint8_t blocks[16] = {0x00, 0xf8, 0x00, 0xf8, 0, 0, 0, 0, 0x1f, 0x00, 0x1f, 0x00, 0, 0, 0, 0};
  TextureDescription d = {
      .format = {Layout::bc1, Number::unorm}, .width = 7, .height = 3, .levels = {{0, LinearSurface{16, 16}}}};
  auto t = Texture::make(d, blocks, sizeof blocks);
  ASSERT_TRUE(t) << t.error().message;
  Sampler s;
  FloatLanes at{1.5f / 7, 4.0f / 7, 6.5f / 7};
  SampleLanes call = {.lanes = 3, .active = 7, .s = at, .lod_mode = LodMode::zero};
  Results result{};
  sample(*t, s, call, result);
  EXPECT_EQ(colour_at(result, 0), (std::array<float, 4>{1, 0, 0, 1}));
  EXPECT_EQ(colour_at(result, 1), (std::array<float, 4>{0.5f, 0, 0.5f, 1}));
  EXPECT_EQ(colour_at(result, 2), (std::array<float, 4>{0, 0, 1, 1}));
}

TEST(Filter, IntegersAreNotFiltered) {
  TextureDescription d = {.format = {Layout::bits_32, Number::uint}, .width = 4, .height = 4};
  TestTexture t = make_texture(d, 3, [](unsigned level, unsigned x, unsigned, unsigned) {
    return std::array<float, 4>{float(0x7f800001u + 256 * x + 65536 * level), 0, 0, 0};
  });
  Sampler s;
  s.mip_filter = MipFilter::linear;
  FloatLanes at{0.5f}, lod{0.4f};
  SampleLanes call = {.lanes = 1, .active = 1, .s = at, .lod_mode = LodMode::level, .lod = lod};
  Results result{}, texel{};
  sample(*t.texture, s, call, result);
  Lanes x = {2};
  fetch(*t.texture, {.lanes = 1, .active = 1, .x = x.data()}, texel);
  EXPECT_EQ(result[0][0], texel[0][0]);
  EXPECT_EQ(result[3][0], 1u);
}

TEST(Filter, AnisotropyGoesAlongTheLongerAxis) {
  // Stripes along x of one texel each: blurred along x they are grey, a level coarser would do the same; stripes along y are
  // kept.
  TextureDescription d = {.format = rgba32f, .width = 64, .height = 64};
  TestTexture t = make_texture(d, 7, [](unsigned level, unsigned, unsigned y, unsigned) {
    return std::array<float, 4>{float(level), level ? 0.5f : float(y & 1), 0, 1};
  });
  Sampler s;
  s.mip_filter = MipFilter::linear;
  Results result{};
  Quad q(64, 64, 4, 1, 0.25f, 8.5f / 64);
  sample(*t.texture, s, q.call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 2);
  EXPECT_EQ(colour_at(result, 0)[1], 0.5f);
  s.max_anisotropy = 4;
  sample(*t.texture, s, q.call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 0);
  EXPECT_EQ(colour_at(result, 0)[1], 0);  // texel row 8
  s.max_anisotropy = 2;
  sample(*t.texture, s, q.call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 1);
}

TEST(Filter, AnisotropicTapsLieInTheirPlaces) {
  // red = x, so that the mean of taps around u is u again, whatever their spread; green = 1 at one texel only.
  TextureDescription d = {.format = rgba32f, .width = 64, .height = 1};
  TestTexture t = make_texture(
      d, 1, [](unsigned, unsigned x, unsigned, unsigned) { return std::array<float, 4>{float(x), x == 31 ? 1.0f : 0, 0, 1}; });
  Sampler s;
  s.max_anisotropy = 16;
  FloatLanes at{32.0f / 64}, dx{9.0f / 64}, none{};
  SampleLanes call = {
      .lanes = 1, .active = 1, .s = at, .lod_mode = LodMode::derivatives, .dx = {dx, none, none}, .dy = {none, none, none}};
  Results result{};
  sample(*t.texture, s, call, result);
  EXPECT_NEAR(colour_at(result, 0)[0], 31.5f, 1e-4);
  // 16 taps 9/17 texel apart: a tent of area 1 over texel 31 sums to about 17/9 of 16.
  EXPECT_NEAR(colour_at(result, 0)[1], 17.0f / 9 / 16, 0.01);
}

TEST(Comparison, IsDoneBeforeFiltering) {
  TextureDescription d = {.format = {Layout::bits_16, Number::unorm}, .width = 2, .height = 2};
  TestTexture t = make_texture(d, 1, [](unsigned, unsigned x, unsigned y, unsigned) {
    return std::array<float, 4>{x == 1 && y == 1 ? 0.75f : 0.25f, 0, 0, 0};
  });
  Sampler s;
  s.compare = true;
  s.wrap = {Wrap::clamp_to_edge, Wrap::clamp_to_edge, Wrap::clamp_to_edge};
  FloatLanes at{0.5f, 0.5f, 0.5f}, reference{0.5f, -1, 7};
  SampleLanes call = {.lanes = 3, .active = 7, .s = at, .t = at, .lod_mode = LodMode::zero, .reference = reference};
  Results result{};
  s.comparison = Comparison::less_equal;
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 0.25f);
  EXPECT_EQ(colour_at(result, 1)[0], 1);
  EXPECT_EQ(colour_at(result, 2)[0], 0);  // clamped to 1
  s.comparison = Comparison::greater;
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 0.75f);
  gather(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0), (std::array<float, 4>{1, 0, 1, 1}));
  // References beyond what a fixed-point texel can be are clamped to it.
  TestTexture ones = make_texture(d, 1, [](unsigned, unsigned, unsigned, unsigned) { return std::array<float, 4>{1, 0, 0, 0}; });
  s.comparison = Comparison::equal;
  sample(*ones.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 2)[0], 1);
  s.comparison = Comparison::greater;
  // The order of a depth texture that is read as alpha.
  d.format.order = {Select::zero, Select::zero, Select::zero, Select::field_0};
  TestTexture alpha =
      make_texture(d, 1, [](unsigned, unsigned, unsigned, unsigned) { return std::array<float, 4>{0, 0, 0, 0.25f}; });
  sample(*alpha.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0), (std::array<float, 4>{0, 0, 0, 1}));
}

TEST(Gather, OrderOfTexels) {
  TextureDescription d = {.format = rgba32f, .width = 4, .height = 4};
  TestTexture t = make_texture(
      d, 1, [](unsigned, unsigned x, unsigned y, unsigned) { return std::array<float, 4>{float(x), float(10 * y + x), 0, 1}; });
  FloatLanes s{2.2f / 4}, u{1.9f / 4};
  SampleLanes call = {.lanes = 1, .active = 1, .s = s, .t = u};
  call.gather_component = 1;
  Results result{};
  gather(*t.texture, {}, call, result);
  EXPECT_EQ(colour_at(result, 0), (std::array<float, 4>{21, 22, 12, 11}));
}

// The texels of a gather are those of a linear filter as they are (OpenGL 4.6 table 8.20: mirror(i), of the texel and not of the coordinate).
TEST(Gather, MirrorsTexelsOnce) {
  TextureDescription d = {.format = rgba32f, .width = 4, .height = 4};
  TestTexture t = make_texture(
      d, 1, [](unsigned, unsigned x, unsigned y, unsigned) { return std::array<float, 4>{float(10 * y + x), 0, 0, 1}; });
  Sampler s;
  for (Wrap wrap : {Wrap::mirror_once_to_edge, Wrap::mirror_once_half_border, Wrap::mirror_once_to_border}) {
    s.wrap = {wrap, wrap, wrap};
    FloatLanes x{-1.2f / 4, 1.7f / 4}, y{1.9f / 4, -2.2f / 4};  // from texel -2 on; from row -3 on
    SampleLanes call = {.lanes = 2, .active = 3, .s = x, .t = y};
    Results result{};
    gather(*t.texture, s, call, result);
    EXPECT_EQ(colour_at(result, 0), (std::array<float, 4>{21, 20, 10, 11}));
    EXPECT_EQ(colour_at(result, 1), (std::array<float, 4>{11, 12, 22, 21}));
  }
}

TestTexture cube_of_faces(unsigned size, unsigned levels = 1) {
  TextureDescription d = {.dimension = Dimension::cube_array,
                          .format = rgba32f,
                          .width = size,
                          .height = size,
                          .depth = 1,
                          .first_layer = 0,
                          .layers = 12};
  return make_texture(d, levels, [](unsigned level, unsigned x, unsigned y, unsigned z) {
    return std::array<float, 4>{float(z), float(x), float(y), float(level)};
  });
}

TEST(Cube, FacesAndTheirCoordinates) {
  TestTexture t = cube_of_faces(8);
  Sampler s;
  s.min_filter = s.mag_filter = Filter::nearest;
  // OpenGL 4.6 table 8.19, at (s, t) = (0.8, 0.6) of each face: sc = 0.6, tc = 0.2.
  float directions[6][3] = {{2, -.4f, -1.2f}, {-2, -.4f, 1.2f}, {1.2f, 2, .4f},
                            {1.2f, -2, -.4f}, {1.2f, -.4f, 2},  {-1.2f, -.4f, -2}};
  FloatLanes x, y, z, cube, face_s, face_t, face;
  for (unsigned i = 0; i < 6; i++) {
    x.set(i, directions[i][0]), y.set(i, directions[i][1]), z.set(i, directions[i][2]);
    cube.set(i, i % 2);
    face_s.set(i, 1.8f), face_t.set(i, 1.6f), face.set(i, float(i + 8 * (i % 2)));
  }
  SampleLanes call = {.lanes = 6, .active = 63, .s = x, .t = y, .r = z, .layer = cube, .lod_mode = LodMode::zero};
  Results result{}, by_face{};
  sample(*t.texture, s, call, result);
  call = {.lanes = 6,
          .active = 63,
          .s = face_s,
          .t = face_t,
          .layer = face,
          .faces = true,
          .face_base = 1,
          .lod_mode = LodMode::zero};
  sample(*t.texture, s, call, by_face);
  for (unsigned i = 0; i < 6; i++) {
    EXPECT_EQ(colour_at(result, i), (std::array<float, 4>{float(i + 6 * (i % 2)), 6, 4, 0})) << i;
    EXPECT_EQ(colour_at(by_face, i), colour_at(result, i)) << i;
  }
}

TEST(Cube, LayersBeyondTheLastKeepTheirFace) {
  TestTexture t = cube_of_faces(4);
  FloatLanes s{1.5f, 1.5f, 1.5f}, face{8 * 2 + 3, 8 * 7 + 5, -3};
  SampleLanes call = {
      .lanes = 3, .active = 7, .s = s, .t = s, .layer = face, .faces = true, .face_base = 1, .lod_mode = LodMode::zero};
  Results result{};
  sample(*t.texture, {}, call, result);
  EXPECT_EQ(colour_at(result, 0)[0], 6 + 3);
  EXPECT_EQ(colour_at(result, 1)[0], 6 + 5);
  EXPECT_EQ(colour_at(result, 2)[0], 0);
}

// A colour that is a linear function of the direction is continuous over the edges only if the right neighbours are found.
TEST(Cube, SeamlessFiltersFindTheNeighbours) {
  unsigned size = 16;
  static const float axes[6][3][3] = {// right, down, out of each face, by hand
                                      {{0, 0, -1}, {0, -1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}},
                                      {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},   {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
                                      {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  TextureDescription d = {
      .dimension = Dimension::cube, .format = rgba32f, .width = size, .height = size, .depth = 1, .first_layer = 0, .layers = 6};
  TestTexture t = make_texture(d, 1, [&](unsigned, unsigned x, unsigned y, unsigned z) {
    float a = (2 * float(x) + 1) / float(size) - 1, b = (2 * float(y) + 1) / float(size) - 1;
    std::array<float, 4> v{};
    float length = std::sqrt(a * a + b * b + 1);
    for (int c = 0; c < 3; c++) v[c] = (axes[z][0][c] * a + axes[z][1][c] * b + axes[z][2][c]) / length;
    return v;
  });
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  Sampler seamless, seams;
  seams.seamless_cube = false;
  seams.wrap = {Wrap::repeat, Wrap::repeat, Wrap::repeat};
  double worst = 0, worst_with_seams = 0;
  for (int n = 0; n < 3000; n++) {
    float v[3] = {normal(random), normal(random), normal(random)};
    if (n % 3 == 0) v[1] = v[0] * (1 + 0.01f * normal(random));   // near edges
    if (n % 9 == 0) v[2] = -v[0] * (1 + 0.01f * normal(random));  // and corners
    float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    FloatLanes x{v[0]}, y{v[1]}, z{v[2]};
    SampleLanes call = {.lanes = 1, .active = 1, .s = x, .t = y, .r = z, .lod_mode = LodMode::zero};
    Results result{};
    sample(*t.texture, seamless, call, result);
    for (int c = 0; c < 3; c++) worst = std::max<double>(worst, std::fabs(colour_at(result, 0)[c] - v[c] / length));
    sample(*t.texture, seams, call, result);
    for (int c = 0; c < 3; c++)
      worst_with_seams = std::max<double>(worst_with_seams, std::fabs(colour_at(result, 0)[c] - v[c] / length));
  }
  EXPECT_LT(worst, 0.03);
  EXPECT_GT(worst_with_seams, 0.5);
}

TEST(Cube, TheFourthTexelOfACornerIsTheMeanOfThree) {
  TestTexture t = cube_of_faces(4);
  FloatLanes x{1}, y{1}, z{1};
  SampleLanes call = {.lanes = 1, .active = 1, .s = x, .t = y, .r = z, .lod_mode = LodMode::zero};
  Results result{};
  sample(*t.texture, {}, call, result);
  EXPECT_NEAR(colour_at(result, 0)[0], (0 + 2 + 4) / 3.0, 1e-6);
}

TEST(Cube, LevelOfDetailOverAnEdge) {
  TestTexture t = cube_of_faces(64, 7);
  Sampler s;
  s.mip_filter = MipFilter::nearest;
  // Two texels to either side of the edge between +z and +x.
  float a = 1 - 2.0f / 32;
  FloatLanes x{a, 1, a, 1}, y{0, 0, 0.01f, 0.01f}, z{1, a, 1, a};
  SampleLanes call = {.lanes = 4, .active = 15, .s = x, .t = y, .r = z};
  Results result{};
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 0)[3], 2);
}

// A quad over a cube's corner, of which one pixel lies on +x: seen from its own face a pixel is a texel, from the others' more.
TEST(Cube, LevelOfDetailAtACorner) {
  TestTexture t = cube_of_faces(32, 6);
  Sampler s;
  s.min_filter = s.mag_filter = Filter::nearest, s.mip_filter = MipFilter::nearest, s.seamless_cube = false;
  const float out = 1.02f, in = 0.959f;
  FloatLanes x{1, 1, 1, 1}, y{out, out, in, in}, z{out, in, out, in};
  SampleLanes call = {.lanes = 4, .active = 15, .s = x, .t = y, .r = z};
  Results result{};
  query_lod(*t.texture, s, call, result);
  EXPECT_NEAR(colour_at(result, 3)[1], std::log2(0.061f * 16), 1e-4);
  EXPECT_GT(colour_at(result, 0)[1], 0.5f);
  sample(*t.texture, s, call, result);
  EXPECT_EQ(colour_at(result, 3)[3], 0);
  EXPECT_EQ(colour_at(result, 0)[3], 1);
}

// Whatever the coordinates are: no crash, and texels of the texture or its border.
TEST(Sampling, OddCoordinates) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float odd[] = {0,     -0.0f,  1,       -1,     0.5f,    nan,  -nan,  inf,           -inf,
                       1e38f, -1e38f, 3.4e38f, 1e-45f, -1e-45f, 1e9f, -1e9f, 2147483648.0f, 8388607.5f};
  std::mt19937 random(11);
  auto any = [&] { return random() % 4 ? odd[random() % std::size(odd)] : std::bit_cast<float>(uint32_t(random())); };
  size_t sampled = 0;
  for (auto dimension : {Dimension::one, Dimension::two, Dimension::three, Dimension::cube, Dimension::one_array,
                         Dimension::two_array, Dimension::cube_array}) {
    TextureDescription d = {.dimension = dimension, .format = rgba32f, .width = 12, .height = 12, .depth = 1};
    if (dimension == Dimension::one || dimension == Dimension::one_array) d.height = 1;
    if (dimension == Dimension::three) d.depth = 5;
    if (dimension == Dimension::cube) d.layers = 6;
    if (dimension == Dimension::cube_array) d.layers = 18;
    if (dimension == Dimension::two_array || dimension == Dimension::one_array) d.layers = 3;
    TestTexture t =
        make_texture(d, 4, [](unsigned, unsigned x, unsigned, unsigned) { return std::array<float, 4>{float(x % 2), 1, 1, 1}; });
    for (int n = 0; n < 400; n++) {
      Sampler s;
      for (auto& w : s.wrap) w = Wrap(random() % wrap_count);
      s.min_filter = Filter(random() % 2), s.mag_filter = Filter(random() % 2), s.mip_filter = MipFilter(random() % 3);
      s.slice_filter = SliceFilter(random() % 3), s.reduction = Reduction(random() % 3);
      s.max_anisotropy = random() % 3 ? 1 : random() % 20;
      s.unnormalized = random() % 4 == 0, s.seamless_cube = random() % 2, s.truncate_coordinates = random() % 2;
      s.compare = random() % 4 == 0, s.comparison = Comparison(random() % 8);
      if (random() % 4 == 0) s.lod_bias = any(), s.lod_min = any(), s.lod_max = any();
      s.half_before_clamps = random() % 2;
      FloatLanes f[13];
      Lanes offsets;
      for (unsigned lane = 0; lane < 64; lane++) {
        for (auto& l : f) l.set(lane, any());
        offsets[lane] = uint32_t(random());
      }
      SampleLanes call = {.lanes = 1 + unsigned(random() % 64),
                          .active = random() * (uint64_t(random()) << 32 | 1),
                          .s = f[0],
                          .t = f[1],
                          .r = f[2],
                          .layer = f[3],
                          .faces = random() % 2 == 0,
                          .face_base = 1,
                          .lod_mode = LodMode(random() % 5),
                          .lod = f[4],
                          .lod_clamp = f[5],
                          .dx = {f[6], f[7], f[8]},
                          .dy = {f[9], f[10], f[11]},
                          .reference = f[12],
                          .offsets = offsets.data()};
      Results result{};
      sample(*t.texture, s, call, result);
      for (unsigned lane = 0; lane < call.lanes; lane++)
        for (int c = 0; c < 4; c++) {
          float v = colour_at(result, lane)[c];
          ASSERT_TRUE(v >= 0 && v <= 1.0001f) << v;
          sampled++;
        }
      gather(*t.texture, s, call, result);
      query_lod(*t.texture, s, call, result);
    }
  }
  EXPECT_GT(sampled, 100000u);
}

}  // namespace

}  // namespace Atoll::surface
