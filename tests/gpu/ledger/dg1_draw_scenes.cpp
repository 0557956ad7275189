// Draws into tiled surfaces: a kernel that interpolates a colour, with states of all fixed functions around it, and what counts them.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "dg1_scene.h"
#include "isa/xe_lp/program.h"

namespace Atoll::ledger {

using namespace dg1::commands;
using namespace dg1_at;
using dg1::_3D_Prim_Topo_Type;
using dg1::SURFACE_FORMAT;

namespace {

using Surface = dg1::structures::RENDER_SURFACE_STATE;
using BlendHeader = dg1::structures::BLEND_STATE;
using BlendEntry = dg1::structures::BLEND_STATE_ENTRY;
using ColourCalc = dg1::structures::COLOR_CALC_STATE;

// Offsets in the dynamic state; addresses of compared data: colours, depth and stencil of one sample and of four, results of
// counters.
constexpr uint32_t sf_viewports = 0, cc_viewports = 0x100, scissors = 0x140, blend = 0x180, colour_calc = 0x200;
constexpr uint64_t colour_at = data, depth_at = data + 0x1000, stencil_at = data + 0x2000, counts_at = data + 0xf000;
constexpr uint64_t colour_4_at = data + 0x4000, depth_4_at = data + 0x8000, stencil_4_at = data + 0xc000;
constexpr uint32_t size = 32;  // pixels, both ways

struct Corner {
  float x, y, z, w;
  std::array<float, 4> colour;
};

struct Drawing {
  const char* name;
  uint32_t topology = _3D_Prim_Topo_Type::_3DPRIM_TRILIST;
  std::vector<Corner> corners;
  uint32_t log2_samples = 0;
  // More commands and states; those that come last count.
  std::function<void(Dg1Scene&)> more = [](Dg1Scene&) {};
};

// The attribute's plane at pixels of 8 lanes: r2, r3 barycentrics, r4, r5 the plane.
void put_kernel(Dg1Scene& s) {
  std::vector<std::string> lines;
  for (unsigned c = 0; c < 4; c++) {
    const unsigned r = 4 + c / 2, at = c % 2 * 4;
    lines.push_back(fmt::format("mul (8|M0) r20.0<1>:f r2.0<8;8,1>:f r{}.{}<0;1,0>:f", r, at));
    lines.push_back(fmt::format("mul (8|M0) r21.0<1>:f r3.0<8;8,1>:f r{}.{}<0;1,0>:f", r, at + 1));
    lines.push_back("add (8|M0) r22.0<1>:f r20.0<8;8,1>:f r21.0<8;8,1>:f");
    lines.push_back(fmt::format("add (8|M0) r{}.0<1>:f r22.0<8;8,1>:f r{}.{}<0;1,0>:f", 10 + c, r, at + 3));
  }
  lines.push_back(fmt::format("sendc.rc (8|M0) null r10 null 0x0 0x{:08x} {{EOT}}", 4u << 25 | 0xcu << 14 | 1u << 12 | 4u << 8));
  auto words = xe_lp::assemble(lines);
  ASSERT_TRUE(words) << words.error().message;
  s.put(dg1_at::kernel, *words);
}

void put_structures(Dg1Scene& s, uint32_t log2_samples) {
  for (uint32_t n = 0; n < 2; n++) {
    const float v[16] = {size / 2, -float(size) / 2, 0.5f, size / 2, size / 2, 0.5f, 0, 0, -2, 2, -2, 2,
                         1,        size - 2,         2,    size - 1};
    s.put(dynamic + sf_viewports + n * 64, std::bit_cast<std::array<uint32_t, 16>>(v));
    s.put(dynamic + cc_viewports + n * 8, std::array{std::bit_cast<uint32_t>(0.1f), std::bit_cast<uint32_t>(0.9f)});
    s.put(dynamic + scissors + n * 8, std::array{3u | 4u << 16, 29u | 28u << 16});
  }
  uint32_t b[3] = {};
  BlendEntry::Color_Clamp_Range::set(b + 1, BlendEntry::Color_Clamp_Range::COLORCLAMP_RTFORMAT);
  BlendEntry::Pre_Blend_Color_Clamp_Enable::set(b + 1, 1), BlendEntry::Post_Blend_Color_Clamp_Enable::set(b + 1, 1);
  s.put(dynamic + blend, b);
  uint32_t c[6] = {};
  ColourCalc::Alpha_Test_Format::set(c, 1);
  for (unsigned n = 0; n < 5; n++) c[1 + n] = std::bit_cast<uint32_t>(0.2f + 0.1f * float(n));
  s.put(dynamic + colour_calc, c);
  uint32_t w[Surface::dwords] = {};
  Surface::Surface_Type::set(w, Surface::Surface_Type::SURFTYPE_2D),
      Surface::Surface_Format::set(w, SURFACE_FORMAT::R8G8B8A8_UNORM);
  Surface::Tile_Mode::set(w, Surface::Tile_Mode::YMAJOR), Surface::Surface_Pitch::set(w, 127), Surface::Surface_QPitch::set(w, 8);
  Surface::Width::set(w, size - 1), Surface::Height::set(w, size - 1);
  Surface::Surface_Horizontal_Alignment::set(w, 1), Surface::Surface_Vertical_Alignment::set(w, 1);
  Surface::Number_of_Multisamples::set(w, log2_samples);
  Surface::Shader_Channel_Select_Red::set(w, 4), Surface::Shader_Channel_Select_Green::set(w, 5);
  Surface::Shader_Channel_Select_Blue::set(w, 6), Surface::Shader_Channel_Select_Alpha::set(w, 7);
  Surface::Surface_Base_Address::set(w, log2_samples ? colour_4_at : colour_at);
  s.put(surfaces + 0x40, w);
  s.put(surfaces + table, std::array{0x40u});
  s.structure("SF_CLIP_VIEWPORT", dynamic + sf_viewports), s.structure("CC_VIEWPORT", dynamic + cc_viewports);
  s.structure("SCISSOR_RECT", dynamic + scissors), s.structure("BLEND_STATE", dynamic + blend);
  s.structure("BLEND_STATE_ENTRY", dynamic + blend + 4), s.structure("COLOR_CALC_STATE", dynamic + colour_calc);
  s.structure("RENDER_SURFACE_STATE", surfaces + 0x40), s.structure("BINDING_TABLE_STATE", surfaces + table);
}

void add_inputs(dg1::Batch& b, const Drawing& d) {
  b.add<STATE_BASE_ADDRESS>([&](uint32_t* w) {
    using Base = STATE_BASE_ADDRESS;
    Base::Surface_State_Base_Address_Modify_Enable::set(w, 1), Base::Surface_State_Base_Address::set(w, surfaces);
    Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, dynamic);
    Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, dg1_at::kernel);
  });
  b.add<_3DSTATE_VERTEX_BUFFERS>(
      [&](uint32_t* w) {
        using B = _3DSTATE_VERTEX_BUFFERS::repeated;
        uint32_t* v = w + B::first_dword;
        v[0] = 48 | 1 << 14, v[1] = uint32_t(images), v[2] = uint32_t(images >> 32), v[3] = uint32_t(d.corners.size() * 48);
      },
      5);
  b.add<_3DSTATE_VERTEX_ELEMENTS>(
      [&](uint32_t* w) {
        for (uint32_t n = 0; n < 3; n++) {  // header, position, colour
          const uint32_t format = n ? SURFACE_FORMAT::R32G32B32A32_FLOAT : SURFACE_FORMAT::R32G32B32A32_UINT;
          w[1 + 2 * n] = 16 * n | format << 16 | 1 << 25, w[2 + 2 * n] = 0x11110000;
        }
      },
      7);
  b.add<_3DSTATE_VF_TOPOLOGY>([&](uint32_t* w) { w[1] = d.topology; });
  b.add<_3DSTATE_VF_STATISTICS>([](uint32_t* w) { _3DSTATE_VF_STATISTICS::Statistics_Enable::set(w, 1); }, 1);
  b.add<_3DSTATE_SBE>([](uint32_t* w) {
    using S = _3DSTATE_SBE;
    S::Vertex_URB_Entry_Read_Offset::set(w, 1), S::Vertex_URB_Entry_Read_Length::set(w, 1),
        S::Number_of_SF_Output_Attributes::set(w, 1);
    S::Force_Vertex_URB_Entry_Read_Offset::set(w, 1), S::Force_Vertex_URB_Entry_Read_Length::set(w, 1);
    w[4] = 3, w[5] = 0;
  });
}

void add_fixed_functions(dg1::Batch& b, const Drawing& d) {
  b.add<_3DSTATE_CLIP>([](uint32_t* w) {
    using C = _3DSTATE_CLIP;
    C::Clip_Enable::set(w, 1), C::Viewport_XY_Clip_Test_Enable::set(w, 1), C::Guardband_Clip_Test_Enable::set(w, 1);
    C::Statistics_Enable::set(w, 1), C::Minimum_Point_Width::set(w, 8), C::Maximum_Point_Width::set(w, 64);
    C::Triangle_Strip_List_Provoking_Vertex_Select::set(w, 2), C::Triangle_Fan_Provoking_Vertex_Select::set(w, 2);
    C::Line_Strip_List_Provoking_Vertex_Select::set(w, 1);
  });
  b.add<_3DSTATE_SF>([](uint32_t* w) {
    using S = _3DSTATE_SF;
    S::Viewport_Transform_Enable::set(w, 1), S::Line_Width::set(w, 384), S::Point_Width::set(w, 40),
        S::Point_Width_Source::set(w, 1);
    S::Triangle_Strip_List_Provoking_Vertex_Select::set(w, 2), S::Triangle_Fan_Provoking_Vertex_Select::set(w, 2);
    S::Line_Strip_List_Provoking_Vertex_Select::set(w, 1);
  });
  b.add<_3DSTATE_RASTER>([](uint32_t* w) {
    using R = _3DSTATE_RASTER;
    R::Cull_Mode::set(w, R::Cull_Mode::NONE), R::Viewport_Z_Near_Clip_Test_Enable::set(w, 1),
        R::Viewport_Z_Far_Clip_Test_Enable::set(w, 1), R::Scissor_Rectangle_Enable::set(w, 1);
    R::Global_Depth_Offset_Enable_Solid::set(w, 1), R::Global_Depth_Offset_Constant::set(w, std::bit_cast<uint32_t>(3e5f));
    R::Global_Depth_Offset_Scale::set(w, std::bit_cast<uint32_t>(0.5f)),
        R::Global_Depth_Offset_Clamp::set(w, std::bit_cast<uint32_t>(0.1f));
    R::DX_Multisample_Rasterization_Enable::set(w, 1);
  });
  b.add<_3DSTATE_WM>(
      [](uint32_t* w) { _3DSTATE_WM::Barycentric_Interpolation_Mode::set(w, 1), _3DSTATE_WM::Statistics_Enable::set(w, 1); });
  b.add<_3DSTATE_MULTISAMPLE>([&](uint32_t* w) { _3DSTATE_MULTISAMPLE::Number_of_Multisamples::set(w, d.log2_samples); });
  b.add<_3DSTATE_SAMPLE_MASK>([](uint32_t* w) { w[1] = 0xffff; });
  b.add<_3DSTATE_SAMPLE_PATTERN>([](uint32_t* w) {
    w[7] = 0xaa6622ee, w[8] = 0x8844cc88;  // of 4 samples; of 2 and 1
  });
  b.add<_3DSTATE_DRAWING_RECTANGLE>([](uint32_t* w) { w[2] = (size - 1) << 16 | (size - 1); });
  b.add<_3DSTATE_LINE_STIPPLE>([](uint32_t* w) { w[1] = 0x5f3a, w[2] = 2; });
  b.add<_3DSTATE_POLY_STIPPLE_OFFSET>([](uint32_t*) {});
  b.add<_3DSTATE_POLY_STIPPLE_PATTERN>([](uint32_t* w) {
    for (uint32_t n = 1; n < 33; n++) w[n] = n * 0x9e3779b9u;
  });
  b.add<_3DSTATE_AA_LINE_PARAMETERS>([](uint32_t*) {});
  b.add<_3DSTATE_WM_CHROMAKEY>([](uint32_t*) {});
  b.add<_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>([](uint32_t* w) { w[1] = sf_viewports; });
  b.add<_3DSTATE_VIEWPORT_STATE_POINTERS_CC>([](uint32_t* w) { w[1] = cc_viewports; });
  b.add<_3DSTATE_SCISSOR_STATE_POINTERS>([](uint32_t* w) { w[1] = scissors; });
  b.add<_3DSTATE_BLEND_STATE_POINTERS>([](uint32_t* w) { w[1] = blend | 1; });
  b.add<_3DSTATE_CC_STATE_POINTERS>([](uint32_t* w) { w[1] = colour_calc | 1; });
  b.add<_3DSTATE_PS_BLEND>([](uint32_t* w) { _3DSTATE_PS_BLEND::Has_Writeable_RT::set(w, 1); });
  b.add<_3DSTATE_PS_EXTRA>(
      [](uint32_t* w) { _3DSTATE_PS_EXTRA::Pixel_Shader_Valid::set(w, 1), _3DSTATE_PS_EXTRA::Attribute_Enable::set(w, 1); });
  b.add<_3DSTATE_PS>([](uint32_t* w) {
    using P = _3DSTATE_PS;
    P::_8_Pixel_Dispatch_Enable::set(w, 1), P::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(w, 4);
  });
  b.add<_3DSTATE_BINDING_TABLE_POINTERS_PS>([](uint32_t* w) { w[1] = uint32_t(table); });
  b.add<_3DSTATE_STREAMOUT>([](uint32_t*) {});
}

void add_buffers(dg1::Batch& b, const Drawing& d) {
  const bool several = d.log2_samples != 0;
  b.add<_3DSTATE_DEPTH_BUFFER>([&](uint32_t* w) {
    using D = _3DSTATE_DEPTH_BUFFER;
    D::Surface_Type::set(w, 1), D::Surface_Format::set(w, D::Surface_Format::D24_UNORM_X8_UINT), D::Depth_Write_Enable::set(w, 1);
    D::Width::set(w, size - 1), D::Height::set(w, size - 1), D::Surface_Pitch::set(w, several ? 255 : 127);
    D::Surface_QPitch::set(w, 8), D::Surface_Base_Address::set(w, several ? depth_4_at : depth_at);
  });
  b.add<_3DSTATE_STENCIL_BUFFER>([&](uint32_t* w) {
    using S = _3DSTATE_STENCIL_BUFFER;
    S::Surface_Type::set(w, 1), S::Stencil_Write_Enable::set(w, 1), S::Width::set(w, size - 1), S::Height::set(w, size - 1);
    S::Surface_Pitch::set(w, 127), S::Surface_QPitch::set(w, 8),
        S::Surface_Base_Address::set(w, several ? stencil_4_at : stencil_at);
  });
  b.add<_3DSTATE_HIER_DEPTH_BUFFER>([](uint32_t*) {});
  b.add<_3DSTATE_CLEAR_PARAMS>([](uint32_t*) {});
  b.add<_3DSTATE_WM_DEPTH_STENCIL>([](uint32_t* w) {
    using D = _3DSTATE_WM_DEPTH_STENCIL;
    D::Depth_Test_Enable::set(w, 1), D::Depth_Buffer_Write_Enable::set(w, 1), D::Depth_Test_Function::set(w, 2);
    D::Stencil_Test_Enable::set(w, 1), D::Stencil_Buffer_Write_Enable::set(w, 1), D::Double_Sided_Stencil_Enable::set(w, 1);
    D::Stencil_Test_Function::set(w, 6), D::Backface_Stencil_Test_Function::set(w, 6);
    D::Stencil_Pass_Depth_Pass_Op::set(w, 2), D::Stencil_Pass_Depth_Fail_Op::set(w, 5), D::Stencil_Fail_Op::set(w, 7);
    D::Backface_Stencil_Pass_Depth_Pass_Op::set(w, 2), D::Backface_Stencil_Pass_Depth_Fail_Op::set(w, 6),
        D::Backface_Stencil_Fail_Op::set(w, 1);
    w[2] = 0x3f0f7ff0, w[3] = 0x5a23;
  });
  b.add<_3DSTATE_DEPTH_BOUNDS>([](uint32_t* w) {
    using B = _3DSTATE_DEPTH_BOUNDS;
    B::Depth_Bounds_Test_Enable::set(w, 1), B::Depth_Bounds_Test_Min_Value::set(w, std::bit_cast<uint32_t>(0.05f));
    B::Depth_Bounds_Test_Max_Value::set(w, std::bit_cast<uint32_t>(0.95f));
  });
}

void add_scene(Dg1Scenes& all, const Drawing& d) {
  auto s = std::make_unique<Dg1Scene>(d.name);
  s->blocks = {"ALL", "CC", "CLIP", "DEPTH", "PS", "SBE", "SF", "SO", "SURFACE", "VF", "WM"};
  put_kernel(*s);
  put_structures(*s, d.log2_samples);
  std::vector<uint32_t> words;
  for (const Corner& c : d.corners) {
    words.insert(words.end(), {0, 0, 0, std::bit_cast<uint32_t>(6.0f)});  // the header's point size
    for (float v : {c.x, c.y, c.z, c.w, c.colour[0], c.colour[1], c.colour[2], c.colour[3]})
      words.push_back(std::bit_cast<uint32_t>(v));
  }
  s->put(images, words);
  add_inputs(s->b, d);
  add_fixed_functions(s->b, d);
  add_buffers(s->b, d);
  d.more(*s);
  s->b.add<_3DPRIMITIVE>(
      [&](uint32_t* w) {
        _3DPRIMITIVE::Vertex_Count_Per_Instance::set(w, d.corners.size()), _3DPRIMITIVE::Instance_Count::set(w, 1);
      },
      7);
  // The counts: samples, and the statistics registers.
  s->b.add<PIPE_CONTROL>(
      [](uint32_t* w) { PIPE_CONTROL::Post_Sync_Operation::set(w, 2), PIPE_CONTROL::Address::set(w, counts_at); });
  for (uint32_t n = 0; n < 12; n++) s->b.store_register(0x2310 + n * 8, counts_at + 16 + n * 4);
  s->finish();
  all.push_back(std::move(s));
}

// Changes a structure where it stands.
template <class Set>
void change(Dg1Scene& s, uint64_t address, Set&& set) {
  set(reinterpret_cast<uint32_t*>(s.host(address)));
}

}  // namespace

void add_draw_scenes(Dg1Scenes& all) {
  // Two that overlap, seen from both sides, in part outside of the viewport and of the depths that there are.
  const std::vector<Corner> triangles = {
      {-1.4f, -0.9f, -0.2f, 1, {1, 0, 0, 0.9f}},     {0.9f, -0.7f, 0.5f, 1, {0, 1, 0, 0.6f}},
      {0.1f, 1.1f, 1.2f, 1, {0, 0, 1, 0.3f}},        {-0.8f, 0.8f, 0.3f, 1.2f, {0.5f, 0.1f, 1, 0.2f}},
      {1.5f, 0.6f, -0.4f, 1, {0.3f, 0.9f, 0, 0.8f}}, {-0.2f, -1.3f, 0.1f, 1, {1, 0.2f, 0.4f, 0.5f}}};
  add_scene(all, {.name = "triangles", .corners = triangles});
  add_scene(all, {.name = "blended triangles", .corners = triangles, .more = [](Dg1Scene& s) {
                    change(s, dynamic + blend, [](uint32_t* w) {
                      BlendHeader::Independent_Alpha_Blend_Enable::set(w, 1), BlendHeader::Alpha_Test_Enable::set(w, 1);
                      BlendHeader::Alpha_Test_Function::set(w, BlendHeader::Alpha_Test_Function::GREATER);
                      BlendEntry::Color_Buffer_Blend_Enable::set(w + 1, 1);
                      BlendEntry::Source_Blend_Factor::set(w + 1, 7), BlendEntry::Destination_Blend_Factor::set(w + 1, 24);
                      BlendEntry::Source_Alpha_Blend_Factor::set(w + 1, 8),
                          BlendEntry::Destination_Alpha_Blend_Factor::set(w + 1, 1);
                    });
                    s.b.add<_3DSTATE_PS_BLEND>([](uint32_t* w) {
                      _3DSTATE_PS_BLEND::Has_Writeable_RT::set(w, 1), _3DSTATE_PS_BLEND::Alpha_Test_Enable::set(w, 1);
                    });
                  }});
  add_scene(all, {.name = "a logic operation", .corners = triangles, .more = [](Dg1Scene& s) {
                    change(s, dynamic + blend + 4,
                           [](uint32_t* w) { BlendEntry::Logic_Op_Enable::set(w, 1), BlendEntry::Logic_Op_Function::set(w, 6); });
                  }});
  add_scene(all, {.name = "stippled polygons", .corners = triangles, .more = [](Dg1Scene& s) {
                    s.b.add<_3DSTATE_WM>([](uint32_t* w) {
                      _3DSTATE_WM::Barycentric_Interpolation_Mode::set(w, 1), _3DSTATE_WM::Polygon_Stipple_Enable::set(w, 1);
                    });
                  }});
  add_scene(all, {.name = "four samples", .corners = triangles, .log2_samples = 2});
  std::vector<Corner> lines = triangles;
  for (Corner& c : lines) c.z = 0.1f;
  add_scene(
      all,
      {.name = "stippled lines", .topology = _3D_Prim_Topo_Type::_3DPRIM_LINESTRIP, .corners = lines, .more = [](Dg1Scene& s) {
         s.b.add<_3DSTATE_WM>([](uint32_t* w) {
           _3DSTATE_WM::Barycentric_Interpolation_Mode::set(w, 1), _3DSTATE_WM::Line_Stipple_Enable::set(w, 1);
         });
       }});
  add_scene(all, {.name = "points", .topology = _3D_Prim_Topo_Type::_3DPRIM_POINTLIST, .corners = lines});
  add_scene(all, {.name = "points of their own size",
                  .topology = _3D_Prim_Topo_Type::_3DPRIM_POINTLIST,
                  .corners = lines,
                  .more = [](Dg1Scene& s) {
                    s.b.add<_3DSTATE_SF>([](uint32_t* w) { _3DSTATE_SF::Viewport_Transform_Enable::set(w, 1); });
                    s.b.add<_3DSTATE_SBE>([](uint32_t* w) {
                      using S = _3DSTATE_SBE;
                      S::Vertex_URB_Entry_Read_Offset::set(w, 1), S::Vertex_URB_Entry_Read_Length::set(w, 1);
                      S::Number_of_SF_Output_Attributes::set(w, 1), S::Force_Vertex_URB_Entry_Read_Offset::set(w, 1);
                      S::Force_Vertex_URB_Entry_Read_Length::set(w, 1), S::Point_Sprite_Texture_Coordinate_Enable::set(w, 1);
                      w[4] = 3;
                    });
                    s.b.add<_3DSTATE_SBE_SWIZ>([](uint32_t*) {});
                  }});
  add_scene(all, {.name = "outlines", .corners = triangles, .more = [](Dg1Scene& s) {
                    s.b.add<_3DSTATE_RASTER>([](uint32_t* w) {
                      using R = _3DSTATE_RASTER;
                      R::Cull_Mode::set(w, R::Cull_Mode::NONE), R::Front_Face_Fill_Mode::set(w, 1),
                          R::Back_Face_Fill_Mode::set(w, 2);
                      R::Global_Depth_Offset_Constant::set(w, std::bit_cast<uint32_t>(3e5f));
                      R::Global_Depth_Offset_Scale::set(w, std::bit_cast<uint32_t>(0.5f));
                    });
                  }});
}

}  // namespace Atoll::ledger
