// Exports of a shader into a colour buffer, form by form, without a driver: every format, number and component swap of
// CB_COLOR_INFO that Mesa's drivers make, by every SPI_SHADER_COL_FORMAT that ac_choose_spi_color_formats() can pair with it,
// under write masks. Texels are worked out here, from values that every form holds exactly.
#include <array>
#include <cmath>

#include "gpu/sea_islands/draws.h"
#include "surface/number.h"

namespace Atoll::sea_islands::test {
namespace {

using Info = CB_COLOR_INFO;
using F = Info::FORMAT;
using N = Info::NUMBER_TYPE;
using Swap = Info::COMP_SWAP;
using Export = SPI_SHADER_EX_FORMAT;

class ExportState : public Draws {};
INSTANTIATE_TEST_SUITE_P(Engines, ExportState, testing::Values("interpreter", "jit"));

enum Kind : unsigned { unorm = 1, snorm = 2, uint = 4, sint = 8, floating = 16, srgb = 32 };
struct Row {
  uint32_t format;
  std::vector<unsigned> fields;  // bits, from bit 0 on
  unsigned kinds;
};
const Row rows[] = {
    {F::COLOR_8, {8}, unorm | snorm | uint | sint},
    {F::COLOR_16, {16}, unorm | snorm | uint | sint | floating},
    {F::COLOR_8_8, {8, 8}, unorm | snorm | uint | sint},
    {F::COLOR_32, {32}, uint | sint | floating},
    {F::COLOR_16_16, {16, 16}, unorm | snorm | uint | sint | floating},
    {F::COLOR_10_11_11, {11, 11, 10}, floating},
    {F::COLOR_2_10_10_10, {10, 10, 10, 2}, unorm | uint},
    {F::COLOR_10_10_10_2, {2, 10, 10, 10}, unorm | uint},
    {F::COLOR_8_8_8_8, {8, 8, 8, 8}, unorm | snorm | uint | sint | srgb},
    {F::COLOR_32_32, {32, 32}, uint | sint | floating},
    {F::COLOR_16_16_16_16, {16, 16, 16, 16}, unorm | snorm | uint | sint | floating},
    {F::COLOR_32_32_32_32, {32, 32, 32, 32}, uint | sint | floating},
    {F::COLOR_5_6_5, {5, 6, 5}, unorm},
    {F::COLOR_1_5_5_5, {5, 5, 5, 1}, unorm},
    {F::COLOR_5_5_5_1, {1, 5, 5, 5}, unorm},
    {F::COLOR_4_4_4_4, {4, 4, 4, 4}, unorm},
};
// The component in field 0, 1, 2, 3 (Mesa 22.3.6 si_translate_colorswap(), by its swizzles).
struct SwapRow {
  size_t fields;
  uint32_t swap;
  std::array<unsigned, 4> component;
};
const SwapRow swaps[] = {
    {1, Swap::SWAP_STD, {0}},          {1, Swap::SWAP_ALT_REV, {3}},          {2, Swap::SWAP_STD, {0, 1}},
    {2, Swap::SWAP_STD_REV, {1, 0}},   {2, Swap::SWAP_ALT, {0, 3}},           {2, Swap::SWAP_ALT_REV, {3, 0}},
    {3, Swap::SWAP_STD, {0, 1, 2}},    {3, Swap::SWAP_STD_REV, {2, 1, 0}},    {4, Swap::SWAP_STD, {0, 1, 2, 3}},
    {4, Swap::SWAP_ALT, {2, 1, 0, 3}}, {4, Swap::SWAP_STD_REV, {3, 2, 1, 0}}, {4, Swap::SWAP_ALT_REV, {3, 0, 1, 2}},
};

// An unsigned float of 5 bits of exponent; the values of this test are normal ones and 0.
uint32_t small_float(double v, unsigned bits) {
  if (v <= 0) return 0;
  int exponent;
  double mantissa = std::frexp(v, &exponent) * 2 - 1;  // v = (1 + mantissa) * 2^(exponent - 1)
  return uint32_t(exponent - 1 + 15) << (bits - 5) | uint32_t(mantissa * (1 << (bits - 5)));
}
uint32_t field(double value, int64_t integer, unsigned bits, Kind kind, bool is_alpha) {
  const uint32_t most = bits == 32 ? ~0u : (1u << bits) - 1;
  switch (kind) {
    case unorm: return uint32_t(std::lround(std::clamp(value, 0.0, 1.0) * most));
    case snorm: return uint32_t(std::lround(std::clamp(value, -1.0, 1.0) * (most >> 1))) & most;
    case srgb: return is_alpha ? field(value, 0, bits, unorm, true) : surface::to_srgb8(float(value));
    case floating:
      return bits == 32   ? std::bit_cast<uint32_t>(float(value))
             : bits == 16 ? surface::to_half(float(value))
                          : small_float(value, bits);
    default: return uint32_t(integer) & most;
  }
}

TEST_P(ExportState, EveryFormatBySwapNumberAndExport) {
  const uint64_t vertex = big_triangle();
  auto exporting = [&](const char* line) {
    return program({"v_mov_b32 v0, s0", "v_mov_b32 v1, s1", "v_mov_b32 v2, s2", "v_mov_b32 v3, s3", line, "s_endpgm"});
  };
  const uint64_t whole = exporting("exp mrt0 v0, v1, v2, v3 done vm"), red = exporting("exp mrt0 v0, off, off, off done vm"),
                 red_green = exporting("exp mrt0 v0, v1, off, off done vm"),
                 red_alpha = exporting("exp mrt0 v0, off, off, v3 done vm"),
                 packed = exporting("exp mrt0 v0, v0, v1, v1 done compr vm");
  struct Form {
    uint32_t spi;
    uint64_t program;
    unsigned components;  // that it has
  };
  unsigned cases = 0;
  for (const Row& row : rows)
    for (const SwapRow& swap : swaps) {
      if (swap.fields != row.fields.size()) continue;
      for (Kind kind : {unorm, snorm, uint, sint, floating, srgb}) {
        if (!(row.kinds & kind)) continue;
        const bool integer = kind == uint || kind == sint, wide = row.fields[0] == 32;
        unsigned needed = 0;
        for (size_t n = 0; n < row.fields.size(); n++) needed |= 1u << swap.component[n];
        std::vector<Form> forms = {{Export::SPI_SHADER_32_ABGR, whole, 15},
                                   {Export::SPI_SHADER_32_R, red, 1},
                                   {Export::SPI_SHADER_32_GR, red_green, 3},
                                   {Export::SPI_SHADER_32_AR, red_alpha, 9}};
        if (!wide && !integer) forms.push_back({Export::SPI_SHADER_FP16_ABGR, packed, 15});
        if (!wide && kind == unorm) forms.push_back({Export::SPI_SHADER_UNORM16_ABGR, packed, 15});
        if (!wide && kind == snorm) forms.push_back({Export::SPI_SHADER_SNORM16_ABGR, packed, 15});
        if (!wide && kind == uint) forms.push_back({Export::SPI_SHADER_UINT16_ABGR, packed, 15});
        if (!wide && kind == sint) forms.push_back({Export::SPI_SHADER_SINT16_ABGR, packed, 15});
        for (const Form& form : forms) {
          if (needed & ~form.components) continue;
          for (unsigned set = 0; set < 3; set++)
            for (uint32_t mask = 0; mask < 16; mask++) {
              if (mask & ~needed) continue;
              // Beyond what fixed point holds, too, but where the export does not hold it either.
              const bool normalized = form.spi == Export::SPI_SHADER_UNORM16_ABGR || form.spi == Export::SPI_SHADER_SNORM16_ABGR;
              static constexpr double sets[3][4] = {{0.25, 0.75, 1, 0.5}, {1, 0, 0.5, 0.25}, {-0.5, 1.5, 0.25, 1}};
              std::array<double, 4> values;
              std::array<int64_t, 4> integers;
              for (unsigned c = 0; c < 4; c++) {
                values[c] = sets[set][c];
                if (kind == floating && row.fields[0] < 16) values[c] = std::abs(values[c]);
                if (normalized) values[c] = std::clamp(values[c], form.spi == Export::SPI_SHADER_SNORM16_ABGR ? -1.0 : 0.0, 1.0);
                integers[c] = set == 0 ? c + (c == 3 ? -2 : 0) : set == 1 ? 1 - int64_t(c % 2) : 3 - int64_t(c);
                if (kind == sint) integers[c] = set == 2 ? -integers[c] * 9 : integers[c] * 5;
                if (wide) integers[c] *= 100003;
              }
              uint32_t words[4];
              for (unsigned c = 0; c < 4; c++)
                words[c] = integer ? uint32_t(integers[c]) : std::bit_cast<uint32_t>(float(values[c]));
              if (form.program == packed) {
                std::array<uint16_t, 4> half;
                for (unsigned c = 0; c < 4; c++) {
                  switch (form.spi) {
                    case Export::SPI_SHADER_FP16_ABGR: half[c] = surface::to_half(float(values[c])); break;
                    case Export::SPI_SHADER_UNORM16_ABGR: half[c] = uint16_t(std::lround(values[c] * 65535)); break;
                    case Export::SPI_SHADER_SNORM16_ABGR: half[c] = uint16_t(std::lround(values[c] * 32767)); break;
                    default: half[c] = uint16_t(integers[c]);
                  }
                }
                words[0] = half[0] | uint32_t(half[1]) << 16, words[1] = half[2] | uint32_t(half[3]) << 16;
              }
              Words w = state(vertex, form.program);
              w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(4));
              for (unsigned c = 0; c < 4; c++) w.shader(SPI_SHADER_USER_DATA_PS::address(c), words[c]);
              w.context(SPI_SHADER_COL_FORMAT::address(), form.spi).context(CB_TARGET_MASK::address(), mask);
              static constexpr uint32_t types[] = {N::NUMBER_UNORM, N::NUMBER_SNORM, N::NUMBER_UINT,
                                                   N::NUMBER_SINT,  N::NUMBER_FLOAT, N::NUMBER_SRGB};
              w.context(Info::address(0),
                        Info::FORMAT::of(row.format) | Info::NUMBER_TYPE::of(types[std::countr_zero(unsigned(kind))]) |
                            Info::COMP_SWAP::of(swap.swap) | Info::BLEND_BYPASS::of(integer) |
                            Info::BLEND_CLAMP::of(kind & (unorm | snorm | srgb) ? 1 : 0) |
                            Info::ROUND_MODE::of(kind & (unorm | snorm | srgb) ? 0 : 1) | Info::SIMPLE_FLOAT::of(1));
              w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31).context(PA_SC_GENERIC_SCISSOR_BR::address(), 1 | 1 << 16);
              uint32_t expected[4] = {0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a}, got[4];
              std::memcpy(colour.host_pointer, expected, 16);
              good(triangle(w));
              std::memcpy(got, colour.host_pointer, 16);
              unsigned bit = 0;
              for (size_t n = 0; n < row.fields.size(); n++) {
                const unsigned bits = row.fields[n], component = swap.component[n];
                const uint32_t most = bits == 32 ? ~0u : (1u << bits) - 1;
                if (mask >> component & 1) {
                  const int64_t stored =
                      integer && kind == uint ? std::min<int64_t>(integers[component], most) : integers[component];
                  uint32_t& word = expected[bit / 32];
                  word = (word & ~(most << bit % 32)) | field(values[component], stored, bits, kind, component == 3) << bit % 32;
                }
                bit += bits;
              }
              cases++;
              for (unsigned n = 0; n < 4; n++)
                ASSERT_EQ(got[n], expected[n])
                    << "format " << row.format << ", swap " << swap.swap << ", number " << std::countr_zero(unsigned(kind))
                    << ", export " << form.spi << ", mask " << mask << ", values " << set << ", word " << n;
            }
        }
      }
    }
  EXPECT_EQ(cases, 11436u);
}

// Blending takes what a program does not export as 0, whatever other programs exported before.
TEST_P(ExportState, ChannelsThatAreNotExported) {
  const uint64_t vertex = big_triangle();
  auto exporting = [&](const char* line) {
    return program({"v_mov_b32 v0, 1.0", "v_mov_b32 v1, 0.5", "v_mov_b32 v2, 0x3c003c00", line, "s_endpgm"});
  };
  const uint64_t all = exporting("exp mrt0 v0, v0, v0, v0 done vm");
  struct Form {
    const char* line;
    uint32_t spi, expected;  // red, green, blue: times alpha
  };
  for (const Form& form : {Form{"exp mrt0 v0, off, off, off done vm", Export::SPI_SHADER_32_R, 0},
                           Form{"exp mrt0 v0, v0, off, off done vm", Export::SPI_SHADER_32_GR, 0},
                           Form{"exp mrt0 v0, v1, off, off done vm", Export::SPI_SHADER_32_AR, 0x80000080},
                           Form{"exp mrt0 v0, off, off, v1 done vm", Export::SPI_SHADER_32_AR, 0x80000080},
                           Form{"exp mrt0 v0, v0, v0, v1 done vm", Export::SPI_SHADER_32_ABGR, 0x80808080},
                           Form{"exp mrt0 v2, v2, off, off done compr vm", Export::SPI_SHADER_FP16_ABGR, 0}}) {
    const uint64_t tested = exporting(form.line);
    for (const uint64_t shader : {all, tested}) {
      Words w = state(vertex, shader);
      w.context(SPI_SHADER_COL_FORMAT::address(), shader == all ? uint32_t(Export::SPI_SHADER_32_ABGR) : form.spi);
      using B = CB_BLEND_CONTROL;
      w.context(B::address(0), B::ENABLE::of(1) | B::COLOR_SRCBLEND::of(sea_islands::BlendOp::BLEND_SRC_ALPHA) |
                                   B::COLOR_DESTBLEND::of(sea_islands::BlendOp::BLEND_ZERO) | B::SEPARATE_ALPHA_BLEND::of(1) |
                                   B::ALPHA_SRCBLEND::of(sea_islands::BlendOp::BLEND_ONE) |
                                   B::ALPHA_DESTBLEND::of(sea_islands::BlendOp::BLEND_ZERO));
      good(triangle(w));
      for (unsigned n = 0; n < width * height; n++)
        ASSERT_EQ(pixel(n % width, n / width), shader == all ? ~0u : form.expected) << form.line << " at " << n;
    }
  }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
