// Pixel shaders of a few instructions: eight values from constants, attributes and the pixel's place; a kill; exports in every form
// that SPI_SHADER_COL_FORMAT has.
#pragma once
#include <fmt/format.h>

#include "amd_states.h"

namespace Atoll::random_states {

inline constexpr unsigned values = 8, first_value = 10, scratch = 30;
using Lines = std::vector<std::string>;

// One value into register v.
template <class R>
void make_value(Random& r, unsigned v, bool coverage_seen, Lines& lines) {
  const unsigned attribute = r.below(2), channel = r.below(4);
  const char component = "xyzw"[channel];
  if (coverage_seen && r.percent(25)) {  // ANCILLARY, SAMPLE_COVERAGE
    lines.push_back(fmt::format("v_cvt_f32_u32{} v{}, v{}", R::e32, v, 6 + r.below(2)));
    lines.push_back(fmt::format("v_mul_f32{} v{}, 0x3b800000, v{}", R::e32, v, v));  // / 256
    return;
  }
  switch (r.below(8)) {
    case 0:
    case 1: lines.push_back(fmt::format("v_mov_b32{} v{}, s{}", R::e32, v, r.below(8))); break;
    case 2: R::first_vertex(v, attribute, component, lines); break;
    case 3: lines.push_back(fmt::format("v_mul_f32{} v{}, 0x3c2aaaab, v{}", R::e32, v, 2 + r.below(2))); break;  // x or y / 96
    case 4: lines.push_back(fmt::format("v_mul_f32{} v{}, 0.5, v5", R::e32, v)); break;                          // the face
    default: R::interpolated(v, attribute, component, lines);
  }
  if (r.percent(25)) lines.push_back(fmt::format("v_mul_f32{} v{}, s{}, v{}", R::e32, v, r.below(8), v));
}

// Registers of four values, as the target's numbers are.
template <class R>
std::array<unsigned, 4> operands(Random& r, const ColourBuffer& target, unsigned export_number, Lines& lines) {
  std::array<unsigned, 4> at;
  for (unsigned c = 0; c < 4; c++) {
    const unsigned from = first_value + r.below(values);
    at[c] = from;
    if (!target.integer) continue;
    at[c] = scratch + export_number * 4 + c;
    lines.push_back(fmt::format("v_mul_f32{} v{}, s{}, v{}", R::e32, at[c], 9 + r.below(2), from));
    lines.push_back(fmt::format("v_cvt_{}_f32{} v{}, v{}", target.is_signed ? "i32" : "u32", R::e32, at[c], at[c]));
  }
  return at;
}

// Its text in the family's words.
template <class R>
PixelShader random_shader(Random& r, const Surfaces& surfaces, bool dual_source) {
  using Export = typename R::Export;
  PixelShader s;
  // Barycentrics of the sample, the centre or the centroid, with perspective or without: v0 and v1; POS_X, POS_Y, POS_Z, FRONT_FACE,
  // ANCILLARY, SAMPLE_COVERAGE: v2 to v7.
  const unsigned set = surfaces.coverage_seen ? r.one_of({0u, 1u, 2u, 4u, 5u, 6u}) : r.one_of({0u, 1u, 1u, 1u, 4u, 5u});
  s.input_addr = 1u << set | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 12 | 1u << 13 | 1u << 14;
  s.input_ena = surfaces.coverage_seen || r.percent(30) ? s.input_addr : s.input_addr & ~(1u << 10 | 1u << 13 | 1u << 14);
  s.lines.push_back(fmt::format("s_mov_b32 m0, s{}", user_sgprs));
  if (r.percent(8)) s.lines.push_back(fmt::format("s_setreg_imm32_b32 hwreg({}, 0, 2), {}", R::mode, r.below(4)));  // rounding
  for (unsigned n = 0; n < values; n++) make_value<R>(r, first_value + n, surfaces.coverage_seen, s.lines);

  s.kills = r.percent(25);
  if (s.kills) {
    R::keep_lanes_below_s8(first_value + r.below(values), s.lines);
  }
  s.exports_depth = r.percent(15), s.exports_stencil = r.percent(12), s.exports_mask = surfaces.log_samples && r.percent(20);
  struct Line {
    std::string text;
    std::vector<std::string> before;
  };
  std::vector<Line> exports;
  if (s.exports_depth || s.exports_stencil || s.exports_mask) {
    Line line;
    line.before = {fmt::format("v_mov_b32{} v6, 0x41000000", R::e32),
                   fmt::format("v_mul_f32{} v6, v6, |v{}|", R::e64, first_value + r.below(values)),
                   fmt::format("v_cvt_u32_f32{} v6, v6", R::e32), fmt::format("v_mov_b32{} v7, s11", R::e32)};
    line.text = fmt::format("{} mrtz v{}, v6, v7, off", R::exp, first_value + r.below(values));
    exports.push_back(line);
  }
  unsigned number = 0;
  for (unsigned n = 0; n < std::max(surfaces.targets, dual_source ? 2u : 0u); n++) {
    const ColourBuffer& target = surfaces.colour[dual_source && n == 1 ? 0 : n];
    if (!(dual_source && n < 2) && r.percent(8)) continue;  // not exported
    Line line;
    const auto v = operands<R>(r, target, number, line.before);
    const unsigned packed = scratch + 16 + number * 2;
    auto pack = [&](const char* instruction) {
      for (unsigned pair = 0; pair < 2; pair++)
        line.before.push_back(fmt::format("{} v{}, v{}, v{}", instruction, packed + pair, v[2 * pair], v[2 * pair + 1]));
      line.text = R::export_of_halves(number, packed);
    };
    uint32_t format;
    if (target.integer)
      format = r.one_of<uint32_t>(
          {target.is_signed ? uint32_t(Export::SPI_SHADER_SINT16_ABGR) : uint32_t(Export::SPI_SHADER_UINT16_ABGR),
           Export::SPI_SHADER_32_ABGR, Export::SPI_SHADER_32_GR, Export::SPI_SHADER_32_R});
    else
      format = r.one_of<uint32_t>({Export::SPI_SHADER_FP16_ABGR, Export::SPI_SHADER_FP16_ABGR, Export::SPI_SHADER_FP16_ABGR,
                                   Export::SPI_SHADER_UNORM16_ABGR, Export::SPI_SHADER_SNORM16_ABGR, Export::SPI_SHADER_32_ABGR,
                                   Export::SPI_SHADER_32_ABGR, Export::SPI_SHADER_32_R, Export::SPI_SHADER_32_GR,
                                   Export::SPI_SHADER_32_AR});
    if (dual_source && n == 1 && format <= Export::SPI_SHADER_32_AR) format = Export::SPI_SHADER_32_ABGR;
    uint32_t mask = 0xf;
    switch (format) {
      case Export::SPI_SHADER_FP16_ABGR: pack(R::pack_halves); break;
      case Export::SPI_SHADER_UNORM16_ABGR: pack(R::pack_unorm); break;
      case Export::SPI_SHADER_SNORM16_ABGR: pack(R::pack_snorm); break;
      case Export::SPI_SHADER_UINT16_ABGR: pack(R::pack_u16); break;
      case Export::SPI_SHADER_SINT16_ABGR: pack(R::pack_i16); break;
      case Export::SPI_SHADER_32_R:
        line.text = fmt::format("{} mrt{} v{}, off, off, off", R::exp, number, v[0]);
        mask = 1;
        break;
      case Export::SPI_SHADER_32_GR:
        line.text = fmt::format("{} mrt{} v{}, v{}, off, off", R::exp, number, v[0], v[1]);
        mask = 3;
        break;
      case Export::SPI_SHADER_32_AR:
        line.text = r.percent(50) ? fmt::format("{} mrt{} v{}, v{}, off, off", R::exp, number, v[0], v[1])
                                  : fmt::format("{} mrt{} v{}, off, off, v{}", R::exp, number, v[0], v[3]);
        mask = 9;
        break;
      default: line.text = fmt::format("{} mrt{} v{}, v{}, v{}, v{}", R::exp, number, v[0], v[1], v[2], v[3]);
    }
    s.col_format |= format << 4 * number;
    s.shader_mask |= mask << 4 * n;
    exports.push_back(line);
    number++;
  }
  if (exports.empty() && *R::no_export) exports.push_back({R::no_export, {}});
  for (size_t n = 0; n < exports.size(); n++) {
    const bool last = n + 1 == exports.size();
    s.lines.insert(s.lines.end(), exports[n].before.begin(), exports[n].before.end());
    s.lines.push_back(last ? R::last_export(exports[n].text) : exports[n].text);
  }
  s.lines.push_back("s_endpgm");
  return s;
}

}  // namespace Atoll::random_states
