// The structures that draws, dispatches and messages point to, and the commands of depth and stencil buffers, against a text of their
// fields that was written from another version than registers/dg1/commands.json: Mesa 25.0.7's src/intel/genxml (gen120.xml and what it
// imports) here, Mesa 22.3.6's gen12.xml there. A field's place is DWORD.BIT, and +BITS where it has more than one.
#include <gtest/gtest.h>

#include <set>

#include "registers/dg1.h"
#include "registers/lookup.h"

namespace Atoll::registers {
namespace {

struct Layout {
  std::string_view name;
  unsigned dwords;
  std::string_view fields;
};

constexpr Layout layouts[] = {
    {"BLEND_STATE", 1,
     "Y Dither Offset 0.19+2, X Dither Offset 0.21+2, Color Dither Enable 0.23, Alpha Test Function 0.24+3, Alpha Test "
     "Enable 0.27, Alpha To Coverage Dither Enable 0.28, Alpha To One Enable 0.29, Independent Alpha Blend Enable "
     "0.30, Alpha To Coverage Enable 0.31"},
    {"BLEND_STATE_ENTRY", 2,
     "Write Disable Blue 0.0, Write Disable Green 0.1, Write Disable Red 0.2, Write Disable Alpha 0.3, Alpha Blend "
     "Function 0.5+3, Destination Alpha Blend Factor 0.8+5, Source Alpha Blend Factor 0.13+5, Color Blend Function "
     "0.18+3, Destination Blend Factor 0.21+5, Source Blend Factor 0.26+5, Color Buffer Blend Enable 0.31, Post-Blend "
     "Color Clamp Enable 1.0, Pre-Blend Color Clamp Enable 1.1, Color Clamp Range 1.2+2, Pre-Blend Source Only Clamp "
     "Enable 1.4, Logic Op Function 1.27+4, Logic Op Enable 1.31"},
    {"COLOR_CALC_STATE", 6,
     "Alpha Test Format 0.0, Round Disable Function Disable 0.15, Alpha Reference Value As UNORM8 1.0+32, Alpha "
     "Reference Value As FLOAT32 1.0+32, Blend Constant Color Red 2.0+32, Blend Constant Color Green 3.0+32, Blend "
     "Constant Color Blue 4.0+32, Blend Constant Color Alpha 5.0+32"},
    {"CC_VIEWPORT", 2, "Minimum Depth 0.0+32, Maximum Depth 1.0+32"},
    {"SF_CLIP_VIEWPORT", 16,
     "Viewport Matrix Element m00 0.0+32, Viewport Matrix Element m11 1.0+32, Viewport Matrix Element m22 2.0+32, "
     "Viewport Matrix Element m30 3.0+32, Viewport Matrix Element m31 4.0+32, Viewport Matrix Element m32 5.0+32, X "
     "Min Clip Guardband 8.0+32, X Max Clip Guardband 9.0+32, Y Min Clip Guardband 10.0+32, Y Max Clip Guardband "
     "11.0+32, X Min ViewPort 12.0+32, X Max ViewPort 13.0+32, Y Min ViewPort 14.0+32, Y Max ViewPort 15.0+32"},
    {"SCISSOR_RECT", 2,
     "Scissor Rectangle X Min 0.0+16, Scissor Rectangle Y Min 0.16+16, Scissor Rectangle X Max 1.0+16, Scissor "
     "Rectangle Y Max 1.16+16"},
    {"VERTEX_BUFFER_STATE", 4,
     "Buffer Pitch 0.0+12, Null Vertex Buffer 0.13, Address Modify Enable 0.14, MOCS 0.16+7, L3 Bypass Disable 0.25, "
     "Vertex Buffer Index 0.26+6, Buffer Starting Address 1.0+64, Buffer Size 3.0+32"},
    {"VERTEX_ELEMENT_STATE", 2,
     "Source Element Offset 0.0+12, Edge Flag Enable 0.15, Source Element Format 0.16+9, Valid 0.25, Vertex Buffer "
     "Index 0.26+6, Component 3 Control 1.16+3, Component 2 Control 1.20+3, Component 1 Control 1.24+3, Component 0 "
     "Control 1.28+3"},
    {"SO_DECL", 1, "Component Mask 0.0+4, Register Index 0.4+6, Hole Flag 0.11, Output Buffer Slot 0.12+2"},
    {"SO_DECL_ENTRY", 2,
     "Stream 0 Decl Component Mask 0.0+4, Stream 0 Decl Register Index 0.4+6, Stream 0 Decl Hole Flag 0.11, Stream 0 "
     "Decl Output Buffer Slot 0.12+2, Stream 1 Decl Component Mask 0.16+4, Stream 1 Decl Register Index 0.20+6, Stream "
     "1 Decl Hole Flag 0.27, Stream 1 Decl Output Buffer Slot 0.28+2, Stream 2 Decl Component Mask 1.0+4, Stream 2 "
     "Decl Register Index 1.4+6, Stream 2 Decl Hole Flag 1.11, Stream 2 Decl Output Buffer Slot 1.12+2, Stream 3 Decl "
     "Component Mask 1.16+4, Stream 3 Decl Register Index 1.20+6, Stream 3 Decl Hole Flag 1.27, Stream 3 Decl Output "
     "Buffer Slot 1.28+2"},
    {"CPS_STATE", 8,
     "Min CP Size X 0.0+11, Statistics Enable 0.11, Coarse Pixel Shading Mode 0.12+2, Scale Axis 0.14, Min CP Size Y "
     "0.16+11, Max CP Size X 1.0+11, Max CP Size Y 1.16+11, Y Focal 2.0+16, X Focal 3.0+16, M y 4.0+32, M x 5.0+32, R "
     "min 6.0+32, Aspect 7.0+32"},
    {"CLEAR_COLOR", 8,
     "Raw Clear Color Red 0.0+32, Raw Clear Color Green 1.0+32, Raw Clear Color Blue 2.0+32, Raw Clear Color Alpha "
     "3.0+32, Converted Clear Value Hi/Low 4.0+64"},
    {"BINDING_TABLE_STATE", 1, "Surface State Pointer 0.6+26"},
    {"SAMPLER_BORDER_COLOR_STATE", 4,
     "Border Color Float Red 0.0+32, Border Color 32bit Red 0.0+32, Border Color Float Green 1.0+32, Border Color "
     "32bit Green 1.0+32, Border Color Float Blue 2.0+32, Border Color 32bit Blue 2.0+32, Border Color Float Alpha "
     "3.0+32, Border Color 32bit Alpha 3.0+32"},
    {"RENDER_SURFACE_STATE", 16,
     "Cube Face Enable - Positive Z 0.0, Cube Face Enable - Negative Z 0.1, Cube Face Enable - Positive Y 0.2, Cube "
     "Face Enable - Negative Y 0.3, Cube Face Enable - Positive X 0.4, Cube Face Enable - Negative X 0.5, Media "
     "Boundary Pixel Mode 0.6+2, Render Cache Read Write Mode 0.8, Sampler L2 Bypass Mode Disable 0.9, Vertical Line "
     "Stride Offset 0.10, Vertical Line Stride 0.11, Tile Mode 0.12+2, Surface Horizontal Alignment 0.14+2, Surface "
     "Vertical Alignment 0.16+2, Surface Format 0.18+10, Surface Array 0.28, Surface Type 0.29+3, Surface QPitch "
     "1.0+15, Sample Tap Discard Disable 1.15, Double Fetch Disable 1.17, Corner Texel Mode 1.18, Base Mip Level "
     "1.19+5, MOCS 1.24+7, Enable Unorm Path In Color Pipe 1.31, Width 2.0+14, Height 2.16+14, Depth Stencil Resource "
     "2.31, Surface Pitch 3.0+18, Null Probing Enable 3.18, Standard Tiling Mode Extensions 3.19, Tile Address Mapping "
     "Mode 3.20, Depth 3.21+11, Multisample Position Palette Index 4.0+3, Number of Multisamples 4.3+3, Multisampled "
     "Surface Storage Format 4.6, Render Target View Extent 4.7+11, Minimum Array Element 4.18+11, Render Target And "
     "Sample Unorm Rotation 4.29+2, Decompress In L3 4.31, MIP Count / LOD 5.0+4, Surface Min LOD 5.4+4, Mip Tail "
     "Start LOD 5.8+4, Coherency Type 5.14, Tiled Resource Mode 5.18+2, EWA Disable For Cube 5.20, Y Offset 5.21+3, X "
     "Offset 5.25+7, Auxiliary Surface Mode 6.0+3, Y Offset for U or UV Plane 6.0+14, Auxiliary Surface Pitch 6.3+9, "
     "YUV Interpolation Enable 6.15, Auxiliary Surface QPitch 6.16+15, X Offset for U or UV Plane 6.16+14, Half Pitch "
     "for Chroma 6.30, Separate UV Plane Enable 6.31, Resource Min LOD 7.0+12, Shader Channel Select Alpha 7.16+3, "
     "Shader Channel Select Blue 7.19+3, Shader Channel Select Green 7.22+3, Shader Channel Select Red 7.25+3, Memory "
     "Compression Enable 7.30, Memory Compression Mode 7.31, Surface Base Address 8.0+64, Clear Value Address Enable "
     "10.10, Caching Expanded Formats 10.11, Auxiliary Surface Base Address 10.12+52, Clear Value Address 12.6+42"},
    {"SAMPLER_STATE", 4,
     "Anisotropic Algorithm 0.0, Texture LOD Bias 0.1+13, Min Mode Filter 0.14+3, Mag Mode Filter 0.17+3, Mip Mode "
     "Filter 0.20+2, Coarse LOD Quality Mode 0.22+5, LOD PreClamp Mode 0.27+2, Texture Border Color Mode 0.29, CPS LOD "
     "Compensation Enable 0.30, Sampler Disable 0.31, Cube Surface Control Mode 1.0, Shadow Function 1.1+3, ChromaKey "
     "Mode 1.4, ChromaKey Index 1.5+2, ChromaKey Enable 1.7, Max LOD 1.8+12, Min LOD 1.20+12, LOD Clamp Magnification "
     "Mode 2.0, SRGB DECODE 2.1, Return Filter Weight for Null Texels 2.2, Return Filter Weight for Border Texels 2.3, "
     "Force gather4 Behavior 2.5, Border Color Pointer 2.6+26, TCZ Address Control Mode 3.0+3, TCY Address Control "
     "Mode 3.3+3, TCX Address Control Mode 3.6+3, Reduction Type Enable 3.9, Non-normalized Coordinate Enable 3.10, "
     "Trilinear Filter Quality 3.11+2, R Address Min Filter Rounding Enable 3.13, R Address Mag Filter Rounding Enable "
     "3.14, V Address Min Filter Rounding Enable 3.15, V Address Mag Filter Rounding Enable 3.16, U Address Min Filter "
     "Rounding Enable 3.17, U Address Mag Filter Rounding Enable 3.18, Maximum Anisotropy 3.19+3, Reduction Type "
     "3.22+2, Allow Low Quality LOD Calculation 3.24, Low Quality Filter 3.26"},
    {"INTERFACE_DESCRIPTOR_DATA", 8,
     "Kernel Start Pointer 0.6+42, Software Exception Enable 2.7, Mask Stack Exception Enable 2.11, Illegal Opcode "
     "Exception Enable 2.13, Floating Point Mode 2.16, Thread Priority 2.17, Single Program Flow 2.18, Denorm Mode "
     "2.19, Thread Preemption Disable 2.20, Sampler Count 3.2+3, Sampler State Pointer 3.5+27, Binding Table Entry "
     "Count 4.0+5, Binding Table Pointer 4.5+11, Constant URB Entry Read Offset 5.0+16, Constant URB Entry Read Length "
     "5.16+16, Number of Threads in GPGPU Thread Group 6.0+10, Global Barrier Enable 6.15, Shared Local Memory Size "
     "6.16+5, Barrier Enable 6.21, Rounding Mode 6.22+2, Cross-Thread Constant Data Read Length 7.0+8"},
    {"3DSTATE_DEPTH_BUFFER", 8,
     "Surface Pitch 1.0+18, Control Surface Enable 1.19, Depth Buffer Compression Enable 1.21, Hierarchical Depth "
     "Buffer Enable 1.22, Corner Texel Mode 1.23, Surface Format 1.24+3, Null Page Coherency Enable 1.27, Depth Write "
     "Enable 1.28, Surface Type 1.29+3, Surface Base Address 2.0+64, Width 4.1+14, Height 4.17+14, MOCS 5.0+7, Minimum "
     "Array Element 5.8+11, Depth 5.20+11, Mip Tail Start LOD 6.26+4, Tiled Resource Mode 6.30+2, Surface QPitch "
     "7.0+15, LOD 7.16+4, Render Target View Extent 7.21+11"},
    {"3DSTATE_STENCIL_BUFFER", 8,
     "Surface Pitch 1.0+17, Corner Texel Mode 1.23, Control Surface Enable 1.24, Stencil Compression Enable 1.25, Null "
     "Page Coherency Enable 1.27, Stencil Write Enable 1.28, Surface Type 1.29+3, Surface Base Address 2.0+64, Width "
     "4.1+14, Height 4.17+14, MOCS 5.0+7, Minimum Array Element 5.8+11, Depth 5.20+11, Mip Tail Start LOD 6.26+4, "
     "Tiled Mode 6.30+2, Surface QPitch 7.0+15, Surf LOD 7.16+4, Render Target View Extent 7.21+11"},
    {"3DSTATE_HIER_DEPTH_BUFFER", 5,
     "Surface Pitch 1.0+17, Hierarchical Depth Buffer Write Thru Enable 1.20, Tiled Mode 1.22+2, MOCS 1.25+7, Surface "
     "Base Address 2.0+64, Surface QPitch 4.0+15"},
    {"3DSTATE_CLEAR_PARAMS", 3, "Depth Clear Value 1.0+32, Depth Clear Value Valid 2.0"},
    {"3DSTATE_WM_HZ_OP", 5,
     "Number of Multisamples 1.13+3, Stencil Clear Value 1.16+8, Stencil Buffer Resolve Enable 1.24, Full Surface "
     "Depth and Stencil Clear 1.25, Pixel Position Offset Enable 1.26, Hierarchical Depth Buffer Resolve Enable 1.27, "
     "Depth Buffer Resolve Enable 1.28, Scissor Rectangle Enable 1.29, Depth Buffer Clear Enable 1.30, Stencil Buffer "
     "Clear Enable 1.31, Clear Rectangle X Min 2.0+16, Clear Rectangle Y Min 2.16+16, Clear Rectangle X Max 3.0+16, "
     "Clear Rectangle Y Max 3.16+16, Sample Mask 4.0+16"},
};

struct Parsed {
  std::string name;
  unsigned low, width;
  auto operator<=>(const Parsed&) const = default;
};

std::set<Parsed> parsed(std::string_view text) {
  std::set<Parsed> fields;
  while (!text.empty()) {
    const std::string one(text.substr(0, text.find(", ")));
    text.remove_prefix(std::min(text.size(), one.size() + 2));
    const size_t at = one.rfind(' ');
    unsigned dword = 0, bit = 0, width = 1;
    if (std::sscanf(one.c_str() + at + 1, "%u.%u+%u", &dword, &bit, &width) < 2) ADD_FAILURE() << one;
    fields.insert({one.substr(0, at), dword * 32 + bit, width});
  }
  return fields;
}

TEST(Dg1Structures, FieldsStandWhereMesaHasThem) {
  size_t fields = 0;
  for (const Layout& layout : layouts) {
    const Command* found = nullptr;
    for (auto rows : {dg1_tables.structures, dg1_tables.commands})
      for (const Command& row : rows)
        if (row.name == layout.name) found = &row;
    ASSERT_TRUE(found) << layout.name;
    EXPECT_EQ(found->dwords, layout.dwords) << layout.name;
    std::set<Parsed> ours;
    for (const Field& f : found->fields) ours.insert({std::string(f.name), f.low, unsigned(f.high - f.low + 1)});
    const auto theirs = parsed(layout.fields);
    for (const Parsed& f : theirs) EXPECT_TRUE(ours.contains(f)) << layout.name << " has no " << f.name << " at " << f.low;
    for (const Parsed& f : ours)
      EXPECT_TRUE(theirs.contains(f)) << layout.name << "." << f.name << " at " << f.low << " is ours alone";
    fields += theirs.size();
  }
  EXPECT_EQ(fields, 306u);
}

// The fields that the generated types read are where the tables say.
TEST(Dg1Structures, AccessorsReadWhatTheySet) {
  using namespace dg1::structures;
  uint32_t words[16] = {};
  BLEND_STATE_ENTRY::Logic_Op_Function::set(words, BLEND_STATE_ENTRY::Logic_Op_Function::XOR);
  EXPECT_EQ(words[1], 6u << 27);
  EXPECT_EQ(BLEND_STATE_ENTRY::Logic_Op_Function::get(words), 6u);
  VERTEX_BUFFER_STATE::Buffer_Starting_Address::set(words, 0x1234'5678'9abc);
  EXPECT_EQ(words[1], 0x56789abcu);
  EXPECT_EQ(words[2], 0x1234u);
  EXPECT_EQ(VERTEX_BUFFER_STATE::Buffer_Starting_Address::get(words), 0x1234'5678'9abcu);
  SAMPLER_STATE::Border_Color_Pointer::set(words, 0x12345640);
  EXPECT_EQ(words[2] >> 6 << 6, 0x12345640u);
  EXPECT_EQ(SAMPLER_STATE::Border_Color_Pointer::get(words), 0x12345640u);
  // In types that code computes with.
  const uint32_t state[] = {0, 0, 0x2345'0f21, 0xffe0'0001};
  auto word = [&](unsigned n) { return state[n]; };
  EXPECT_EQ(RENDER_SURFACE_STATE::Height::of(word), 0x2345u);
  EXPECT_EQ(RENDER_SURFACE_STATE::Width::of(word), 0x0f21u);
  EXPECT_EQ(RENDER_SURFACE_STATE::Depth::of(word), 0x7ffu);
  EXPECT_EQ(RENDER_SURFACE_STATE::Surface_Pitch::of(word), 1u);
}

}  // namespace
}  // namespace Atoll::registers
