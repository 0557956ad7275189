// Colour state of draws field by field, without a driver: blending, logic operations, exports by format; and coverage where more
// samples are rasterised than a target has. Expectations are worked out here.
#include <array>
#include <cmath>

#include "gpu/sea_islands/draws.h"
#include "surface/number.h"

namespace Atoll::sea_islands::test {
namespace {

using Colour = std::array<double, 4>;
using Blend = CB_BLEND_CONTROL;
using Info = CB_COLOR_INFO;

class ColourState : public Draws {
protected:
  // A program that exports what user data 0 to 7 hold: to target 0, and as the second source.
  uint64_t exporting(bool second) {
    std::vector<std::string> lines;
    for (int n = 0; n < 8; n++) lines.push_back(fmt::format("v_mov_b32 v{}, s{}", n, n));
    lines.push_back(second ? "exp mrt0 v0, v1, v2, v3" : "exp mrt0 v0, v1, v2, v3 done vm");
    if (second) lines.push_back("exp mrt1 v4, v5, v6, v7 done vm");
    lines.push_back("s_endpgm");
    return program(lines);
  }
  static Words& exports(Words& w, const std::array<uint32_t, 8>& values) {
    w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(8));
    for (unsigned n = 0; n < 8; n++) w.shader(SPI_SHADER_USER_DATA_PS::address(n), values[n]);
    return w;
  }
  // One pixel of the target.
  static Words& one_pixel(Words& w) {
    return w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31).context(PA_SC_GENERIC_SCISSOR_BR::address(), 1 | 1 << 16);
  }
  template <class T>
  T* texel() {
    return reinterpret_cast<T*>(colour.host_pointer);
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, ColourState, testing::Values("interpreter", "jit"));

// --- blending

struct Target {
  const char* name;
  uint32_t format, number;
  double least, step;  // of what it stores; 0: any
  unsigned channel_bits[4];
};
const Target targets[] = {
    {"8_8_8_8 unorm", Info::FORMAT::COLOR_8_8_8_8, Info::NUMBER_TYPE::NUMBER_UNORM, 0, 1, {8, 8, 8, 8}},
    {"8_8_8_8 snorm", Info::FORMAT::COLOR_8_8_8_8, Info::NUMBER_TYPE::NUMBER_SNORM, -1, 1, {8, 8, 8, 8}},
    {"2_10_10_10 unorm", Info::FORMAT::COLOR_2_10_10_10, Info::NUMBER_TYPE::NUMBER_UNORM, 0, 1, {10, 10, 10, 2}},
    {"16_16_16_16 unorm", Info::FORMAT::COLOR_16_16_16_16, Info::NUMBER_TYPE::NUMBER_UNORM, 0, 1, {16, 16, 16, 16}},
    {"16_16_16_16 float", Info::FORMAT::COLOR_16_16_16_16, Info::NUMBER_TYPE::NUMBER_FLOAT, 0, 0, {16, 16, 16, 16}},
    {"32_32_32_32 float", Info::FORMAT::COLOR_32_32_32_32, Info::NUMBER_TYPE::NUMBER_FLOAT, 0, 0, {32, 32, 32, 32}},
};

// The texel that holds a colour, and the colour that a texel holds.
uint64_t codes(const Target& t, const Colour& c, uint32_t (&words)[4]) {
  unsigned bit = 0;
  std::fill_n(words, 4, 0);
  for (unsigned n = 0; n < 4; n++) {
    unsigned bits = t.channel_bits[n];
    uint32_t code;
    if (bits == 32)
      code = std::bit_cast<uint32_t>(float(c[n]));
    else if (t.number == Info::NUMBER_TYPE::NUMBER_FLOAT)
      code = surface::to_half(float(c[n]));
    else if (t.number == Info::NUMBER_TYPE::NUMBER_SNORM)
      code = uint32_t(std::lround(c[n] * ((1 << (bits - 1)) - 1))) & ((1u << bits) - 1);
    else
      code = uint32_t(std::lround(c[n] * ((1u << bits) - 1)));
    words[bit / 32] |= code << bit % 32;
    bit += bits;
  }
  return bit / 8;
}
Colour colour_of(const Target& t, const uint32_t* words) {
  Colour c;
  unsigned bit = 0;
  for (unsigned n = 0; n < 4; n++) {
    unsigned bits = t.channel_bits[n];
    uint32_t code = words[bit / 32] >> bit % 32;
    if (bits < 32) code &= (1u << bits) - 1;
    if (bits == 32)
      c[n] = std::bit_cast<float>(code);
    else if (t.number == Info::NUMBER_TYPE::NUMBER_FLOAT)
      c[n] = surface::from_half(uint16_t(code));
    else if (t.number == Info::NUMBER_TYPE::NUMBER_SNORM)
      c[n] = std::max(-1.0, double(int32_t(code << (32 - bits)) >> (32 - bits)) / ((1 << (bits - 1)) - 1));
    else
      c[n] = double(code) / ((1u << bits) - 1);
    bit += bits;
  }
  return c;
}

struct Operands {
  Colour source, second, target, constant;
};
double factor(uint32_t f, const Operands& o, unsigned c) {
  switch (f) {
    case BlendOp::BLEND_ZERO: return 0;
    case BlendOp::BLEND_ONE: return 1;
    case BlendOp::BLEND_SRC_COLOR: return o.source[c];
    case BlendOp::BLEND_ONE_MINUS_SRC_COLOR: return 1 - o.source[c];
    case BlendOp::BLEND_SRC_ALPHA: return o.source[3];
    case BlendOp::BLEND_ONE_MINUS_SRC_ALPHA: return 1 - o.source[3];
    case BlendOp::BLEND_DST_ALPHA: return o.target[3];
    case BlendOp::BLEND_ONE_MINUS_DST_ALPHA: return 1 - o.target[3];
    case BlendOp::BLEND_DST_COLOR: return o.target[c];
    case BlendOp::BLEND_ONE_MINUS_DST_COLOR: return 1 - o.target[c];
    case BlendOp::BLEND_SRC_ALPHA_SATURATE: return c == 3 ? 1 : std::min(o.source[3], 1 - o.target[3]);
    case BlendOp::BLEND_CONSTANT_COLOR: return o.constant[c];
    case BlendOp::BLEND_ONE_MINUS_CONSTANT_COLOR: return 1 - o.constant[c];
    case BlendOp::BLEND_SRC1_COLOR: return o.second[c];
    case BlendOp::BLEND_INV_SRC1_COLOR: return 1 - o.second[c];
    case BlendOp::BLEND_SRC1_ALPHA: return o.second[3];
    case BlendOp::BLEND_INV_SRC1_ALPHA: return 1 - o.second[3];
    case BlendOp::BLEND_CONSTANT_ALPHA: return o.constant[3];
    default: return 1 - o.constant[3];
  }
}
constexpr uint32_t all_factors[] = {BlendOp::BLEND_ZERO,
                                    BlendOp::BLEND_ONE,
                                    BlendOp::BLEND_SRC_COLOR,
                                    BlendOp::BLEND_ONE_MINUS_SRC_COLOR,
                                    BlendOp::BLEND_SRC_ALPHA,
                                    BlendOp::BLEND_ONE_MINUS_SRC_ALPHA,
                                    BlendOp::BLEND_DST_ALPHA,
                                    BlendOp::BLEND_ONE_MINUS_DST_ALPHA,
                                    BlendOp::BLEND_DST_COLOR,
                                    BlendOp::BLEND_ONE_MINUS_DST_COLOR,
                                    BlendOp::BLEND_SRC_ALPHA_SATURATE,
                                    BlendOp::BLEND_CONSTANT_COLOR,
                                    BlendOp::BLEND_ONE_MINUS_CONSTANT_COLOR,
                                    BlendOp::BLEND_SRC1_COLOR,
                                    BlendOp::BLEND_INV_SRC1_COLOR,
                                    BlendOp::BLEND_SRC1_ALPHA,
                                    BlendOp::BLEND_INV_SRC1_ALPHA,
                                    BlendOp::BLEND_CONSTANT_ALPHA,
                                    BlendOp::BLEND_ONE_MINUS_CONSTANT_ALPHA};
using Fcn = Blend::COLOR_COMB_FCN;
constexpr uint32_t all_functions[] = {Fcn::COMB_DST_PLUS_SRC, Fcn::COMB_SRC_MINUS_DST, Fcn::COMB_MIN_DST_SRC,
                                      Fcn::COMB_MAX_DST_SRC, Fcn::COMB_DST_MINUS_SRC};
double combined(uint32_t function, double source, double source_factor, double target, double target_factor) {
  switch (function) {
    case Fcn::COMB_SRC_MINUS_DST: return source * source_factor - target * target_factor;
    case Fcn::COMB_MIN_DST_SRC: return std::min(source, target);
    case Fcn::COMB_MAX_DST_SRC: return std::max(source, target);
    case Fcn::COMB_DST_MINUS_SRC: return target * target_factor - source * source_factor;
    default: return source * source_factor + target * target_factor;
  }
}

// Every pair of factors under every function for colours and, on their own or not, for alpha; with alpha that reads as 1.
TEST_P(ColourState, BlendsByEveryFactorAndFunction) {
  const uint64_t pixel[2] = {exporting(false), exporting(true)}, vertex = big_triangle();
  const bool compiled = GetParam() == std::string_view("jit");
  unsigned cases = 0;
  for (const Target& t : targets) {
    const bool floating = t.number == Info::NUMBER_TYPE::NUMBER_FLOAT;
    unsigned number = 0;
    for (uint32_t source : all_factors)
      for (uint32_t target : all_factors)
        for (uint32_t function : all_functions) {
          // Alpha has other factors and another function, in turns.
          number++;
          // (A program is compiled for each.)
          if (compiled && number % std::size(targets) != size_t(&t - targets)) continue;
          const uint32_t alpha_source = all_factors[number * 7 % 19], alpha_target = all_factors[number * 11 % 19];
          const uint32_t alpha_function = all_functions[number * 3 % 5];
          const bool separate = number % 3, opaque = number % 4 == 1;
          auto is_second = [](uint32_t f) { return f >= BlendOp::BLEND_SRC1_COLOR && f <= BlendOp::BLEND_INV_SRC1_ALPHA; };
          const bool second =
              is_second(source) || is_second(target) || (separate && (is_second(alpha_source) || is_second(alpha_target)));
          // Sources and constants reach beyond what fixed point holds.
          Operands o{{0.75, number % 2 ? 1.5 : 0.25, -0.375, 0.625},
                     {0.5, 0.125, 1.25, 0.375},
                     {},
                     {0.25, 0.5, -0.5, number % 5 ? 0.75 : 1.25}};
          uint32_t words[4];
          uint64_t bytes = codes(t, {0.3, 0.6, floating ? 2.5 : 0.9, 1.0 / 3}, words);
          o.target = colour_of(t, words);
          Words w = state(vertex, pixel[second]);
          std::array<uint32_t, 8> values;
          for (unsigned n = 0; n < 4; n++)
            values[n] = std::bit_cast<uint32_t>(float(o.source[n])), values[4 + n] = std::bit_cast<uint32_t>(float(o.second[n]));
          exports(one_pixel(w), values);
          w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR * (second ? 0x11u : 1u));
          w.context(Info::address(0), Info::FORMAT::of(t.format) | Info::NUMBER_TYPE::of(t.number) |
                                          Info::BLEND_CLAMP::of(!floating) | Info::SIMPLE_FLOAT::of(floating));
          w.context(CB_COLOR_ATTRIB::address(0),
                    CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8) | CB_COLOR_ATTRIB::FORCE_DST_ALPHA_1::of(opaque));
          w.context(Blend::address(0), Blend::ENABLE::of(1) | Blend::COLOR_SRCBLEND::of(source) |
                                           Blend::COLOR_DESTBLEND::of(target) | Blend::COLOR_COMB_FCN::of(function) |
                                           Blend::SEPARATE_ALPHA_BLEND::of(separate) | Blend::ALPHA_SRCBLEND::of(alpha_source) |
                                           Blend::ALPHA_DESTBLEND::of(alpha_target) | Blend::ALPHA_COMB_FCN::of(alpha_function));
          const uint32_t constants[] = {CB_BLEND_RED::address(), CB_BLEND_GREEN::address(), CB_BLEND_BLUE::address(),
                                        CB_BLEND_ALPHA::address()};
          for (unsigned n = 0; n < 4; n++) w.context(constants[n], std::bit_cast<uint32_t>(float(o.constant[n])));
          std::memcpy(colour.host_pointer, words, bytes);
          good(triangle(w));
          if (!floating)
            for (Colour* c : {&o.source, &o.second, &o.constant})
              for (double& v : *c) v = std::clamp(v, t.least, 1.0);
          if (opaque) o.target[3] = 1;
          uint32_t result[4];
          std::memcpy(result, colour.host_pointer, 16);
          Colour got = colour_of(t, result);
          for (unsigned c = 0; c < 4; c++) {
            const bool own = c == 3 && separate;
            double expected = combined(own ? alpha_function : function, o.source[c], factor(own ? alpha_source : source, o, c),
                                       o.target[c], factor(own ? alpha_target : target, o, c));
            double tolerance = 1e-3 * std::max(1.0, std::abs(expected));
            if (!floating) {
              expected = std::clamp(expected, t.least, 1.0);
              tolerance = 0.51 / ((1u << (t.channel_bits[c] - (t.least < 0))) - 1) + 1e-6;
            }
            ASSERT_NEAR(got[c], expected, tolerance)
                << t.name << ": component " << c << ", factors " << source << " and " << target << ", function " << function
                << (separate ? ", alpha " : ", unused for alpha ") << alpha_source << " and " << alpha_target << ", function "
                << alpha_function << (opaque ? ", opaque" : "");
          }
          cases++;
        }
  }
  EXPECT_EQ(cases, (compiled ? 1u : 6u) * 19 * 19 * 5);
}

// --- logic operations

TEST_P(ColourState, LogicOperationsWorkOnTheBitsOfTexels) {
  const uint64_t pixel = exporting(false), vertex = big_triangle();
  struct Row {
    uint32_t format, number;
    uint32_t source;  // as it is stored
    std::array<uint32_t, 4> exported;
    uint32_t spi;
  };
  auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  const Row rows[] = {
      {Info::FORMAT::COLOR_8_8_8_8,
       Info::NUMBER_TYPE::NUMBER_UNORM,
       0x33ff0055,
       {f(1.0f / 3), f(0), f(1), f(0.2f)},
       SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR},
      {Info::FORMAT::COLOR_8_8_8_8,
       Info::NUMBER_TYPE::NUMBER_UINT,
       0x12f05aa5,
       {0xa5, 0x5a, 0xf0, 0x12},
       SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR},
      {Info::FORMAT::COLOR_32,
       Info::NUMBER_TYPE::NUMBER_UINT,
       0xdeadbeef,
       {0xdeadbeef, 1, 2, 3},
       SPI_SHADER_EX_FORMAT::SPI_SHADER_32_R},
      {Info::FORMAT::COLOR_2_10_10_10,
       Info::NUMBER_TYPE::NUMBER_UNORM,
       0xc00ffd55,
       {f(341.0f / 1023), f(1), f(0), f(1)},
       SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR},
  };
  unsigned number = 0;
  for (const Row& row : rows)
    for (uint32_t op = 0; op < 16; op++)
      for (uint32_t mask : {0xfu, 0xfu, 0xfu, 0xfu, 0x5u}) {
        if (mask == 5 && row.format != Info::FORMAT::COLOR_8_8_8_8) continue;
        const uint32_t target = 0x0ff0c3a6;
        Words w = state(vertex, pixel);
        exports(one_pixel(w), {row.exported[0], row.exported[1], row.exported[2], row.exported[3]});
        w.context(SPI_SHADER_COL_FORMAT::address(), row.spi).context(CB_TARGET_MASK::address(), mask);
        const bool fixed = row.number == Info::NUMBER_TYPE::NUMBER_UNORM || row.number == Info::NUMBER_TYPE::NUMBER_SNORM ||
                           row.number == Info::NUMBER_TYPE::NUMBER_SRGB;
        const uint32_t clamp = Info::BLEND_CLAMP::of(fixed) | Info::SIMPLE_FLOAT::of(1);
        w.context(Info::address(0), Info::FORMAT::of(row.format) | Info::NUMBER_TYPE::of(row.number) | clamp);
        w.context(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(op | op << 4));
        // Blending overrides the operation, and DISABLE_ROP3 (RADV of Mesa 25) takes a target out of it.
        const unsigned form = number++ % 4;
        w.context(Blend::address(0), Blend::ENABLE::of(form == 1) | Blend::COLOR_SRCBLEND::of(BlendOp::BLEND_ONE) |
                                         Blend::DISABLE_ROP3::of(form == 2));
        const bool bypassed = row.number == Info::NUMBER_TYPE::NUMBER_UINT;
        w.context(Info::address(0),
                  Info::FORMAT::of(row.format) | Info::NUMBER_TYPE::of(row.number) | clamp | Info::BLEND_BYPASS::of(bypassed));
        *texel<uint32_t>() = target;
        good(triangle(w));
        uint32_t expected = 0;
        for (unsigned bit = 0; bit < 32; bit++)
          expected |= (op >> ((row.source >> bit & 1) << 1 | (target >> bit & 1)) & 1) << bit;
        if ((form == 1 && !bypassed) || form == 2) expected = row.source;
        const uint32_t let_through = mask == 5 ? 0x00ff00ff : ~0u;
        expected = (expected & let_through) | (target & ~let_through);
        ASSERT_EQ(*texel<uint32_t>(), expected) << "format " << row.format << ", operation " << op << ", mask " << mask;
      }
}

// --- more samples than the target has

// Smooth lines and polygons of radeonsi: coverage at 4 places, the pixel is drawn where any of them is inside, and the shader has
// all of them.
// DB_RENDER_OVERRIDE.FORCE_COLOR_KILL: depth is written, no colour.
TEST_P(ColourState, ForcedKillsWriteNoColour) {
  Buffer depth = *space->allocate(width * height * 4, 4096);
  Words w = state(big_triangle(), interpolating());
  bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT, CompareFrag::FRAG_GREATER);
  w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.5f));
  w.context(DB_RENDER_OVERRIDE::address(), DB_RENDER_OVERRIDE::FORCE_COLOR_KILL::of(1));
  good(triangle(w));
  EXPECT_EQ(pixel(3, 3), 0u);
  EXPECT_EQ(*reinterpret_cast<float*>(depth.host_pointer), 0.75f);
  w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.75f));
  w.context(DB_RENDER_OVERRIDE::address(), 0);
  good(triangle(w));
  EXPECT_NE(pixel(3, 3), 0u);
}

TEST_P(ColourState, OverRasterizationGivesTheShaderAllPlaces) {
  const uint64_t pixel = program({"v_cvt_f32_u32 v0, v0", "v_mul_f32 v0, 0x3b808081, v0", "v_mov_b32 v1, 1.0",
                                  "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  // An edge x = y * slope + offset: a triangle to its left.
  Buffer table = *space->allocate(64);
  const uint64_t vertex =
      program({"v_lshlrev_b32 v1, 3, v0", "v_mov_b32 v2, s1", "v_add_i32 v1, vcc, s0, v1", "v_addc_u32 v2, vcc, 0, v2, vcc",
               "flat_load_dwordx2 v[3:4], v[1:2]", "v_mov_b32 v5, 0", "v_mov_b32 v6, 1.0", "s_waitcnt vmcnt(0) & lgkmcnt(0)",
               "exp pos0 v3, v4, v5, v6 done", "exp param0 v3, v4, v5, v6", "s_endpgm"});
  unsigned partly = 0;
  for (unsigned log_samples : {1u, 2u, 3u, 4u})
    for (float slope : {0.0f, 0.3f, -1.7f})
      for (bool has_depth : {false, true}) {
        const unsigned samples = 1u << log_samples;
        auto* at = reinterpret_cast<float*>(table.host_pointer);
        const double top = 20.2 - slope * 16, bottom = 20.2 + slope * 16;  // x in pixels at y 0 and 32
        const float corners[6] = {float(top / 32 - 1), -1, float(bottom / 32 - 1), 1, -200, 0.01f};
        std::memcpy(at, corners, sizeof corners);
        Buffer depth = *space->allocate(width * height * 4, 4096);
        std::memset(colour.host_pointer, 0, width * height * 4);
        Words w = state(vertex, pixel);
        if (has_depth) bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT);
        w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2))
            .shader(SPI_SHADER_USER_DATA_VS::address(0), uint32_t(table.gpu_address))
            .shader(SPI_SHADER_USER_DATA_VS::address(1), uint32_t(table.gpu_address >> 32));
        w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
        w.context(SPI_PS_INPUT_ENA::address(), 1 << 14).context(SPI_PS_INPUT_ADDR::address(), 1 << 14);  // SAMPLE_COVERAGE
        w.context(PA_SC_AA_CONFIG::address(),
                  PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(log_samples) | PA_SC_AA_CONFIG::MSAA_EXPOSED_SAMPLES::of(log_samples));
        w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
        w.context(DB_EQAA::address(), DB_EQAA::OVERRASTERIZATION_AMOUNT::of(log_samples));
        // Places in 1/16 pixel from the centre.
        int places[16];
        for (unsigned s = 0; s < samples; s++) places[s] = int(s * 16 / samples) - 8;
        for (unsigned n = 0; n < 4; n++) {
          uint32_t word = 0;
          for (unsigned s = 0; s < 4; s++) word |= uint32_t(places[(n * 4 + s) % samples] & 15) << s * 8;
          for (uint32_t base : {PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0::address(),
                                PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0::address(), PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0::address()})
            w.context(base + n * 4, word);
        }
        good(triangle(w));
        for (unsigned y = 4; y < 28; y++)
          for (unsigned x = 0; x < width; x++) {
            uint32_t mask = 0;
            bool near = false;
            for (unsigned s = 0; s < samples; s++) {
              double edge = top + (bottom - top) * (y + 0.5) / 32, place = x + 0.5 + places[s] / 16.0;
              if (place < edge) mask |= 1u << s;
              near |= std::abs(place - edge) < 0.02;
            }
            if (near) continue;
            partly += mask && mask != (1u << samples) - 1;
            const uint32_t expected = mask ? 0xffffff00u | std::min<uint32_t>(mask, 255) : 0;
            ASSERT_EQ(this->pixel(x, y), expected) << samples << " places, slope " << slope << ", pixel " << x << "," << y;
          }
        if (has_depth) {
          auto* z = reinterpret_cast<float*>(depth.host_pointer);
          unsigned drawn = 0;
          for (unsigned n = 0; n < width * height; n++) drawn += this->pixel(n % width, n / width) != 0;
          EXPECT_EQ(unsigned(std::count(z, z + width * height, 0.5f)), drawn);
        }
        space->free(depth);
      }
  EXPECT_GT(partly, 200u);
}

}  // namespace
}  // namespace Atoll::sea_islands::test
