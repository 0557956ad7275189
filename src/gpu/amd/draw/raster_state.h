// From the registers of PA and SC to the pipeline's rasterisation state, for the families that have these registers under the same
// names. `R` is a family's list of them (state/draw_registers.h of the family); what a family has no register or field for it leaves
// out there, and the reset's value stands for it here.
// Sea Islands 3D/Compute Register Reference, chapter PA; Mesa 25.0.7 src/amd/registers/gfx12.json. Meaning where these give only names:
// Mesa src/gallium/drivers/radeonsi/si_state.c (22.3.6, 25.0.7).
#pragma once
#include <algorithm>
#include <array>

#include "gpu/amd/draw/field_lists.h"
#include "gpu/amd/register_file.h"
#include "gpu/device/reports.h"
#include "pipeline/draw.h"
#include "pipeline/front/discard_band.h"

namespace Atoll::gpu::amd {

// Scissors' bottom right corners are outside; on families whose last pixels are inside, R::last_pixel_is_inside.
template <class R, class TopLeft, class BottomRight>
pipeline::Rectangle scissor_of(const RegisterFile& r, auto... n) {
  constexpr int beyond = R::last_pixel_is_inside ? 1 : 0;
  return {int(r.get<typename TopLeft::TL_X>(n...)), int(r.get<typename TopLeft::TL_Y>(n...)),
          int(r.get<typename BottomRight::BR_X>(n...)) + beyond, int(r.get<typename BottomRight::BR_Y>(n...)) + beyond};
}

// A scissor whose place is the window's unless WINDOW_OFFSET_DISABLE says otherwise.
template <class R, class TopLeft, class BottomRight>
pipeline::Rectangle window_scissor_of(const RegisterFile& r, auto... n) {
  const pipeline::Rectangle box = scissor_of<R, TopLeft, BottomRight>(r, n...);
  if constexpr (requires { typename TopLeft::WINDOW_OFFSET_DISABLE; })
    if (r.get<typename TopLeft::WINDOW_OFFSET_DISABLE>(n...)) return box;
  using Offset = typename R::PA_SC_WINDOW_OFFSET;
  const auto offset = r.read<Offset>();
  const int dx = int16_t(Offset::WINDOW_X_OFFSET::get(offset)), dy = int16_t(Offset::WINDOW_Y_OFFSET::get(offset));
  return {box.left + dx, box.top + dy, box.right + dx, box.bottom + dy};
}

// False: an unknown primitive type (counted).
template <class R>
bool topology_of(const RegisterFile& r, Reports& reports, pipeline::Topology& topology) {
  using pipeline::Topology;
  using Type = typename R::VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  struct Row {
    uint32_t type;
    Topology topology;
  };
  static constexpr Row rows[] = {
      {Type::DI_PT_POINTLIST, Topology::points},
      {Type::DI_PT_LINELIST, Topology::lines},
      {Type::DI_PT_LINESTRIP, Topology::line_strip},
      {Type::DI_PT_TRILIST, Topology::triangles},
      {Type::DI_PT_TRIFAN, Topology::triangle_fan},
      {Type::DI_PT_TRISTRIP, Topology::triangle_strip},
      {Type::DI_PT_PATCH, Topology::patches},
      {Type::DI_PT_LINELIST_ADJ, Topology::lines_adjacency},
      {Type::DI_PT_LINESTRIP_ADJ, Topology::line_strip_adjacency},
      {Type::DI_PT_TRILIST_ADJ, Topology::triangles_adjacency},
      {Type::DI_PT_TRISTRIP_ADJ, Topology::triangle_strip_adjacency},
      {Type::DI_PT_RECTLIST, Topology::rectangles},
      {Type::DI_PT_LINELOOP, Topology::line_loop},
      {Type::DI_PT_QUADLIST, Topology::quads},
      {Type::DI_PT_QUADSTRIP, Topology::quad_strip},
      {Type::DI_PT_POLYGON, Topology::polygon},
  };
  const uint32_t type = r.get<Type>();
  const Row* row = std::ranges::find(rows, type, &Row::type);
  if (row == std::end(rows)) {
    reports.unknown(fmt::format("primitive type {}", type));
    return false;
  }
  topology = row->topology;
  return true;
}

template <class R>
void provoking_of(const RegisterFile& r, pipeline::Assembly& assembly) {
  const bool last = r.get<typename R::PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST>();
  assembly.provoking = last ? pipeline::ProvokingVertex::last : pipeline::ProvokingVertex::first;
  // Quads follow the provoking convention (GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION is true on radeonsi); a polygon's flat
  // colour is that of its first vertex under either (OpenGL 4.6 compatibility profile, table 13.2).
  assembly.provoking_of_quads_is_last = last && assembly.topology != pipeline::Topology::polygon;
  // Geometry shaders of radeonsi turn them back (Mesa si_shader_llvm_gs.c, gs_tri_strip_adj_fix).
  assembly.odd_adjacency_from_first = true;
}

template <class R>
void viewports_of(const RegisterFile& r, pipeline::Draw& draw) {
  using Vte = typename R::PA_CL_VTE_CNTL;
  using Offset = typename R::PA_SC_WINDOW_OFFSET;
  const auto vte = r.read<Vte>();
  const bool window_offset = r.get<typename R::PA_SU_SC_MODE_CNTL::VTX_WINDOW_OFFSET_ENABLE>();
  const auto offset = r.read<Offset>();
  for (unsigned n = 0; n < draw.viewports.size(); n++) {
    pipeline::Viewport& v = draw.viewports[n];
    v.scale = {Vte::VPORT_X_SCALE_ENA::get(vte) ? r.as_float<typename R::PA_CL_VPORT_XSCALE>(n) : 1,
               Vte::VPORT_Y_SCALE_ENA::get(vte) ? r.as_float<typename R::PA_CL_VPORT_YSCALE>(n) : 1,
               Vte::VPORT_Z_SCALE_ENA::get(vte) ? r.as_float<typename R::PA_CL_VPORT_ZSCALE>(n) : 1};
    v.offset = {Vte::VPORT_X_OFFSET_ENA::get(vte) ? r.as_float<typename R::PA_CL_VPORT_XOFFSET>(n) : 0,
                Vte::VPORT_Y_OFFSET_ENA::get(vte) ? r.as_float<typename R::PA_CL_VPORT_YOFFSET>(n) : 0,
                Vte::VPORT_Z_OFFSET_ENA::get(vte) ? r.as_float<typename R::PA_CL_VPORT_ZOFFSET>(n) : 0};
    if (window_offset) {
      v.offset[0] += float(int16_t(Offset::WINDOW_X_OFFSET::get(offset)));
      v.offset[1] += float(int16_t(Offset::WINDOW_Y_OFFSET::get(offset)));
    }
    v.depth_low = r.as_float<typename R::PA_SC_VPORT_ZMIN>(n);
    v.depth_high = r.as_float<typename R::PA_SC_VPORT_ZMAX>(n);
    draw.viewport_scissors[n] =
        window_scissor_of<R, typename R::PA_SC_VPORT_SCISSOR_TL, typename R::PA_SC_VPORT_SCISSOR_BR>(r, n);
  }
  draw.scissor_viewports = r.get<typename R::PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE>();
}

template <class R>
pipeline::DiscardBand discard_band_of(const RegisterFile& r) {
  using Cntl = typename R::PA_CL_CLIP_CNTL;
  const auto cntl = r.read<Cntl>();
  if (Cntl::CLIP_DISABLE::get(cntl)) return {};
  const auto out = r.read<typename R::PA_CL_VS_OUT_CNTL>();
  const auto taken = uint8_t(ClipDistances<R>::bits(out) | CullDistances<R>::bits(out) | UserClipPlanes<R>::bits(cntl));
  return pipeline::DiscardBand::between(taken, r.as_float<typename R::PA_CL_GB_HORZ_DISC_ADJ>(),
                                        r.as_float<typename R::PA_CL_GB_VERT_DISC_ADJ>());
}

// The guide has the names alone; docs/errata.md says how they are read.
template <class R>
pipeline::NonFinite non_finite_of(const RegisterFile& r) {
  using Cntl = typename R::PA_CL_NANINF_CNTL;
  const auto cntl = r.read<Cntl>();
  pipeline::NonFinite rules;
  rules.drop_infinite_distances = Cntl::VS_CLIP_DIST_INF_DISCARD::get(cntl);
  rules.drop_infinite_xy = Cntl::VTE_XY_INF_DISCARD::get(cntl);
  rules.drop_infinite_z = Cntl::VTE_Z_INF_DISCARD::get(cntl);
  rules.drop_infinite_w = Cntl::VTE_W_INF_DISCARD::get(cntl);
  if constexpr (requires { typename R::PA_CL_ENHANCE; })
    if (r.get<typename R::PA_CL_ENHANCE::VE_NAN_PROC_DISABLE>()) return rules;  // NaNs pass
  rules.xy_nan_to_infinity = Cntl::VS_XY_NAN_TO_INF::get(cntl);
  rules.z_nan_to_infinity = Cntl::VS_Z_NAN_TO_INF::get(cntl);
  rules.w_nan_to_infinity = Cntl::VS_W_NAN_TO_INF::get(cntl);
  rules.zero_wins = Cntl::VTE_0XNANINF_IS_0::get(cntl);
  rules.reciprocal_nan_is_zero = Cntl::VTE_W_RECIP_NAN_IS_0::get(cntl);
  return rules;
}

// Points at the planes that registers have: their radii are in clip space, for a point of size 1.
template <class R>
void points_at_planes(const RegisterFile& r, uint32_t planes, pipeline::Clip& clip) {
  using Cntl = typename R::PA_CL_CLIP_CNTL;
  const auto cntl = r.read<Cntl>();
  clip.point_at_planes = pipeline::PointAtPlanes(Cntl::PS_UCP_MODE::get(cntl));
  if (clip.point_at_planes == pipeline::PointAtPlanes::centre) return;
  clip.point_planes = uint8_t(planes);
  for (unsigned n = 0; n < UserClipPlanes<R>::count; n++)
    clip.planes[n] = {r.as_float<typename R::PA_CL_UCP_X>(n), r.as_float<typename R::PA_CL_UCP_Y>(n),
                      r.as_float<typename R::PA_CL_UCP_Z>(n), r.as_float<typename R::PA_CL_UCP_W>(n)};
  clip.point_radius_x = r.as_float<typename R::PA_CL_POINT_X_RAD>();
  clip.point_radius_y = r.as_float<typename R::PA_CL_POINT_Y_RAD>();
  clip.point_cull_radius = r.as_float<typename R::PA_CL_POINT_CULL_RAD>();
  clip.point_size = r.as_float<typename R::PA_CL_POINT_SIZE>();
  clip.point_top_is_positive = Cntl::PS_UCP_Y_SCALE_NEG::get(cntl);
}

template <class R>
pipeline::Clip clip_of(const RegisterFile& r, Reports& reports) {
  using Cntl = typename R::PA_CL_CLIP_CNTL;
  using Vte = typename R::PA_CL_VTE_CNTL;
  using Out = typename R::PA_CL_VS_OUT_CNTL;
  const auto cntl = r.read<Cntl>();
  const auto vte = r.read<Vte>();
  const auto out = r.read<Out>();
  pipeline::Clip clip;
  clip.enable = !Cntl::CLIP_DISABLE::get(cntl);
  clip.divide = !Vte::VTX_XY_FMT::get(vte);
  clip.w_is_reciprocal = !Vte::VTX_W0_FMT::get(vte);
  clip.depth_from_zero = Cntl::DX_CLIP_SPACE_DEF::get(cntl);
  clip.cut_near = !Cntl::ZCLIP_NEAR_DISABLE::get(cntl);
  clip.cut_far = !Cntl::ZCLIP_FAR_DISABLE::get(cntl);
  clip.distances = uint8_t(ClipDistances<R>::bits(out));
  clip.cull_distances = uint8_t(CullDistances<R>::bits(out));
  clip.distances |= uint8_t(UserClipPlanes<R>::bits(cntl));  // whoever takes the vertices works the distances out
  clip.guard_band_x = std::max(1.0f, r.as_float<typename R::PA_CL_GB_HORZ_CLIP_ADJ>());
  clip.guard_band_y = std::max(1.0f, r.as_float<typename R::PA_CL_GB_VERT_CLIP_ADJ>());
  if (Out::USE_VTX_KILL_FLAG::get(out) && Out::VS_OUT_MISC_VEC_ENA::get(out))
    clip.killed = Cntl::VTX_KILL_OR::get(cntl) ? pipeline::Killed::by_any_vertex : pipeline::Killed::by_all_vertices;
  clip.viewport_by_vertex = Cntl::VTE_VPORT_PROVOKE_DISABLE::get(cntl);
  if (const uint32_t planes = UserClipPlanes<R>::bits(cntl)) points_at_planes<R>(r, planes, clip);
  if (Cntl::UCP_CULL_ONLY_ENA::get(cntl)) clip.cull_distances |= clip.distances, clip.distances = 0;
  clip.non_finite = non_finite_of<R>(r);
  const pipeline::DiscardBand band = discard_band_of<R>(r);
  clip.cull_distances |= band.distances();
  if (band.lacks_places)
    reports.unknown("PA_CL_GB_HORZ_DISC_ADJ, PA_CL_GB_VERT_DISC_ADJ: with so many distances of the program's");
  return clip;
}

template <class R>
pipeline::Grid grid_of(const RegisterFile& r) {
  using Vtx = typename R::PA_SU_VTX_CNTL;
  const auto cntl = r.read<Vtx>();
  static constexpr unsigned denominators[] = {16, 8, 4, 2, 1, 256, 1024, 4096};
  pipeline::Grid grid;
  grid.denominator = denominators[Vtx::QUANT_MODE::get(cntl)];
  grid.pixel_centre = Vtx::PIX_CENTER::get(cntl) ? 0.5f : 0.0f;
  switch (Vtx::ROUND_MODE::get(cntl)) {
    case 0: grid.rounding = pipeline::GridRounding::truncate; break;
    case 1: grid.rounding = pipeline::GridRounding::nearest; break;
    default: grid.rounding = pipeline::GridRounding::nearest_even;  // to odd (3) differs for exact halves only
  }
  return grid;
}

// Samples of the four pixels of a quad: four bits a coordinate, signed, 1/16 pixel from the centre.
template <class R>
void samples_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  using Even = typename R::PA_SC_AA_MASK_X0Y0_X1Y0;
  using Odd = typename R::PA_SC_AA_MASK_X0Y1_X1Y1;
  std::array<pipeline::Rasterization::PixelSamples, 3> others;
  auto place = [](uint32_t x, uint32_t y) {
    auto coordinate = [](uint32_t bits) { return int8_t(8 + (int(bits) ^ 8) - 8); };
    return pipeline::SamplePosition{coordinate(x), coordinate(y)};
  };
  bool differ = false;
  for (unsigned n = 0; n < raster.samples; n++) {
    raster.sample_positions[n] = place(R::PlacesX0Y0::X::get(r, n), R::PlacesX0Y0::Y::get(r, n));
    others[0].positions[n] = place(R::PlacesX1Y0::X::get(r, n), R::PlacesX1Y0::Y::get(r, n));
    others[1].positions[n] = place(R::PlacesX0Y1::X::get(r, n), R::PlacesX0Y1::Y::get(r, n));
    others[2].positions[n] = place(R::PlacesX1Y1::X::get(r, n), R::PlacesX1Y1::Y::get(r, n));
    for (const auto& other : others) differ |= other.positions[n] != raster.sample_positions[n];
  }
  const auto even = r.read<Even>();
  const auto odd = r.read<Odd>();
  raster.sample_mask = Even::AA_MASK_X0Y0::get(even);
  others[0].mask = Even::AA_MASK_X1Y0::get(even);
  others[1].mask = Odd::AA_MASK_X0Y1::get(odd), others[2].mask = Odd::AA_MASK_X1Y1::get(odd);
  const uint32_t seen = (1u << raster.samples) - 1;
  for (const auto& other : others) differ |= (other.mask ^ raster.sample_mask) & seen;
  if (differ) raster.other_pixels = others;
}

// The registers name the samples in the order in which they are preferred as a centroid. Those that they do not name come after
// them, as they are numbered (no text says it; a reset's zeros name sample 0 alone).
template <class R>
void centroid_order_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  std::array<uint8_t, 16> order{};
  unsigned count = 0;
  uint32_t named = 0;
  auto add = [&](uint32_t sample) {
    if (!(named >> sample & 1)) order[count++] = uint8_t(sample);
    named |= 1u << sample;
  };
  for (unsigned n = 0; n < 16; n++) add(CentroidPriorities<R>::get(r, n));
  for (unsigned n = 0; n < 16; n++) add(n);
  uint8_t last = 0;
  for (uint8_t sample : order) {  // (samples that there are)
    if (sample >= raster.samples) continue;
    if (sample < last) raster.centroid_order = order;
    last = sample;
  }
}

template <class R>
bool draws_list_of_lines(const RegisterFile& r) {
  using Type = typename R::VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  const uint32_t type = r.get<Type>();
  return type == Type::DI_PT_LINELIST || type == Type::DI_PT_LINELIST_ADJ;
}

// A list's lines are primitives, a strip is a packet (AUTO_RESET_CNTL), as is a polygon's outline. If a list is one packet, all
// of its lines go on in one pattern.
template <class R>
void line_stipple_of(const RegisterFile& r, Reports& reports, pipeline::Rasterization& raster) {
  using Stipple = typename R::PA_SC_LINE_STIPPLE;
  using Reset = pipeline::Rasterization::StippleReset;
  const auto stipple = r.read<Stipple>();
  raster.line_stipple = r.get<typename R::PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE>();
  const auto pattern = uint16_t(Stipple::LINE_PATTERN::get(stipple));
  auto from_the_other_end = [](uint16_t bits) {
    uint16_t turned = 0;
    for (unsigned n = 0; n < 16; n++) turned |= uint16_t((bits >> n & 1) << (15 - n));
    return turned;
  };
  raster.line_stipple_pattern = Stipple::PATTERN_BIT_ORDER::get(stipple) ? from_the_other_end(pattern) : pattern;
  raster.line_stipple_factor = Stipple::REPEAT_COUNT::get(stipple) + 1;
  const uint32_t control = r.get<typename R::StippleReset>();
  switch (control) {
    case 1: raster.line_stipple_reset = Reset::lines; break;
    case 2: raster.line_stipple_reset = draws_list_of_lines<R>(r) ? Reset::none : Reset::strips; break;
    default:
      raster.line_stipple_reset = Reset::none;
      if (control == 3 && raster.line_stipple) reports.unknown(fmt::format("{} 3", R::stipple_reset_name));
  }
  if (control == 1 || control == 2) return;
  using State = typename R::PA_SC_LINE_STIPPLE_STATE;
  const auto state = r.read<State>();
  raster.line_stipple_start = State::CURRENT_PTR::get(state) * raster.line_stipple_factor +
                              std::min(State::CURRENT_COUNT::get(state), raster.line_stipple_factor - 1);
}

// The coordinate along lines, of programs that ask for it.
template <class R>
void line_coordinate_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  if (!r.get<typename R::SPI_PS_INPUT_ENA::LINE_STIPPLE_TEX_ENA>() ||
      !r.get<typename R::SPI_PS_INPUT_ADDR::LINE_STIPPLE_TEX_ENA>())
    return;
  using Control = typename R::PA_SU_LINE_STIPPLE_CNTL;
  using Reset = pipeline::Rasterization::LineCoordinate::Reset;
  const auto control = r.read<Control>();
  // (A list is one packet, which ends with the draw.)
  constexpr Reset resets[] = {Reset::none, Reset::lines, Reset::strips, Reset::outlines};
  Reset reset = resets[Control::LINE_STIPPLE_RESET::get(control)];
  if (reset == Reset::strips && draws_list_of_lines<R>(r)) reset = Reset::none;
  pipeline::Rasterization::LineCoordinate line;
  line.reset = reset;
  line.full_length = Control::EXPAND_FULL_LENGTH::get(control) != 0;
  line.fractions = Control::FRACTIONAL_ACCUM::get(control) != 0;
  if constexpr (requires { typename Control::DIAMOND_ADJUST; })
    line.from_first_pixel = Control::DIAMOND_ADJUST::get(control) != 0;
  line.scale = r.as_float<typename R::PA_SU_LINE_STIPPLE_SCALE>();
  line.start = r.get<typename R::PA_SU_LINE_STIPPLE_VALUE::LINE_STIPPLE_VALUE>();
  raster.line_coordinate = line;
}

template <class R>
void scissors_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  raster.scissors = {scissor_of<R, typename R::PA_SC_SCREEN_SCISSOR_TL, typename R::PA_SC_SCREEN_SCISSOR_BR>(r),
                     window_scissor_of<R, typename R::PA_SC_WINDOW_SCISSOR_TL, typename R::PA_SC_WINDOW_SCISSOR_BR>(r),
                     window_scissor_of<R, typename R::PA_SC_GENERIC_SCISSOR_TL, typename R::PA_SC_GENERIC_SCISSOR_BR>(r)};
  raster.clip_rectangle_rule = uint16_t(r.get<typename R::PA_SC_CLIPRECT_RULE::CLIP_RULE>());
  raster.use_clip_rectangles = raster.clip_rectangle_rule != 0xffff;
  for (unsigned n = 0; n < 4; n++) {
    pipeline::Rectangle& box = raster.clip_rectangles[n];
    using TopLeft = typename R::PA_SC_CLIPRECT_TL;
    using BottomRight = typename R::PA_SC_CLIPRECT_BR;
    box = {int(r.get<typename TopLeft::TL_X>(n)), int(r.get<typename TopLeft::TL_Y>(n)),
           int(r.get<typename BottomRight::BR_X>(n)), int(r.get<typename BottomRight::BR_Y>(n))};
    if constexpr (requires { typename R::PA_SC_CLIPRECT_EXT; }) {  // the bits above their 15
      using Extended = typename R::PA_SC_CLIPRECT_EXT;
      const auto more = r.read<Extended>(n);
      box.left |= int(Extended::TL_X_EXT::get(more) << 15), box.top |= int(Extended::TL_Y_EXT::get(more) << 15);
      box.right |= int(Extended::BR_X_EXT::get(more) << 15), box.bottom |= int(Extended::BR_Y_EXT::get(more) << 15);
    }
  }
}

// PA_SC_EDGERULE: a bit each for the left, right, top and bottom edges; of lines for the left and right ones of those that lead down (to
// the right) and up (to the left) besides, then for the top and bottom ones of level ones.
template <class R>
void edge_rules_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  using Rule = typename R::PA_SC_EDGERULE;
  const auto rule = r.read<Rule>();
  auto edges = [](uint32_t across, uint32_t along) {
    return pipeline::EdgeRule{bool(across & 2), bool(across & 1), bool(along & 2), bool(along & 1)};
  };
  auto of_polygon = [&](uint32_t bits) { return edges(bits >> 2, bits); };
  raster.triangle_edges = of_polygon(Rule::ER_TRI::get(rule));
  raster.point_edges = of_polygon(Rule::ER_POINT::get(rule));
  raster.rectangle_edges = of_polygon(Rule::ER_RECT::get(rule));
  const uint32_t right = Rule::ER_LINE_LR::get(rule), left = Rule::ER_LINE_RL::get(rule);
  const uint32_t down = Rule::ER_LINE_TB::get(rule), up = Rule::ER_LINE_BT::get(rule);
  constexpr uint32_t top = 2;  // (lines that lead down or up have no bits for level edges)
  raster.line_edges = {edges(right >> 4, right), edges(right >> 2, right), edges(left >> 4, left), edges(left >> 2, left),
                       edges(down >> 2, top),    edges(down, top),         edges(up >> 2, top),    edges(up, top)};
}

// Culling, polygon modes and offsets.
template <class R>
void polygons_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  using Mode = typename R::PA_SU_SC_MODE_CNTL;
  const auto mode = r.read<Mode>();
  raster.cull_front = Mode::CULL_FRONT::get(mode), raster.cull_back = Mode::CULL_BACK::get(mode);
  // The cross product is that of y growing upwards, where a positive one turns counter-clockwise (Mesa si_state.c: FACE is 1
  // unless front_ccw, which is as seen on the screen).
  raster.front_is_clockwise = Mode::FACE::get(mode);
  constexpr uint32_t dual_mode = 1;
  if (Mode::POLY_MODE::get(mode) == dual_mode) {
    auto fill = [](uint32_t type) {
      return type == 0 ? pipeline::Fill::points : type == 1 ? pipeline::Fill::lines : pipeline::Fill::triangles;
    };
    raster.fill_front = fill(Mode::POLYMODE_FRONT_PTYPE::get(mode));
    raster.fill_back = fill(Mode::POLYMODE_BACK_PTYPE::get(mode));
  }
  raster.discard = r.get<typename R::PA_CL_CLIP_CNTL::DX_RASTERIZATION_KILL>();
  raster.offset_front = Mode::POLY_OFFSET_FRONT_ENABLE::get(mode);
  raster.offset_back = Mode::POLY_OFFSET_BACK_ENABLE::get(mode);
  raster.offset_points_and_lines = Mode::POLY_OFFSET_PARA_ENABLE::get(mode);
  // The register says what a unit is, whatever the depth buffer has. Mesa programs units of 16 and 24 bits four and two times as
  // large as OpenGL's least step (si_state.c, si_create_rs_state), RADV as they come.
  using Format = typename R::PA_SU_POLY_OFFSET_DB_FMT_CNTL;
  const auto format = r.read<Format>();
  const auto exponent = int(Format::POLY_OFFSET_NEG_NUM_DB_BITS::get(format));  // 8 bits with sign
  raster.offset_exponent = exponent - (exponent & 0x80) * 2;
  raster.offset_of_floats = Format::POLY_OFFSET_DB_IS_FLOAT_FMT::get(format);
  // Slopes are per 1/16 pixel.
  const float clamp = r.as_float<typename R::PA_SU_POLY_OFFSET_CLAMP>();
  raster.depth_offset_front = {r.as_float<typename R::PA_SU_POLY_OFFSET_FRONT_SCALE>() / 16,
                               r.as_float<typename R::PA_SU_POLY_OFFSET_FRONT_OFFSET>(), clamp};
  raster.depth_offset_back = {r.as_float<typename R::PA_SU_POLY_OFFSET_BACK_SCALE>() / 16,
                              r.as_float<typename R::PA_SU_POLY_OFFSET_BACK_OFFSET>(), clamp};
}

template <class R>
void points_and_lines_of(const RegisterFile& r, Reports& reports, pipeline::Rasterization& raster) {
  using Size = typename R::PA_SU_POINT_SIZE;
  using Limits = typename R::PA_SU_POINT_MINMAX;
  using Out = typename R::PA_CL_VS_OUT_CNTL;
  using Line = typename R::PA_SC_LINE_CNTL;
  // Sizes are halves in 1/16 pixel.
  const auto size = r.read<Size>();
  const auto limits = r.read<Limits>();
  const auto out = r.read<Out>();
  const auto line = r.read<Line>();
  raster.point_width = float(Size::WIDTH::get(size)) / 8;
  raster.point_height = float(Size::HEIGHT::get(size)) / 8;
  raster.point_least = float(Limits::MIN_SIZE::get(limits)) / 8;
  raster.point_most = float(Limits::MAX_SIZE::get(limits)) / 8;
  raster.point_size_from_vertex = Out::USE_VTX_POINT_SIZE::get(out) && Out::VS_OUT_MISC_VEC_ENA::get(out);
  raster.sprite_origin_bottom = r.get<typename R::SPI_INTERP_CONTROL_0::PNT_SPRITE_TOP_1>();
  raster.line_width = float(r.get<typename R::PA_SU_LINE_CNTL::WIDTH>()) / 8;
  raster.rectangular_lines = Line::PERPENDICULAR_ENDCAP_ENA::get(line);
  raster.lines_end_along_axis = !raster.rectangular_lines;
  raster.line_width_expanded = Line::EXPAND_LINE_WIDTH::get(line);
  raster.last_line_pixel = Line::LAST_PIXEL::get(line);
  raster.direct3d_diamonds = Line::DX10_DIAMOND_TEST_ENA::get(line);
  line_stipple_of<R>(r, reports, raster);
  line_coordinate_of<R>(r, raster);
}

template <class R>
void sample_state_of(const RegisterFile& r, pipeline::Rasterization& raster) {
  using Config = typename R::PA_SC_AA_CONFIG;
  const auto aa = r.read<Config>();
  const bool msaa = r.get<typename R::PA_SC_MODE_CNTL_0::MSAA_ENABLE>();
  raster.samples = 1u << std::min(Config::MSAA_NUM_SAMPLES::get(aa), 4u);
  raster.sample_mask = r.get<typename R::PA_SC_AA_MASK_X0Y0_X1Y0::AA_MASK_X0Y0>();
  // One sample lies at the pixel's centre unless the registers are to place it, and is the pixel's centre for what is interpolated
  // unless the two are to be told apart.
  bool placed = false;
  if constexpr (requires { typename R::PA_SC_ENHANCE; }) {
    using Enhance = typename R::PA_SC_ENHANCE;
    const auto enhance = r.read<Enhance>();
    placed = raster.samples == 1 && msaa && Enhance::ENABLE_1XMSAA_SAMPLE_LOCATIONS::get(enhance);
    raster.off_centre_sample = placed && Enhance::ENABLE_1XMSAA_SAMPLE_LOC_CENTROID::get(enhance);
  }
  if ((raster.samples > 1 && msaa) || placed)
    samples_of<R>(r, raster);
  else if (raster.samples > 1)
    raster.sample_positions.fill({8, 8});
  raster.over_rasterize = r.get<typename R::DB_EQAA::OVERRASTERIZATION_AMOUNT>() != 0;
  raster.sample_shading = r.get<typename R::PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE>();
  // A run of the program is for the samples of one in so many places (Mesa ac_get_ps_iter_mask()).
  raster.shaded_samples = 1u << std::min(r.get<typename R::ShadedSamples>(), 4u);
  raster.centroid_before_mask = Config::AA_MASK_CENTROID_DTMN::get(aa);
  if (raster.samples > 1 && msaa) centroid_order_of<R>(r, raster);
}

template <class R>
pipeline::Rasterization rasterization_of(const RegisterFile& r, Reports& reports) {
  pipeline::Rasterization raster;
  raster.grid = grid_of<R>(r);
  edge_rules_of<R>(r, raster);
  polygons_of<R>(r, raster);
  points_and_lines_of<R>(r, reports, raster);
  sample_state_of<R>(r, raster);
  scissors_of<R>(r, raster);
  return raster;
}

}  // namespace Atoll::gpu::amd
