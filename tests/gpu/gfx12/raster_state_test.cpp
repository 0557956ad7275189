// Registers of GE, PA and SC, a field after the other, as pipeline state. Places and meanings: Mesa 25.0.7 src/amd/registers/gfx12.json,
// src/gallium/drivers/radeonsi/si_state.c and si_state_viewport.c, src/amd/vulkan/radv_cmd_buffer.c.
#include "gpu/gfx12/draw/raster_state.h"

#include <limits>

#include "gpu/gfx12/draw_registers.h"
#include "gpu/gfx12/state/draw_registers.h"
#include "pipeline/front/input_primitives.h"

namespace Atoll::gfx12::test {
namespace {

using pipeline::Fill;
using pipeline::Rectangle;
using pipeline::Topology;

struct RasterState : DrawRegistersTest {
  pipeline::Rasterization raster() { return rasterization_of(context); }
  pipeline::Rasterization with(uint32_t address, uint32_t value) {
    set(address, value);
    auto made = raster();
    set(address, 0u);
    return made;
  }
};

TEST_F(RasterState, Topologies) {
  const std::pair<uint32_t, Topology> rows[] = {{1, Topology::points},
                                                {2, Topology::lines},
                                                {3, Topology::line_strip},
                                                {4, Topology::triangles},
                                                {5, Topology::triangle_fan},
                                                {6, Topology::triangle_strip},
                                                {9, Topology::patches},
                                                {10, Topology::lines_adjacency},
                                                {11, Topology::line_strip_adjacency},
                                                {12, Topology::triangles_adjacency},
                                                {13, Topology::triangle_strip_adjacency},
                                                {17, Topology::rectangles},
                                                {18, Topology::line_loop},
                                                {19, Topology::quads},
                                                {20, Topology::quad_strip},
                                                {21, Topology::polygon}};
  for (auto [value, expected] : rows) {
    Topology topology{};
    set(0x30908, value | 3 << 6);  // VGT_PRIMITIVE_TYPE; NUM_INPUT_CP
    ASSERT_TRUE(topology_of(context, topology)) << value;
    EXPECT_EQ(topology, expected) << value;
  }
  EXPECT_EQ(assembly_of(context.registers, Topology::patches, false, 2).patch_vertices, 3u);
  Topology topology{};
  set(0x30908, 7);
  EXPECT_FALSE(topology_of(context, topology));
  EXPECT_EQ(unknown(), "primitive type 7\n");
}

// OpenGL 4.6, table 10.1: the second triangle of a strip begins with the corner that stands third there, whichever vertex provokes.
TEST_F(RasterState, StripsWithAdjacency) {
  for (bool last : {false, true}) {
    set(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST::of(last));
    const auto assembly = assembly_of(context.registers, Topology::triangle_strip_adjacency, false, 0);
    EXPECT_EQ(assembly.provoking, last ? pipeline::ProvokingVertex::last : pipeline::ProvokingVertex::first);
    pipeline::Vertices vertices;
    vertices.count = 10;
    pipeline::InputPrimitives input(vertices, assembly);
    std::vector<uint32_t> numbers;
    input.next(100, numbers);
    EXPECT_EQ(numbers, (std::vector<uint32_t>{0, 1, 2, 6, 4, 3, 4, 0, 2, 5, 6, 8, 4, 2, 6, 9, 8, 7})) << last;
  }
}

TEST_F(RasterState, Restart) {
  auto assembly = [&](bool indexed, unsigned bytes) {
    return assembly_of(context.registers, Topology::line_strip, indexed, bytes);
  };
  set(0x2840c, ~0u);  // VGT_MULTI_PRIM_IB_RESET_INDX
  EXPECT_FALSE(assembly(true, 2).restart);
  set(0x3092c, 1);  // GE_MULTI_PRIM_IB_RESET_EN.RESET_EN
  EXPECT_TRUE(assembly(true, 2).restart && assembly(false, 0).restart);
  EXPECT_EQ(assembly(true, 1).restart_index, 0xffu);
  EXPECT_EQ(assembly(true, 2).restart_index, 0xffffu);
  EXPECT_EQ(assembly(true, 4).restart_index, ~0u);
  set(0x3092c, 3);  // MATCH_ALL_BITS
  EXPECT_EQ(assembly(true, 2).restart_index, ~0u);
  set(0x3092c, 5);  // DISABLE_FOR_AUTO_INDEX
  EXPECT_TRUE(assembly(true, 2).restart && !assembly(false, 0).restart);
  set(0x2881c, 1u << 19);  // PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST
  EXPECT_EQ(assembly(true, 2).provoking, pipeline::ProvokingVertex::last);
  set(0x309b4, 77);  // VGT_PRIMITIVEID_RESET
  EXPECT_EQ(assembly(true, 2).first_primitive, 77u);
}

TEST_F(RasterState, Viewports) {
  for (uint32_t n = 0; n < 16; n++) {
    const uint32_t at = 0x2843c + n * 0x20;  // PA_CL_VPORT_XSCALE to PA_SC_VPORT_ZMAX
    for (uint32_t k = 0; k < 8; k++) set_float(at + k * 4, float(n * 10 + k + 1));
    set(0x28250 + n * 8, n | (n + 1) << 16);                        // PA_SC_VPORT_SCISSOR_TL
    set(0x28254 + n * 8, (20000 + n) | uint32_t(40000 + n) << 16);  // _BR: the last pixels, all 16 bits
  }
  set(0x28814, 0x3f);  // PA_CL_VTE_CNTL
  set(0x28a48, 2);     // PA_SC_MODE_CNTL_0.VPORT_SCISSOR_ENABLE
  pipeline::Draw draw;
  viewports_of(context.registers, draw);
  EXPECT_TRUE(draw.scissor_viewports);
  for (int n = 0; n < 16; n++) {
    const pipeline::Viewport& v = draw.viewports[size_t(n)];
    const float at = float(n * 10);
    EXPECT_EQ(v.scale, (std::array{at + 1, at + 3, at + 5}));
    EXPECT_EQ(v.offset, (std::array{at + 2, at + 4, at + 6}));
    EXPECT_EQ(v.depth_low, at + 7);
    EXPECT_EQ(v.depth_high, at + 8);
    EXPECT_EQ(draw.viewport_scissors[size_t(n)], (Rectangle{n, n + 1, 20001 + n, 40001 + n}));
  }
  set(0x28064, 1);  // DB_VIEWPORT_CONTROL.DISABLE_VIEWPORT_CLAMP
  set(0x28814, 0);
  viewports_of(context.registers, draw);
  EXPECT_EQ(draw.viewports[3].depth_low, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(draw.viewports[3].depth_high, std::numeric_limits<float>::infinity());
  EXPECT_EQ(draw.viewports[3].scale, (std::array{1.0f, 1.0f, 1.0f}));
  EXPECT_EQ(draw.viewports[3].offset, (std::array{0.0f, 0.0f, 0.0f}));
}

// Viewports' own rectangles, beside the scissors or without them (Mesa 25.0.7 ac_cmdbuf.c on PA_SC_VPORT_*).
TEST_F(RasterState, ImplicitScissorsOfViewports) {
  for (uint32_t n = 0; n < 16; n++) {
    set({{0x28100 + n * 8, (10 + n) | 5 << 16}, {0x28104 + n * 8, 99 | (79 + n) << 16}});  // PA_SC_VPORT_TL, _BR
    set({{0x28250 + n * 8, 20 | 2 << 16}, {0x28254 + n * 8, (89 + n) | 200 << 16}});       // PA_SC_VPORT_SCISSOR_TL, _BR
  }
  pipeline::Draw draw;
  for (auto [mode, expected] :
       {std::pair{0x80u, Rectangle{13, 5, 100, 83}}, {0x82u, Rectangle{20, 5, 93, 83}}, {2u, Rectangle{20, 2, 93, 201}}}) {
    set(0x28a48, mode);  // PA_SC_MODE_CNTL_0: VPORT_SCISSOR_ENABLE, IMPLICIT_VPORT_SCISSOR_ENABLE
    viewports_of(context.registers, draw);
    EXPECT_TRUE(draw.scissor_viewports);
    EXPECT_EQ(draw.viewport_scissors[3], expected) << mode;
  }
  set(0x28a48, 0);
  viewports_of(context.registers, draw);
  EXPECT_FALSE(draw.scissor_viewports);
}

// An empty one is {1, 1, 0, 0} (si_emit_one_scissor).
TEST_F(RasterState, Scissors) {
  set({{0x28180, 1 | 2 << 16}, {0x28184, 0xffffffff}});       // screen
  set({{0x28204, 3 | 4 << 16}, {0x28208, 799 | 599 << 16}});  // window
  set({{0x28240, 1 | 1 << 16}, {0x28244, 0}});                // generic
  EXPECT_EQ(raster().scissors, (std::vector<Rectangle>{{1, 2, 65536, 65536}, {3, 4, 800, 600}, {1, 1, 1, 1}}));
  set(0x2820c, 0xffff);  // PA_SC_CLIPRECT_RULE
  EXPECT_FALSE(raster().use_clip_rectangles);
  set({{0x2820c, 0xaaaa}, {0x28218, 5 | 6 << 16}, {0x2821c, 7 | 8 << 16}, {0x28378, 1 | 2 << 2 | 3 << 4 | 1 << 6}});
  const auto state = raster();
  EXPECT_TRUE(state.use_clip_rectangles);
  EXPECT_EQ(state.clip_rectangle_rule, 0xaaaa);
  // (PA_SC_CLIPRECT_1_EXT has the bits above 15.)
  EXPECT_EQ(state.clip_rectangles[1], (Rectangle{5 + 3 * 32768, 6 + 32768, 7 + 32768, 8 + 2 * 32768}));
}

TEST_F(RasterState, Clipping) {
  auto clip = [&](uint32_t cntl, uint32_t out = 0, uint32_t vte = 0x400) {
    set({{0x28810, cntl}, {0x28818, out}, {0x28814, vte}});
    return clip_of(context);
  };
  set_float(0x28430, 1.0f), set_float(0x28438, 1.0f);  // PA_CL_GB_VERT_DISC_ADJ, _HORZ_: nothing inside is dropped
  const pipeline::Clip plain = clip(0);
  EXPECT_TRUE(plain.enable && plain.divide && !plain.w_is_reciprocal && plain.cut_near && plain.cut_far &&
              !plain.depth_from_zero);
  EXPECT_FALSE(clip(1 << 16).enable);
  EXPECT_TRUE(clip(1 << 19).depth_from_zero);
  EXPECT_FALSE(clip(1 << 26).cut_near);
  EXPECT_FALSE(clip(1 << 27).cut_far);
  EXPECT_FALSE(clip(0, 0, 0x100).divide);
  EXPECT_TRUE(clip(0, 0, 0).w_is_reciprocal);
  EXPECT_EQ(clip(0, 0xa5).distances, 0xa5);
  EXPECT_EQ(clip(0, 0x5a00).cull_distances, 0x5a);
  EXPECT_EQ(clip(0x21).distances, 0x21);  // UCP_ENA_n
  EXPECT_EQ(clip(0, 1 << 20 | 1 << 21).killed, pipeline::Killed::by_all_vertices);
  EXPECT_EQ(clip(1 << 21, 1 << 20 | 1 << 21).killed, pipeline::Killed::by_any_vertex);
  set_float(0x28434, 3.0f), set_float(0x2842c, 2.0f);  // PA_CL_GB_HORZ_CLIP_ADJ, _VERT_
  EXPECT_EQ(clip(0).guard_band_x, 3.0f);
  EXPECT_EQ(clip(0).guard_band_y, 2.0f);
  EXPECT_EQ(unknown(), "");
  clip(1 << 28);
  EXPECT_EQ(unknown(), "PA_CL_CLIP_CNTL.ZCLIP_PROG_NEAR_ENA\n");
}

TEST_F(RasterState, Polygons) {
  constexpr uint32_t mode = 0x2881c;  // PA_SU_SC_MODE_CNTL
  EXPECT_TRUE(with(mode, 1).cull_front);
  EXPECT_TRUE(with(mode, 2).cull_back);
  EXPECT_TRUE(with(mode, 4).front_is_clockwise);
  EXPECT_EQ(with(mode, 0 << 5 | 1 << 8).fill_front, Fill::triangles);  // not in dual mode
  EXPECT_EQ(with(mode, 1 << 3 | 0 << 5 | 1 << 8).fill_front, Fill::points);
  EXPECT_EQ(with(mode, 1 << 3 | 0 << 5 | 1 << 8).fill_back, Fill::lines);
  EXPECT_TRUE(with(mode, 1 << 11).offset_front);
  EXPECT_TRUE(with(mode, 1 << 12).offset_back);
  EXPECT_TRUE(with(mode, 1 << 13).offset_points_and_lines);
  EXPECT_TRUE(with(0x28810, 1 << 22).discard);
  set(0x28b78, uint32_t(uint8_t(-23)) | 1 << 8);
  set_float(0x28b7c, 0.5f), set_float(0x28b80, 32.0f), set_float(0x28b84, 3.0f), set_float(0x28b88, 48.0f),
      set_float(0x28b8c, 5.0f);
  const auto state = raster();
  EXPECT_EQ(state.offset_exponent, -23);
  EXPECT_TRUE(state.offset_of_floats);
  EXPECT_EQ(state.depth_offset_front.factor, 2.0f);
  EXPECT_EQ(state.depth_offset_front.units, 3.0f);
  EXPECT_EQ(state.depth_offset_back.factor, 3.0f);
  EXPECT_EQ(state.depth_offset_back.units, 5.0f);
  EXPECT_EQ(state.depth_offset_back.clamp, 0.5f);
}

TEST_F(RasterState, PointsAndLines) {
  set({{0x28a00, 8 | 24 << 16}, {0x28a04, 4 | 0xffffu << 16}});
  auto state = raster();
  EXPECT_EQ(state.point_height, 1.0f);
  EXPECT_EQ(state.point_width, 3.0f);
  EXPECT_EQ(state.point_least, 0.5f);
  EXPECT_EQ(state.point_most, 65535.0f / 8);
  EXPECT_TRUE(with(0x28818, 1 << 16 | 1 << 21).point_size_from_vertex);
  EXPECT_FALSE(with(0x28818, 1 << 16).point_size_from_vertex);
  EXPECT_TRUE(with(0x28644, 1 << 14).sprite_origin_bottom);
  EXPECT_EQ(with(0x28a08, 20).line_width, 2.5f);
  EXPECT_TRUE(with(0x28bdc, 1 << 11).rectangular_lines);
  EXPECT_TRUE(with(0x28bdc, 1 << 9).line_width_expanded);
  EXPECT_TRUE(with(0x28bdc, 1 << 10).last_line_pixel);
  EXPECT_TRUE(with(0x28bdc, 1 << 12).direct3d_diamonds);
  // Patterns: PA_SC_LINE_STIPPLE, and when they begin anew PA_SC_LINE_STIPPLE_RESET.
  using Reset = pipeline::Rasterization::StippleReset;
  set({{0x28a48, 4}, {0x28a0c, 0x1234 | 2 << 16}, {0x28a44, 1}});
  state = raster();
  EXPECT_TRUE(state.line_stipple);
  EXPECT_EQ(state.line_stipple_pattern, 0x1234);
  EXPECT_EQ(state.line_stipple_factor, 3u);
  EXPECT_EQ(state.line_stipple_reset, Reset::lines);
  EXPECT_EQ(with(0x28a44, 2).line_stipple_reset, Reset::strips);
  set({{0x28a44, 0}, {0x30a04, 5 | 1 << 8}, {0x28a0c, 0x0001 | 1 << 28 | 2 << 16}});
  state = raster();
  EXPECT_EQ(state.line_stipple_reset, Reset::none);
  EXPECT_EQ(state.line_stipple_start, 5u * 3 + 1);
  EXPECT_EQ(state.line_stipple_pattern, 0x8000);
}

TEST_F(RasterState, Grid) {
  const std::pair<uint32_t, unsigned> modes[] = {{0, 16}, {1, 8}, {2, 4}, {3, 2}, {4, 1}, {5, 256}, {6, 1024}, {7, 4096}};
  for (auto [mode, denominator] : modes) EXPECT_EQ(with(0x28be4, mode << 3).grid.denominator, denominator);
  EXPECT_EQ(with(0x28be4, 1).grid.pixel_centre, 0.5f);
  EXPECT_EQ(with(0x28be4, 0).grid.pixel_centre, 0.0f);
  EXPECT_EQ(with(0x28be4, 0 << 1).grid.rounding, pipeline::GridRounding::truncate);
  EXPECT_EQ(with(0x28be4, 1 << 1).grid.rounding, pipeline::GridRounding::nearest);
  EXPECT_EQ(with(0x28be4, 2 << 1).grid.rounding, pipeline::GridRounding::nearest_even);
  // OpenGL's windows: si_create_rs_state(), bottom_edge_rule.
  const auto edges = with(0x28230, 0xaaaaa95a);
  EXPECT_EQ(edges.triangle_edges, (pipeline::EdgeRule{.left = true, .right = false, .top = true, .bottom = false}));
  EXPECT_EQ(edges.point_edges, (pipeline::EdgeRule{.left = false, .right = true, .top = false, .bottom = true}));
  EXPECT_EQ(edges.rectangle_edges, (pipeline::EdgeRule{.left = true, .right = false, .top = false, .bottom = true}));
}

TEST_F(RasterState, Samples) {
  set({{0x28a48, 1}, {0x28be0, 2}, {0x28c38, ~0u}, {0x28c3c, ~0u}});  // MSAA_ENABLE, MSAA_NUM_SAMPLES, masks
  // 4 samples as radeonsi has them (si_state_msaa.c: sample_locs_4x): (-2,-6), (6,-2), (-6,2), (2,6).
  const uint32_t word = 0xae | 0xe6 << 8 | 0x2a << 16 | 0x62u << 24;
  for (uint32_t at : {0x28bf8u, 0x28c08u, 0x28c18u, 0x28c28u}) set(at, word);
  auto state = raster();
  EXPECT_EQ(state.samples, 4u);
  const pipeline::SamplePosition places[] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
  for (unsigned n = 0; n < 4; n++) EXPECT_EQ(state.sample_positions[n], places[n]) << n;
  EXPECT_FALSE(state.other_pixels);
  EXPECT_FALSE(state.sample_shading);
  set({{0x28a4c, 1 << 16}, {0x28be0, 2 | 1u << 30}});  // PS_ITER_SAMPLE, PS_ITER_SAMPLES
  state = raster();
  EXPECT_TRUE(state.sample_shading);
  EXPECT_EQ(state.shaded_samples, 2u);
  set({{0x28c38, 0x0005ffff}, {0x28bf0, 0x00000123}});  // a mask of one of a quad's pixels; PA_SC_CENTROID_PRIORITY_0
  state = raster();
  ASSERT_TRUE(state.other_pixels && state.centroid_order);
  EXPECT_EQ((*state.other_pixels)[0].mask, 5u);
  EXPECT_EQ((*state.centroid_order)[0], 3);
  EXPECT_EQ((*state.centroid_order)[2], 1);
  set({{0x28a48, 0}, {0x28078, 2 << 24}});
  state = raster();
  EXPECT_EQ(state.sample_positions[3], (pipeline::SamplePosition{8, 8}));
  EXPECT_TRUE(state.over_rasterize);
}

// As RADV writes it for each mode (Mesa 25.0.7 radv_cmd_buffer.c, radv_emit_conservative_rast_mode), and PAL of GFX9 for both bits.
TEST_F(RasterState, ConservativeRasterizationIsOfTriangles) {
  using enum pipeline::Rasterization::Conservative;
  for (const auto& [control, mode] :
       {std::pair{0x100000u, off}, {0x1c00441u, touched}, {0x1c00022u, whole}, {0x1c00021u, touched}})
    for (uint32_t kind : {0u, 1u, 2u}) {  // points, lines, triangles
      set({{0x28c54, control}, {0x28078, 4 << 24}, {0x30998, kind}});
      const pipeline::Rasterization state = raster();
      EXPECT_EQ(state.conservative, kind == 2 ? mode : off) << std::hex << control << " " << kind;
      EXPECT_EQ(state.over_rasterize, state.conservative == off);
      EXPECT_EQ(unknown(), "");
    }
}

}  // namespace
}  // namespace Atoll::gfx12::test
