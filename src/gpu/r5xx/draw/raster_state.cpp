#include "gpu/r5xx/draw/raster_state.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace Atoll::r5xx {
namespace {

using pipeline::Topology;

constexpr PrimitiveRow primitive_rows[] = {
    {VAP_VF_CNTL::PRIM_TYPE::Point_List, Topology::points, DrawnKind::points},
    {VAP_VF_CNTL::PRIM_TYPE::Line_List, Topology::lines, DrawnKind::lines},
    {VAP_VF_CNTL::PRIM_TYPE::Line_Strip, Topology::line_strip, DrawnKind::lines},
    {VAP_VF_CNTL::PRIM_TYPE::Triangle_List, Topology::triangles, DrawnKind::triangles},
    {VAP_VF_CNTL::PRIM_TYPE::Triangle_Fan, Topology::triangle_fan, DrawnKind::triangles},
    {VAP_VF_CNTL::PRIM_TYPE::Triangle_Strip, Topology::triangle_strip, DrawnKind::triangles},
    {VAP_VF_CNTL::PRIM_TYPE::Triangle_with_wFlags, Topology::triangles, DrawnKind::triangles},
    {VAP_VF_CNTL::PRIM_TYPE::Line_Loop, Topology::line_loop, DrawnKind::lines},
    {VAP_VF_CNTL::PRIM_TYPE::Quad_List, Topology::quads, DrawnKind::triangles},
    {VAP_VF_CNTL::PRIM_TYPE::Quad_Strip, Topology::quad_strip, DrawnKind::triangles},
    {VAP_VF_CNTL::PRIM_TYPE::Polygon, Topology::polygon, DrawnKind::triangles},
};

// NaN and infinity in state must not reach geometry.
float finite(float value) { return std::isfinite(value) ? value : 0.0f; }
template <class Register>
float finite(const RegisterFile& r) {
  return finite(r.as_float<Register>());
}

// The largest depth of the setup unit: 24 bits (SU_DEPTH_SCALE).
constexpr float largest_depth = 16777215.0f;

int subpixels_per_pixel(const RegisterFile& r) { return r.get<GB_TILE_CONFIG::SUBPIXEL>() ? 16 : 12; }

// From corner to corner, the second one included.
template <class First, class Last>
pipeline::Rectangle rectangle(const RegisterFile& r) {
  return {int(r.get<typename First::XS0>()), int(r.get<typename First::YS0>()), int(r.get<typename Last::XS1>()) + 1,
          int(r.get<typename Last::YS1>()) + 1};
}

void samples_of(Context& context, pipeline::Rasterization& out) {
  const RegisterFile& r = context.registers;
  out.sample_grid = unsigned(subpixels_per_pixel(r));
  using Low = GB_MSPOS0;
  using High = GB_MSPOS1;
  auto position = [&](uint32_t x, uint32_t y) {
    auto convert = [&](uint32_t v) { return int8_t(std::min(v, out.sample_grid - 1)); };
    return pipeline::SamplePosition{convert(x), convert(y)};
  };
  out.samples = sample_count(r);
  out.sample_positions[0] = position(r.get<Low::MS_X0>(), r.get<Low::MS_Y0>());
  out.sample_positions[1] = position(r.get<Low::MS_X1>(), r.get<Low::MS_Y1>());
  out.sample_positions[2] = position(r.get<Low::MS_X2>(), r.get<Low::MS_Y2>());
  out.sample_positions[3] = position(r.get<High::MS_X3>(), r.get<High::MS_Y3>());
  out.sample_positions[4] = position(r.get<High::MS_X4>(), r.get<High::MS_Y4>());
  out.sample_positions[5] = position(r.get<High::MS_X5>(), r.get<High::MS_Y5>());
  // The margins at which blocks and quads may be missed: up to the least distance of a sample they miss nothing.
  unsigned least_x = 15, least_y = 15;
  for (unsigned n = 0; n < out.samples; n++) {
    auto from_edge = [&](int8_t v) { return std::min(unsigned(v), out.sample_grid - unsigned(v)); };
    least_x = std::min(least_x, from_edge(out.sample_positions[n].x));
    least_y = std::min(least_y, from_edge(out.sample_positions[n].y));
  }
  auto margin = [](uint32_t distance, unsigned least) { return uint8_t(distance > least ? distance : 0); };
  out.block_margin_x = margin(r.get<Low::MSBD0_X>(), least_x), out.block_margin_y = margin(r.get<Low::MSBD0_Y>(), least_y);
  out.quad_margin = margin(r.get<High::MSBD1>(), std::min(least_x, least_y));
  // Bits of four pixels, six each.
  uint32_t door = r.get<SC_SCREENDOOR::SCREENDOOR>(), first = door & 0x3f;
  if (door != first * 0x41041u) context.unknown("SC_SCREENDOOR: pixels of a quad differ");
  out.sample_mask = out.samples == 1 ? (first != 0) : first & ((1u << out.samples) - 1);
}

}  // namespace

const PrimitiveRow* primitive_row(uint32_t type) {
  for (auto& row : primitive_rows)
    if (row.type == type) return &row;
  return nullptr;
}

uint8_t user_clip_planes(const RegisterFile& r) {
  using C = VAP_CLIP_CNTL;
  using Planes = FieldList<C::UCP_ENA_0, C::UCP_ENA_1, C::UCP_ENA_2, C::UCP_ENA_3, C::UCP_ENA_4, C::UCP_ENA_5>;
  return uint8_t(Planes::bits(r.read<C>()));
}

unsigned sample_count(const RegisterFile& r) {
  auto config = r.read<GB_AA_CONFIG>();
  constexpr unsigned counts[] = {2, 3, 4, 6};
  return GB_AA_CONFIG::AA_ENABLE::get(config) ? counts[GB_AA_CONFIG::NUM_AA_SUBSAMPLES::get(config)] : 1;
}

// The provoking vertex of flat colours: Mesa 22.3.6 r300_render.c (r300_provoking_vertex_fixes) tells what quads and polygons do.
pipeline::Assembly assembly_of(const RegisterFile& r, const PrimitiveRow& primitive) {
  pipeline::Assembly assembly;
  uint32_t provoking = r.get<GA_COLOR_CONTROL::PROVOKING_VERTEX>();
  assembly.topology = primitive.topology;
  bool last =
      provoking == GA_COLOR_CONTROL::PROVOKING_VERTEX::Provoking_is_always_last_vertex ||
      (provoking == GA_COLOR_CONTROL::PROVOKING_VERTEX::Provoking_is_third_vertex && primitive.kind == DrawnKind::triangles);
  assembly.provoking = last ? pipeline::ProvokingVertex::last : pipeline::ProvokingVertex::first;
  // A polygon's flat colour is its first vertex's all the same.
  assembly.provoking_of_quads_is_last = last && primitive.topology != Topology::polygon;
  return assembly;
}

pipeline::Viewport viewport_of(const RegisterFile& r) {
  using Vte = VAP_VTE_CNTL;
  const auto vte = r.read<Vte>();
  pipeline::Viewport v;
  v.scale = {Vte::VPORT_X_SCALE_ENA::get(vte) ? finite<VAP_VPORT_XSCALE>(r) : 1,
             Vte::VPORT_Y_SCALE_ENA::get(vte) ? finite<VAP_VPORT_YSCALE>(r) : 1,
             Vte::VPORT_Z_SCALE_ENA::get(vte) ? finite<VAP_VPORT_ZSCALE>(r) : 1};
  v.offset = {Vte::VPORT_X_OFFSET_ENA::get(vte) ? finite<VAP_VPORT_XOFFSET>(r) : 0,
              Vte::VPORT_Y_OFFSET_ENA::get(vte) ? finite<VAP_VPORT_YOFFSET>(r) : 0,
              Vte::VPORT_Z_OFFSET_ENA::get(vte) ? finite<VAP_VPORT_ZOFFSET>(r) : 0};
  // GA_OFFSET is in subpixels.
  auto offset = r.read<GA_OFFSET>();
  v.offset[0] += float(int16_t(GA_OFFSET::X_OFFSET::get(offset))) / float(subpixels_per_pixel(r));
  v.offset[1] += float(int16_t(GA_OFFSET::Y_OFFSET::get(offset))) / float(subpixels_per_pixel(r));
  // The setup unit takes depth to 0 to 2^24 - 1, the pipeline to 0 to 1.
  float scale = finite<SU_DEPTH_SCALE>(r) / largest_depth, shift = finite<SU_DEPTH_OFFSET>(r) / largest_depth;
  v.scale[2] *= scale;
  v.offset[2] = v.offset[2] * scale + shift;
  // W comes to the setup unit as it is, past the viewport.
  if ((v.depth_is_w = r.get<GB_SELECT::DEPTH_SELECT>())) v.scale[2] = scale, v.offset[2] = shift;
  return v;
}

pipeline::DiscardBand discard_band_of(const RegisterFile& r) {
  return pipeline::DiscardBand::between(user_clip_planes(r), r.as_float<VAP_GB_HORZ_DISC_ADJ>(),
                                        r.as_float<VAP_GB_VERT_DISC_ADJ>());
}

pipeline::Clip clip_of(Context& context) {
  const RegisterFile& r = context.registers;
  const auto vte = r.read<VAP_VTE_CNTL>();
  const auto clip = r.read<VAP_CLIP_CNTL>();
  pipeline::Clip c;
  c.enable = !r.get<VAP_CNTL_STATUS::PVS_BYPASS>() && !VAP_CLIP_CNTL::CLIP_DISABLE::get(clip);
  c.viewport_transform = true;
  c.divide = !VAP_VTE_CNTL::VTX_XY_FMT::get(vte);
  c.w_is_reciprocal = !VAP_VTE_CNTL::VTX_W0_FMT::get(vte);
  if (c.divide && c.w_is_reciprocal) context.unknown("VAP_VTE_CNTL: W0 is a reciprocal and is to be divided by");
  c.depth_from_zero = r.get<VAP_CNTL::DX_CLIP_SPACE_DEF>();
  c.distances = c.enable ? user_clip_planes(r) : 0;
  if (VAP_CLIP_CNTL::UCP_CULL_ONLY_ENA::get(clip)) c.cull_distances = c.distances, c.distances = 0;
  c.cuts_are_edges = VAP_CLIP_CNTL::BOUNDARY_EDGE_FLAG_ENA::get(clip);
  // Points against the user's planes: by their middle; by their radius; as squares where that meets a plane; always as squares.
  const uint32_t points = VAP_CLIP_CNTL::PS_UCP_MODE::get(clip);
  c.cut_points = points >= 2;
  if (points == 1 && c.distances) context.unknown("VAP_CLIP_CNTL.PS_UCP_MODE 1");
  if (c.enable) {
    const pipeline::DiscardBand band = discard_band_of(r);
    c.cull_distances |= band.distances();
    if (band.lacks_places) context.unknown("VAP_GB_HORZ_DISC_ADJ, VAP_GB_VERT_DISC_ADJ: with so many planes of the user's");
  }
  c.guard_band_x = std::clamp(finite<VAP_GB_HORZ_CLIP_ADJ>(r), 1.0f, 32768.0f);
  c.guard_band_y = std::clamp(finite<VAP_GB_VERT_CLIP_ADJ>(r), 1.0f, 32768.0f);
  for (unsigned p = 0; p < 6; p++)
    for (unsigned n = 0; n < 4; n++)
      c.planes[p][n] = finite(std::bit_cast<float>(context.vertex_memory.words[(VertexMemory::first_clip_plane + p) * 4 + n]));
  return c;
}

// A value of SC_EDGERULE: a bit is set for the edges that do not have their samples. From 16 on the manual's text has top and
// bottom the other way round than its list of values, which Mesa's rules for lines fit (docs/errata.md).
static pipeline::EdgeRule edge_rule(uint32_t value) {
  auto has = [&](unsigned bit) { return !(value >> bit & 1); };
  if (value < 16) return {has(3), has(2), has(1), has(0), false};
  return {has(1), has(0), has(2), has(3), true};
}

static void edge_rules_of(const RegisterFile& r, pipeline::Rasterization& out) {
  using Rule = SC_EDGERULE;
  const auto rule = r.read<Rule>();
  out.triangle_edges = out.rectangle_edges = edge_rule(Rule::ER_TRI::get(rule));
  out.point_edges = edge_rule(Rule::ER_POINT::get(rule));
  const pipeline::EdgeRule right = edge_rule(Rule::ER_LINE_LR::get(rule)), left = edge_rule(Rule::ER_LINE_RL::get(rule));
  const pipeline::EdgeRule down = edge_rule(Rule::ER_LINE_TB::get(rule)), up = edge_rule(Rule::ER_LINE_BT::get(rule));
  out.line_edges = {right, right, left, left, down, down, up, up};
}

constexpr uint32_t accumulator_mask = 0xffffff;  // GA_LINE_STIPPLE_VALUE: 24 bits count

static uint32_t accumulated(const RegisterFile& r) { return r.get<GA_LINE_STIPPLE_VALUE::STIPPLE_VALUE>() & accumulator_mask; }

bool goes_on_measuring(const RegisterFile& r) {
  return r.get<GB_ENABLE::LINE_STUFF_ENABLE>() &&
         r.get<GA_LINE_STIPPLE_CONFIG::LINE_RESET>() == GA_LINE_STIPPLE_CONFIG::LINE_RESET::No_reseting;
}

void accumulate(RegisterFile& r, double pixels) {
  const double subpixels = pixels * subpixels_per_pixel(r);
  r.set(GA_LINE_STIPPLE_VALUE::address(), (accumulated(r) + uint32_t(uint64_t(subpixels))) & accumulator_mask);
}

pipeline::Rasterization rasterization_of(Context& context, const VertexOutputs& outputs) {
  const RegisterFile& r = context.registers;
  pipeline::Rasterization out;
  const int subpixels = subpixels_per_pixel(r);
  out.grid.denominator = unsigned(subpixels);
  bool nearest = r.get<GA_ROUND_MODE::GEOMETRY_ROUND>();
  out.grid.rounding = nearest ? pipeline::GridRounding::nearest : pipeline::GridRounding::truncate;
  out.grid.dropped_bits = r.get<GA_ROUND_MODE::GEOMETRY_MASK>();
  samples_of(context, out);
  edge_rules_of(r, out);
  // Without antialiasing a pixel's one sample stands where the first does.
  if (out.samples == 1) out.grid.pixel_centre = float(r.get<GB_MSPOS0::MS_X0>()) / float(subpixels);

  auto cull = r.read<SU_CULL_MODE>();
  out.cull_front = SU_CULL_MODE::CULL_FRONT::get(cull);
  out.cull_back = SU_CULL_MODE::CULL_BACK::get(cull);
  out.front_is_clockwise = SU_CULL_MODE::FACE::get(cull);

  auto mode = r.read<GA_POLY_MODE>();
  if (GA_POLY_MODE::POLY_MODE::get(mode) == 1) {
    auto fill = [&](uint32_t type) {
      if (type > 2) context.unknown(fmt::format("GA_POLY_MODE: polygon type {}", type));
      return type == 0 ? pipeline::Fill::points : type == 1 ? pipeline::Fill::lines : pipeline::Fill::triangles;
    };
    out.fill_front = fill(GA_POLY_MODE::FRONT_PTYPE::get(mode));
    out.fill_back = fill(GA_POLY_MODE::BACK_PTYPE::get(mode));
  }

  auto enable = r.read<SU_POLY_OFFSET_ENABLE>();
  out.offset_front = SU_POLY_OFFSET_ENABLE::FRONT_ENABLE::get(enable);
  out.offset_back = SU_POLY_OFFSET_ENABLE::BACK_ENABLE::get(enable);
  out.offset_points_and_lines = out.offset_front && SU_POLY_OFFSET_ENABLE::PARA_ENABLE::get(enable);
  // Slopes are per subpixel, offsets in steps of 24 bits whatever the buffer has (SU_POLY_OFFSET_FRONT_SCALE; real RV515 fail the
  // tests of 16-bit offsets for it: Mesa 22.3.6 src/gallium/drivers/r300/ci/r300-rv515-fails.txt).
  out.offset_exponent = -24;
  out.depth_offset_front = {finite<SU_POLY_OFFSET_FRONT_SCALE>(r) / float(subpixels), finite<SU_POLY_OFFSET_FRONT_OFFSET>(r), 0};
  out.depth_offset_back = {finite<SU_POLY_OFFSET_BACK_SCALE>(r) / float(subpixels), finite<SU_POLY_OFFSET_BACK_OFFSET>(r), 0};

  // Widths and heights are halves, in subpixels.
  auto pixels = [&](uint32_t half) { return float(half) * 2 / float(subpixels); };
  // Mesa's smooth lines end at right angles, its others along an axis, which is OpenGL's aliased line.
  out.rectangular_lines = r.get<GA_LINE_CNTL::END_TYPE>() == GA_LINE_CNTL::END_TYPE::Computed;
  out.line_width = pixels(r.get<GA_LINE_CNTL::WIDTH>());
  out.point_width = pixels(r.get<GA_POINT_SIZE::WIDTH>());
  out.point_height = pixels(r.get<GA_POINT_SIZE::HEIGHT>());
  out.point_size_from_vertex = outputs.point_size != absent;
  if (out.point_size_from_vertex) {
    out.point_least = pixels(r.get<GA_POINT_MINMAX::MIN_SIZE>());
    out.point_most = pixels(r.get<GA_POINT_MINMAX::MAX_SIZE>());
  } else {
    out.point_least = 0;
  }
  out.sort_lines = r.get<GA_LINE_CNTL::SORT>();
  // GA_LINE_STIPPLE_CONFIG takes no pixel away: there is no pattern, but a coordinate (docs/errata.md, "R5xx line stipple").
  out.measure_lines = r.get<GB_ENABLE::LINE_STUFF_ENABLE>();
  const uint32_t reset = r.get<GA_LINE_STIPPLE_CONFIG::LINE_RESET>();
  out.measure_each_line = reset == GA_LINE_STIPPLE_CONFIG::LINE_RESET::Reset_per_line;
  if (goes_on_measuring(r)) out.line_start = double(accumulated(r)) / subpixels;

  out.scissors.push_back(rectangle<SC_SCISSOR0, SC_SCISSOR1>(r));
  uint32_t rule = r.get<SC_CLIP_RULE::CLIP_RULE>();
  out.use_clip_rectangles = rule != 0xffff;
  // "Inside of rectangle n", which is how Mesa scissors with n = 0: one scissor more.
  constexpr uint32_t inside[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
  out.clip_rectangle_rule = uint16_t(rule);
  out.clip_rectangles = {rectangle<SC_CLIP_0_A, SC_CLIP_0_B>(r), rectangle<SC_CLIP_1_A, SC_CLIP_1_B>(r),
                         rectangle<SC_CLIP_2_A, SC_CLIP_2_B>(r), rectangle<SC_CLIP_3_A, SC_CLIP_3_B>(r)};
  for (uint32_t n = 0; n < 4; n++)
    if (rule == inside[n]) {
      out.use_clip_rectangles = false;
      out.scissors.push_back(out.clip_rectangles[n]);
    }
  return out;
}

}  // namespace Atoll::r5xx
