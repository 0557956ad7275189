// Clipping, viewports, rasterization and attributes of DG1 at random.
#include <algorithm>
#include <cmath>

#include "dg1.h"

namespace Atoll::random_states::dg1_states {

using namespace dg1::commands;

void random_viewports(Random& r, const Dynamic& dynamic, bool rectangles, Batch& b, Expectation& e) {
  const bool from_zero = r.percent(40), scissors = r.percent(30), several = r.percent(30);
  const unsigned most = several ? r.below(4) : 0;
  const bool whole = r.percent(85);
  const std::array<int, 4> drawn = {whole ? 0 : int(r.below(40)), whole ? 0 : int(r.below(40)),
                                    whole ? 16383 : int(50 + r.below(60)), whole ? 16383 : int(45 + r.below(60))};
  for (unsigned n = 0; n < 4; n++) {
    // Viewports of whole pixels; the first is mostly all of the target.
    const bool all = n == 0 && r.percent(80);
    const int left = all ? 0 : int(r.below(40)), top = all ? 0 : int(r.below(40));
    const int w = all ? int(width) : int(10 + r.below(80)), h = all ? int(height) : int(10 + r.below(80));
    const float half_w = float(w) / 2, half_h = float(h) / 2, x = float(left) + half_w, y = float(top) + half_h;
    const float scale_z = from_zero ? 1 : 0.5f, z = from_zero ? 0 : 0.5f;
    const float words[16] = {
        half_w, -half_h, scale_z, x, y, z, 0, 0, -8, 8, -8, 8, float(left), float(left + w - 1), float(top), float(top + h - 1)};
    std::memcpy(dynamic.at<float>(Dynamic::sf_viewports) + 16 * n, words, sizeof words);
    const float low = r.percent(80) ? 0 : r.real(0, 0.4f), high = r.percent(80) ? 1 : r.real(0.5f, 1);
    dynamic.at<float>(Dynamic::cc_viewports)[2 * n] = low, dynamic.at<float>(Dynamic::cc_viewports)[2 * n + 1] = high;
    const uint32_t corner[4] = {r.below(60), r.below(50), 20 + r.below(76), 20 + r.below(60)};  // (some are empty)
    dynamic.at<uint32_t>(Dynamic::scissors)[2 * n] = corner[0] | corner[1] << 16;
    dynamic.at<uint32_t>(Dynamic::scissors)[2 * n + 1] = corner[2] | corner[3] << 16;
    pipeline::Viewport& v = e.viewports[n];
    pipeline::Rectangle& area = e.scissors[n];
    area = {drawn[0], drawn[1], drawn[2] + 1, drawn[3] + 1};
    if (n > most) continue;
    v.scale = {half_w, -half_h, scale_z}, v.offset = {x, y, z}, v.depth_low = low, v.depth_high = high;
    auto cut = [&](int l, int t, int right, int bottom) {
      area = {std::max(area.left, l), std::max(area.top, t), std::min(area.right, right), std::min(area.bottom, bottom)};
      area.right = std::max(area.right, area.left), area.bottom = std::max(area.bottom, area.top);
    };
    cut(left, top, left + w, top + h);
    if (scissors) cut(int(corner[0]), int(corner[1]), int(corner[2]) + 1, int(corner[3]) + 1);
  }
  e.clip.enable = !r.percent(8), e.clip.depth_from_zero = from_zero;
  e.clip.cut_near = r.percent(75), e.clip.cut_far = r.percent(75);
  // Slots 2 and 3 are the colours here, which now and then are below zero.
  const bool distances = !rectangles && r.percent(10);
  const unsigned clipped = distances ? r.below(256) : 0, culled = distances ? r.below(256) : 0;
  e.clip.distances = e.clip.enable ? uint8_t(clipped) : 0, e.clip.cull_distances = e.clip.enable ? uint8_t(culled) : 0;
  b.add<_3DSTATE_CLIP>([&](uint32_t* w) {
    using C = _3DSTATE_CLIP;
    C::Clip_Enable::set(w, e.clip.enable), C::API_Mode::set(w, from_zero), C::Maximum_VP_Index::set(w, most);
    C::Viewport_XY_Clip_Test_Enable::set(w, r.percent(80)), C::Guardband_Clip_Test_Enable::set(w, r.percent(80));
    C::Minimum_Point_Width::set(w, 1), C::Maximum_Point_Width::set(w, r.percent(80) ? 2047 : 80),
        C::Force_Zero_RTA_Index_Enable::set(w, 1);
    C::Force_User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, 1),
        C::Force_User_Clip_Distance_Cull_Test_Enable_Bitmask::set(w, 1);
    C::User_Clip_Distance_Clip_Test_Enable_Bitmask::set(w, clipped),
        C::User_Clip_Distance_Cull_Test_Enable_Bitmask::set(w, culled);
    C::Statistics_Enable::set(w, 1);
  });
  b.add<_3DSTATE_DRAWING_RECTANGLE>(
      [&](uint32_t* w) { w[1] = uint32_t(drawn[0] | drawn[1] << 16), w[2] = uint32_t(drawn[2] | drawn[3] << 16); });
  b.add<_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>([&](uint32_t* w) { w[1] = dynamic.offset + Dynamic::sf_viewports; });
  b.add<_3DSTATE_VIEWPORT_STATE_POINTERS_CC>([&](uint32_t* w) { w[1] = dynamic.offset + Dynamic::cc_viewports; });
  b.add<_3DSTATE_SCISSOR_STATE_POINTERS>([&](uint32_t* w) { w[1] = dynamic.offset + Dynamic::scissors; });
  // (RASTER has two of the switches: they are the expectation's.)
  e.raster.scissors.assign(scissors, {});
}

void random_rasterization(Random& r, const Surfaces& surfaces, const PixelShader& shader, Batch& b, Expectation& e) {
  pipeline::Rasterization& x = e.raster;
  const bool scissors = !x.scissors.empty();
  x.scissors.clear();
  const unsigned list = r.one_of({0u, 2u}), line = r.below(2), fan = 1 + r.below(2);
  const unsigned cull = r.percent(85) ? 1 : r.below(4);
  x.cull_front = cull == 0 || cull == 2, x.cull_back = cull == 0 || cull == 3;
  x.front_is_clockwise = r.percent(50);
  constexpr pipeline::Fill fills[] = {pipeline::Fill::triangles, pipeline::Fill::lines, pipeline::Fill::points};
  const unsigned front = r.percent(85) ? 0 : r.below(3), back = r.percent(85) ? 0 : r.below(3);
  x.fill_front = fills[front], x.fill_back = fills[back];
  x.samples = surfaces.over_rasterize ? 2u << r.below(4) : surfaces.samples();
  x.over_rasterize = surfaces.over_rasterize;
  x.sample_shading = surfaces.log2_samples && shader.per_sample;
  const unsigned line_width = r.percent(40)   ? 128
                              : r.percent(20) ? 0
                                              : 32 + r.below(1200),
                 point_width = r.percent(20) ? 400 : 4 + r.below(120);
  x.line_width = line_width ? float(line_width) / 128 : 1, x.point_width = float(point_width) / 8;
  x.point_size_from_vertex = r.percent(40);
  x.grid.denominator = r.percent(80) ? 256 : 16;
  b.add<_3DSTATE_SF>([&](uint32_t* w) {
    using S = _3DSTATE_SF;
    S::Viewport_Transform_Enable::set(w, 1), S::Line_Width::set(w, line_width), S::Point_Width::set(w, point_width);
    S::Point_Width_Source::set(w, !x.point_size_from_vertex), S::Last_Pixel_Enable::set(w, r.percent(50));
    S::Vertex_Sub_Pixel_Precision_Select::set(w, x.grid.denominator == 16);
    S::Triangle_Strip_List_Provoking_Vertex_Select::set(w, list), S::Triangle_Fan_Provoking_Vertex_Select::set(w, fan);
    S::Line_Strip_List_Provoking_Vertex_Select::set(w, line), S::Legacy_Global_Depth_Bias_Enable::set(w, r.percent(10));
  });
  b.add<_3DSTATE_RASTER>([&](uint32_t* w) {
    using R = _3DSTATE_RASTER;
    R::Cull_Mode::set(w, cull), R::Front_Winding::set(w, !x.front_is_clockwise);
    R::Front_Face_Fill_Mode::set(w, front), R::Back_Face_Fill_Mode::set(w, back), R::API_Mode::set(w, r.below(3));
    R::Viewport_Z_Near_Clip_Test_Enable::set(w, e.clip.cut_near), R::Viewport_Z_Far_Clip_Test_Enable::set(w, e.clip.cut_far);
    R::Scissor_Rectangle_Enable::set(w, scissors), R::DX_Multisample_Rasterization_Enable::set(w, r.percent(80));
    if (r.percent(10)) R::Force_Multisampling::set(w, 1), R::DX_Multisample_Rasterization_Mode::set(w, r.below(4));
    if (x.over_rasterize) R::Forced_Sample_Count::set(w, 1 + unsigned(std::countr_zero(x.samples)));
    if (r.percent(20)) {
      R::Global_Depth_Offset_Enable_Solid::set(w, r.percent(70)), R::Global_Depth_Offset_Enable_Wireframe::set(w, r.percent(70));
      R::Global_Depth_Offset_Enable_Point::set(w, r.percent(70)),
          R::Global_Depth_Offset_Constant::set(w, bits(r.real(-1000, 1000)));
      R::Global_Depth_Offset_Scale::set(w, bits(r.real(-1, 1))),
          R::Global_Depth_Offset_Clamp::set(w, r.percent(50) ? 0 : bits(0.01f));
    }
  });
  // PRM volume 2a, Early Depth/Stencil Control: before the shader, unless it or what looks at its results takes pixels or samples away or
  // gives them another depth; after it, where it is to run for all; before it in any case.
  const bool takes = shader.kills || shader.mask || e.colour.alpha_test || e.colour.alpha_to_coverage;
  const bool gives = shader.depth_mode || shader.stencil;
  const bool dispatched = shader.valid && (shader.written || takes || gives);
  using Control = _3DSTATE_WM::Early_Depth_Stencil_Control;
  const uint32_t control =
      r.percent(75) ? uint32_t(Control::EDSC_NORMAL) : r.one_of({uint32_t(Control::EDSC_PSEXEC), uint32_t(Control::EDSC_PREPS)});
  e.tests.early = control == Control::EDSC_PREPS || !dispatched || (control == Control::EDSC_NORMAL && !takes && !gives);
  e.tests.count_samples = r.percent(75), x.line_stipple = r.percent(10), x.polygon_stipple = r.percent(10);
  b.add<_3DSTATE_WM>([&](uint32_t* w) {
    using W = _3DSTATE_WM;
    W::Barycentric_Interpolation_Mode::set(w, shader.barycentrics), W::Statistics_Enable::set(w, e.tests.count_samples);
    W::Point_Rasterization_Rule::set(w, r.below(2)), W::Line_Stipple_Enable::set(w, x.line_stipple);
    W::Polygon_Stipple_Enable::set(w, x.polygon_stipple), W::Early_Depth_Stencil_Control::set(w, control);
  });
  x.line_stipple_pattern = uint16_t(r.next());
  b.add<_3DSTATE_LINE_STIPPLE>([&](uint32_t* w) {
    _3DSTATE_LINE_STIPPLE::Line_Stipple_Pattern::set(w, x.line_stipple_pattern),
        _3DSTATE_LINE_STIPPLE::Line_Stipple_Repeat_Count::set(w, 1 + r.below(6));
  });
  if (x.polygon_stipple) {
    const uint32_t dx = r.below(32), dy = r.below(32);
    b.add<_3DSTATE_POLY_STIPPLE_OFFSET>([&](uint32_t* w) { w[1] = dx << 8 | dy; });
    b.add<_3DSTATE_POLY_STIPPLE_PATTERN>([&](uint32_t* w) {
      for (unsigned n = 0; n < 32; n++) w[1 + n] = r.next();
      for (unsigned y = 0; y < 32; y++)
        for (unsigned column = 0; column < 32; column++)
          x.polygon_stipple_rows[y] |= (w[1 + (y + dy) % 32] << ((column + dx) % 32) >> 31) << column;
    });
  }
  x.sample_mask = r.percent(70) ? 0xffff : r.next() & 0xffff;
  b.add<_3DSTATE_SAMPLE_MASK>([&](uint32_t* w) { w[1] = x.sample_mask; });
  b.add<_3DSTATE_MULTISAMPLE>([&](uint32_t* w) {
    _3DSTATE_MULTISAMPLE::Number_of_Multisamples::set(w, surfaces.log2_samples),
        _3DSTATE_MULTISAMPLE::Pixel_Location::set(w, r.percent(10));
  });
  b.add<_3DSTATE_SAMPLE_PATTERN>([&](uint32_t* w) {
    for (unsigned n = 1; n < 9; n++) w[n] = r.next();
    if (r.percent(50)) w[7] = 0xaa6622ee, w[8] = 0x8844cc88;
    using P = _3DSTATE_SAMPLE_PATTERN;
    P::_1x_Sample0_X_Offset::set(w, 8), P::_1x_Sample0_Y_Offset::set(w, 8);
  });
}

void random_inputs(Random& r, Batch& b) {
  const bool swizzles = r.percent(40);
  b.add<_3DSTATE_SBE>([&](uint32_t* w) {
    using S = _3DSTATE_SBE;
    S::Force_Vertex_URB_Entry_Read_Offset::set(w, 1), S::Vertex_URB_Entry_Read_Offset::set(w, 1);
    S::Force_Vertex_URB_Entry_Read_Length::set(w, 1), S::Vertex_URB_Entry_Read_Length::set(w, 1);
    S::Number_of_SF_Output_Attributes::set(w, 2), S::Attribute_Swizzle_Enable::set(w, swizzles);
    S::Constant_Interpolation_Enable::set(w, r.percent(70) ? 0 : r.below(4));
    S::Point_Sprite_Texture_Coordinate_Enable::set(w, r.percent(60) ? 0 : r.below(4));
    S::Point_Sprite_Texture_Coordinate_Origin::set(w, r.below(2));
    w[4] = 15;
  });
  if (swizzles)
    b.add<_3DSTATE_SBE_SWIZ>([&](uint32_t* w) {
      using S = _3DSTATE_SBE_SWIZ;
      for (unsigned n = 0; n < 2; n++) {
        uint32_t one[S::dwords] = {};
        S::Attribute_0_Source_Attribute::set(one, r.below(2)), S::Attribute_0_Swizzle_Select::set(one, r.percent(25));
        S::Attribute_0_Constant_Source::set(one, r.below(3)), S::Attribute_0_Component_Override_X::set(one, r.percent(15));
        S::Attribute_0_Component_Override_Y::set(one, r.percent(15)),
            S::Attribute_0_Component_Override_W::set(one, r.percent(15));
        w[1] |= one[1] << 16 * n;
      }
    });
}

}  // namespace Atoll::random_states::dg1_states
