// Scenes of GFX12 that draw triangles, lines and points through NGG, and what waves start with.
#include <cstring>

#include "amd_scenes.h"
#include "gfx12_build.h"
#include "gpu/gfx12/state/draw_registers.h"

namespace Atoll::ledger {

namespace {

struct Registers : gfx12::DrawRegisters {
  using SPI_PS_INPUT_CNTL = gfx12::SPI_PS_INPUT_CNTL;
};

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Lines = Gfx12Scene::Lines;
using Out = PA_CL_VS_OUT_CNTL;
using Mode = PA_SU_SC_MODE_CNTL;

constexpr uint32_t all_vectors =
    Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1);

void depth_test(Packets& w, uint32_t function) {
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) | Control::ZFUNC::of(function));
}

void polygon_offsets(Packets& w, float clamp) {
  w.set(PA_SU_POLY_OFFSET_CLAMP::address(), number(clamp));
  w.set(PA_SU_POLY_OFFSET_FRONT_SCALE::address(), number(2)).set(PA_SU_POLY_OFFSET_FRONT_OFFSET::address(), number(0.01f));
  w.set(PA_SU_POLY_OFFSET_BACK_SCALE::address(), number(3)).set(PA_SU_POLY_OFFSET_BACK_OFFSET::address(), number(0.02f));
}

std::unique_ptr<Scene> blended_triangles() {
  auto s = triangle_scene<Gfx12DrawScene>("triangles, blended, with depth and stencil");
  Packets& w = s->stream;
  using Blend = CB_BLEND_CONTROL;
  for (unsigned n = 0; n < 2; n++)
    w.set(Blend::address(n), Blend::ENABLE::of(1) | Blend::COLOR_SRCBLEND::of(BlendOp::BLEND_SRC_ALPHA) |
                                 Blend::COLOR_DESTBLEND::of(BlendOp::BLEND_CONSTANT_COLOR) | Blend::SEPARATE_ALPHA_BLEND::of(1) |
                                 Blend::ALPHA_SRCBLEND::of(BlendOp::BLEND_ONE) |
                                 Blend::ALPHA_DESTBLEND::of(BlendOp::BLEND_CONSTANT_ALPHA));
  w.set(CB_BLEND_RED::address(), {number(0.3f), number(0.6f), number(0.2f), number(0.7f)});
  s->bind_depth();
  // Another function and operation on each face.
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                                Control::ZFUNC::of(CompareFrag::FRAG_LESS) | Control::BACKFACE_ENABLE::of(1) |
                                Control::STENCILFUNC::of(4) | Control::STENCILFUNC_BF::of(6));
  using Ops = DB_STENCIL_CONTROL;
  w.set(Ops::address(), Ops::STENCILFAIL::of(3) | Ops::STENCILZPASS::of(5) | Ops::STENCILZFAIL::of(7) |
                            Ops::STENCILFAIL_BF::of(8) | Ops::STENCILZPASS_BF::of(12) | Ops::STENCILZFAIL_BF::of(4));
  w.set(DB_STENCIL_REF::address(), 0x0202).set(DB_STENCIL_OPVAL::address(), 0x0101);
  w.set(DB_STENCIL_READ_MASK::address(), 0xffff).set(DB_STENCIL_WRITE_MASK::address(), 0xffff);
  using Counts = DB_COUNT_CONTROL;
  w.set(Counts::address(), Counts::ZPASS_ENABLE::of(1) | Counts::PERFECT_ZPASS_COUNTS::of(1) | Counts::SLICE_EVEN_ENABLE::of(1) |
                               Counts::SLICE_ODD_ENABLE::of(1));
  w.set(DB_DEPTH_BOUNDS_MIN::address(), number(0.1f)).set(DB_DEPTH_BOUNDS_MAX::address(), number(0.9f));
  for (float clamp : {0.0f, 0.001f}) {
    polygon_offsets(w, clamp);
    w.set(Mode::address(), Mode::FACE::of(1) | Mode::POLY_OFFSET_FRONT_ENABLE::of(1) | Mode::POLY_OFFSET_BACK_ENABLE::of(1) |
                               Mode::PROVOKING_VTX_LAST::of(1));
    s->draw(Type::DI_PT_TRILIST, 18);
  }
  // The counts of whatever is left.
  w.set(Control::address(), 0);
  w.set(Counts::address(), Counts::SLICE_EVEN_ENABLE::of(1) | Counts::SLICE_ODD_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 3);
  s->counters();
  s->finish();
  return s;
}

std::unique_ptr<Scene> polygon_modes() {
  auto s = triangle_scene<Gfx12DrawScene>("polygon modes, scissors, viewports, clip distances");
  Packets& w = s->stream;
  auto corner = [](uint32_t x, uint32_t y) { return x | y << 16; };
  const uint32_t far = corner(0x7fff, 0x7fff), last = corner(width - 1, height - 1);
  s->bind_depth();
  depth_test(w, CompareFrag::FRAG_LESS);
  polygon_offsets(w, 0);
  w.set(Mode::address(), Mode::POLY_MODE::of(1) | Mode::POLYMODE_FRONT_PTYPE::of(1) | Mode::POLYMODE_BACK_PTYPE::of(0) |
                             Mode::POLY_OFFSET_FRONT_ENABLE::of(1) | Mode::POLY_OFFSET_PARA_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  // Edges that are left out: the primitives' words say which.
  w.set(PA_CL_NGG_CNTL::address(), PA_CL_NGG_CNTL::INDEX_BUF_EDGE_FLAG_ENA::of(1))
      .set(Out::address(), all_vectors | Out::USE_VTX_EDGE_FLAG::of(1));
  s->draw(Type::DI_PT_QUADLIST, 8);
  w.set(PA_CL_NGG_CNTL::address(), 0).set(Out::address(), all_vectors);
  // Each scissor alone, with the window's offset; then none, and positions in pixels.
  w.set(Mode::address(), 0).set(PA_SC_WINDOW_OFFSET::address(), corner(3, 2));
  w.set(PA_SC_WINDOW_SCISSOR_TL::address(), {corner(10, 3), corner(40, 10)});
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(PA_SC_WINDOW_SCISSOR_TL::address(), {0, last}).set(PA_SC_WINDOW_OFFSET::address(), 0);
  w.set(PA_SC_GENERIC_SCISSOR_TL::address(), {corner(10, 3), corner(40, 10)});
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(PA_SC_GENERIC_SCISSOR_TL::address(), {0, far}).set(PA_CL_VTE_CNTL::address(), 0x33f);
  w.set(PA_CL_CLIP_CNTL::address(), 0x10000);
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(PA_CL_CLIP_CNTL::address(), 0x90000).set(PA_CL_VTE_CNTL::address(), 0x43f);
  for (uint32_t adjust : {PA_CL_GB_VERT_CLIP_ADJ::address(), PA_CL_GB_HORZ_CLIP_ADJ::address()}) w.set(adjust, number(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  // Scissors inside of each other, rectangles, an offset of the window.
  w.set(Mode::address(), Mode::VTX_WINDOW_OFFSET_ENABLE::of(1)).set(PA_SC_WINDOW_OFFSET::address(), corner(1, 1));
  w.set(PA_SC_WINDOW_SCISSOR_TL::address(), {corner(2, 1), corner(60, 15)});
  w.set(PA_SC_SCREEN_SCISSOR_TL::address(), {corner(1, 1), corner(62, 15)});
  w.set(PA_SC_GENERIC_SCISSOR_TL::address(), {corner(3, 2), corner(58, 14)});
  for (unsigned n = 0; n < 4; n++)
    w.set(PA_SC_CLIPRECT_TL::address(n), corner(4 + n * 10, 1 + n))
        .set(PA_SC_CLIPRECT_BR::address(n), corner(30 + n * 8, 12 + n));
  w.set(PA_SC_CLIPRECT_RULE::address(), 0xfff2);
  for (unsigned n = 0; n < 16; n++) {
    w.set(PA_SC_VPORT_SCISSOR_TL::address(n), corner(5 + n, 2)).set(PA_SC_VPORT_SCISSOR_BR::address(n), corner(50 - n, 13));
    w.set(PA_SC_VPORT_ZMIN::address(n), number(0.2f)).set(PA_SC_VPORT_ZMAX::address(n), number(0.8f));
  }
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE::of(1));
  w.set(Out::address(), all_vectors | Out::USE_VTX_VIEWPORT_INDX::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(Mode::address(), 0).set(PA_SC_WINDOW_SCISSOR_TL::address(), 0).set(PA_SC_GENERIC_SCISSOR_TL::address(), {0, far});
  w.set(PA_SC_CLIPRECT_RULE::address(), 0xffff).set(PA_SC_WINDOW_OFFSET::address(), 0);
  for (unsigned n = 0; n < 6; n++)
    w.set(PA_CL_UCP_X::address(n), {number(1), number(0.3f * float(n)), number(0.1f), number(0.9f - 0.1f * float(n))});
  w.set(Out::address(), all_vectors | Out::CLIP_DIST_ENA_0::of(1) | Out::CLIP_DIST_ENA_6::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1)).set(SPI_SHADER_POS_FORMAT::address(), 0x44);
  w.set(PA_CL_CLIP_CNTL::address(), PA_CL_CLIP_CNTL::UCP_ENA_0::of(1) | PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(PA_CL_CLIP_CNTL::address(), 0x3f);
  s->draw(Type::DI_PT_TRILIST, 18);
  s->counters();
  s->finish();
  return s;
}

std::unique_ptr<Scene> points_and_lines() {
  auto s = std::make_unique<Gfx12DrawScene>("points and lines");
  uint64_t vertex = s->table_program();
  auto in = [](unsigned to, unsigned attribute, char channel) { return Gfx12DrawScene::interpolated(to, attribute, channel); };
  uint64_t pixel = s->program(Lines{"s_mov_b32 m0, s4"} + in(10, 0, 'x') + in(11, 1, 'x') + in(12, 1, 'y') + in(13, 1, 'z') +
                              in(14, 1, 'w') + in(15, 2, 'x') + in(16, 2, 'w') + in(17, 3, 'z') +
                              Lines{"v_add_f32_e32 v12, v12, v17", "v_cvt_pk_rtz_f16_f32_e32 v20, v10, v15",
                                    "v_cvt_pk_rtz_f16_f32_e32 v21, v16, v14", "export mrt0 v20, v21, off, off",
                                    "export mrt1 v11, v12, v13, v14 done", "s_endpgm"});
  s->vertices(triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  s->bind_depth(3, false);
  depth_test(w, CompareFrag::FRAG_ALWAYS);
  polygon_offsets(w, 0);
  w.set(Mode::address(), Mode::POLY_OFFSET_FRONT_ENABLE::of(1));
  w.set(SPI_PS_INPUT_CNTL::address(2), 0x20).set(SPI_PS_INPUT_CNTL::address(3), 2);
  using Config = SPI_SHADER_GS_OUT_CONFIG_PS;
  w.set(Config::address(), Config::VS_EXPORT_COUNT::of(2) | Config::NUM_INTERP::of(4));
  w.set(PA_SU_POINT_SIZE::address(), 0x00180020).set(PA_SU_POINT_MINMAX::address(), 0x00400010);
  w.set(PA_SU_LINE_CNTL::address(), 24).set(PA_SC_LINE_CNTL::address(), 0);
  using Interp = SPI_INTERP_CONTROL_0;
  w.set(Interp::address(), Interp::FLAT_SHADE_ENA::of(1) | Interp::PNT_SPRITE_ENA::of(1) | Interp::PNT_SPRITE_OVRD_X::of(2) |
                               Interp::PNT_SPRITE_OVRD_Y::of(3) | Interp::PNT_SPRITE_OVRD_Z::of(0) |
                               Interp::PNT_SPRITE_OVRD_W::of(1));
  w.set(SPI_PS_INPUT_CNTL::address(1), 1 | SPI_PS_INPUT_CNTL::PT_SPRITE_TEX::of(1));
  s->draw(Type::DI_PT_POINTLIST, 6);
  w.set(Out::address(), all_vectors | Out::USE_VTX_POINT_SIZE::of(1));
  s->draw(Type::DI_PT_POINTLIST, 6);
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE::of(1));
  w.set(PA_SC_LINE_STIPPLE::address(), 0x1333 | PA_SC_LINE_STIPPLE::REPEAT_COUNT::of(1));
  w.set(PA_SC_LINE_STIPPLE_RESET::address(), 1);
  s->draw(Type::DI_PT_LINELIST, 6);
  w.set(PA_SC_LINE_CNTL::address(), PA_SC_LINE_CNTL::EXPAND_LINE_WIDTH::of(1));
  s->draw(Type::DI_PT_LINESTRIP, 5);
  w.set(PA_SC_MODE_CNTL_0::address(), 0).set(PA_SU_LINE_CNTL::address(), 8).set(PA_SC_LINE_CNTL::address(), 0);
  s->draw(Type::DI_PT_LINESTRIP, 5);
  // The place in the primitive behind the interpolated inputs.
  w.set(SPI_PS_IN_CONTROL::address(), SPI_PS_IN_CONTROL::PS_W32_EN::of(1) | SPI_PS_IN_CONTROL::PARAM_GEN::of(1));
  w.set(Config::address(), Config::VS_EXPORT_COUNT::of(2) | Config::NUM_INTERP::of(3));
  s->draw(Type::DI_PT_POINTLIST, 6);
  s->counters();
  s->finish();
  return s;
}

std::unique_ptr<Scene> indexed_draws() {
  auto s = triangle_scene<Gfx12DrawScene>("indexed and instanced draws, primitives of all kinds");
  Packets& w = s->stream;
  w.set(Mode::address(), Mode::PROVOKING_VTX_LAST::of(1));
  w.set(SPI_INTERP_CONTROL_0::address(), 1).set(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::FLAT_SHADE::of(1));
  w.set(GE_MULTI_PRIM_IB_RESET_EN::address(), 1).set(VGT_MULTI_PRIM_IB_RESET_INDX::address(), 0xffff);
  s->draw_indexed(Type::DI_PT_TRISTRIP, {0, 1, 2, 3, 4, 0xffff, 6, 7, 8, 9});
  w.set(GE_MULTI_PRIM_IB_RESET_EN::address(), 3).set(VGT_MULTI_PRIM_IB_RESET_INDX::address(), 0x1ffff);
  s->draw_indexed(Type::DI_PT_TRISTRIP, {0, 1, 2, 3, 4, 0xffff, 6, 7, 8, 9});
  w.set(GE_MULTI_PRIM_IB_RESET_EN::address(), 5).set(VGT_MULTI_PRIM_IB_RESET_INDX::address(), 4);
  s->draw(Type::DI_PT_TRISTRIP, 10);
  w.set(GE_INDX_OFFSET::address(), 1).set(GE_MAX_VTX_INDX::address(), 12).set(GE_MIN_VTX_INDX::address(), 1);
  s->draw_indexed(Type::DI_PT_QUADLIST, {0, 1, 2, 3, 4, 5, 6, 7});
  s->draw(Type::DI_PT_QUADSTRIP, 8);
  s->draw(Type::DI_PT_POLYGON, 5);
  s->draw(Type::DI_PT_RECTLIST, 3);
  w.set(GE_INDX_OFFSET::address(), 0).packet(packets::NUM_INSTANCES::opcode, {2});
  s->draw(Type::DI_PT_TRILIST, 3);
  // As many vertices as a shader has counted bytes of.
  w.packet(packets::NUM_INSTANCES::opcode, {1});
  w.set(VGT_STRMOUT_DRAW_OPAQUE_OFFSET::address(), {16, 256, 32});
  w.packet(packets::DRAW_INDEX_AUTO::opcode, {3, 2 | VGT_DRAW_INITIATOR::USE_OPAQUE::of(1)});
  s->counters();
  s->finish();
  return s;
}

// The initial state of vertex and pixel waves, stored by the programs themselves.
std::unique_ptr<Scene> wave_state() {
  auto s = std::make_unique<Gfx12DrawScene>("what vertex and pixel waves start with");
  uint64_t to[2] = {s->take(s->dump_bytes), s->take(s->dump_bytes)};
  uint64_t vertex = s->program(s->dump_lines(to[0], 6, 40) + Lines{"v_mov_b32_e32 v12, 0x3e000000",
                                                                   "v_mul_f32_e32 v12, 0x00400000, v12",
                                                                   "global_store_b32 v60, v12, s[94:95] offset:400",
                                                                   "v_mov_b32_e32 v13, 0x7bff",
                                                                   "v_add_f16_e32 v13, v13, v13",
                                                                   "global_store_b32 v60, v13, s[94:95] offset:404",
                                                                   "v_mov_b32_e32 v14, 0x33",
                                                                   "scratch_store_b32 off, v14, off offset:128",
                                                                   "scratch_load_b32 v15, off, off offset:128",
                                                                   "s_wait_loadcnt 0x0",
                                                                   "global_store_b32 v60, v15, s[94:95] offset:408",
                                                                   "v_mov_b32_e32 v20, 0x1a00",
                                                                   "ds_store_b32 v20, v14",
                                                                   "ds_load_b32 v21, v20",
                                                                   "s_wait_dscnt 0x0",
                                                                   "global_store_b32 v60, v21, s[94:95] offset:412",
                                                                   "v_mov_b32_e32 v1, -1.0",
                                                                   "v_mov_b32_e32 v2, 0x40400000",
                                                                   "v_cmp_eq_u32_e32 vcc_lo, 1, v3",
                                                                   "v_cndmask_b32_e32 v6, v1, v2, vcc_lo",
                                                                   "v_cmp_eq_u32_e32 vcc_lo, 2, v3",
                                                                   "v_cndmask_b32_e32 v7, v1, v2, vcc_lo",
                                                                   "v_mov_b32_e32 v8, 0.5",
                                                                   "v_mov_b32_e32 v9, 1.0",
                                                                   "export pos0 v6, v7, v8, v9 done",
                                                                   "export prim v0, off, off, off done",
                                                                   "s_endpgm"});
  uint64_t pixel = s->program(
      s->dump_lines(to[1], 26, 24) +
      Lines{"v_mov_b32_e32 v0, 1.0", "v_mov_b32_e32 v1, 4", "ds_store_b32 v1, v0", "ds_load_b32 v2, v1", "s_wait_dscnt 0x0",
            "v_mov_b32_e32 v12, 0x3e000000", "v_mul_f32_e32 v12, 0x00400000, v12",
            "global_store_b32 v60, v12, s[94:95] offset:400", "v_mov_b32_e32 v13, 0x7bff", "v_add_f16_e32 v13, v13, v13",
            "global_store_b32 v60, v13, s[94:95] offset:404", "v_mov_b32_e32 v14, 0x33",
            "scratch_store_b32 off, v14, off offset:128", "scratch_load_b32 v15, off, off offset:128", "s_wait_loadcnt 0x0",
            "global_store_b32 v60, v15, s[94:95] offset:408", "export mrt0 v0, v2, v0, v0 done", "s_endpgm"});
  s->table = s->take(256);
  s->begin(vertex, pixel);
  s->one_target();
  Packets& w = s->stream;
  using Two = SPI_SHADER_PGM_RSRC2_GS;
  using Pixel = SPI_SHADER_PGM_RSRC2_PS;
  w.set(Two::address(), Two::USER_SGPR::of(16) | Two::SCRATCH_EN::of(1) | Two::ES_VGPR_COMP_CNT::of(3) | Two::LDS_SIZE::of(8));
  w.set(Pixel::address(), Pixel::USER_SGPR::of(16) | Pixel::SCRATCH_EN::of(1));
  w.set(SPI_TMPRING_SIZE::address(), SPI_TMPRING_SIZE::WAVES::of(32) | SPI_TMPRING_SIZE::WAVESIZE::of(64));
  for (uint32_t n = 0; n < 32; n++)
    w.set(SPI_SHADER_USER_DATA_GS::address(n), 0x100 + n).set(SPI_SHADER_USER_DATA_PS::address(n), 0x200 + n);
  w.set(SPI_PS_INPUT_ENA::address(), {0xffff, 0xffff}).set(SPI_SHADER_POS_FORMAT::address(), 4).set(Out::address(), 0);
  using Config = SPI_SHADER_GS_OUT_CONFIG_PS;
  w.set(Config::address(), Config::NO_PC_EXPORT::of(1)).set(VGT_PRIMITIVEID_RESET::address(), 5);
  w.packet(packets::NUM_INSTANCES::opcode, {6});
  s->draw(Type::DI_PT_TRILIST, 3);
  w.packet(packets::NUM_INSTANCES::opcode, {1});
  s->draw(Type::DI_PT_TRILIST, 6);
  // Waves with a number, which goes on from draw to draw.
  using Stages = VGT_SHADER_STAGES_EN;
  w.set(Stages::address(), Stages::GS_W32_EN::of(1) | Stages::NGG_WAVE_ID_EN::of(1) | Stages::PRIMGEN_PASSTHRU_NO_MSG::of(1));
  w.set(GE_GS_ORDERED_ID_BASE::address(), 7);
  for (unsigned n = 0; n < 2; n++) s->draw(Type::DI_PT_TRILIST, 3);
  s->counters();
  s->finish();
  return s;
}

// Pixels that are shaded in twos and fours, as each of those asks for it who may.
std::unique_ptr<Scene> shading_rates() {
  auto s = std::make_unique<Gfx12DrawScene>("rates of shading");
  std::vector<Vertex> all = triangles();
  constexpr uint32_t codes[] = {5, 4, 1, 10, 0, 5};  // VRSrate; behind the edge flag and another bit
  for (size_t n = 0; n < all.size(); n++) all[n].misc[1].word |= codes[n / 3 % std::size(codes)] << 2;
  const uint64_t surface = s->take(0x1000, 0x1000);
  for (unsigned n = 0; n < 0x1000; n++)
    reinterpret_cast<uint8_t*>(s->words(surface))[n] = uint8_t(codes[n * 5 / 3 % std::size(codes)] | n << 4);
  s->vertices(all);
  s->begin(s->table_program(), s->plain_pixel());
  Packets& w = s->stream;
  using Rates = PA_CL_VRS_CNTL;
  using Payload = VGT_DRAW_PAYLOAD_CNTL;
  using Override = PA_SC_VRS_OVERRIDE_CNTL;
  constexpr uint32_t take = 1;  // SC_VRS_COMB_MODE_OVERRIDE
  // The draw's; the vertices'; no primitive's, over the draw's; a surface's; single pixels by samples, over the draw's; the last word's.
  w.set(GE_VRS_RATE::address(), GE_VRS_RATE::RATE_X::of(1)).set(Payload::address(), Payload::EN_VRS_RATE::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(Out::address(), all_vectors | Out::USE_VTX_VRS_RATE::of(1))
      .set(Rates::address(), Rates::VERTEX_RATE_COMBINER_MODE::of(take));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(Out::address(), all_vectors).set(SPI_SHADER_IDX_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_2COMP);
  w.set(Rates::address(), Rates::PRIMITIVE_RATE_COMBINER_MODE::of(take));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(SPI_SHADER_IDX_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_1COMP);
  w.set(PA_SC_VRS_RATE_BASE::address(),
        {uint32_t(surface >> 8), uint32_t(surface >> 40), (width / 8 - 1) | (height / 8 - 1) << 16});
  w.set(Override::address(), Override::VRS_SURFACE_ENABLE::of(1))
      .set(Rates::address(), Rates::HTILE_RATE_COMBINER_MODE::of(take));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(Override::address(), 0).set(Rates::address(), Rates::SAMPLE_ITER_COMBINER_MODE::of(take));
  w.set(PA_SC_MODE_CNTL_1::address(), PA_SC_MODE_CNTL_1::PS_ITER_SAMPLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(PA_SC_MODE_CNTL_1::address(), 0);
  w.set(Override::address(), Override::VRS_OVERRIDE_RATE_COMBINER_MODE::of(take) | Override::VRS_RATE::of(5));
  s->draw(Type::DI_PT_TRILIST, 18);
  s->counters();
  s->finish();
  return s;
}

}  // namespace

void add_draw_scenes(Gfx12Scenes& all) {
  auto add = [&](std::unique_ptr<Scene> scene, std::vector<std::string_view> blocks) {
    scene->blocks = std::move(blocks);
    all.push_back(std::move(scene));
  };
  add(blended_triangles(), {"CB", "DB", "PA", "SC", "SPI", "VGT", "GE", "GB", "CP", "SX"});
  add(polygon_modes(), {"DB", "PA", "SC", "SPI", "VGT", "GE"});
  add(positions_beyond_numbers<Registers, Gfx12DrawScene>(), {"PA"});
  add(points_and_lines(), {"PA", "SC", "SPI", "VGT"});
  add(points_at_planes<Registers, Gfx12DrawScene>(), {"PA"});
  add(indexed_draws(), {"PA", "SC", "SPI", "VGT", "GE"});
  add(wave_state(), {"SPI", "VGT", "PA", "GE"});
  add(shading_rates(), {"PA", "SC", "GE", "VGT"});
}

}  // namespace Atoll::ledger
