// A draw of DG1's that works, command by command, for fuzzers to change: stages as asked for, their programs, structures and buffers.
#pragma once
#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "isa/xe_lp/program.h"
#include "registers/dg1.h"

namespace Atoll::dg1::fuzz {

using namespace commands;

// Regions of memory with nothing mapped around them; what stands where in those of states.
namespace place {
constexpr uint64_t region = 1 << 16;
constexpr uint64_t batch = 0x10'0000, dynamic = 0xffff'fff0'0000, surfaces = 0x1000'0000, kernels = 0x2'0000'0000,
                   vertices = 0x7fff'0000'0000, colour = 0x8000'0000'0000, tests = 0x3'0000'0000, output = 0x4'0000'0000,
                   scratch = 0x5'0000'0000;
constexpr uint64_t all[] = {batch, dynamic, surfaces, kernels, vertices, colour, tests, output, scratch};
constexpr uint32_t viewports = 0, depths = 0x400, scissors = 0x500, blend = 0x600, constants = 0x700, pushed = 0x800,
                   samplers = 0x900, table = 0x1000;
constexpr uint32_t kernel_bytes = 0x2000;  // of a stage
}  // namespace place

enum class Program : uint32_t { vertex, hull, domain, geometry, pixel };
struct Stages {
  bool vertex, tessellation, geometry, output;
};

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

// Commands one by one, so that any can be changed or left out.
struct Commands : std::vector<std::vector<uint32_t>> {
  template <class Command, class Set>
  void add(Set&& set, uint32_t dwords = Command::dwords) {
    std::vector<uint32_t> words(std::max<size_t>(dwords, Command::dwords));
    words[0] = Command::match;
    set(words.data());
    words.resize(dwords);
    if (dwords > 1) words[0] |= dwords - 2;
    push_back(std::move(words));
  }
};

inline uint64_t start_of(Program p) { return uint64_t(p) * place::kernel_bytes; }

// Each stage's program when nobody disturbs it; `extra`: lines before its last ones.
inline std::vector<std::string> program_text(Program p, const std::vector<std::string>& extra) {
  std::vector<std::string> lines;
  auto numbers = [&](unsigned first, unsigned count, float value) {
    for (unsigned n = 0; n < count; n++)
      lines.push_back(fmt::format("mov (8|M0) r{}.0<1>:ud 0x{:08x}:ud", first + n, bits(value)));
  };
  auto write = [](unsigned handles, unsigned from, unsigned registers, unsigned slot, bool last) {
    return fmt::format("send.urb (8|M0) null r{} r{} 0x{:x} 0x{:08x}{}", handles, from, registers << 6,
                       1u << 25 | 1u << 19 | slot << 4 | 7, last ? " {EOT}" : "");
  };
  std::vector<std::string> last;
  switch (p) {
    case Program::vertex: last = {write(1, 2, 8, 0, false), write(1, 10, 4, 2, true)}; break;
    case Program::hull:
      numbers(60, 4, 3);
      last = {write(1, 60, 4, 0, false), write(1, 60, 4, 1, false), "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"};
      break;
    case Program::domain:
      numbers(60, 4, 0), numbers(66, 2, 1);
      lines.insert(lines.end(), {"mov (8|M0) r64.0<1>:f r1.0<8;8,1>:f", "mov (8|M0) r65.0<1>:f r2.0<8;8,1>:f"});
      last = {write(4, 60, 8, 0, false), write(4, 64, 4, 2, true)};
      break;
    case Program::geometry:
      numbers(60, 4, 0), numbers(64, 4, 0.5f);
      last = {write(1, 60, 8, 0, false), write(1, 60, 8, 2, false), write(1, 60, 8, 4, true)};
      break;
    case Program::pixel:
      numbers(60, 4, 0.5f);
      last = {fmt::format("sendc.rc (8|M0) null r60 null 0x0 0x{:08x} {{EOT}}", 4u << 25 | 0xcu << 14 | 1u << 12 | 4u << 8)};
      break;
  }
  lines.insert(lines.end(), extra.begin(), extra.end());
  lines.insert(lines.end(), last.begin(), last.end());
  return lines;
}

// 16 x 16 pixels in Y tiles of four bytes, or a buffer.
inline std::vector<uint32_t> surface(uint64_t at, bool buffer) {
  using S = structures::RENDER_SURFACE_STATE;
  std::vector<uint32_t> v(S::dwords);
  uint32_t* w = v.data();
  S::Surface_Type::set(w, buffer ? S::Surface_Type::SURFTYPE_BUFFER : S::Surface_Type::SURFTYPE_2D);
  S::Surface_Format::set(w, buffer ? SURFACE_FORMAT::RAW : SURFACE_FORMAT::R8G8B8A8_UNORM);
  S::Width::set(w, buffer ? 127 : 15), S::Height::set(w, 15), S::Surface_Pitch::set(w, buffer ? 0 : 127);
  if (!buffer) S::Tile_Mode::set(w, S::Tile_Mode::YMAJOR);
  S::Surface_Horizontal_Alignment::set(w, 1), S::Surface_Vertical_Alignment::set(w, 1), S::Surface_QPitch::set(w, 4);
  S::Shader_Channel_Select_Red::set(w, 4), S::Shader_Channel_Select_Green::set(w, 5);
  S::Shader_Channel_Select_Blue::set(w, 6), S::Shader_Channel_Select_Alpha::set(w, 7);
  S::Surface_Base_Address::set(w, at);
  return v;
}

inline void add_vertices(Commands& c, const Stages& s) {
  c.add<STATE_BASE_ADDRESS>([](uint32_t* w) {
    using Base = STATE_BASE_ADDRESS;
    Base::Surface_State_Base_Address_Modify_Enable::set(w, 1), Base::Surface_State_Base_Address::set(w, place::surfaces);
    Base::Dynamic_State_Base_Address_Modify_Enable::set(w, 1), Base::Dynamic_State_Base_Address::set(w, place::dynamic);
    Base::Instruction_Base_Address_Modify_Enable::set(w, 1), Base::Instruction_Base_Address::set(w, place::kernels);
    Base::General_State_Base_Address_Modify_Enable::set(w, 1), Base::General_State_Base_Address::set(w, place::scratch);
  });
  c.add<_3DSTATE_VERTEX_BUFFERS>(
      [](uint32_t* w) {
        uint32_t* v = w + _3DSTATE_VERTEX_BUFFERS::repeated::first_dword;
        v[0] = 48 | 1 << 14, v[1] = uint32_t(place::vertices), v[2] = uint32_t(place::vertices >> 32), v[3] = 48 * 64;
      },
      5);
  c.add<_3DSTATE_VERTEX_ELEMENTS>(
      [](uint32_t* w) {
        for (uint32_t n = 0; n < 3; n++) {
          const uint32_t format = n ? SURFACE_FORMAT::R32G32B32A32_FLOAT : SURFACE_FORMAT::R32G32B32A32_UINT;
          w[1 + 2 * n] = 16 * n | format << 16 | 1 << 25, w[2 + 2 * n] = 0x11110000;
        }
      },
      7);
  c.add<_3DSTATE_INDEX_BUFFER>([](uint32_t* w) {
    using I = _3DSTATE_INDEX_BUFFER;
    I::Buffer_Starting_Address::set(w, place::vertices + 0x8000), I::Buffer_Size::set(w, 256), I::Index_Format::set(w, 1);
  });
  c.add<_3DSTATE_VF>([](uint32_t*) {}), c.add<_3DSTATE_VF_SGVS>([](uint32_t*) {}), c.add<_3DSTATE_VF_SGVS_2>([](uint32_t*) {});
  c.add<_3DSTATE_VF_INSTANCING>([](uint32_t*) {});
  c.add<_3DSTATE_VF_TOPOLOGY>([&](uint32_t* w) { w[1] = s.tessellation ? 0x23 : 4; });  // patches of three vertices, or triangles
  c.add<_3DSTATE_URB_VS>([](uint32_t* w) { _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, 1); });
  c.add<_3DSTATE_URB_HS>([](uint32_t* w) { _3DSTATE_URB_HS::HS_URB_Entry_Allocation_Size::set(w, 1); });
  c.add<_3DSTATE_URB_DS>([](uint32_t* w) { _3DSTATE_URB_DS::DS_URB_Entry_Allocation_Size::set(w, 1); });
  c.add<_3DSTATE_URB_GS>([](uint32_t* w) { _3DSTATE_URB_GS::GS_URB_Entry_Allocation_Size::set(w, 3); });
}

inline void add_stages(Commands& c, const Stages& s) {
  c.add<_3DSTATE_VS>([&](uint32_t* w) {
    using V = _3DSTATE_VS;
    V::Enable::set(w, s.vertex), V::SIMD8_Dispatch_Enable::set(w, 1), V::Vertex_URB_Entry_Read_Length::set(w, 2);
    V::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 2), V::Kernel_Start_Pointer::set(w, start_of(Program::vertex));
  });
  c.add<_3DSTATE_HS>([&](uint32_t* w) {
    using H = _3DSTATE_HS;
    H::Enable::set(w, s.tessellation), H::Dispatch_Mode::set(w, H::Dispatch_Mode::_8_PATCH), H::Include_Vertex_Handles::set(w, 1);
    H::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 8), H::Kernel_Start_Pointer::set(w, start_of(Program::hull));
  });
  c.add<_3DSTATE_TE>([&](uint32_t* w) {
    using T = _3DSTATE_TE;
    T::TE_Enable::set(w, s.tessellation), T::TE_Domain::set(w, T::TE_Domain::TRI),
        T::Output_Topology::set(w, T::Output_Topology::TRI_CW);
    T::Maximum_Tessellation_Factor_Odd::set(w, bits(63)), T::Maximum_Tessellation_Factor_Not_Odd::set(w, bits(64));
  });
  c.add<_3DSTATE_DS>([&](uint32_t* w) {
    using D = _3DSTATE_DS;
    D::Enable::set(w, s.tessellation), D::Dispatch_Mode::set(w, D::Dispatch_Mode::SIMD8_SINGLE_PATCH);
    D::Patch_URB_Entry_Read_Length::set(w, 1), D::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 5);
    D::Kernel_Start_Pointer::set(w, start_of(Program::domain));
  });
  c.add<_3DSTATE_GS>([&](uint32_t* w) {
    using G = _3DSTATE_GS;
    G::Enable::set(w, s.geometry), G::Dispatch_Mode::set(w, G::Dispatch_Mode::SIMD8), G::Include_Vertex_Handles::set(w, 1);
    G::Output_Topology::set(w, G::Output_Topology::TRISTRIP), G::Output_Vertex_Size::set(w, 1), G::Static_Output::set(w, 1);
    G::Static_Output_Vertex_Count::set(w, 3), G::Vertex_URB_Entry_Read_Length::set(w, 1);
    G::Dispatch_GRF_Start_Register_For_URB_Data::set(w, 5), G::Kernel_Start_Pointer::set(w, start_of(Program::geometry));
  });
  c.add<_3DSTATE_STREAMOUT>([&](uint32_t* w) {
    using S = _3DSTATE_STREAMOUT;
    S::SO_Function_Enable::set(w, s.output), S::SO_Statistics_Enable::set(w, 1), S::Buffer_0_Surface_Pitch::set(w, 16);
  });
  c.add<_3DSTATE_SO_BUFFER>([](uint32_t* w) {
    using B = _3DSTATE_SO_BUFFER;
    B::SO_Buffer_Enable::set(w, 1), B::Stream_Offset_Write_Enable::set(w, 1), B::Surface_Base_Address::set(w, place::output);
    B::Surface_Size::set(w, 1023), B::Stream_Output_Buffer_Offset_Address::set(w, place::output + 0x8000);
    B::Stream_Output_Buffer_Offset_Address_Enable::set(w, 1);
  });
  c.add<_3DSTATE_SO_DECL_LIST>([](uint32_t* w) { w[1] = 1, w[2] = 1, w[3] = 0x1f; }, 5);
  c.add<_3DSTATE_CONSTANT_VS>([](uint32_t*) {}), c.add<_3DSTATE_CONSTANT_GS>([](uint32_t*) {});
  c.add<_3DSTATE_CONSTANT_PS>([](uint32_t* w) {
    using C = _3DSTATE_CONSTANT_PS;
    C::Constant_Body_Read_Length_3::set(w, 1), C::Constant_Body_Buffer_3::set(w, place::dynamic + place::pushed);
  });
}

inline void add_pixels(Commands& c) {
  c.add<_3DSTATE_CLIP>([](uint32_t* w) {
    using C = _3DSTATE_CLIP;
    C::Clip_Enable::set(w, 1), C::Viewport_XY_Clip_Test_Enable::set(w, 1), C::Guardband_Clip_Test_Enable::set(w, 1);
    C::Minimum_Point_Width::set(w, 1), C::Maximum_Point_Width::set(w, 2047);
  });
  c.add<_3DSTATE_SF>([](uint32_t* w) {
    using S = _3DSTATE_SF;
    S::Viewport_Transform_Enable::set(w, 1), S::Line_Width::set(w, 128), S::Point_Width::set(w, 8);
  });
  c.add<_3DSTATE_RASTER>([](uint32_t* w) { _3DSTATE_RASTER::Cull_Mode::set(w, _3DSTATE_RASTER::Cull_Mode::NONE); });
  c.add<_3DSTATE_SBE>([](uint32_t* w) {
    using S = _3DSTATE_SBE;
    S::Force_Vertex_URB_Entry_Read_Offset::set(w, 1), S::Vertex_URB_Entry_Read_Offset::set(w, 1);
    S::Force_Vertex_URB_Entry_Read_Length::set(w, 1), S::Vertex_URB_Entry_Read_Length::set(w, 1);
    S::Number_of_SF_Output_Attributes::set(w, 1);
  });
  c.add<_3DSTATE_SBE_SWIZ>([](uint32_t*) {});
  c.add<_3DSTATE_WM>(
      [](uint32_t* w) { _3DSTATE_WM::Barycentric_Interpolation_Mode::set(w, 1), _3DSTATE_WM::Statistics_Enable::set(w, 1); });
  c.add<_3DSTATE_WM_DEPTH_STENCIL>([](uint32_t* w) {
    using D = _3DSTATE_WM_DEPTH_STENCIL;
    D::Depth_Test_Enable::set(w, 1), D::Depth_Buffer_Write_Enable::set(w, 1), D::Stencil_Test_Enable::set(w, 1);
    D::Stencil_Buffer_Write_Enable::set(w, 1), D::Stencil_Write_Mask::set(w, 255), D::Stencil_Pass_Depth_Pass_Op::set(w, 3);
  });
  c.add<_3DSTATE_DEPTH_BOUNDS>([](uint32_t*) {});
  c.add<_3DSTATE_MULTISAMPLE>([](uint32_t*) {}), c.add<_3DSTATE_SAMPLE_MASK>([](uint32_t* w) { w[1] = 0xffff; });
  c.add<_3DSTATE_SAMPLE_PATTERN>([](uint32_t* w) { w[7] = 0xaa6622ee, w[8] = 0x8844cc88; });
  c.add<_3DSTATE_DRAWING_RECTANGLE>([](uint32_t* w) { w[2] = ~0u; });
  c.add<_3DSTATE_LINE_STIPPLE>([](uint32_t* w) { w[1] = 0x5555, w[2] = 1; });
  c.add<_3DSTATE_DEPTH_BUFFER>([](uint32_t* w) {
    using D = _3DSTATE_DEPTH_BUFFER;
    D::Surface_Type::set(w, 1), D::Surface_Format::set(w, D::Surface_Format::D32_FLOAT), D::Depth_Write_Enable::set(w, 1);
    D::Width::set(w, 15), D::Height::set(w, 15), D::Surface_Pitch::set(w, 127), D::Surface_QPitch::set(w, 4);
    D::Surface_Base_Address::set(w, place::tests);
  });
  c.add<_3DSTATE_STENCIL_BUFFER>([](uint32_t* w) {
    using S = _3DSTATE_STENCIL_BUFFER;
    S::Surface_Type::set(w, 1), S::Stencil_Write_Enable::set(w, 1), S::Width::set(w, 15), S::Height::set(w, 15);
    S::Surface_Pitch::set(w, 127), S::Surface_QPitch::set(w, 4), S::Surface_Base_Address::set(w, place::tests + 0x4000);
  });
  c.add<_3DSTATE_CLEAR_PARAMS>([](uint32_t*) {});
  c.add<_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>([](uint32_t* w) { w[1] = place::viewports; });
  c.add<_3DSTATE_VIEWPORT_STATE_POINTERS_CC>([](uint32_t* w) { w[1] = place::depths; });
  c.add<_3DSTATE_SCISSOR_STATE_POINTERS>([](uint32_t* w) { w[1] = place::scissors; });
  c.add<_3DSTATE_BLEND_STATE_POINTERS>([](uint32_t* w) { w[1] = place::blend | 1; });
  c.add<_3DSTATE_CC_STATE_POINTERS>([](uint32_t* w) { w[1] = place::constants | 1; });
  c.add<_3DSTATE_BINDING_TABLE_POINTERS_VS>([](uint32_t* w) { w[1] = place::table; });
  c.add<_3DSTATE_BINDING_TABLE_POINTERS_PS>([](uint32_t* w) { w[1] = place::table; });
  c.add<_3DSTATE_SAMPLER_STATE_POINTERS_PS>([](uint32_t* w) { w[1] = place::samplers; });
  c.add<_3DSTATE_PS_BLEND>([](uint32_t* w) { _3DSTATE_PS_BLEND::Has_Writeable_RT::set(w, 1); });
  c.add<_3DSTATE_PS_EXTRA>([](uint32_t* w) {
    using X = _3DSTATE_PS_EXTRA;
    X::Pixel_Shader_Valid::set(w, 1), X::Attribute_Enable::set(w, 1), X::Pixel_Shader_Pulls_Bary::set(w, 1);
  });
  c.add<_3DSTATE_PS>([](uint32_t* w) {
    using P = _3DSTATE_PS;
    P::_8_Pixel_Dispatch_Enable::set(w, 1), P::Vector_Mask_Enable::set(w, 1), P::Push_Constant_Enable::set(w, 1);
    P::Kernel_Start_Pointer_0::set(w, start_of(Program::pixel)),
        P::Dispatch_GRF_Start_Register_For_Constant_Setup_Data_0::set(w, 6);
  });
}

inline void add_draw(Commands& c, uint32_t vertices, bool indexed) {
  c.add<_3DPRIMITIVE>(
      [&](uint32_t* w) {
        _3DPRIMITIVE::Vertex_Count_Per_Instance::set(w, vertices), _3DPRIMITIVE::Instance_Count::set(w, 1);
        _3DPRIMITIVE::Vertex_Access_Type::set(w, indexed);
      },
      7);
}

inline Commands draw_commands(const Stages& s) {
  Commands c;
  add_vertices(c, s), add_stages(c, s), add_pixels(c);
  return c;
}

}  // namespace Atoll::dg1::fuzz
