// Render targets, depth and stencil buffers: draws into all formats, tilings, levels, layers and samples, and where their texels stand in
// memory by models of their own (PRM volume 5, "Memory Layout").
#include <map>
#include <set>
#include <string_view>

#include "draw_machine.h"
#include "isa/xe_lp/surface_format.h"
#include "surface/texel.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using S = SurfaceState;

uint64_t y_tiled(uint32_t pitch, uint32_t x_bytes, uint32_t y) {
  return uint64_t(y / 32 * (pitch / 128) + x_bytes / 128) * 4096 + x_bytes % 128 / 16 * 512 + y % 32 * 16 + x_bytes % 16;
}
uint64_t x_tiled(uint32_t pitch, uint32_t x_bytes, uint32_t y) {
  return uint64_t(y / 8 * (pitch / 512) + x_bytes / 512) * 4096 + y % 8 * 512 + x_bytes % 512;
}

struct DrawTargets : DrawMachine {
  // A pixel's value says where it is; never 0.
  static uint32_t value(uint32_t x, uint32_t y, uint32_t layer = 0) { return 1 + x + (y << 10) + (layer << 20); }
  void place_in_colour() {
    pixels.function = [](const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
      for (unsigned lane = 0; lane < 4 * batch.quads; lane++) {
        results.colour[0][0][lane] = value(uint32_t(batch.x[lane]), uint32_t(batch.y[lane]), batch.primitive[lane / 4].layer);
        for (unsigned c = 1; c < 4; c++) results.colour[0][c][lane] = 0;
      }
      results.outputs = 1;
    };
  }
  void forget_vertices() { vertices.vertices.clear(), vertices.attributes.clear(); }
  // Covers the viewport.
  void add_all(uint32_t layer = 0, float z = 0, std::vector<float> attribute = {}) {
    for (auto [x, y] : {std::pair{-1.0f, -1.0f}, {3, -1}, {-1, 3}}) {
      vertices.add(x, y, z, 1, attribute);
      vertices.vertices.back().layer = layer;
    }
  }
  // All bytes of the memory, changed ones by place.
  std::map<uint64_t, uint32_t> words(uint64_t at) {
    std::map<uint64_t, uint32_t> found;
    for (uint64_t n = 0; n < bytes; n += 4)
      if (const uint32_t w = *memory<uint32_t>(at + n)) found[n] = w;
    return found;
  }
};

// The formats that can be drawn into: Mesa 22.3.6 isl_format.c, format_info, column RT, by the numbers of isl.h.
// (R32G32_FLOAT_LD, 151, is no format of this GPU's manual; YCRCB ones, 386 and 387 and 399 and 400, have two texels a block.)
TEST_F(DrawTargets, Formats) {
  const std::set<uint32_t> listed = {0,   1,   2,   6,   128, 129, 130, 131, 132, 133, 134, 135, 143, 192, 193,
                                     194, 196, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211,
                                     213, 214, 215, 216, 233, 234, 256, 257, 258, 259, 260, 261, 262, 263, 264,
                                     265, 266, 267, 268, 269, 270, 282, 283, 292, 293, 320, 321, 322, 323, 324};
  const std::array<float, 4> colour_given{0.25f, 0.5f, 0.75f, 1.0f};
  const std::array<uint32_t, 4> integers{3, 100, 77, 1};
  unsigned drawn = 0;
  for (uint32_t code = 0; code < 512; code++) {
    begin();
    target(0, colour(64, 64, code));
    pipeline::Draw draw;
    const std::string problem = find(draw);
    if (code == SURFACE_FORMAT::R10G10B10_FLOAT_A2_UNORM) {
      EXPECT_NE(problem.find("R10G10B10_FLOAT_A2_UNORM is not executed"), std::string::npos);
      continue;
    }
    if (!listed.contains(code)) {
      EXPECT_NE(problem.find("render target 0: SURFACE_FORMAT"), std::string::npos) << code << problem;
      continue;
    }
    ASSERT_EQ(problem, "") << code;
    const surface::Format& format = *xe_lp::surface_format(code);
    const bool integer = surface::is_integer(format.number);
    std::memset(space->host(colours_at), 0, bytes);
    forget_vertices();
    std::vector<float> attribute(4);
    for (unsigned c = 0; c < 4; c++) attribute[c] = integer ? std::bit_cast<float>(integers[c]) : colour_given[c];
    add_all(0, 0, attribute);
    run();
    drawn++;
    const unsigned size = surface::row(format.layout).bytes;
    for (auto [x, y] : {std::pair{0u, 0u}, {63u, 0u}, {5u, 63u}, {33u, 40u}}) {
      const auto texel = surface::read_texel(format, memory<uint8_t>(colours_at + y_tiled(4096, x * size, y)));
      for (unsigned c = 0; c < 4; c++) {
        if (format.order[c] > surface::Select::field_3 || unsigned(format.order[c]) >= surface::row(format.layout).fields)
          continue;
        const unsigned bits = surface::row(format.layout).field[unsigned(format.order[c])].bits;
        if (integer) {
          EXPECT_EQ(texel[c], bits == 2 ? std::min(integers[c], 3u) : integers[c]) << code;
        } else {
          // (half a step of unorm; what floats of these bits hold exactly)
          const float step =
              format.number == surface::Number::floating ? 0 : 0.51f / float((uint64_t(1) << std::min(bits, 16u)) - 1);
          EXPECT_NEAR(std::bit_cast<float>(texel[c]), colour_given[c],
                      format.number == surface::Number::srgb ? (bits < 8 ? 0.06f : 0.02f) : 2 * step)
              << code;
        }
      }
    }
  }
  EXPECT_EQ(drawn, 59u);
}

TEST_F(DrawTargets, Tilings) {
  place_in_colour();
  for (uint32_t tiling : {TileMode::LINEAR, TileMode::XMAJOR, TileMode::YMAJOR})
    for (auto [width, height] : {std::pair{64u, 64u}, {37u, 21u}, {1u, 1u}, {130u, 9u}}) {
      begin();
      std::memset(space->host(colours_at), 0, bytes);
      auto w = colour(width, height, SURFACE_FORMAT::R32_UINT);
      S::Tile_Mode::set(w, tiling), S::Surface_Pitch::set(w, 1023);
      target(0, w);
      viewport(0, float(width), float(height));
      forget_vertices();
      add_all();
      run();
      auto found = words(colours_at);
      EXPECT_EQ(found.size(), width * height) << tiling;
      for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
          const uint64_t at = tiling == TileMode::LINEAR   ? y * 1024 + x * 4
                              : tiling == TileMode::XMAJOR ? x_tiled(1024, x * 4, y)
                                                           : y_tiled(1024, x * 4, y);
          ASSERT_EQ(found[at], value(x, y)) << tiling << ": " << x << "," << y;
        }
    }
}

// Level 1 stands below level 0, level 2 to the right of level 1, those behind it below each other; layers a QPitch apart.
TEST_F(DrawTargets, LevelsAndLayers) {
  place_in_colour();
  constexpr uint32_t width = 70, height = 50, pitch = 1024, slice = 96;
  auto place_of = [](uint32_t level) {
    auto up = [](uint32_t n, uint32_t to) { return (n + to - 1) / to * to; };
    uint32_t x = 0, y = 0;
    if (level >= 1) y = up(height, 4);
    if (level >= 2) x = up(width >> 1, 16);
    for (uint32_t n = 2; n < level; n++) y += up(height >> n, 4);
    return std::pair{x, y};
  };
  for (uint32_t type : {SurfaceType::SURFTYPE_2D, SurfaceType::SURFTYPE_3D, SurfaceType::SURFTYPE_CUBE})
    for (uint32_t level = 0; level < 5; level++)
      for (uint32_t first : {0u, 2u}) {
        begin();
        std::memset(space->host(colours_at), 0, bytes);
        auto w = colour(width, height, SURFACE_FORMAT::R32_UINT);
        S::Surface_Type::set(w, type), S::Surface_Array::set(w, 1), S::Depth::set(w, 7);
        S::Surface_Pitch::set(w, pitch - 1), S::Surface_QPitch::set(w, slice / 4);
        S::MIP_Count_LOD::set(w, level), S::Minimum_Array_Element::set(w, first), S::Render_Target_View_Extent::set(w, 2);
        target(0, w);
        const uint32_t across = width >> level, down = height >> level;
        viewport(0, float(across), float(down));
        forget_vertices();
        for (uint32_t layer : {0u, 2u}) add_all(layer);
        run();
        auto found = words(colours_at);
        EXPECT_EQ(found.size(), across * down * 2);
        const auto [x0, y0] = place_of(level);
        for (uint32_t layer : {0u, 2u})
          for (uint32_t y = 0; y < down; y++)
            for (uint32_t x = 0; x < across; x++)
              ASSERT_EQ(found[y_tiled(pitch, (x0 + x) * 4, (first + layer) * slice + y0 + y)], value(x, y, layer))
                  << type << " level " << level << " layer " << layer << ": " << x << "," << y;
      }
}

// Lines: levels beside each other in whole 64 texels, layers a QPitch of texels apart (Mesa 22.3.6 isl.c,
// get_image_offset_sa_gfx9_1d; isl_genX_helpers.h, isl_get_qpitch), and not a byte elsewhere.
TEST_F(DrawTargets, OneDimension) {
  auto number = [](uint32_t x, uint32_t layer) { return 1 + (x + 37 * layer) % 200; };
  pixels.function = [&](const pipeline::PixelBatch& batch, pipeline::PixelResults& results) {
    for (unsigned lane = 0; lane < 4 * batch.quads; lane++)
      for (unsigned c = 0; c < 4; c++)
        results.colour[0][c][lane] = number(uint32_t(batch.x[lane]), batch.primitive[lane / 4].layer);
    results.outputs = 1;
  };
  constexpr std::pair<uint32_t, unsigned> formats[] = {
      {SURFACE_FORMAT::R8_UINT, 1},  {SURFACE_FORMAT::R8G8_UINT, 1},   {SURFACE_FORMAT::R8G8B8A8_UINT, 1},
      {SURFACE_FORMAT::R16_UINT, 2}, {SURFACE_FORMAT::R16G16_UINT, 2}, {SURFACE_FORMAT::R16G16B16A16_UINT, 2},
      {SURFACE_FORMAT::R32_UINT, 4}, {SURFACE_FORMAT::R32G32_UINT, 4}, {SURFACE_FORMAT::R32G32B32A32_UINT, 4}};
  for (auto [format, channel] : formats)
    for (uint32_t width : {1u, 64u, 70u, 200u})
      for (uint32_t level = 0; width >> level; level++)
        for (uint32_t layers : {0u, 1u, 3u})  // 0: no array
          for (uint32_t first : {0u, 2u}) {
            if (!layers && first) continue;
            const unsigned size = surface::row(xe_lp::surface_format(format)->layout).bytes;
            uint32_t start = 0, chain = 0;
            for (uint32_t n = 0; width >> n; n++) {
              if (n == level) start = chain;
              chain += ((width >> n) + 63) / 64 * 64;
            }
            begin();
            std::memset(space->host(colours_at), 0, bytes);
            auto w = colour(width, 1, format);
            S::Surface_Type::set(w, SurfaceType::SURFTYPE_1D), S::Tile_Mode::set(w, TileMode::LINEAR);
            S::Surface_Array::set(w, layers > 0), S::Depth::set(w, layers ? first + layers - 1 : 0);
            S::Surface_Pitch::set(w, 0), S::Surface_QPitch::set(w, chain / 4), S::MIP_Count_LOD::set(w, level);
            S::Minimum_Array_Element::set(w, first), S::Render_Target_View_Extent::set(w, layers ? layers - 1 : 0);
            target(0, w);
            const uint32_t across = width >> level;
            viewport(0, float(across), 1);
            forget_vertices();
            for (uint32_t layer = 0; layer < std::max(1u, layers); layer++) add_all(layer);
            run();
            for (uint32_t layer = 0; layer < std::max(1u, layers); layer++)
              for (uint32_t x = 0; x < across; x++) {
                uint8_t* texel = memory<uint8_t>(colours_at + (uint64_t(first + layer) * chain + start + x) * size);
                uint32_t found = 0;
                std::memcpy(&found, texel, channel);
                ASSERT_EQ(found, number(x, layer)) << "format " << format << " width " << width << " level " << level << " layer "
                                                   << first << " + " << layer << ": " << x;
                std::memset(texel, 0, size);
              }
            EXPECT_TRUE(words(colours_at).empty()) << "format " << format << " width " << width << " level " << level;
          }
}

// Sample by sample: colours have a slice each, depth and stencil stand between each other.
TEST_F(DrawTargets, Samples) {
  constexpr uint32_t width = 21, height = 13;
  for (uint32_t format : {1u, 3u, 5u})  // D32_FLOAT, D24_UNORM_X8_UINT, D16_UNORM
    for (uint32_t log2 = 0; log2 < 5; log2++) {
      const uint32_t samples = 1u << log2;
      begin();
      for (uint64_t at : {colours_at, depth_at, stencil_at}) std::memset(space->host(at), 0, bytes);
      auto w = colour(width, height, SURFACE_FORMAT::R32_UINT);
      S::Number_of_Multisamples::set(w, log2), S::Surface_Pitch::set(w, 127), S::Surface_QPitch::set(w, 32 / 4);
      target(0, w);
      viewport(0, width, height);
      put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(log2), put<_3DSTATE_RASTER::DX_Multisample_Rasterization_Enable>(1);
      using D = _3DSTATE_DEPTH_BUFFER;
      send<D>([&](uint32_t* d) {
        D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, format),
            D::Depth_Write_Enable::set(d, 1);
        D::Width::set(d, width - 1), D::Height::set(d, height - 1), D::Surface_Pitch::set(d, 511), D::Surface_QPitch::set(d, 16);
        D::Surface_Base_Address::set(d, depth_at);
      });
      using St = _3DSTATE_STENCIL_BUFFER;
      send<St>([&](uint32_t* d) {
        St::Surface_Type::set(d, St::Surface_Type::SURFTYPE_2D), St::Stencil_Write_Enable::set(d, 1);
        St::Width::set(d, width - 1), St::Height::set(d, height - 1), St::Surface_Pitch::set(d, 127),
            St::Surface_QPitch::set(d, 16);
        St::Surface_Base_Address::set(d, stencil_at);
      });
      using Ds = _3DSTATE_WM_DEPTH_STENCIL;
      for (uint32_t s = 0; s < samples; s++) {
        put<_3DSTATE_SAMPLE_MASK::Sample_Mask>(1u << s);
        put<Ds::Depth_Buffer_Write_Enable>(1), put<Ds::Stencil_Test_Enable>(1), put<Ds::Stencil_Buffer_Write_Enable>(1);
        put<Ds::Stencil_Write_Mask>(0xff), put<Ds::Stencil_Pass_Depth_Pass_Op>(2), put<Ds::Stencil_Reference_Value>(s + 1);
        forget_vertices();
        add_all(0, float(s + 1) / 16 - 1, {std::bit_cast<float>(s + 1), 0, 0, 0});  // depth (s + 1) / 32
        run();
      }
      const uint32_t across = log2 >= 3 ? 4 : log2 ? 2 : 1, down = log2 == 4 ? 4 : log2 >= 2 ? 2 : 1;
      const unsigned depth_bytes = format == 5 ? 2 : 4;
      for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
          for (uint32_t s = 0; s < samples; s++) {
            ASSERT_EQ(*memory<uint32_t>(colours_at + y_tiled(128, x * 4, s * 32 + y)), s + 1) << samples << ": " << x << "," << y;
            uint32_t column = across == 1 ? x : x / 2 * 2 * across + x % 2, row = down == 1 ? y : y / 2 * 2 * down + y % 2;
            if (s & 1) column += 2;
            if (s & 2) row += 2;
            if (s & 4) column += 4;
            if (s & 8) row += 4;
            ASSERT_EQ(*memory<uint8_t>(stencil_at + y_tiled(128, column, row)), s + 1) << samples << ": " << x << "," << y;
            uint32_t depth = 0;
            std::memcpy(&depth, memory<uint8_t>(depth_at + y_tiled(512, column * depth_bytes, row)), depth_bytes);
            const double got = format == 1   ? double(std::bit_cast<float>(depth))
                               : format == 3 ? double(depth & 0xffffff) / 0xffffff
                                             : double(depth) / 0xffff;
            ASSERT_NEAR(got, double(s + 1) / 32, 1e-4) << samples << ": " << x << "," << y << " sample " << s;
          }
    }
}

// Levels of depth and stencil buffers stand at multiples of what their formats ask for.
TEST_F(DrawTargets, LevelsOfDepthAndStencil) {
  constexpr uint32_t width = 70, height = 42;
  struct Row {
    uint32_t format, bytes, halign, valign;
  };
  auto up = [](uint32_t n, uint32_t to) { return (n + to - 1) / to * to; };
  for (Row row : {Row{1, 4, 8, 4}, Row{3, 4, 8, 4}, Row{5, 2, 8, 8}})
    for (uint32_t level = 0; level < 3; level++) {
      begin();
      for (uint64_t at : {depth_at, stencil_at}) std::memset(space->host(at), 0, bytes);
      put<_3DSTATE_PS_EXTRA::Pixel_Shader_Valid>(0);
      using D = _3DSTATE_DEPTH_BUFFER;
      send<D>([&](uint32_t* d) {
        D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, row.format),
            D::Depth_Write_Enable::set(d, 1);
        D::Width::set(d, width - 1), D::Height::set(d, height - 1), D::Surface_Pitch::set(d, 511),
            D::Surface_QPitch::set(d, 96 / 4);
        D::LOD::set(d, level), D::Minimum_Array_Element::set(d, 1), D::Surface_Base_Address::set(d, depth_at);
      });
      using St = _3DSTATE_STENCIL_BUFFER;
      send<St>([&](uint32_t* d) {
        St::Surface_Type::set(d, St::Surface_Type::SURFTYPE_2D), St::Stencil_Write_Enable::set(d, 1);
        St::Width::set(d, width - 1), St::Height::set(d, height - 1), St::Surface_Pitch::set(d, 127),
            St::Surface_QPitch::set(d, 96 / 4);
        St::Surf_LOD::set(d, level), St::Minimum_Array_Element::set(d, 1), St::Surface_Base_Address::set(d, stencil_at);
      });
      using Ds = _3DSTATE_WM_DEPTH_STENCIL;
      put<Ds::Depth_Buffer_Write_Enable>(1), put<Ds::Stencil_Test_Enable>(1), put<Ds::Stencil_Buffer_Write_Enable>(1);
      put<Ds::Stencil_Write_Mask>(0xff), put<Ds::Stencil_Pass_Depth_Pass_Op>(2), put<Ds::Stencil_Reference_Value>(0x5a);
      const uint32_t across = width >> level, down = height >> level;
      viewport(0, float(across), float(down));
      forget_vertices();
      add_all(0, 0.5f);
      run();
      auto place = [&](uint32_t halign, uint32_t valign) {
        return std::pair{level == 2 ? up(width >> 1, halign) : 0, level ? up(height, valign) : 0};
      };
      const auto [dx, dy] = place(row.halign, row.valign);
      const auto [sx, sy] = place(16, 8);
      for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
          uint32_t depth = 0;
          std::memcpy(&depth, memory<uint8_t>(depth_at + y_tiled(512, (dx + x) * row.bytes, 96 + dy + y)), row.bytes);
          const double got = row.format == 1   ? double(std::bit_cast<float>(depth))
                             : row.format == 3 ? double(depth & 0xffffff) / 0xffffff
                                               : double(depth) / 0xffff;
          ASSERT_NEAR(got, 0.75, 1e-4) << row.format << " level " << level << ": " << x << "," << y;
          ASSERT_EQ(*memory<uint8_t>(stencil_at + y_tiled(128, sx + x, 96 + sy + y)), 0x5a) << level << ": " << x << "," << y;
        }
    }
}

// Tiles of 64 KiB (gmmlib 22.3.0 CpuSwizzleBlt.c, INTEL_TILE_YS_*): bits 15 to 0 of a place, from the column in bytes, the row and the slice.
uint64_t in_ys(std::string_view bits, uint64_t x, uint64_t y, uint64_t z) {
  uint64_t inside = 0;
  for (unsigned n = 0; n < 16; n++) {
    uint64_t& from = bits[15 - n] == 'X' ? x : bits[15 - n] == 'Y' ? y : z;
    inside |= (from & 1) << n, from >>= 1;
  }
  return inside;
}

// A volume's level that is drawn into slice by slice, before the mip tail and in it; depth and stencil in levels of theirs.
TEST_F(DrawTargets, StandardTiles) {
  constexpr std::string_view flat_8 = "XYXYXYXYYYYYXXXX", flat_32 = "XYXYXYXYXYYYXXXX", volume_32 = "XYZXYZXYZZYYXXXX";
  place_in_colour();
  for (uint32_t level : {0u, 1u, 2u}) {
    begin();
    std::memset(space->host(colours_at), 0, bytes);
    // 40 x 20 x 20 texels in tiles of 32 x 32 x 16: the tail begins with level 2, which stands in it at 16, 0, 0.
    auto w = colour(40, 20, SURFACE_FORMAT::R32_UINT);
    S::Surface_Type::set(w, SurfaceType::SURFTYPE_3D), S::Depth::set(w, 19), S::Tile_Mode::set(w, TileMode::YMAJOR);
    S::Tiled_Resource_Mode::set(w, S::Tiled_Resource_Mode::TILEYS), S::Mip_Tail_Start_LOD::set(w, 2);
    S::Surface_Pitch::set(w, 255), S::Surface_QPitch::set(w, 64 / 4);
    S::MIP_Count_LOD::set(w, level), S::Minimum_Array_Element::set(w, 2), S::Render_Target_View_Extent::set(w, 2);
    target(0, w);
    const uint32_t across = 40 >> level, down = 20 >> level;
    viewport(0, float(across), float(down));
    forget_vertices();
    for (uint32_t layer : {0u, 2u}) add_all(layer);
    run();
    auto found = words(colours_at);
    EXPECT_EQ(found.size(), across * down * 2);
    // Level 1 stands a tile below level 0, the tail's to the right of that.
    const uint32_t x0 = level == 2 ? 32 + 16 : 0, y0 = level ? 32 : 0;
    for (uint32_t layer : {0u, 2u})
      for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
          const uint64_t tile = (y0 + y) / 32 * 2 + (x0 + x) / 32;
          ASSERT_EQ(found[tile * 65536 + in_ys(volume_32, (x0 + x) % 32 * 4, (y0 + y) % 32, 2 + layer)], value(x, y, layer))
              << "level " << level << " layer " << layer << ": " << x << "," << y;
        }
  }
  for (uint32_t level : {0u, 1u, 2u}) {
    begin();
    for (uint64_t at : {depth_at, stencil_at}) std::memset(space->host(at), 0, bytes);
    put<_3DSTATE_PS_EXTRA::Pixel_Shader_Valid>(0);
    using D = _3DSTATE_DEPTH_BUFFER;
    send<D>([&](uint32_t* d) {
      D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, 1), D::Depth_Write_Enable::set(d, 1);
      D::Width::set(d, 99), D::Height::set(d, 59), D::Surface_Pitch::set(d, 511), D::Surface_QPitch::set(d, 256 / 4);
      D::Tiled_Resource_Mode::set(d, D::Tiled_Resource_Mode::TILEYS), D::Mip_Tail_Start_LOD::set(d, 1);
      D::LOD::set(d, level), D::Surface_Base_Address::set(d, depth_at);
    });
    using St = _3DSTATE_STENCIL_BUFFER;
    send<St>([&](uint32_t* d) {
      St::Surface_Type::set(d, St::Surface_Type::SURFTYPE_2D), St::Stencil_Write_Enable::set(d, 1);
      St::Width::set(d, 99), St::Height::set(d, 59), St::Surface_Pitch::set(d, 255), St::Surface_QPitch::set(d, 256 / 4);
      St::Tiled_Mode::set(d, 2), St::Mip_Tail_Start_LOD::set(d, 0);
      St::Surf_LOD::set(d, level), St::Surface_Base_Address::set(d, stencil_at);
    });
    using Ds = _3DSTATE_WM_DEPTH_STENCIL;
    put<Ds::Depth_Buffer_Write_Enable>(1), put<Ds::Stencil_Test_Enable>(1), put<Ds::Stencil_Buffer_Write_Enable>(1);
    put<Ds::Stencil_Write_Mask>(0xff), put<Ds::Stencil_Pass_Depth_Pass_Op>(2), put<Ds::Stencil_Reference_Value>(0x5a);
    const uint32_t across = 100 >> level, down = 60 >> level;
    viewport(0, float(across), float(down));
    forget_vertices();
    add_all(0, 0.5f);
    run();
    // The second and third level of the depths are in a tail below the first, at 64, 0 and 0, 64; all levels of the stencils are
    // in one tail.
    const uint32_t dx = level == 1 ? 64 : 0, dy = level == 2 ? 64 : 0, tile = level ? 1 : 0;
    const uint32_t sx = level == 0 ? 128 : level == 2 ? 64 : 0, sy = level == 1 ? 128 : 0;
    for (uint32_t y = 0; y < down; y++)
      for (uint32_t x = 0; x < across; x++) {
        ASSERT_NEAR(*memory<float>(depth_at + tile * 65536 + in_ys(flat_32, (dx + x) * 4, dy + y, 0)), 0.75f, 1e-4)
            << level << ": " << x << "," << y;
        ASSERT_EQ(*memory<uint8_t>(stencil_at + in_ys(flat_8, sx + x, sy + y, 0)), 0x5a) << level << ": " << x << "," << y;
      }
  }
}

TEST_F(DrawTargets, WhereNothingIsBound) {
  SurfaceWords none{};
  S::Surface_Type::set(none, SurfaceType::SURFTYPE_NULL), S::Width::set(none, 99), S::Height::set(none, 49),
      S::Depth::set(none, 2);
  target(0, none);
  auto draw = found();
  EXPECT_EQ(draw.targets.colour[0].target, nullptr);
  EXPECT_EQ(draw.targets.width, 100u);
  EXPECT_EQ(draw.targets.height, 50u);
  EXPECT_EQ(draw.targets.layers, 3u);
  // The smallest of those that there are.
  write_kernel({0, 2});
  target(0, colour(40, 64, SURFACE_FORMAT::R8G8B8A8_UNORM)),
      target(2, colour(64, 30, SURFACE_FORMAT::R32_FLOAT, colours_at + 0x80000));
  std::memset(dynamic(blend), 0, 64);
  draw = found();
  EXPECT_EQ(draw.targets.width, 40u);
  EXPECT_EQ(draw.targets.height, 30u);
  EXPECT_EQ(draw.targets.colour[1].target, nullptr);
  EXPECT_EQ(draw.targets.colour[2].format.number, surface::Number::floating);
  // Memory that is not there, a turned target, a buffer: named.
  pipeline::Draw lost;
  target(0, colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM, colours_at + 0x1000'0000));
  EXPECT_NE(find(lost).find("render target"), std::string::npos);
  begin();
  auto w = colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM);
  S::Render_Target_And_Sample_Unorm_Rotation::set(w, 1), target(0, w);
  EXPECT_NE(find(lost).find("Render Target And Sample Unorm Rotation 1"), std::string::npos);
  begin();
  w = colour(64, 64, SURFACE_FORMAT::R8G8B8A8_UNORM);
  S::Surface_Type::set(w, SurfaceType::SURFTYPE_BUFFER), target(0, w);
  EXPECT_NE(find(lost).find("surface type 4"), std::string::npos);
}

// The pipeline's room is that of the draw's samples: a surface of more would have its others written beyond it.
TEST_F(DrawTargets, MoreSamplesThanTheDraw) {
  using S = SurfaceState;
  for (uint32_t of_draw = 0; of_draw < 5; of_draw++)
    for (uint32_t of_surface = 0; of_surface < 5; of_surface++) {
      begin();
      SurfaceWords w = colour(16, 16, SURFACE_FORMAT::R32_UINT);
      S::Number_of_Multisamples::set(w, of_surface), S::Surface_QPitch::set(w, 32 / 4);
      target(0, w);
      put<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(of_draw);
      pipeline::Draw draw;
      const std::string lost = find(draw);
      if (of_surface <= of_draw)
        EXPECT_EQ(lost, "");
      else
        EXPECT_NE(lost.find(fmt::format("render target 0: {} samples a pixel, of a draw whose 3DSTATE_MULTISAMPLE says {}",
                                        1 << of_surface, 1 << of_draw)),
                  std::string::npos)
            << lost;
    }
}

// Planes are found again by their words; those of the draw at hand stand, however many there were before.
TEST_F(DrawTargets, ManyTargets) {
  place_in_colour();
  add_all(0, 0.5f);
  using D = _3DSTATE_DEPTH_BUFFER;
  for (uint32_t n = 0; n < 300; n++) {
    const uint32_t width = 8 + n % 150;
    std::memset(space->host(depth_at), 0, bytes);
    target(0, colour(width, 8, SURFACE_FORMAT::R32_UINT, colours_at + n % 3 * 0x40000));
    viewport(0, float(width), 8);
    send<D>([&](uint32_t* d) {
      D::Surface_Type::set(d, D::Surface_Type::SURFTYPE_2D), D::Surface_Format::set(d, 1), D::Depth_Write_Enable::set(d, 1);
      D::Width::set(d, width + n % 7), D::Height::set(d, 7), D::Surface_Pitch::set(d, 1023),
          D::Surface_Base_Address::set(d, depth_at);
    });
    put<_3DSTATE_WM_DEPTH_STENCIL::Depth_Buffer_Write_Enable>(n % 2);
    run();
    EXPECT_EQ(*memory<uint32_t>(colours_at + n % 3 * 0x40000 + y_tiled(4096, (width - 1) * 4, 7)), value(width - 1, 7)) << n;
    EXPECT_EQ(*memory<float>(depth_at + y_tiled(1024, (width - 1) * 4, 7)), n % 2 ? 0.75f : 0) << n;
  }
}

}  // namespace
}  // namespace Atoll::dg1
