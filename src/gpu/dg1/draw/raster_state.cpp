// PRM volume 2a, the commands; Mesa 22.3.6 iris_state.c (iris_create_rasterizer_state, get_line_width), anv's genX_pipeline.c
// (rasterization_mode, which names the table of multisample rasterization modes in PRM volume 7).
#include "gpu/dg1/draw/raster_state.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "gpu/dg1/draw/coarse_pixels.h"
#include "gpu/dg1/draw/draw_state.h"

namespace Atoll::dg1 {
namespace {

using namespace commands;
using pipeline::PrimitiveKind;
using Raster = _3DSTATE_RASTER;
using Sf = _3DSTATE_SF;
using Wm = _3DSTATE_WM;

// The topology that reaches the rasterizer from vertices or a geometry shader, by 3DSTATE_VF_TOPOLOGY's numbers, which 3DSTATE_GS
// has as well. 0: it comes from a tessellator.
uint32_t last_type(const GraphicsState& g) {
  if (g.get<_3DSTATE_GS::Enable>()) return uint32_t(g.get<_3DSTATE_GS::Output_Topology>());
  return g.get<_3DSTATE_TE::TE_Enable>() ? 0 : uint32_t(g.get<_3DSTATE_VF_TOPOLOGY::Primitive_Topology_Type>());
}

// The kind of primitive that reaches the rasterizer from the last stage, before fill modes.
PrimitiveKind last_kind(const GraphicsState& g, pipeline::Topology topology) {
  if (g.get<_3DSTATE_GS::Enable>()) {
    using Output = _3DSTATE_GS::Output_Topology;
    switch (uint32_t(g.get<Output>())) {
      case Output::POINTLIST:
      case Output::POINTLIST_BF: return PrimitiveKind::point;
      case Output::LINELIST:
      case Output::LINESTRIP:
      case Output::LINESTRIP_CONT:
      case Output::LINESTRIP_BF:
      case Output::LINESTRIP_CONT_BF: return PrimitiveKind::line;
      default: return PrimitiveKind::triangle;
    }
  }
  if (g.get<_3DSTATE_TE::TE_Enable>()) {
    using Output = _3DSTATE_TE::Output_Topology;
    const uint32_t output = g.get<Output>();
    if (output == Output::POINT) return PrimitiveKind::point;
    return output == Output::LINE ? PrimitiveKind::line : PrimitiveKind::triangle;
  }
  using pipeline::Topology;
  switch (topology) {
    case Topology::points: return PrimitiveKind::point;
    case Topology::lines:
    case Topology::line_strip:
    case Topology::line_loop:
    case Topology::lines_adjacency:
    case Topology::line_strip_adjacency: return PrimitiveKind::line;
    default: return PrimitiveKind::triangle;
  }
}

// The kind of primitive that a polygon becomes with this fill mode.
PrimitiveKind filled_as(PrimitiveKind kind, pipeline::Fill fill) {
  if (kind != PrimitiveKind::triangle || fill == pipeline::Fill::triangles) return kind;
  return fill == pipeline::Fill::lines ? PrimitiveKind::line : PrimitiveKind::point;
}

bool fill_of(Context& context, std::string_view field, uint32_t mode, pipeline::Fill& fill) {
  using Mode = Raster::Front_Face_Fill_Mode;
  switch (mode) {
    case Mode::SOLID: fill = pipeline::Fill::triangles; return true;
    case Mode::WIREFRAME: fill = pipeline::Fill::lines; return true;
    case Mode::POINT: fill = pipeline::Fill::points; return true;
    default: return refuse(context, field, mode);
  }
}

// The way samples are found. OFF: lines as if there were no samples; PIXEL: at the pixel's centre, for all samples.
uint32_t multisample_mode(const GraphicsState& g, unsigned samples) {
  using Mode = Raster::DX_Multisample_Rasterization_Mode;
  if (g.get<Raster::Force_Multisampling>()) return g.get<Mode>();
  const bool enabled = g.get<Raster::DX_Multisample_Rasterization_Enable>();
  if (g.get<Raster::API_Mode>() == Raster::API_Mode::DX9_OGL)
    return samples > 1 && enabled ? Mode::MSRASTMODE_ON_PATTERN : Mode::MSRASTMODE_OFF_PIXEL;
  if (samples > 1) return enabled ? Mode::MSRASTMODE_ON_PATTERN : Mode::MSRASTMODE_OFF_PATTERN;
  return enabled ? Mode::MSRASTMODE_ON_PIXEL : Mode::MSRASTMODE_OFF_PIXEL;
}

template <class X, class Y>
pipeline::SamplePosition place(const GraphicsState& g) {
  return {int8_t(g.get<X>()), int8_t(g.get<Y>())};
}

// 3DSTATE_SAMPLE_PATTERN for so many samples, in 1/16 pixel from the upper left corner.
std::array<pipeline::SamplePosition, 16> places_of(const GraphicsState& g, unsigned samples) {
  using P = _3DSTATE_SAMPLE_PATTERN;
#define ATOLL_PLACE(all, n) place<P::_##all##x_Sample##n##_X_Offset, P::_##all##x_Sample##n##_Y_Offset>(g)
  switch (samples) {
    case 1: return {ATOLL_PLACE(1, 0)};
    case 2: return {ATOLL_PLACE(2, 0), ATOLL_PLACE(2, 1)};
    case 4: return {ATOLL_PLACE(4, 0), ATOLL_PLACE(4, 1), ATOLL_PLACE(4, 2), ATOLL_PLACE(4, 3)};
    case 8:
      return {ATOLL_PLACE(8, 0), ATOLL_PLACE(8, 1), ATOLL_PLACE(8, 2), ATOLL_PLACE(8, 3),
              ATOLL_PLACE(8, 4), ATOLL_PLACE(8, 5), ATOLL_PLACE(8, 6), ATOLL_PLACE(8, 7)};
    default:
      return {ATOLL_PLACE(16, 0),  ATOLL_PLACE(16, 1),  ATOLL_PLACE(16, 2),  ATOLL_PLACE(16, 3),
              ATOLL_PLACE(16, 4),  ATOLL_PLACE(16, 5),  ATOLL_PLACE(16, 6),  ATOLL_PLACE(16, 7),
              ATOLL_PLACE(16, 8),  ATOLL_PLACE(16, 9),  ATOLL_PLACE(16, 10), ATOLL_PLACE(16, 11),
              ATOLL_PLACE(16, 12), ATOLL_PLACE(16, 13), ATOLL_PLACE(16, 14), ATOLL_PLACE(16, 15)};
  }
#undef ATOLL_PLACE
}

bool find_samples(Context& context, PrimitiveKind kind, pipeline::Rasterization& raster) {
  const GraphicsState& g = context.graphics;
  if (const uint32_t log2 = g.get<_3DSTATE_MULTISAMPLE::Number_of_Multisamples>(); log2 > 4)
    return refuse(context, "3DSTATE_MULTISAMPLE.Number of Multisamples", log2);
  raster.samples = samples_of(g);
  if (const uint32_t forced = g.get<Raster::Forced_Sample_Count>()) {
    // Coverage is found at so many places for targets of one sample.
    if (forced > Raster::Forced_Sample_Count::NUMRASTSAMPLES_16)
      return refuse(context, "3DSTATE_RASTER.Forced Sample Count", forced);
    raster.over_rasterize = forced > Raster::Forced_Sample_Count::NUMRASTSAMPLES_1 && raster.samples == 1;
    if (raster.over_rasterize) raster.samples = 1u << (forced - 1);
  }
  raster.sample_mask = g.get<_3DSTATE_SAMPLE_MASK::Sample_Mask>();
  using Mode = Raster::DX_Multisample_Rasterization_Mode;
  const uint32_t mode = multisample_mode(g, raster.samples);
  const bool by_pattern = raster.samples > 1 && (mode == Mode::MSRASTMODE_ON_PATTERN || raster.over_rasterize ||
                                                 (mode == Mode::MSRASTMODE_OFF_PATTERN && kind != PrimitiveKind::line));
  raster.sample_positions.fill({8, 8});
  if (by_pattern) raster.sample_positions = places_of(g, raster.samples);
  raster.sample_grid = 16;
  if (g.get<Raster::Conservative_Rasterization_Enable>() && kind == PrimitiveKind::triangle) {
    raster.conservative = pipeline::Rasterization::Conservative::touched;
    raster.sample_positions.fill({8, 8});
  }
  // (one sample's own place counts where the pattern is used for it; drivers leave it at the centre)
  if (raster.samples == 1 && mode == Mode::MSRASTMODE_ON_PATTERN) {
    raster.sample_positions = places_of(g, 1);
    raster.off_centre_sample = raster.sample_positions[0] != pipeline::SamplePosition{8, 8};
  }
  raster.rectangular_lines = mode == Mode::MSRASTMODE_ON_PIXEL || mode == Mode::MSRASTMODE_ON_PATTERN;
  raster.sample_shading = raster.samples > 1 && !raster.over_rasterize && g.get<_3DSTATE_PS_EXTRA::Pixel_Shader_Is_Per_Sample>();
  return true;
}

// The constant is in the least steps of the depth buffer's format; of floats in those of a primitive's greatest depth (Direct3D 11.3
// 15.10). As it comes, where legacy bias asks for it (Direct3D 9).
void find_depth_offset(const GraphicsState& g, pipeline::Rasterization& raster) {
  auto enabled = [&](pipeline::Fill fill) -> bool {
    switch (fill) {
      case pipeline::Fill::points: return g.get<Raster::Global_Depth_Offset_Enable_Point>();
      case pipeline::Fill::lines: return g.get<Raster::Global_Depth_Offset_Enable_Wireframe>();
      default: return g.get<Raster::Global_Depth_Offset_Enable_Solid>();
    }
  };
  raster.offset_front = enabled(raster.fill_front), raster.offset_back = enabled(raster.fill_back);
  raster.depth_offset_front = {std::bit_cast<float>(uint32_t(g.get<Raster::Global_Depth_Offset_Scale>())),
                               std::bit_cast<float>(uint32_t(g.get<Raster::Global_Depth_Offset_Constant>())),
                               std::bit_cast<float>(uint32_t(g.get<Raster::Global_Depth_Offset_Clamp>()))};
  raster.depth_offset_back = raster.depth_offset_front;
  using Format = _3DSTATE_DEPTH_BUFFER::Surface_Format;
  const uint32_t format = g.get<Format>();
  raster.offset_of_floats = format == Format::D32_FLOAT;
  raster.offset_exponent = format == Format::D16_UNORM ? -16 : raster.offset_of_floats ? -23 : -24;
  if (g.get<Sf::Legacy_Global_Depth_Bias_Enable>()) raster.offset_of_floats = false, raster.offset_exponent = 0;
}

// `before`: what the last draw of lines has left.
void find_lines(const GraphicsState& g, const pipeline::LineProgress& before, pipeline::Rasterization& raster) {
  // Width 0 is the thinnest line (get_line_width in iris).
  const uint32_t width = g.get<Sf::Line_Width>();  // in 1/128 pixel
  raster.line_width = width ? float(width) / 128 : 1;
  if (!width) raster.rectangular_lines = false;
  raster.lines_end_along_axis = !raster.rectangular_lines;
  raster.last_line_pixel = g.get<Sf::Last_Pixel_Enable>();
  // (Direct3D 9's diamonds have no lower edges either, but for lines along them: Sandy Bridge PRM volume 2 part 1, 6.3.12.2.)
  raster.direct3d_diamonds =
      g.get<Raster::API_Mode>() != Raster::API_Mode::DX9_OGL && !g.get<Wm::Legacy_Diamond_Line_Rasterization>();
  using Stipple = _3DSTATE_LINE_STIPPLE;
  raster.line_stipple = g.get<Wm::Line_Stipple_Enable>();
  raster.line_stipple_pattern = uint16_t(g.get<Stipple::Line_Stipple_Pattern>());
  raster.line_stipple_factor = std::max<uint32_t>(1, g.get<Stipple::Line_Stipple_Repeat_Count>());
  // (Intel 965 PRM volume 2, 8.3.2.2: the counter goes on over strips that continue.)
  using Type = _3DSTATE_VF_TOPOLOGY::Primitive_Topology_Type;
  if (const uint32_t type = last_type(g); type == Type::LINESTRIP_CONT || type == Type::LINESTRIP_CONT_BF) {
    raster.line_stipple_reset = pipeline::Rasterization::StippleReset::none;
    raster.line_stipple_start = before.pattern;
  }
}

constexpr float region_widths[] = {0.5f, 1, 2, 4};  // pixels

// Antialiased lines, which several samples have not, nor lines of no width, which Mesa asks for where smooth lines are thinner than 1.5
// pixels (22.3.6 iris_state.c, get_line_width). Sandy Bridge PRM volume 2 part 1, 6.3.12.1 and 6.3.12.5; 3DSTATE_AA_LINE_PARAMETERS:
// 7.3.2.2. Without a slope coverage goes from 0 at an edge to 1 half a region's width inside, by the nearer side, and from 1 at an end to
// 0 a region's width beyond (Mesa leaves the slopes at 0). They have no stipples (7.3.2.3).
void find_smooth_lines(Context& context, pipeline::Rasterization& raster) {
  const GraphicsState& g = context.graphics;
  using Mode = Raster::DX_Multisample_Rasterization_Mode;
  const uint32_t mode = multisample_mode(g, raster.samples);
  if (!g.get<Raster::Antialiasing_Enable>() || !g.get<Sf::Line_Width>() || mode == Mode::MSRASTMODE_ON_PIXEL ||
      mode == Mode::MSRASTMODE_ON_PATTERN)
    return;
  if (g.get<Sf::AA_Line_Distance_Mode>() != Sf::AA_Line_Distance_Mode::AALINEDISTANCE_TRUE)
    context.unknown("3DSTATE_SF.AA Line Distance Mode 0");
  const float sides = region_widths[g.get<Wm::Line_Antialiasing_Region_Width>()],
              ends = region_widths[g.get<Wm::Line_End_Cap_Antialiasing_Region_Width>()];
  pipeline::Rasterization::SmoothLines smooth;
  smooth.beyond = region_widths[g.get<Sf::Line_End_Cap_Antialiasing_Region_Width>()];
  using Parameters = _3DSTATE_AA_LINE_PARAMETERS;
  auto part = [](uint64_t u8) { return float(u8) / 256; };
  if (const uint64_t slope = g.get<Parameters::AA_Coverage_Slope>()) {
    smooth.side = {part(slope), -part(g.get<Parameters::AA_Coverage_Bias>())};
    smooth.end = {part(g.get<Parameters::AA_Coverage_EndCap_Slope>()), -part(g.get<Parameters::AA_Coverage_EndCap_Bias>())};
  } else {
    smooth.nearest_side = true;
    smooth.side = {2 / sides, 0};
    smooth.end = {1 / ends, 1 - smooth.beyond / ends};
  }
  raster.smooth_lines = smooth;
  raster.line_stipple = false;
}

// Rows of 32 pixels, the leftmost in bit 31 (as OpenGL's patterns are); the offsets are added to the pixel's place.
void find_polygon_stipple(const GraphicsState& g, pipeline::Rasterization& raster) {
  raster.polygon_stipple =
      g.get<Wm::Polygon_Stipple_Enable>() && last_type(g) != _3DSTATE_VF_TOPOLOGY::Primitive_Topology_Type::TRIFAN_NOSTIPPLE;
  if (!raster.polygon_stipple) return;
  using P = _3DSTATE_POLY_STIPPLE_PATTERN;
  const auto rows =
      [&]<class... Rows>(std::tuple<Rows...>*) {
        return std::array{uint32_t(g.get<Rows>())...};
      }(static_cast<
          std::tuple<P::Pattern_Row_0, P::Pattern_Row_1, P::Pattern_Row_2, P::Pattern_Row_3, P::Pattern_Row_4, P::Pattern_Row_5,
                     P::Pattern_Row_6, P::Pattern_Row_7, P::Pattern_Row_8, P::Pattern_Row_9, P::Pattern_Row_10, P::Pattern_Row_11,
                     P::Pattern_Row_12, P::Pattern_Row_13, P::Pattern_Row_14, P::Pattern_Row_15, P::Pattern_Row_16,
                     P::Pattern_Row_17, P::Pattern_Row_18, P::Pattern_Row_19, P::Pattern_Row_20, P::Pattern_Row_21,
                     P::Pattern_Row_22, P::Pattern_Row_23, P::Pattern_Row_24, P::Pattern_Row_25, P::Pattern_Row_26,
                     P::Pattern_Row_27, P::Pattern_Row_28, P::Pattern_Row_29, P::Pattern_Row_30, P::Pattern_Row_31>*>(nullptr));
  const uint32_t dx = g.get<_3DSTATE_POLY_STIPPLE_OFFSET::Polygon_Stipple_X_Offset>(),
                 dy = g.get<_3DSTATE_POLY_STIPPLE_OFFSET::Polygon_Stipple_Y_Offset>();
  for (uint32_t y = 0; y < 32; y++)
    for (uint32_t x = 0; x < 32; x++) {
      const uint32_t bit = rows[(y + dy) % 32] >> (31 - (x + dx) % 32) & 1;
      raster.polygon_stipple_rows[y] |= bit << x;
    }
}

void find_points(const GraphicsState& g, pipeline::Rasterization& raster) {
  raster.point_width = raster.point_height = float(g.get<Sf::Point_Width>()) / 8;
  raster.point_size_from_vertex = g.get<Sf::Point_Width_Source>() == Sf::Point_Width_Source::Vertex;
  raster.point_least = 0.125f, raster.point_most = 255.875f;
  if (raster.point_size_from_vertex && g.get<_3DSTATE_CLIP::Clip_Enable>()) {
    raster.point_least = float(g.get<_3DSTATE_CLIP::Minimum_Point_Width>()) / 8;
    raster.point_most = float(g.get<_3DSTATE_CLIP::Maximum_Point_Width>()) / 8;
  }
  // The sides that own the points on them: the upper and the left one, or the upper and the right one.
  if (g.get<Wm::Point_Rasterization_Rule>() == Wm::Point_Rasterization_Rule::RASTRULE_UPPER_RIGHT)
    raster.point_edges = {.left = false, .right = true, .top = true, .bottom = false};
  // Round ones, as OpenGL asks for where they are smooth or there are several samples (Mesa 22.3.6 iris_state.c,
  // iris_create_rasterizer_state). How far inside of the circle a lone sample is covered whole no public text says: as lines' sides are.
  if (!g.get<Sf::Smooth_Point_Enable>() && !g.get<Raster::Smooth_Point_Enable>()) return;
  using Parameters = _3DSTATE_AA_LINE_PARAMETERS;
  const auto slope = float(g.get<Parameters::AA_Point_Coverage_Slope>()) / 256;
  raster.round_points.emplace();
  if (slope > 0)
    *raster.round_points = {slope, -float(g.get<Parameters::AA_Point_Coverage_Bias>()) / 256};
  else
    *raster.round_points = {2 / region_widths[g.get<Wm::Line_Antialiasing_Region_Width>()], 0};
}

}  // namespace

bool find_rasterization(Context& context, pipeline::Draw& draw) {
  const GraphicsState& g = context.graphics;
  pipeline::Rasterization& raster = draw.rasterization;
  raster.grid.denominator =
      g.get<Sf::Vertex_Sub_Pixel_Precision_Select>() == Sf::Vertex_Sub_Pixel_Precision_Select::_4_Bit ? 16 : 256;
  raster.grid.pixel_centre =
      g.get<_3DSTATE_MULTISAMPLE::Pixel_Location>() == _3DSTATE_MULTISAMPLE::Pixel_Location::UL_CORNER ? 0.0f : 0.5f;
  const uint32_t cull = g.get<Raster::Cull_Mode>();
  using Cull = Raster::Cull_Mode;
  raster.cull_front = cull == Cull::BOTH || cull == Cull::FRONT, raster.cull_back = cull == Cull::BOTH || cull == Cull::BACK;
  raster.front_is_clockwise = g.get<Raster::Front_Winding>() == Raster::Front_Winding::Clockwise;
  if (!fill_of(context, "3DSTATE_RASTER.Front Face Fill Mode", g.get<Raster::Front_Face_Fill_Mode>(), raster.fill_front) ||
      !fill_of(context, "3DSTATE_RASTER.Back Face Fill Mode", g.get<Raster::Back_Face_Fill_Mode>(), raster.fill_back))
    return false;
  if (const uint32_t api = g.get<Raster::API_Mode>(); api > Raster::API_Mode::DX10_1)
    return refuse(context, "3DSTATE_RASTER.API Mode", api);
  raster.discard |= !renders(g);

  // Points and lines of fills, of polygons seen from behind, have their stencil tests (965 PRM volume 2, 2.3).
  using Type = _3DSTATE_VF_TOPOLOGY::Primitive_Topology_Type;
  const uint32_t type = last_type(g);
  raster.faces_back = type == Type::POINTLIST_BF || type == Type::LINESTRIP_BF || type == Type::LINESTRIP_CONT_BF;
  const PrimitiveKind kind = last_kind(g, draw.assembly.topology);
  const PrimitiveKind front = filled_as(kind, raster.fill_front), back = filled_as(kind, raster.fill_back);
  if (!find_samples(context, front, raster)) return false;
  find_depth_offset(g, raster);
  find_lines(g, context.lines_end, raster);
  find_points(g, raster);
  find_polygon_stipple(g, raster);

  if (front == PrimitiveKind::line || back == PrimitiveKind::line) find_smooth_lines(context, raster);
  return find_coarse_pixels(context, raster);
}

}  // namespace Atoll::dg1
