#include "gpu/r5xx/draw/fragment_state.h"

#include <fmt/format.h>

#include <cmath>

#include "gpu/r5xx/draw/raster_state.h"
#include "gpu/r5xx/draw/unorm_bounds.h"
#include "surface/number.h"

namespace Atoll::r5xx {
namespace {

using pipeline::BlendFactor;
using pipeline::BlendOp;
using pipeline::Compare;
using pipeline::StencilOp;
using S = SourceBlendFactor;

// The Z unit's order of functions and the stencil operations'.
constexpr Compare z_compare[8] = {Compare::never,         Compare::less,    Compare::less_equal, Compare::equal,
                                  Compare::greater_equal, Compare::greater, Compare::not_equal,  Compare::always};
constexpr StencilOp stencil_ops[8] = {StencilOp::keep,
                                      StencilOp::zero,
                                      StencilOp::replace,
                                      StencilOp::increment_clamp,
                                      StencilOp::decrement_clamp,
                                      StencilOp::invert,
                                      StencilOp::increment_wrap,
                                      StencilOp::decrement_wrap};

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
Equation equation_of(Context& context, const char* name) {
  const auto word = context.registers.read<Control>();
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
    context.unknown(fmt::format("{}.{} {}", name, field, value));
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

// The least number that is so many 255ths or more, to the nearest; all are at least 0 of them, and none is 256. (Drivers leave the
// thresholds in place for most of blending, and a search takes its time.)
float least_of_byte(uint32_t code) {
  static const std::array<float, 257> least = [] {
    std::array<float, 257> all;
    for (uint32_t n = 1; n < 256; n++) all[n] = least_of(n, 8);
    all.front() = -INFINITY, all.back() = INFINITY;
    return all;
  }();
  return least[code];
}

// Thresholds are compared with components of 8 bits, to the nearest, whatever the target has (docs/errata.md, "R5xx colour buffers").
pipeline::SourceDiscard discard_of(const RegisterFile& r, const ColourBuffer& buffer) {
  using Discard = RB3D_BLENDCNTL::DISCARD_SRC_PIXELS;
  using When = pipeline::SourceDiscard::When;
  const uint32_t mode = r.get<Discard>();
  pipeline::SourceDiscard out;
  if (mode == 0 || mode > 6) return out;
  const uint32_t of = (mode - 1) % 3;  // alpha, colour, both
  out.when = mode < 4 ? When::below : When::from;
  for (unsigned c = 0; c < 4; c++) {
    const unsigned component = buffer.component[c];
    if (of == 2 || (component == 3) == (of == 0)) out.components |= uint8_t(1u << c);
    using Below = RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD;
    using From = RB3D_DISCARD_SRC_PIXEL_GTE_THRESHOLD;
    out.bound[c] =
        out.when == When::below
            ? least_of_byte(FieldList<Below::BLUE, Below::GREEN, Below::RED, Below::ALPHA>::get(r.read<Below>(), component) + 1)
            : least_of_byte(FieldList<From::BLUE, From::GREEN, From::RED, From::ALPHA>::get(r.read<From>(), component));
  }
  return out;
}

// How components lose the bits that the target has not: `mode` of RB3D_DITHER_CTL. (The table of LUT dithering is not published: it
// rounds here.)
pipeline::BitCut cut_of(uint32_t mode, const ColourBuffer& buffer) {
  return {buffer.source_bits, mode != RB3D_DITHER_CTL::DITHER_MODE::Truncate};
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

pipeline::DepthStencil depth_stencil_of(Context& context) {
  const RegisterFile& r = context.registers;
  pipeline::DepthStencil out;
  const auto control = r.read<ZB_CNTL>();
  const auto functions = r.read<ZB_ZSTENCILCNTL>();
  out.early = r.get<ZB_ZTOP::ZTOP>();
  out.count_samples = true;
  if (GB_ENABLE::STENCIL_AUTO::peek(r.read<GB_ENABLE>()) == 1) context.unknown("GB_ENABLE.STENCIL_AUTO");
  if (ZB_CNTL::ZSIGNED_COMPARE::get(control))
    out.depth_sign =
        ZB_CNTL::ZSIGNED_MAGNITUDE::get(control) ? pipeline::DepthSign::magnitude : pipeline::DepthSign::twos_complement;
  out.depth_test = ZB_CNTL::Z_ENABLE::get(control);
  out.depth_write = out.depth_test && ZB_CNTL::ZWRITEENABLE::get(control);
  out.depth_compare = z_compare[ZB_ZSTENCILCNTL::ZFUNC::get(functions)];
  out.stencil_test = ZB_CNTL::STENCIL_ENABLE::get(control);
  auto face = [](uint32_t compare, uint32_t fail, uint32_t pass, uint32_t depth_fail) {
    pipeline::StencilFace f;
    f.compare = z_compare[compare];
    f.fail = stencil_ops[fail], f.pass = stencil_ops[pass], f.depth_fail = stencil_ops[depth_fail];
    return f;
  };
  auto set_values = [&]<class Values>(pipeline::StencilFace& f) {
    f.reference = uint8_t(r.get<typename Values::STENCILREF>());
    f.compare_mask = uint8_t(r.get<typename Values::STENCILMASK>());
    f.write_mask = uint8_t(r.get<typename Values::STENCILWRITEMASK>());
  };
  using C = ZB_ZSTENCILCNTL;
  out.front = face(C::STENCILFUNC::get(functions), C::STENCILFAIL::get(functions), C::STENCILZPASS::get(functions),
                   C::STENCILZFAIL::get(functions));
  set_values.operator()<ZB_STENCILREFMASK>(out.front);
  out.back = out.front;
  if (ZB_CNTL::STENCIL_FRONT_BACK::get(control)) {
    out.back = face(C::STENCILFUNC_BF::get(functions), C::STENCILFAIL_BF::get(functions), C::STENCILZPASS_BF::get(functions),
                    C::STENCILZFAIL_BF::get(functions));
    if (ZB_CNTL::STENCIL_REFMASK_FRONT_BACK::get(control))
      set_values.operator()<ZB_STENCILREFMASK_BF>(out.back);
    else
      set_values.operator()<ZB_STENCILREFMASK>(out.back);
  }
  return out;
}

pipeline::ColourOutput colour_output_of(Context& context, const std::array<ColourBuffer, 4>& buffers) {
  const RegisterFile& r = context.registers;
  pipeline::ColourOutput out;
  auto control = r.read<RB3D_BLENDCNTL>();
  pipeline::Blend blend;
  blend.enable = RB3D_BLENDCNTL::ALPHA_BLEND_ENABLE::get(control);
  if (blend.enable) {
    Equation colour = equation_of<RB3D_BLENDCNTL>(context, "RB3D_BLENDCNTL"), alpha = colour;
    if (RB3D_BLENDCNTL::SEPARATE_ALPHA_ENABLE::get(control)) alpha = equation_of<RB3D_ABLENDCNTL>(context, "RB3D_ABLENDCNTL");
    blend.source_colour = colour.source, blend.target_colour = colour.target, blend.colour = colour.op;
    blend.source_alpha = alpha.source, blend.target_alpha = alpha.target, blend.alpha = alpha.op;
    blend.clamp_colour = colour.clamps, blend.clamp_alpha = alpha.clamps;
    if (RB3D_BLENDCNTL::DISCARD_SRC_PIXELS::get(control) == 7) context.unknown("RB3D_BLENDCNTL.DISCARD_SRC_PIXELS 7");
  }
  const ColourBuffer* first = nullptr;
  for (unsigned n = 0; n < buffers.size(); n++) {
    out.blend[n] = blend;
    out.blend[n].discard = discard_of(r, buffers[n]);
    out.blend[n].colour_cut = cut_of(r.get<RB3D_DITHER_CTL::DITHER_MODE>(), buffers[n]);
    out.blend[n].alpha_cut = cut_of(r.get<RB3D_DITHER_CTL::ALPHA_DITHER_MODE>(), buffers[n]);
    // Without the Z unit's coverage colours are not written; depth and stencil are.
    out.blend[n].write_mask = r.get<ZB_ZSTENCILCNTL::ZERO_OUTPUT_MASK>() ? 0 : buffers[n].write_mask;
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
  out.flip = {bool(r.get<RB3D_CCTL::CLRCMP_FLIPE_ENABLE>()), r.whole<RB3D_CLRCMP_CLR>(), r.whole<RB3D_CLRCMP_MSK>(),
              r.whole<RB3D_CLRCMP_FLIPE>()};
  using Dither = RB3D_DITHER_CTL;
  if (r.get<Dither::DITHER_MODE>() >= Dither::DITHER_MODE::LUT_dither ||
      r.get<Dither::ALPHA_DITHER_MODE>() >= Dither::ALPHA_DITHER_MODE::LUT_dither)
    context.unknown("RB3D_DITHER_CTL: dithering by table");
  out.alpha_to_coverage = r.get<FG_ALPHA_FUNC::AM_EN>() && sample_count(r) > 1;
  // The masks of 2 and 4 samples, or those of 3 and 6, which are all that there are of 2 and 4 as well.
  if (const unsigned samples = sample_count(r); !r.get<FG_ALPHA_FUNC::AM_CFG>() && samples % 3 == 0)
    out.alpha_samples = samples == 3 ? 2 : 4;
  return out;
}

}  // namespace Atoll::r5xx
