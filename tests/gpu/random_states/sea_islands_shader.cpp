// Pixel shaders of a few instructions: eight values from constants, attributes and the pixel's place; a kill; exports in every form
// that SPI_SHADER_COL_FORMAT has.
#include <fmt/format.h>

#include "sea_islands.h"

namespace Atoll::random_states {

namespace {

using Export = SPI_SHADER_EX_FORMAT;

constexpr unsigned values = 8, first_value = 10, scratch = 30;

// One value into register v.
void make_value(Random& r, unsigned v, bool coverage_seen, std::vector<std::string>& lines) {
  const unsigned attribute = r.below(2), channel = r.below(4);
  const char component = "xyzw"[channel];
  if (coverage_seen && r.percent(25)) {  // ANCILLARY, SAMPLE_COVERAGE
    lines.push_back(fmt::format("v_cvt_f32_u32 v{}, v{}", v, 6 + r.below(2)));
    lines.push_back(fmt::format("v_mul_f32 v{}, 0x3b800000, v{}", v, v));  // / 256
    return;
  }
  switch (r.below(8)) {
    case 0:
    case 1: lines.push_back(fmt::format("v_mov_b32 v{}, s{}", v, r.below(8))); break;
    case 2: lines.push_back(fmt::format("v_interp_mov_f32 v{}, p0, attr{}.{}", v, attribute, component)); break;
    case 3: lines.push_back(fmt::format("v_mul_f32 v{}, 0x3c2aaaab, v{}", v, 2 + r.below(2))); break;  // x or y / 96
    case 4: lines.push_back(fmt::format("v_mul_f32 v{}, 0.5, v5", v)); break;                          // the face
    default:
      lines.push_back(fmt::format("v_interp_p1_f32 v{}, v0, attr{}.{}", v, attribute, component));
      lines.push_back(fmt::format("v_interp_p2_f32 v{}, v1, attr{}.{}", v, attribute, component));
  }
  if (r.percent(25)) lines.push_back(fmt::format("v_mul_f32 v{}, s{}, v{}", v, r.below(8), v));
}

// Registers of four values, as the target's numbers are.
std::array<unsigned, 4> operands(Random& r, const ColourBuffer& target, unsigned export_number, std::vector<std::string>& lines) {
  std::array<unsigned, 4> at;
  for (unsigned c = 0; c < 4; c++) {
    const unsigned from = first_value + r.below(values);
    at[c] = from;
    if (!target.integer) continue;
    at[c] = scratch + export_number * 4 + c;
    lines.push_back(fmt::format("v_mul_f32 v{}, s{}, v{}", at[c], 9 + r.below(2), from));
    lines.push_back(fmt::format("v_cvt_{}_f32 v{}, v{}", target.is_signed ? "i32" : "u32", at[c], at[c]));
  }
  return at;
}

}  // namespace

PixelShader random_shader(Random& r, const Surfaces& surfaces, bool dual_source) {
  PixelShader s;
  // Barycentrics of the sample, the centre or the centroid, with perspective or without: v0 and v1; POS_X, POS_Y, POS_Z, FRONT_FACE,
  // ANCILLARY, SAMPLE_COVERAGE: v2 to v7.
  const unsigned set = surfaces.coverage_seen ? r.one_of({0u, 1u, 2u, 4u, 5u, 6u}) : r.one_of({0u, 1u, 1u, 1u, 4u, 5u});
  s.input_addr = 1u << set | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 12 | 1u << 13 | 1u << 14;
  s.input_ena = surfaces.coverage_seen || r.percent(30) ? s.input_addr : s.input_addr & ~(1u << 10 | 1u << 13 | 1u << 14);
  s.lines.push_back(fmt::format("s_mov_b32 m0, s{}", user_sgprs));
  if (r.percent(8)) s.lines.push_back(fmt::format("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {}", r.below(4)));  // rounding
  for (unsigned n = 0; n < values; n++) make_value(r, first_value + n, surfaces.coverage_seen, s.lines);

  s.kills = r.percent(25);
  if (s.kills) {
    s.lines.push_back(fmt::format("v_cmp_gt_f32 vcc, s8, v{}", first_value + r.below(values)));
    s.lines.push_back("s_and_b64 exec, exec, vcc");
  }
  s.exports_depth = r.percent(15), s.exports_stencil = r.percent(12), s.exports_mask = surfaces.log_samples && r.percent(20);
  struct Line {
    std::string text;
    std::vector<std::string> before;
  };
  std::vector<Line> exports;
  if (s.exports_depth || s.exports_stencil || s.exports_mask) {
    Line line;
    line.before = {"v_mov_b32 v6, 0x41000000", fmt::format("v_mul_f32 v6, v6, |v{}|", first_value + r.below(values)),
                   "v_cvt_u32_f32 v6, v6", "v_mov_b32 v7, s11"};
    line.text = fmt::format("exp mrtz v{}, v6, v7, off", first_value + r.below(values));
    exports.push_back(line);
  }
  unsigned number = 0;
  for (unsigned n = 0; n < std::max(surfaces.targets, dual_source ? 2u : 0u); n++) {
    const ColourBuffer& target = surfaces.colour[dual_source && n == 1 ? 0 : n];
    if (!(dual_source && n < 2) && r.percent(8)) continue;  // not exported
    Line line;
    const auto v = operands(r, target, number, line.before);
    const unsigned packed = scratch + 16 + number * 2;
    auto pack = [&](const char* instruction) {
      for (unsigned pair = 0; pair < 2; pair++)
        line.before.push_back(fmt::format("{} v{}, v{}, v{}", instruction, packed + pair, v[2 * pair], v[2 * pair + 1]));
      line.text = fmt::format("exp mrt{} v{}, v{}, v{}, v{} compr", number, packed, packed, packed + 1, packed + 1);
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
      case Export::SPI_SHADER_FP16_ABGR: pack("v_cvt_pkrtz_f16_f32"); break;
      case Export::SPI_SHADER_UNORM16_ABGR: pack("v_cvt_pknorm_u16_f32"); break;
      case Export::SPI_SHADER_SNORM16_ABGR: pack("v_cvt_pknorm_i16_f32"); break;
      case Export::SPI_SHADER_UINT16_ABGR: pack("v_cvt_pk_u16_u32"); break;
      case Export::SPI_SHADER_SINT16_ABGR: pack("v_cvt_pk_i16_i32"); break;
      case Export::SPI_SHADER_32_R:
        line.text = fmt::format("exp mrt{} v{}, off, off, off", number, v[0]);
        mask = 1;
        break;
      case Export::SPI_SHADER_32_GR:
        line.text = fmt::format("exp mrt{} v{}, v{}, off, off", number, v[0], v[1]);
        mask = 3;
        break;
      case Export::SPI_SHADER_32_AR:
        line.text = r.percent(50) ? fmt::format("exp mrt{} v{}, v{}, off, off", number, v[0], v[1])
                                  : fmt::format("exp mrt{} v{}, off, off, v{}", number, v[0], v[3]);
        mask = 9;
        break;
      default: line.text = fmt::format("exp mrt{} v{}, v{}, v{}, v{}", number, v[0], v[1], v[2], v[3]);
    }
    s.col_format |= format << 4 * number;
    s.shader_mask |= mask << 4 * n;
    exports.push_back(line);
    number++;
  }
  if (exports.empty()) exports.push_back({"exp null off, off, off, off", {}});
  for (size_t n = 0; n < exports.size(); n++) {
    const bool last = n + 1 == exports.size();
    s.lines.insert(s.lines.end(), exports[n].before.begin(), exports[n].before.end());
    std::string text = exports[n].text;
    const size_t compressed = text.find(" compr");
    if (last) text = compressed == std::string::npos ? text + " done vm" : text.substr(0, compressed) + " done compr vm";
    s.lines.push_back(text);
  }
  s.lines.push_back("s_endpgm");
  return s;
}

}  // namespace Atoll::random_states
