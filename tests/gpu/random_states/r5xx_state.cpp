// Registers and pixel shaders of a draw at random.
#include <fmt/format.h>

#include "base/half.h"
#include "r5xx.h"

namespace Atoll::random_states::r500_states {

namespace {

using Format = RB3D_COLORPITCH::COLORFORMAT;
using Out = US_OUT_FMT::OUT_FMT;

constexpr ColourBuffer formats[] = {
    {Format::ARGB8888, Out::C4_8, 4},
    {Format::RGB565, Out::C4_8, 2},
    {Format::ARGB1555, Out::C4_8, 2},
    {Format::ARGB4444, Out::C4_8, 2},
    {Format::I8, Out::C4_8, 1},
    {Format::UV88, Out::C4_8, 2},
    {Format::ARGB2101010, Out::C4_10, 4},
    {Format::UV88, Out::C_16, 2},
    {Format::ARGB8888, Out::C2_16, 4},
    {Format::ARGB16161616, Out::C4_16, 8},
    {Format::UV88, Out::C_16_FP, 2, Content::halves},
    {Format::ARGB8888, Out::C2_16_FP, 4, Content::halves},
    {Format::ARGB16161616, Out::C4_16_FP, 8, Content::halves},
    {Format::ARGB8888, Out::C_32_FP, 4, Content::floats},
    {Format::ARGB16161616, Out::C2_32_FP, 8, Content::floats},
    {Format::ARGB32323232, Out::C4_32_FP, 16, Content::floats},
};

// Sample places in twelfths, as Mesa's r300g sets them (r300_emit.c).
struct Arrangement {
  uint32_t config;
  unsigned samples;
  std::array<std::array<unsigned, 2>, 6> place;
};
constexpr Arrangement arrangements[] = {{0, 2, {{{3, 9}, {9, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 3}}}},
                                        {2, 4, {{{4, 4}, {8, 8}, {2, 10}, {10, 2}, {10, 2}, {10, 2}}}},
                                        {3, 6, {{{3, 1}, {7, 3}, {11, 5}, {1, 7}, {5, 9}, {9, 10}}}}};

std::string operand(Random& r, const char* channels) {
  const unsigned n = r.below(2);
  return fmt::format("{}{}{}", r.percent(65) ? 't' : 'c', n, channels);
}

}  // namespace

Surfaces random_surfaces(Random& r) {
  Surfaces s;
  s.samples = r.percent(60) ? 1 : r.one_of({2u, 4u, 6u});
  s.targets = r.percent(55) ? 1 : 1 + r.below(max_targets);
  for (unsigned n = 0; n < s.targets; n++) {
    ColourBuffer& c = s.colour[n];
    c = r.percent(35) ? formats[0] : formats[r.below(std::size(formats))];
    const bool usual = r.percent(50);
    for (unsigned k = 0; k < 4; k++) c.select[k] = usual ? 3 - k : r.below(4);
  }
  s.depth_format = r.percent(30) ? 0 : 2;
  s.copied = s.targets > 1 && r.percent(15);
  if (s.copied) s.colour.fill(ColourBuffer(s.colour[0]));
  s.twelfths = r.percent(20);
  s.has_halves = s.colour[0].content != Content::bytes && s.colour[0].bytes == 8;
  return s;
}

// t2 to t5: four results of one multiplication each; then what is killed, then the outputs.
std::vector<std::string> random_shader(Random& r, const Surfaces& surfaces, bool depth) {
  std::vector<std::string> lines;
  for (unsigned n = 2; n < 6; n++) {
    const std::string a = operand(r, ".xyz"), b = operand(r, ".xyz"), alpha = operand(r, ".w"), beta = operand(r, ".w");
    const char* clamp = r.percent(20) ? ".sat" : "";
    if (r.percent(50))
      lines.push_back(fmt::format("mad{} t{}.rgb, {}, 1, 0 | mad{} t{}.a, {}, 1, 0", clamp, n, a, clamp, n, alpha));
    else
      lines.push_back(fmt::format("mad{} t{}.rgb, {}, {}, 0 | mad{} t{}.a, {}, {}, 0", clamp, n, a, b, clamp, n, alpha, beta));
  }
  if (r.percent(10)) {  // flow control
    lines.push_back(fmt::format("jump {} @jump_func=255 @jump_any", lines.size() + 2));
    lines.push_back("mad t2.rgb, c0.xyz, 1, 0 | mad t2.a, c0.w, 1, 0");
  }
  if (r.percent(25)) {
    const std::string alpha = fmt::format("t{}.w", 2 + r.below(4));
    lines.push_back(fmt::format("mad t6.rgb, t{}, 1, -0.25 | mad t6.a, {}, 1, -0.25", 2 + r.below(4), alpha));
    lines.push_back(fmt::format("texkill t6.{}", r.percent(50) ? "xxxx" : "xyzw"));
  }
  for (unsigned n = 0; n < surfaces.targets; n++) {
    if (n > 0 && (surfaces.copied || r.percent(10))) continue;  // nothing for this target
    const unsigned from = 2 + r.below(4), alpha = 2 + r.below(4);
    lines.push_back(
        fmt::format("mad o{}.rgb, t{}, 1, 0 | mad o{}.a{}, t{}.w, 1, 0", n, from, n, depth && n == 0 ? "+depth" : "", alpha));
  }
  lines.back() += " @last";
  return lines;
}

void random_blending(Random& r, const Surfaces& surfaces, Stream& s) {
  using B = RB3D_BLENDCNTL;
  auto equation = [&] {
    uint32_t source = SourceBlendFactor::GL_ZERO + r.below(15), target = SourceBlendFactor::GL_ZERO + r.below(15);
    if (r.percent(25)) source = SourceBlendFactor::GL_SRC_ALPHA, target = SourceBlendFactor::GL_ONE_MINUS_SRC_ALPHA;
    return B::COMB_FCN::of(r.percent(50) ? 0 : r.below(8)) | B::SRCBLEND::of(source) | B::DESTBLEND::of(target);
  };
  const bool enable = r.percent(60);
  s.set(B::address(), {B::ALPHA_BLEND_ENABLE::of(enable) | B::SEPARATE_ALPHA_ENABLE::of(r.percent(50)) | B::READ_ENABLE::of(1) |
                           (enable ? equation() : 0),
                       enable ? equation() : 0});
  uint32_t constant[4];
  for (uint32_t& v : constant) v = surfaces.has_halves ? half_from_float(r.real(-1, 2)) : r.below(1024);
  s.set(RB3D_CONSTANT_COLOR_AR::address(), {constant[0] | constant[1] << 16, constant[2] | constant[3] << 16});
  s.set(RB3D_ROPCNTL::address(), RB3D_ROPCNTL::ROP_ENABLE::of(r.percent(12)) | RB3D_ROPCNTL::ROP::of(r.below(16)));
  s.set(RB3D_COLOR_CHANNEL_MASK::address(), r.percent(60) ? 0xffff : r.next() & 0xffff);
}

bool random_depth_stencil(Random& r, const Surfaces& surfaces, bool depth_of_shader, Stream& s) {
  using C = ZB_CNTL;
  const bool tested = r.percent(65);
  s.set(C::address(), {C::STENCIL_ENABLE::of(r.percent(60)) | C::Z_ENABLE::of(tested) | C::ZWRITEENABLE::of(r.percent(65)) |
                           C::STENCIL_FRONT_BACK::of(r.percent(50)) | C::STENCIL_REFMASK_FRONT_BACK::of(r.percent(50)),
                       r.next() & 0x7ffffff});
  auto values = [&] {
    return ZB_STENCILREFMASK::STENCILREF::of(r.below(256)) |
           ZB_STENCILREFMASK::STENCILMASK::of(r.percent(50) ? 0xffu : r.below(256)) |
           ZB_STENCILREFMASK::STENCILWRITEMASK::of(r.percent(50) ? 0xffu : r.below(256));
  };
  s.set(ZB_STENCILREFMASK::address(), values()).set(ZB_STENCILREFMASK_BF::address(), values());
  s.set(ZB_ZTOP::address(), depth_of_shader ? 0 : r.below(2));
  s.set(FG_DEPTH_SRC::address(), depth_of_shader).set(US_W_FMT::address(), US_W_FMT::W_FMT::of(depth_of_shader));
  using A = FG_ALPHA_FUNC;
  s.set(A::address(), A::AF_VAL::of(r.below(256)) | A::AF_FUNC::of(r.below(8)) | A::AF_EN::of(r.percent(25)) |
                          A::AF_EN_8BIT::of(r.percent(50)) | A::FP16_ENABLE::of(r.percent(20)) |
                          A::AM_EN::of(surfaces.samples > 1 && r.percent(25)) | A::AM_CFG::of(1));
  s.set(FG_ALPHA_VALUE::address(), r.percent(50) ? r.below(1024) : half_from_float(r.unit()));
  return tested && !depth_of_shader;
}

void set_samples(const Surfaces& surfaces, Stream& s) {
  s.set(GB_TILE_CONFIG::address(), GB_TILE_CONFIG::SUBPIXEL::of(!surfaces.twelfths));
  s.set(GB_AA_CONFIG::address(), 0);
  if (surfaces.samples == 1) s.set(GB_MSPOS0::address(), {surfaces.twelfths ? 0x66666666u : 0x66888888u, 0x666666});
  for (const Arrangement& a : arrangements) {
    if (a.samples != surfaces.samples) continue;
    unsigned x = 11, y = 11, least = 11;
    for (auto& p : a.place) x = std::min(x, p[0]), y = std::min(y, p[1]), least = std::min({least, p[0], p[1]});
    auto three = [&](unsigned n) {
      uint32_t word = 0;
      for (unsigned k = 0; k < 3; k++) word |= a.place[n + k][0] << k * 8 | a.place[n + k][1] << (k * 8 + 4);
      return word;
    };
    s.set(GB_AA_CONFIG::address(), GB_AA_CONFIG::AA_ENABLE::of(1) | GB_AA_CONFIG::NUM_AA_SUBSAMPLES::of(a.config));
    s.set(GB_MSPOS0::address(), {three(0) | y << 24 | x << 28, three(3) | least << 24});
  }
}

}  // namespace Atoll::random_states::r500_states
