// RB3D and FG to the pipeline's colour output: blending, channel masks, logic operations, alpha to mask (R5xx Acceleration v1.3,
// 10.2, 10.3).
#include <bit>

#include "gpu/r5xx/draw_state.h"
#include "registers/r5xx.h"
#include "surface/number.h"

namespace Atoll::r5xx {
namespace {

using pipeline::BlendFactor;
using pipeline::BlendOp;
using S = SourceBlendFactor;

struct FactorRow {
  uint32_t value;
  BlendFactor factor;
};
// The D3D names and the GL ones; a destination factor has the same numbers.
constexpr FactorRow factor_rows[] = {
    {S::D3D_ZERO, BlendFactor::zero},
    {S::D3D_ONE, BlendFactor::one},
    {S::D3D_SRCCOLOR, BlendFactor::source_colour},
    {S::D3D_INVSRCCOLOR, BlendFactor::one_minus_source_colour},
    {S::D3D_SRCALPHA, BlendFactor::source_alpha},
    {S::D3D_INVSRCALPHA, BlendFactor::one_minus_source_alpha},
    {S::D3D_DESTALPHA, BlendFactor::target_alpha},
    {S::D3D_INVDESTALPHA, BlendFactor::one_minus_target_alpha},
    {S::D3D_DESTCOLOR, BlendFactor::target_colour},
    {S::D3D_INVDESTCOLOR, BlendFactor::one_minus_target_colour},
    {S::D3D_SRCALPHASAT, BlendFactor::source_alpha_saturate},
    {S::GL_ZERO, BlendFactor::zero},
    {S::GL_ONE, BlendFactor::one},
    {S::GL_SRC_COLOR, BlendFactor::source_colour},
    {S::GL_ONE_MINUS_SRC_COLOR, BlendFactor::one_minus_source_colour},
    {S::GL_DST_COLOR, BlendFactor::target_colour},
    {S::GL_ONE_MINUS_DST_COLOR, BlendFactor::one_minus_target_colour},
    {S::GL_SRC_ALPHA, BlendFactor::source_alpha},
    {S::GL_ONE_MINUS_SRC_ALPHA, BlendFactor::one_minus_source_alpha},
    {S::GL_DST_ALPHA, BlendFactor::target_alpha},
    {S::GL_ONE_MINUS_DST_ALPHA, BlendFactor::one_minus_target_alpha},
    {S::GL_SRC_ALPHA_SATURATE, BlendFactor::source_alpha_saturate},
    {S::GL_CONSTANT_COLOR, BlendFactor::constant_colour},
    {S::GL_ONE_MINUS_CONSTANT_COLOR, BlendFactor::one_minus_constant_colour},
    {S::GL_CONSTANT_ALPHA, BlendFactor::constant_alpha},
    {S::GL_ONE_MINUS_CONSTANT_ALPHA, BlendFactor::one_minus_constant_alpha},
};

struct CombineRow {
  uint32_t value;
  BlendOp op;
  bool clamps;
};
constexpr CombineRow combine_rows[] = {
    {CombineFunction::Add_and_Clamp, BlendOp::add, true},
    {CombineFunction::Add_but_no_Clamp, BlendOp::add, false},
    {CombineFunction::Subtract_Dst_from_Src_and_Clamp, BlendOp::subtract, true},
    {CombineFunction::Subtract_Dst_from_Src_and_don_t_Clamp, BlendOp::subtract, false},
    {CombineFunction::Minimum_of_Src_Dst, BlendOp::min, false},
    {CombineFunction::Maximum_of_Src_Dst, BlendOp::max, false},
    {CombineFunction::Subtract_Src_from_Dst_and_Clamp, BlendOp::reverse_subtract, true},
    {CombineFunction::Subtract_Src_from_Dst_and_don_t_Clamp, BlendOp::reverse_subtract, false},
};

struct Equation {
  BlendFactor source = BlendFactor::one, target = BlendFactor::zero;
  BlendOp op = BlendOp::add;
  bool clamps = true;
};

// `Control`: RB3D_BLENDCNTL or RB3D_ABLENDCNTL.
template <class Control>
Equation equation(const RegisterFile& r, const char* name, std::vector<std::string>& unknown) {
  const auto word = r.read<Control>();
  Equation e;
  uint32_t source = Control::SRCBLEND::get(word), target = Control::DESTBLEND::get(word);
  if (source == S::D3D_BOTHSRCALPHA) source = S::D3D_SRCALPHA, target = S::D3D_INVSRCALPHA;
  if (source == S::D3D_BOTHINVSRCALPHA) source = S::D3D_INVSRCALPHA, target = S::D3D_SRCALPHA;
  auto find = [&](uint32_t value, BlendFactor& factor, const char* field) {
    for (auto& row : factor_rows)
      if (row.value == value) {
        factor = row.factor;
        return;
      }
    unknown.push_back(fmt::format("{}.{} {}", name, field, value));
  };
  const CombineRow& combine = combine_rows[Control::COMB_FCN::get(word)];
  e.op = combine.op;
  e.clamps = combine.clamps;
  if (e.op == BlendOp::min || e.op == BlendOp::max) {
    e.source = e.target = BlendFactor::one;
    return e;
  }
  find(source, e.source, "SRCBLEND");
  find(target, e.target, "DESTBLEND");
  return e;
}

// The blend constant of components C0 to C3: 0.10 fixed point, or halves for float targets.
std::array<float, 4> constant_colour(const RegisterFile& r, bool halves) {
  const auto ar = r.read<RB3D_CONSTANT_COLOR_AR>();
  const auto gb = r.read<RB3D_CONSTANT_COLOR_GB>();
  auto value = [&](uint32_t v) { return halves ? surface::from_half(uint16_t(v)) : float(v & 0x3ff) / 1023.0f; };
  return {value(RB3D_CONSTANT_COLOR_GB::BLUE::get(gb)), value(RB3D_CONSTANT_COLOR_GB::GREEN::get(gb)),
          value(RB3D_CONSTANT_COLOR_AR::RED::get(ar)), value(RB3D_CONSTANT_COLOR_AR::ALPHA::get(ar))};
}

}  // namespace

void set_colour_output(const RegisterFile& r, const std::array<ColourBuffer, 4>& buffers, pipeline::ColourOutput& out,
                       std::vector<std::string>& unknown) {
  auto control = r.read<RB3D_BLENDCNTL>();
  pipeline::Blend blend;
  blend.enable = RB3D_BLENDCNTL::ALPHA_BLEND_ENABLE::get(control);
  if (blend.enable) {
    Equation colour = equation<RB3D_BLENDCNTL>(r, "RB3D_BLENDCNTL", unknown), alpha = colour;
    if (RB3D_BLENDCNTL::SEPARATE_ALPHA_ENABLE::get(control)) alpha = equation<RB3D_ABLENDCNTL>(r, "RB3D_ABLENDCNTL", unknown);
    blend.source_colour = colour.source, blend.target_colour = colour.target, blend.colour = colour.op;
    blend.source_alpha = alpha.source, blend.target_alpha = alpha.target, blend.alpha = alpha.op;
    blend.clamp_colour = colour.clamps, blend.clamp_alpha = alpha.clamps;
  }
  const ColourBuffer* first = nullptr;
  for (unsigned n = 0; n < buffers.size(); n++) {
    out.blend[n] = blend;
    out.blend[n].write_mask = buffers[n].write_mask;
    if (buffers[n].bound && !first) first = &buffers[n];
  }
  if (first) {
    auto constant = constant_colour(r, first->is_float && first->place.surface.element_bytes == 8);
    for (unsigned c = 0; c < 4; c++) out.constant[c] = constant[first->constant[c]];
  }
  auto rop = r.read<RB3D_ROPCNTL>();
  out.logic_op_enable = RB3D_ROPCNTL::ROP_ENABLE::get(rop);
  // Code bits by (source << 1 | destination): GDI's ROP2 less one, which is OpenGL's order as well.
  out.logic_op = uint8_t(RB3D_ROPCNTL::ROP::get(rop));
  if (RB3D_CCTL::CLRCMP_FLIPE_ENABLE::peek(r.read<RB3D_CCTL>())) unknown.push_back("RB3D_CCTL.CLRCMP_FLIPE_ENABLE");
  if (RB3D_CCTL::CMASK_ENABLE::peek(r.read<RB3D_CCTL>())) unknown.push_back("RB3D_CCTL.CMASK_ENABLE");
  uint32_t dither = RB3D_DITHER_CTL::DITHER_MODE::peek(r.read<RB3D_DITHER_CTL>());
  if (dither >= RB3D_DITHER_CTL::DITHER_MODE::LUT_dither) unknown.push_back("RB3D_DITHER_CTL: dithering by table");
  out.alpha_to_coverage = r.get<FG_ALPHA_FUNC::AM_EN>() && sample_count(r) > 1;
  if (FG_FOG_BLEND::ENABLE::peek(r.read<FG_FOG_BLEND>())) unknown.push_back("FG_FOG_BLEND.ENABLE");
}

}  // namespace Atoll::r5xx
