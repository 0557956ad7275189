// Surfaces, blending, depth and stencil of DG1 at random.
#include <fmt/format.h>

#include "dg1.h"
#include "gpu/dg1/threads/surface_state.h"
#include "tests/gpu/dg1/blend_factors.h"

namespace Atoll::random_states::dg1_states {

using namespace dg1::commands;
using dg1::SURFACE_FORMAT;
using pipeline::BlendFactor;
using pipeline::Compare;
using Surface = dg1::structures::RENDER_SURFACE_STATE;

namespace {

struct FormatRow {
  uint32_t format;
  unsigned bytes;
  enum Kind { unorm, snorm, srgb, floats, halves, packed_floats, integers } kind;
};
constexpr FormatRow formats[] = {{SURFACE_FORMAT::R8G8B8A8_UNORM, 4, FormatRow::unorm},
                                 {SURFACE_FORMAT::B8G8R8A8_UNORM, 4, FormatRow::unorm},
                                 {SURFACE_FORMAT::B8G8R8X8_UNORM, 4, FormatRow::unorm},
                                 {SURFACE_FORMAT::R8G8B8A8_UNORM_SRGB, 4, FormatRow::srgb},
                                 {SURFACE_FORMAT::B8G8R8A8_UNORM_SRGB, 4, FormatRow::srgb},
                                 {SURFACE_FORMAT::R8G8B8A8_SNORM, 4, FormatRow::snorm},
                                 {SURFACE_FORMAT::R8G8B8A8_UINT, 4, FormatRow::integers},
                                 {SURFACE_FORMAT::R8G8B8A8_SINT, 4, FormatRow::integers},
                                 {SURFACE_FORMAT::R10G10B10A2_UNORM, 4, FormatRow::unorm},
                                 {SURFACE_FORMAT::R10G10B10A2_UINT, 4, FormatRow::integers},
                                 {SURFACE_FORMAT::B10G10R10A2_UNORM, 4, FormatRow::unorm},
                                 {SURFACE_FORMAT::R11G11B10_FLOAT, 4, FormatRow::packed_floats},
                                 {SURFACE_FORMAT::B5G6R5_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::B5G5R5A1_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::B5G5R5X1_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::B4G4R4A4_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::A1B5G5R5_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::A4B4G4R4_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::R8_UNORM, 1, FormatRow::unorm},
                                 {SURFACE_FORMAT::A8_UNORM, 1, FormatRow::unorm},
                                 {SURFACE_FORMAT::R8_SNORM, 1, FormatRow::snorm},
                                 {SURFACE_FORMAT::R8_UINT, 1, FormatRow::integers},
                                 {SURFACE_FORMAT::R8_SINT, 1, FormatRow::integers},
                                 {SURFACE_FORMAT::R8G8_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::R8G8_SNORM, 2, FormatRow::snorm},
                                 {SURFACE_FORMAT::R8G8_UINT, 2, FormatRow::integers},
                                 {SURFACE_FORMAT::R16_UNORM, 2, FormatRow::unorm},
                                 {SURFACE_FORMAT::R16_SNORM, 2, FormatRow::snorm},
                                 {SURFACE_FORMAT::R16_UINT, 2, FormatRow::integers},
                                 {SURFACE_FORMAT::R16_FLOAT, 2, FormatRow::halves},
                                 {SURFACE_FORMAT::R16G16_UNORM, 4, FormatRow::unorm},
                                 {SURFACE_FORMAT::R16G16_SNORM, 4, FormatRow::snorm},
                                 {SURFACE_FORMAT::R16G16_SINT, 4, FormatRow::integers},
                                 {SURFACE_FORMAT::R16G16_FLOAT, 4, FormatRow::halves},
                                 {SURFACE_FORMAT::R16G16B16A16_UNORM, 8, FormatRow::unorm},
                                 {SURFACE_FORMAT::R16G16B16A16_SNORM, 8, FormatRow::snorm},
                                 {SURFACE_FORMAT::R16G16B16A16_UINT, 8, FormatRow::integers},
                                 {SURFACE_FORMAT::R16G16B16A16_FLOAT, 8, FormatRow::halves},
                                 {SURFACE_FORMAT::R32_UINT, 4, FormatRow::integers},
                                 {SURFACE_FORMAT::R32_SINT, 4, FormatRow::integers},
                                 {SURFACE_FORMAT::R32_FLOAT, 4, FormatRow::floats},
                                 {SURFACE_FORMAT::R32G32_FLOAT, 8, FormatRow::floats},
                                 {SURFACE_FORMAT::R32G32_UINT, 8, FormatRow::integers},
                                 {SURFACE_FORMAT::R32G32B32A32_FLOAT, 16, FormatRow::floats},
                                 {SURFACE_FORMAT::R32G32B32A32_SINT, 16, FormatRow::integers}};

constexpr pipeline::BlendOp functions[] = {pipeline::BlendOp::add, pipeline::BlendOp::subtract,
                                           pipeline::BlendOp::reverse_subtract, pipeline::BlendOp::min, pipeline::BlendOp::max};

// 3D_Compare_Function and 3D_Stencil_Operation.
constexpr Compare compares[] = {Compare::always,     Compare::never,   Compare::less,      Compare::equal,
                                Compare::less_equal, Compare::greater, Compare::not_equal, Compare::greater_equal};
using pipeline::StencilOp;
constexpr StencilOp operations[] = {StencilOp::keep,
                                    StencilOp::zero,
                                    StencilOp::replace,
                                    StencilOp::increment_clamp,
                                    StencilOp::decrement_clamp,
                                    StencilOp::increment_wrap,
                                    StencilOp::decrement_wrap,
                                    StencilOp::invert};

ColourBuffer random_buffer(Random& r, bool several_samples) {
  const FormatRow& row = r.percent(30) ? formats[r.below(2)] : formats[r.below(std::size(formats))];
  ColourBuffer c;
  c.format = row.format, c.bytes = row.bytes;
  c.content = row.kind == FormatRow::floats                                           ? Content::floats
              : row.kind == FormatRow::halves || row.kind == FormatRow::packed_floats ? Content::halves
                                                                                      : Content::bytes;
  c.integer = row.kind == FormatRow::integers, c.blends = !c.integer;
  c.beyond_unorm = !c.integer && row.kind != FormatRow::unorm && row.kind != FormatRow::srgb;
  c.logic = row.kind == FormatRow::unorm || c.integer;
  c.tile = several_samples || r.percent(50)
               ? uint32_t(Surface::Tile_Mode::YMAJOR)
               : r.one_of({uint32_t(Surface::Tile_Mode::LINEAR), uint32_t(Surface::Tile_Mode::XMAJOR)});
  c.null = r.percent(3);
  return c;
}

}  // namespace

Surfaces random_surfaces(Random& r) {
  Surfaces s;
  s.log2_samples = r.percent(55) ? 0 : 1 + r.below(4);
  s.coverage_seen = r.percent(12);
  s.over_rasterize = !s.log2_samples && r.percent(10);
  s.targets = r.percent(55) ? 1 : 1 + r.below(max_targets);
  for (unsigned n = 0; n < s.targets; n++) s.colour[n] = random_buffer(r, s.log2_samples);
  using Depth = _3DSTATE_DEPTH_BUFFER::Surface_Format;
  if (r.percent(75))
    s.depth_format = r.one_of({uint32_t(Depth::D32_FLOAT), uint32_t(Depth::D24_UNORM_X8_UINT), uint32_t(Depth::D16_UNORM)});
  s.stencil = r.percent(50);
  return s;
}

bool random_dual_source(Random& r, const Surfaces& surfaces) {
  return surfaces.targets == 1 && surfaces.colour[0].blends && !surfaces.colour[0].null && r.percent(15);
}

void random_blending(Random& r, const Surfaces& surfaces, const PixelShader& shader, const Dynamic& dynamic, Batch& b,
                     Expectation& e) {
  using Header = dg1::structures::BLEND_STATE;
  using Entry = dg1::structures::BLEND_STATE_ENTRY;
  auto* words = dynamic.at<uint32_t>(Dynamic::blend);
  std::memset(words, 0, (1 + 2 * 8) * 4);
  const bool alpha_apart = r.percent(50), logic = r.percent(12);
  const unsigned operation = r.below(16);
  Header::Independent_Alpha_Blend_Enable::set(words, alpha_apart);
  bool any_logic = false;
  for (pipeline::Blend& blend : e.colour.blend) blend.write_mask = 0;
  for (unsigned n = 0; n < surfaces.targets; n++) {
    uint32_t* w = words + 1 + 2 * n;
    pipeline::Blend& blend = e.colour.blend[n];
    const ColourBuffer& colour = surfaces.colour[n];
    const unsigned known = shader.dual_source ? std::size(dg1::test::blend_factors) : dg1::test::factors_of_one_source;
    dg1::test::BlendFactorRow f[4];
    for (dg1::test::BlendFactorRow& row : f) row = dg1::test::blend_factors[r.below(known)];
    if (r.percent(25)) f[0] = dg1::test::blend_factors[2], f[1] = dg1::test::blend_factors[10];
    const unsigned function[2] = {r.percent(50) ? 0 : r.below(5), r.percent(50) ? 0 : r.below(5)};
    const bool enable = colour.blends && r.percent(55), has_logic = logic && colour.logic;
    Entry::Color_Buffer_Blend_Enable::set(w, enable);
    Entry::Source_Blend_Factor::set(w, f[0].value), Entry::Destination_Blend_Factor::set(w, f[1].value);
    Entry::Source_Alpha_Blend_Factor::set(w, f[2].value), Entry::Destination_Alpha_Blend_Factor::set(w, f[3].value);
    Entry::Color_Blend_Function::set(w, function[0]), Entry::Alpha_Blend_Function::set(w, function[1]);
    Entry::Logic_Op_Enable::set(w, has_logic), Entry::Logic_Op_Function::set(w, operation);
    const unsigned off = r.percent(65) ? 0 : r.below(16);
    Entry::Write_Disable_Red::set(w, off & 1), Entry::Write_Disable_Green::set(w, off >> 1 & 1);
    Entry::Write_Disable_Blue::set(w, off >> 2 & 1), Entry::Write_Disable_Alpha::set(w, off >> 3 & 1);
    const bool before = r.percent(80), after = r.percent(80);
    const auto range = r.percent(75) ? Entry::Color_Clamp_Range::COLORCLAMP_RTFORMAT : Entry::Color_Clamp_Range::COLORCLAMP_UNORM;
    Entry::Pre_Blend_Color_Clamp_Enable::set(w, before), Entry::Post_Blend_Color_Clamp_Enable::set(w, after);
    Entry::Color_Clamp_Range::set(w, range);
    if (!(shader.written >> n & 1) || !shader.valid) {
      blend.write_mask = 0;
      continue;
    }
    any_logic |= has_logic;
    blend.write_mask = uint8_t(~off & 15), blend.logic_op = has_logic, blend.enable = enable && !has_logic;
    const bool to_unorm = range == Entry::Color_Clamp_Range::COLORCLAMP_UNORM;
    blend.clamp_source = before;
    if (to_unorm) blend.source_range = pipeline::Blend::SourceRange::unorm;
    blend.clamp_colour = blend.clamp_alpha = after && to_unorm;
    if (!blend.enable) {
      // Values that are not blended are clamped all the same, if the format would hold more.
      blend.enable = !has_logic && !colour.null && colour.beyond_unorm && to_unorm && (before || after);
      continue;
    }
    const unsigned alpha = alpha_apart ? 2 : 0;
    blend.source_colour = f[0].factor, blend.target_colour = f[1].factor, blend.colour = functions[function[0]];
    blend.source_alpha = f[alpha].factor, blend.target_alpha = f[alpha + 1].factor, blend.alpha = functions[function[alpha / 2]];
  }
  e.colour.logic_op_enable = any_logic, e.colour.logic_op = uint8_t(any_logic ? operation : 12);
  // Tests of output 0's alpha, if there is one.
  const bool has_alpha = shader.valid && (shader.written & 1) && !surfaces.colour[0].integer;
  const unsigned function = r.below(8);
  const float reference = r.unit();
  e.colour.alpha_test = has_alpha && r.percent(20), e.colour.alpha_compare = compares[function];
  e.colour.alpha_reference = reference;
  e.colour.alpha_to_coverage = has_alpha && surfaces.log2_samples && r.percent(20);
  e.colour.alpha_to_one = has_alpha && surfaces.log2_samples && r.percent(15);
  Header::Alpha_Test_Enable::set(words, e.colour.alpha_test), Header::Alpha_Test_Function::set(words, function);
  Header::Alpha_To_Coverage_Enable::set(words, e.colour.alpha_to_coverage);
  Header::Alpha_To_One_Enable::set(words, e.colour.alpha_to_one);
  Header::Color_Dither_Enable::set(words, r.percent(30));
  auto* constants = dynamic.at<uint32_t>(Dynamic::colour_calc);
  dg1::structures::COLOR_CALC_STATE::Alpha_Test_Format::set(constants, 1);
  constants[1] = bits(reference);
  for (unsigned n = 0; n < 4; n++) {
    e.colour.constant[n] = r.percent(80) ? r.unit() : r.real(-1, 2);
    constants[2 + n] = bits(e.colour.constant[n]);
  }
  b.add<_3DSTATE_BLEND_STATE_POINTERS>([&](uint32_t* w) { w[1] = (dynamic.offset + Dynamic::blend) | 1; });
  b.add<_3DSTATE_CC_STATE_POINTERS>([&](uint32_t* w) { w[1] = (dynamic.offset + Dynamic::colour_calc) | 1; });
  b.add<_3DSTATE_PS_BLEND>([&](uint32_t* w) {
    using P = _3DSTATE_PS_BLEND;
    P::Has_Writeable_RT::set(w, shader.written != 0), P::Alpha_Test_Enable::set(w, e.colour.alpha_test);
    P::Alpha_To_Coverage_Enable::set(w, e.colour.alpha_to_coverage);
  });
  // (A shader that sends a mask has no such coverage: Skylake PRM volume 7, "Alpha Coverage".)
  e.colour.alpha_to_coverage &= !shader.mask;
}

void random_depth_stencil(Random& r, const Surfaces& surfaces, Batch& b, Expectation& e) {
  using D = _3DSTATE_WM_DEPTH_STENCIL;
  pipeline::DepthStencil& t = e.tests;
  const bool tests = r.percent(65), writes = r.percent(65), stencil = r.percent(60), writes_stencil = r.percent(80);
  const bool two_sided = r.percent(50), bounds = r.percent(10);
  const unsigned function = r.below(8);
  auto face = [&](pipeline::StencilFace& f) {
    const std::array choice{r.below(8), r.below(8), r.below(8), r.below(8)};
    f.compare = compares[choice[0]], f.fail = operations[choice[1]], f.depth_fail = operations[choice[2]],
    f.pass = operations[choice[3]];
    f.reference = uint8_t(r.percent(50) ? r.below(4) : r.below(256));
    f.compare_mask = uint8_t(r.percent(50) ? 0xff : r.below(256)), f.write_mask = uint8_t(r.percent(50) ? 0xff : r.below(256));
    return choice;
  };
  const auto front = face(t.front), back = face(t.back);
  const float low = r.real(0, 0.5f), high = r.real(0.4f, 1);
  b.add<D>([&](uint32_t* w) {
    D::Depth_Test_Enable::set(w, tests), D::Depth_Buffer_Write_Enable::set(w, writes), D::Depth_Test_Function::set(w, function);
    D::Stencil_Test_Enable::set(w, stencil), D::Stencil_Buffer_Write_Enable::set(w, writes_stencil);
    D::Double_Sided_Stencil_Enable::set(w, two_sided);
    D::Stencil_Test_Function::set(w, front[0]), D::Stencil_Fail_Op::set(w, front[1]);
    D::Stencil_Pass_Depth_Fail_Op::set(w, front[2]), D::Stencil_Pass_Depth_Pass_Op::set(w, front[3]);
    D::Backface_Stencil_Test_Function::set(w, back[0]), D::Backface_Stencil_Fail_Op::set(w, back[1]);
    D::Backface_Stencil_Pass_Depth_Fail_Op::set(w, back[2]), D::Backface_Stencil_Pass_Depth_Pass_Op::set(w, back[3]);
    D::Stencil_Reference_Value::set(w, t.front.reference), D::Backface_Stencil_Reference_Value::set(w, t.back.reference);
    D::Stencil_Test_Mask::set(w, t.front.compare_mask), D::Backface_Stencil_Test_Mask::set(w, t.back.compare_mask);
    D::Stencil_Write_Mask::set(w, t.front.write_mask), D::Backface_Stencil_Write_Mask::set(w, t.back.write_mask);
  });
  b.add<_3DSTATE_DEPTH_BOUNDS>([&](uint32_t* w) {
    using B = _3DSTATE_DEPTH_BOUNDS;
    B::Depth_Bounds_Test_Enable::set(w, bounds), B::Depth_Bounds_Test_Min_Value::set(w, bits(low));
    B::Depth_Bounds_Test_Max_Value::set(w, bits(high));
  });
  // Depths are written without a test as well (Mesa's blits into depth buffers do).
  t.depth_test = surfaces.depth_format && (tests || writes), t.depth_write = surfaces.depth_format && writes;
  t.depth_compare = tests ? compares[function] : Compare::always;
  t.stencil_test = surfaces.stencil && stencil;
  t.bounds_test = surfaces.depth_format && bounds, t.bounds_low = low, t.bounds_high = high;
  if (!two_sided) t.back = t.front;
  if (!writes_stencil) t.front.write_mask = t.back.write_mask = 0;
}

namespace {

template <class T>
void compare(std::string& text, const char* what, const T& expected, const T& found) {
  if (!text.empty() || expected == found) return;
  text = what;
  if constexpr (std::is_arithmetic_v<T>) text = fmt::format("{} {}, not {},", what, found, expected);
  if constexpr (std::is_enum_v<T>) text = fmt::format("{} {}, not {},", what, int(found), int(expected));
}
void compare(std::string& text, const char* what, const pipeline::StencilFace& x, const pipeline::StencilFace& y) {
  if (x.compare != y.compare || x.fail != y.fail || x.depth_fail != y.depth_fail || x.pass != y.pass ||
      x.reference != y.reference || x.compare_mask != y.compare_mask || x.write_mask != y.write_mask)
    if (text.empty()) text = what;
}

}  // namespace

std::string difference(const Expectation& e, const pipeline::Draw& d) {
  std::string text;
  const pipeline::DepthStencil &t = e.tests, &u = d.depth_stencil;
  compare(text, "depth test", t.depth_test, u.depth_test);
  compare(text, "depth writes", t.depth_write, u.depth_write);
  if (t.depth_test) compare(text, "depth function", t.depth_compare, u.depth_compare);
  compare(text, "stencil test", t.stencil_test, u.stencil_test);
  if (t.stencil_test) compare(text, "front stencil", t.front, u.front), compare(text, "back stencil", t.back, u.back);
  compare(text, "depth bounds test", t.bounds_test, u.bounds_test);
  if (t.bounds_test)
    compare(text, "lower depth bound", t.bounds_low, u.bounds_low),
        compare(text, "upper depth bound", t.bounds_high, u.bounds_high);
  compare(text, "early tests", t.early, u.early);
  compare(text, "count of samples", t.count_samples, u.count_samples);
  for (unsigned n = 0; n < max_targets; n++) {
    const pipeline::Blend &x = e.colour.blend[n], &y = d.colour.blend[n];
    compare(text, "write mask", x.write_mask, y.write_mask);
    if (!x.write_mask) continue;
    compare(text, "blending", x.enable, y.enable), compare(text, "logic operation of a target", x.logic_op, y.logic_op);
    compare(text, "clamp before", x.clamp_source, y.clamp_source), compare(text, "clamp after", x.clamp_colour, y.clamp_colour);
    if (x.enable) compare(text, "factors and functions", x, y);
  }
  compare(text, "logic operation", e.colour.logic_op_enable, d.colour.logic_op_enable);
  if (e.colour.logic_op_enable) compare(text, "kind of logic operation", e.colour.logic_op, d.colour.logic_op);
  compare(text, "blend constant", e.colour.constant, d.colour.constant);
  compare(text, "alpha test", e.colour.alpha_test, d.colour.alpha_test);
  if (e.colour.alpha_test) {
    compare(text, "alpha function", e.colour.alpha_compare, d.colour.alpha_compare);
    compare(text, "alpha reference", e.colour.alpha_reference, d.colour.alpha_reference);
  }
  compare(text, "alpha to coverage", e.colour.alpha_to_coverage, d.colour.alpha_to_coverage);
  compare(text, "alpha to one", e.colour.alpha_to_one, d.colour.alpha_to_one);
  const pipeline::Rasterization &x = e.raster, &y = d.rasterization;
  compare(text, "culled front", x.cull_front, y.cull_front), compare(text, "culled back", x.cull_back, y.cull_back);
  compare(text, "front winding", x.front_is_clockwise, y.front_is_clockwise);
  compare(text, "front fill", x.fill_front, y.fill_front), compare(text, "back fill", x.fill_back, y.fill_back);
  compare(text, "grid", x.grid.denominator, y.grid.denominator), compare(text, "sample mask", x.sample_mask, y.sample_mask);
  compare(text, "samples", x.samples, y.samples), compare(text, "line width", x.line_width, y.line_width);
  compare(text, "point width", x.point_width, y.point_width);
  compare(text, "size of points by vertex", x.point_size_from_vertex, y.point_size_from_vertex);
  compare(text, "line stipple", x.line_stipple, y.line_stipple),
      compare(text, "polygon stipple", x.polygon_stipple, y.polygon_stipple);
  if (x.line_stipple) compare(text, "line stipple's pattern", x.line_stipple_pattern, y.line_stipple_pattern);
  if (x.polygon_stipple) compare(text, "polygon stipple's rows", x.polygon_stipple_rows, y.polygon_stipple_rows);
  compare(text, "shading by sample", x.sample_shading, y.sample_shading);
  compare(text, "coverage at several places", x.over_rasterize, y.over_rasterize);
  compare(text, "clipping", e.clip.enable, d.clip.enable),
      compare(text, "clip space", e.clip.depth_from_zero, d.clip.depth_from_zero);
  compare(text, "near plane", e.clip.cut_near, d.clip.cut_near), compare(text, "far plane", e.clip.cut_far, d.clip.cut_far);
  compare(text, "clip distances", e.clip.distances, d.clip.distances);
  compare(text, "cull distances", e.clip.cull_distances, d.clip.cull_distances);
  for (unsigned n = 0; n < e.viewports.size(); n++) {
    compare(text, "viewport", e.viewports[n], d.viewports[n]);
    compare(text, "scissor", e.scissors[n], d.viewport_scissors[n]);
  }
  return text.empty() ? text : text + " of the draw's state is other than its commands say";
}

}  // namespace Atoll::random_states::dg1_states
