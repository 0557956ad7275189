// The way many lanes are sampled at once against the way that takes any lane alone (offsets of zero force it), for every format,
// and the kernels of every host level against each other, bit by bit.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/host_level.h"
#include "surface/decode_texel.h"
#include "surface/planar_kernels.h"
#include "test_texture.h"

namespace Atoll::surface {

ATOLL_IN_LEVELS(extern const PlanarKernels kernels;)

namespace {

float any_float(std::mt19937& random) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float odd[] = {0,     -0.0f,  1,      -1,   0.5f,  nan,           inf,        -inf,
                       1e38f, -1e38f, 1e-45f, 1e9f, -1e9f, 2147483648.0f, 8388607.5f, 0.99999994f};
  if (random() % 8 == 0) return odd[random() % std::size(odd)];
  return std::uniform_real_distribution<float>(-3, 4)(random);
}

bool close(float a, float b, float scale) { return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= scale; }

TEST(PlanarFilter, AgreesWithOneLaneAtATime) {
  std::mt19937 random(23);
  Lanes no_offsets{};
  size_t compared = 0, exact = 0;
  for (auto& layout : layouts())
    for (int number = 0; number < number_count; number++) {
      for (int n = 0; n < 24; n++) {
        Order orders[] = {natural_order,
                          bgra_order,
                          {Select::field_0, Select::field_0, Select::zero, Select::one},
                          {Select::one, Select::field_3, Select::field_1, Select::zero}};
        auto format = make_format(layout.layout, Number(number), orders[random() % 4]);
        if (!format) continue;
        TextureDescription d = {.dimension = Dimension(n % 3 == 0   ? int(Dimension::two)
                                                       : n % 3 == 1 ? int(Dimension::two_array)
                                                                    : int(Dimension::cube_array)),
                                .format = *format};
        d.width = d.height = 1 + random() % 19;
        if (n % 3 == 0) d.height = 1 + random() % 9;
        if (n % 3) d.layers = 12, d.first_layer = random() % 3;
        uint64_t end = 0;
        for (unsigned level = 0; level < 4; level++) {
          uint64_t columns = (std::max(1u, d.width >> level) + 7) / layout.block_width,
                   rows = (std::max(1u, d.height >> level) + 3) / layout.block_height;
          d.levels.push_back({end, LinearSurface{columns * layout.bytes, columns * layout.bytes * rows}});
          end += columns * layout.bytes * rows * (d.first_layer + d.layers);
        }
        d.first_level = random() % 2;
        std::vector<uint8_t> bytes(end);
        for (auto& b : bytes) b = uint8_t(random() % 4 ? random() : 0) & 0x7b;  // floats are finite, and not too large
        auto texture = Texture::make(d, bytes.data(), bytes.size());
        ASSERT_TRUE(texture) << texture.error().message;
        Sampler s;
        for (auto& w : s.wrap) w = Wrap(random() % wrap_count);
        s.min_filter = Filter(random() % 2), s.mag_filter = Filter(random() % 2), s.mip_filter = MipFilter(random() % 3);
        s.max_anisotropy = random() % 3 ? 1 : random() % 8;
        s.unnormalized = random() % 8 == 0, s.seamless_cube = random() % 2;
        s.truncate_coordinates = random() % 4 == 0, s.half_fractions = random() % 4 == 0;
        s.truncate_nearest = random() % 4 == 0;
        s.border = {0x3f000000, 0x3e800000, 0x3f800000, 0};
        FloatLanes f[6];
        for (unsigned lane = 0; lane < 64; lane++) {
          for (auto& l : f) l.set(lane, any_float(random));
          if (random() % 2 && lane % 4)  // quads with plain differences
            for (auto& l : f) l.set(lane, std::bit_cast<float>(l.words[lane & ~3u]) + float(lane % 4) * 0.03f);
        }
        SampleLanes call = {.lanes = random() % 2 ? 64 : 4 * unsigned(1 + random() % 16),
                            .active = ~uint64_t(0),
                            .s = f[0],
                            .t = f[1],
                            .r = f[2],
                            .layer = f[3],
                            .lod = f[4]};
        if (random() % 2) call.active = uint64_t(random()) << 32 | random();
        call.lod_mode = LodMode(random() % 4);
        if (random() % 4 == 0) call.lod_clamp = f[5];
        std::array<Lanes, 4> together{}, alone{};
        sample(*texture, s, call, together);
        call.offsets = no_offsets.data();
        sample(*texture, s, call, alone);
        double most = 0;  // rounding is relative to the largest texel that went in
        for (auto& c : alone)
          for (uint32_t w : c)
            if (std::isfinite(std::bit_cast<float>(w))) most = std::max<double>(most, std::fabs(std::bit_cast<float>(w)));
        bool floats = format->number == Number::floating || format->layout == Layout::bits_32_8_24;
        for (int c = 0; c < 4; c++)
          for (unsigned lane = 0; lane < 64; lane++) {
            float a = std::bit_cast<float>(together[c][lane]), b = std::bit_cast<float>(alone[c][lane]);
            if (is_integer(format->number))
              ASSERT_EQ(together[c][lane], alone[c][lane]);
            else if (!floats || most < 1e30)
              ASSERT_TRUE(close(a, b, float(3e-6 * std::max(most, 1.0))))
                  << layout.name << " " << name(format->number) << " lane " << lane << " component " << c << ": " << a << " and "
                  << b << " case " << n;
            compared++;
            exact += together[c][lane] == alone[c][lane];
          }
      }
    }
  EXPECT_GT(compared, 500000u);
  EXPECT_GT(double(exact), 0.9 * double(compared));
}

TEST(TexelDecoder, AgreesWithReadTexelBitByBit) {
  std::mt19937 random(4);
  size_t compared = 0;
  for (auto& layout : layouts())
    for (int number = 0; number < number_count; number++)
      for (const Order& order : {natural_order, bgra_order, Order{Select::one, Select::zero, Select::field_3, Select::field_1}}) {
        auto format = make_format(layout.layout, Number(number), order);
        if (!format) continue;
        DecodeTexel decode = texel_decoder(*format);
        for (int n = 0; n < 400; n++) {
          uint8_t texel[16];
          for (auto& b : texel) b = uint8_t(n == 0 ? 0 : n == 1 ? 255 : random());
          ASSERT_EQ(std::bit_cast<Colour>(decode(*format, texel, n & 3, n >> 2 & 3)),
                    read_texel(*format, texel, n & 3, n >> 2 & 3))
              << layout.name << " " << name(format->number);
          compared++;
        }
      }
  EXPECT_GT(compared, 50000u);
}

TEST(PlanarFilter, BytesAreExact) {
  // Any weights of equal texels give n / 255, correctly rounded.
  TextureDescription d = {.format = rgba8, .width = 2, .height = 2};
  std::mt19937 random(1);
  for (unsigned n = 0; n < 256; n++) {
    TestTexture t = make_texture(
        d, 1, [&](unsigned, unsigned, unsigned, unsigned) { return std::array<float, 4>{float(n) / 255, 0, 1, float(n) / 255}; });
    FloatLanes s, u;
    for (unsigned lane = 0; lane < 64; lane++) s.set(lane, any_float(random)), u.set(lane, any_float(random));
    std::array<Lanes, 4> result{};
    sample(*t.texture, {}, {.active = ~uint64_t(0), .s = s, .t = u, .lod_mode = LodMode::zero}, result);
    for (unsigned lane = 0; lane < 64; lane++)
      ASSERT_EQ(colour_at(result, lane), (std::array<float, 4>{float(n) / 255, 0, 1, float(n) / 255}));
  }
}

TEST(PlanarKernels, AreTheSameOnEveryHostLevel) {
  std::vector<const PlanarKernels*> others;
#ifdef ATOLL_ONLY_LEVEL
  GTEST_SKIP() << "one host level alone is built (ATOLL_LEVELS)";
  const PlanarKernels& first = ATOLL_AT_LEVEL(kernels);
#else
  if (best_host_level() >= HostLevel::Avx2) others.push_back(&avx2::kernels);
  if (best_host_level() >= HostLevel::Avx512) others.push_back(&avx512::kernels);
  const PlanarKernels& first = baseline::kernels;
#endif
  std::mt19937 random(99);
  struct Out {
    AxisLanes axis;
    alignas(64) FourLanes nearest, linear, mixed;
    alignas(64) float level[max_lanes];
    alignas(64) uint32_t outside[max_lanes];
  };
  for (int n = 0; n < 500; n++) {
    alignas(64) float s[max_lanes], t[max_lanes];
    alignas(64) uint32_t texel[4][max_lanes];
    alignas(64) int32_t fraction[2][max_lanes];
    for (unsigned k = 0; k < max_lanes; k++) {
      s[k] = random() % 5 ? any_float(random) : std::bit_cast<float>(uint32_t(random()));
      t[k] = any_float(random);
      for (auto& words : texel) words[k] = uint32_t(random());
      for (auto& f : fraction) f[k] = int32_t(random() % 256);
    }
    AxisForm form = {.form = WrapForm(random() % 4),
                     .absolute = random() % 2 == 0,
                     .linear = random() % 2 == 0,
                     .truncate = random() % 2 == 0,
                     .half_fractions = random() % 4 == 0};
    form.size = 1 + int(random() % (random() % 2 ? 16 : 16384));
    form.scale = float(form.size);
    auto run = [&](const PlanarKernels& k) {
      auto out = std::make_unique<Out>();
      std::memset(out.get(), 0, sizeof *out);
      k.axis(form, s, out->axis, out->outside);
      k.nearest_bytes(texel[0], out->nearest);
      k.linear_bytes(texel, fraction[0], fraction[1], out->linear);
      std::memcpy(&out->mixed, &out->linear, sizeof out->mixed);
      k.mix(out->mixed, out->nearest, fraction[0]);
      k.quad_levels(s, t, 64, 32, out->level);
      return out;
    };
    auto expected = run(first);
    for (unsigned k = 0; k < max_lanes; k++) {
      ASSERT_TRUE(expected->axis.texel[0][k] >= 0 && expected->axis.texel[0][k] < form.size);
      ASSERT_TRUE(expected->axis.texel[1][k] >= 0 && expected->axis.texel[1][k] < form.size);
    }
    for (auto* other : others)
      ASSERT_EQ(std::memcmp(run(*other).get(), expected.get(), sizeof(Out)), 0) << "form " << int(form.form) << " case " << n;
  }
  if (others.empty()) GTEST_SKIP() << "this host has one level only";
}

}  // namespace

}  // namespace Atoll::surface
