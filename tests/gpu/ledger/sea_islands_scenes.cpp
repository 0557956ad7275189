#include <gtest/gtest.h>

#include <cstring>

#include "amd_scenes.h"
#include "gpu/sea_islands/state/draw_registers.h"
#include "isa/gfx7/decode.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"
#include "isa/gfx7/print.h"
#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

struct Registers : sea_islands::DrawRegisters {
  using SPI_PS_INPUT_CNTL = sea_islands::SPI_PS_INPUT_CNTL;
};

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;

void blend(Packets& w) {
  using Blend = CB_BLEND_CONTROL;
  for (unsigned n = 0; n < 2; n++)
    w.set(Blend::address(n), Blend::ENABLE::of(1) | Blend::COLOR_SRCBLEND::of(BlendOp::BLEND_SRC_ALPHA) |
                                 Blend::COLOR_DESTBLEND::of(BlendOp::BLEND_CONSTANT_COLOR) | Blend::SEPARATE_ALPHA_BLEND::of(1) |
                                 Blend::ALPHA_SRCBLEND::of(BlendOp::BLEND_ONE) |
                                 Blend::ALPHA_DESTBLEND::of(BlendOp::BLEND_CONSTANT_ALPHA));
  w.set(CB_BLEND_RED::address(), {number(0.3f), number(0.6f), number(0.2f), number(0.7f)});
}

// Depth and stencil, another function and operation on each face.
void depth_stencil(Packets& w) {
  using Control = DB_DEPTH_CONTROL;
  w.set(Control::address(), Control::STENCIL_ENABLE::of(1) | Control::Z_ENABLE::of(1) | Control::Z_WRITE_ENABLE::of(1) |
                                Control::ZFUNC::of(CompareFrag::FRAG_LESS) | Control::BACKFACE_ENABLE::of(1) |
                                Control::STENCILFUNC::of(4) | Control::STENCILFUNC_BF::of(6));
  using Ops = DB_STENCIL_CONTROL;
  w.set(Ops::address(), Ops::STENCILFAIL::of(3) | Ops::STENCILZPASS::of(5) | Ops::STENCILZFAIL::of(7) |
                            Ops::STENCILFAIL_BF::of(8) | Ops::STENCILZPASS_BF::of(12) | Ops::STENCILZFAIL_BF::of(4));
  using Masks = DB_STENCILREFMASK;
  for (uint32_t address : {Masks::address(), DB_STENCILREFMASK_BF::address()})
    w.set(address, Masks::STENCILTESTVAL::of(2) | Masks::STENCILMASK::of(0xff) | Masks::STENCILWRITEMASK::of(0xff) |
                       Masks::STENCILOPVAL::of(1));
}

std::unique_ptr<Scene> blended_triangles() {
  auto s = triangle_scene<DrawScene>("triangles, blended, with depth and stencil");
  Packets& w = s->stream;
  blend(w);
  s->bind_depth();
  depth_stencil(w);
  w.set(DB_COUNT_CONTROL::address(), DB_COUNT_CONTROL::ZPASS_ENABLE::of(1) | DB_COUNT_CONTROL::PERFECT_ZPASS_COUNTS::of(1) |
                                         DB_COUNT_CONTROL::SLICE_EVEN_ENABLE::of(1) | DB_COUNT_CONTROL::SLICE_ODD_ENABLE::of(1));
  w.set(DB_DEPTH_BOUNDS_MIN::address(), {number(0.1f), number(0.9f)});
  w.set(PA_SC_LINE_CNTL::address(), 0).set(PA_SU_POINT_SIZE::address(), 0x00180018).set(PA_SU_LINE_CNTL::address(), 16);
  w.set(PA_SU_POINT_MINMAX::address(), 0xffff0000);
  for (float f : {0.0f, 0.001f}) {
    w.set(PA_SU_POLY_OFFSET_CLAMP::address(), {number(f), number(2), number(0.01f), number(3), number(0.02f)});
    using Mode = PA_SU_SC_MODE_CNTL;
    w.set(Mode::address(), Mode::FACE::of(1) | Mode::POLY_OFFSET_FRONT_ENABLE::of(1) | Mode::POLY_OFFSET_BACK_ENABLE::of(1) |
                               Mode::PROVOKING_VTX_LAST::of(1));
    s->draw(Type::DI_PT_TRILIST, 18);
  }
  s->counters();
  s->finish();
  return s;
}

std::unique_ptr<Scene> polygon_modes() {
  auto s = triangle_scene<DrawScene>("polygon modes, scissors, viewports, clip distances");
  Packets& w = s->stream;
  s->bind_depth();
  w.set(DB_DEPTH_CONTROL::address(), DB_DEPTH_CONTROL::Z_ENABLE::of(1) | DB_DEPTH_CONTROL::Z_WRITE_ENABLE::of(1) |
                                         DB_DEPTH_CONTROL::ZFUNC::of(CompareFrag::FRAG_LESS));
  w.set(PA_SU_POINT_SIZE::address(), 0x00180018).set(PA_SU_LINE_CNTL::address(), 16);
  w.set(PA_SU_POINT_MINMAX::address(), 0xffff0000);
  w.set(PA_SU_POLY_OFFSET_CLAMP::address(), {0, number(2), number(0.01f), number(3), number(0.02f)});
  using Mode = PA_SU_SC_MODE_CNTL;
  w.set(Mode::address(), Mode::POLY_MODE::of(1) | Mode::POLYMODE_FRONT_PTYPE::of(1) | Mode::POLYMODE_BACK_PTYPE::of(0) |
                             Mode::POLY_OFFSET_FRONT_ENABLE::of(1) | Mode::POLY_OFFSET_PARA_ENABLE::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  // Each scissor alone, with the window's offset; then none, and positions in pixels.
  w.set(Mode::address(), 0).set(PA_SC_WINDOW_OFFSET::address(), 3 | 2 << 16);
  w.set(PA_SC_WINDOW_SCISSOR_TL::address(), {10 | 3 << 16, 40 | 10 << 16});
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(PA_SC_WINDOW_SCISSOR_TL::address(), {1u << 31, width | height << 16});
  w.set(PA_SC_GENERIC_SCISSOR_TL::address(), {10 | 3 << 16, 40 | 10 << 16});
  s->draw(Type::DI_PT_TRILIST, 6);
  w.set(PA_SC_GENERIC_SCISSOR_TL::address(), {1u << 31, width | height << 16}).set(PA_CL_VTE_CNTL::address(), 0x33f);
  w.set(PA_CL_CLIP_CNTL::address(), 0x10000);
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(PA_CL_CLIP_CNTL::address(), 0x90000).set(PA_CL_VTE_CNTL::address(), 0x43f);
  w.set(PA_CL_GB_VERT_CLIP_ADJ::address(), {number(1), number(1), number(1), number(1)});
  s->draw(Type::DI_PT_TRILIST, 18);
  // Scissors inside of each other, two rectangles, an offset of the window.
  auto corner = [](uint32_t x, uint32_t y) { return x | y << 16; };
  w.set(Mode::address(), Mode::VTX_WINDOW_OFFSET_ENABLE::of(1));
  w.set(PA_SC_WINDOW_OFFSET::address(), corner(1, 1));
  w.set(PA_SC_WINDOW_SCISSOR_TL::address(), {corner(2, 1), corner(60, 15), 0x8888});
  w.set(PA_SC_SCREEN_SCISSOR_TL::address(), {corner(1, 1), corner(62, 15)});
  w.set(PA_SC_GENERIC_SCISSOR_TL::address(), {corner(3, 2), corner(58, 14)});
  for (unsigned n = 0; n < 4; n++) w.set(PA_SC_CLIPRECT_TL::address(n), {corner(4 + n * 10, 1 + n), corner(30 + n * 8, 12 + n)});
  w.set(PA_SC_CLIPRECT_RULE::address(), 0xfff2);
  for (unsigned n = 0; n < 16; n++) w.set(PA_SC_VPORT_SCISSOR_TL::address(n), {corner(5 + n, 2) | 1u << 31, corner(50 - n, 13)});
  for (unsigned n = 0; n < 16; n++) w.set(PA_SC_VPORT_ZMIN::address(n), {number(0.2f), number(0.8f)});
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE::of(1));
  using Out = PA_CL_VS_OUT_CNTL;
  constexpr uint32_t vectors =
      Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1);
  w.set(Out::address(), vectors | Out::USE_VTX_VIEWPORT_INDX::of(1));
  s->draw(Type::DI_PT_TRILIST, 18);
  w.set(Mode::address(), 0).set(PA_SC_WINDOW_SCISSOR_TL::address(), 1u << 31).set(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31);
  w.set(PA_SC_CLIPRECT_RULE::address(), 0xffff);
  for (unsigned n = 0; n < 6; n++)
    w.set(PA_CL_UCP_X::address(n), {number(1), number(0.3f * float(n)), number(0.1f), number(0.9f - 0.1f * float(n))});
  w.set(Out::address(), vectors | Out::CLIP_DIST_ENA_0::of(1) | Out::CLIP_DIST_ENA_6::of(1));
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

// Nothing is cut: a triangle each whose first vertex has a NaN or an infinity, or whose distance is infinite.
std::unique_ptr<Scene> points_and_lines() {
  auto s = std::make_unique<DrawScene>("points and lines");
  uint64_t vertex = s->table_program();
  uint64_t pixel = s->program({"s_mov_b32 m0, s0",
                               "v_interp_p1_f32 v10, v0, attr0.x",
                               "v_interp_p2_f32 v10, v1, attr0.x",
                               "v_interp_p1_f32 v11, v0, attr1.x",
                               "v_interp_p2_f32 v11, v1, attr1.x",
                               "v_interp_p1_f32 v12, v0, attr1.y",
                               "v_interp_p2_f32 v12, v1, attr1.y",
                               "v_interp_p1_f32 v13, v0, attr1.z",
                               "v_interp_p2_f32 v13, v1, attr1.z",
                               "v_interp_p1_f32 v14, v0, attr1.w",
                               "v_interp_p2_f32 v14, v1, attr1.w",
                               "v_interp_p1_f32 v15, v0, attr2.x",
                               "v_interp_p2_f32 v15, v1, attr2.x",
                               "v_interp_p1_f32 v16, v0, attr2.w",
                               "v_interp_p2_f32 v16, v1, attr2.w",
                               "v_interp_p1_f32 v17, v0, attr3.z",
                               "v_interp_p2_f32 v17, v1, attr3.z",
                               "v_add_f32 v12, v12, v17",
                               "v_cvt_pkrtz_f16_f32 v20, v10, v15",
                               "v_cvt_pkrtz_f16_f32 v21, v16, v14",
                               "exp mrt0 v20, v20, v21, v21 compr vm",
                               "exp mrt1 v11, v12, v13, v14 done vm",
                               "s_endpgm"});
  s->vertices(triangles());
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  s->bind_depth(3, false);
  w.set(DB_DEPTH_CONTROL::address(), DB_DEPTH_CONTROL::Z_ENABLE::of(1) | DB_DEPTH_CONTROL::Z_WRITE_ENABLE::of(1) |
                                         DB_DEPTH_CONTROL::ZFUNC::of(CompareFrag::FRAG_ALWAYS));
  w.set(PA_SU_POLY_OFFSET_CLAMP::address(), {0, number(2), number(0.01f), number(3), number(0.02f)});
  w.set(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::POLY_OFFSET_FRONT_ENABLE::of(1));
  w.set(SPI_PS_INPUT_CNTL::address(2), 0x20);
  using Out = PA_CL_VS_OUT_CNTL;
  constexpr uint32_t vectors =
      Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1);
  w.set(PA_SU_POINT_SIZE::address(), 0x00180020).set(PA_SU_POINT_MINMAX::address(), 0x00400010);
  w.set(PA_SU_LINE_CNTL::address(), 24).set(PA_SC_LINE_CNTL::address(), 0);
  using Interp = SPI_INTERP_CONTROL_0;
  w.set(Interp::address(), Interp::FLAT_SHADE_ENA::of(1) | Interp::PNT_SPRITE_ENA::of(1) | Interp::PNT_SPRITE_OVRD_X::of(2) |
                               Interp::PNT_SPRITE_OVRD_Y::of(3) | Interp::PNT_SPRITE_OVRD_Z::of(0) |
                               Interp::PNT_SPRITE_OVRD_W::of(1));
  w.set(SPI_PS_INPUT_CNTL::address(1), 1 | SPI_PS_INPUT_CNTL::PT_SPRITE_TEX::of(1));
  s->draw(Type::DI_PT_POINTLIST, 6);
  w.set(Out::address(), vectors | Out::USE_VTX_POINT_SIZE::of(1));
  s->draw(Type::DI_PT_POINTLIST, 6);
  w.set(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE::of(1));
  w.set(PA_SC_LINE_STIPPLE::address(),
        0x1333 | PA_SC_LINE_STIPPLE::REPEAT_COUNT::of(1) | PA_SC_LINE_STIPPLE::AUTO_RESET_CNTL::of(1));
  s->draw(Type::DI_PT_LINELIST, 6);
  w.set(PA_SC_LINE_CNTL::address(), PA_SC_LINE_CNTL::EXPAND_LINE_WIDTH::of(1));
  s->draw(Type::DI_PT_LINESTRIP, 5);
  w.set(PA_SC_MODE_CNTL_0::address(), 0).set(PA_SU_LINE_CNTL::address(), 8).set(PA_SC_LINE_CNTL::address(), 0);
  s->draw(Type::DI_PT_LINESTRIP, 5);
  s->counters();
  s->finish();
  return s;
}

std::unique_ptr<Scene> indexed_draws() {
  auto s = triangle_scene<DrawScene>("indexed and instanced draws, primitives of all kinds");
  Packets& w = s->stream;
  w.set(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST::of(1));
  w.set(SPI_INTERP_CONTROL_0::address(), 1).set(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::FLAT_SHADE::of(1));
  w.set(VGT_MULTI_PRIM_IB_RESET_EN::address(), 1).set(VGT_MULTI_PRIM_IB_RESET_INDX::address(), 0xffff);
  s->draw_indexed(Type::DI_PT_TRISTRIP, {0, 1, 2, 3, 4, 0xffff, 6, 7, 8, 9});
  w.set(VGT_INDX_OFFSET::address(), 1).set(VGT_MAX_VTX_INDX::address(), 12).set(VGT_MIN_VTX_INDX::address(), 1);
  s->draw_indexed(Type::DI_PT_QUADLIST, {0, 1, 2, 3, 4, 5, 6, 7});
  s->draw(Type::DI_PT_QUADSTRIP, 8);
  s->draw(Type::DI_PT_POLYGON, 5);
  s->draw(Type::DI_PT_RECTLIST, 3);
  // Draws by their registers, and an event by its own.
  const uint64_t indices = s->take(256);
  for (uint32_t n = 0; n < 32; n++) s->words(indices)[n] = (n * 7 % 15) << 16 | n % 15;
  w.set(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_TRILIST).set(VGT_INDX_OFFSET::address(), 0);
  w.set(VGT_EVENT_INITIATOR::address(), VGT_EVENT_INITIATOR::EVENT_TYPE::of(26));  // PIPELINESTAT_STOP
  w.set(VGT_DMA_BASE_HI::address(), {uint32_t(indices >> 32), uint32_t(indices)});
  w.set(VGT_DMA_MAX_SIZE::address(), 30).set(VGT_DMA_SIZE::address(), 12).set(VGT_DMA_INDEX_TYPE::address(), 0);
  w.set(VGT_DMA_NUM_INSTANCES::address(), 1).set(VGT_NUM_INDICES::address(), 12);
  w.set(VGT_DRAW_INITIATOR::address(), 0);
  w.set(VGT_NUM_INDICES::address(), 9).set(VGT_DRAW_INITIATOR::address(), 2);
  w.packet(packets::NUM_INSTANCES::opcode, {2});
  s->draw(Type::DI_PT_TRILIST, 3);
  s->counters();
  s->finish();
  return s;
}

// The initial state of vertex and pixel waves, stored by the programs themselves.
std::unique_ptr<Scene> wave_state() {
  auto s = std::make_unique<DrawScene>("what vertex and pixel waves start with");
  uint64_t to[2] = {s->take(dump_bytes), s->take(dump_bytes)};
  uint64_t vertex =
      s->program(std::vector<std::string>{"s_trap 5"} + dump_lines(to[0], 4, 24) +
                 std::vector<std::string>{"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0",
                                          "v_cndmask_b32 v3, v1, v2, vcc", "v_cmp_eq_u32 vcc, 2, v0",
                                          "v_cndmask_b32 v4, v1, v2, vcc", "v_mov_b32 v5, 0.5", "v_mov_b32 v6, 1.0",
                                          "exp pos0 v3, v4, v5, v6 done", "exp param0 v3, v4, v5, v6", "s_endpgm"});
  uint64_t pixel = s->program(std::vector<std::string>{"s_trap 5"} + dump_lines(to[1], 26, 24) +
                              std::vector<std::string>{"s_mov_b32 m0, -1", "v_mov_b32 v0, 1.0", "v_mov_b32 v1, 4",
                                                       "ds_write_b32 v1, v0", "ds_read_b32 v2, v1", "s_waitcnt lgkmcnt(0)",
                                                       "exp mrt0 v0, v2, v0, v0 done vm", "s_endpgm"});
  s->table = s->take(256);
  s->begin(vertex, pixel);
  Packets& w = s->stream;
  s->trap(SPI_SHADER_TBA_LO_VS::address()), s->trap(SPI_SHADER_TBA_LO_PS::address());
  w.set(SPI_SHADER_PGM_RSRC1_VS::address(), 0x030c000f).set(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c000f);
  using Two = SPI_SHADER_PGM_RSRC2_VS;
  w.set(Two::address(),
        Two::USER_SGPR::of(16) | Two::TRAP_PRESENT::of(1) | Two::SCRATCH_EN::of(1) | Two::SO_EN::of(1) | Two::SO_BASE0_EN::of(1));
  w.set(SPI_SHADER_PGM_RSRC2_PS::address(),
        SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(16) | SPI_SHADER_PGM_RSRC2_PS::TRAP_PRESENT::of(1) |
            SPI_SHADER_PGM_RSRC2_PS::SCRATCH_EN::of(1) | SPI_SHADER_PGM_RSRC2_PS::WAVE_CNT_EN::of(1));
  w.set(SPI_TMPRING_SIZE::address(), SPI_TMPRING_SIZE::WAVES::of(32) | SPI_TMPRING_SIZE::WAVESIZE::of(1));
  for (uint32_t n = 0; n < 16; n++) {
    w.set(SPI_SHADER_USER_DATA_VS::address(n), 0x100 + n);
    if (n > 1) w.set(SPI_SHADER_USER_DATA_PS::address(n), 0x200 + n);
  }
  w.set(SPI_PS_INPUT_ENA::address(), {0xff7f, 0xff7f}).set(SPI_SHADER_POS_FORMAT::address(), 4);
  w.set(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR).set(CB_SHADER_MASK::address(), 15);
  w.set(PA_CL_VS_OUT_CNTL::address(), 0);
  w.set(VGT_STRMOUT_CONFIG::address(), VGT_STRMOUT_CONFIG::STREAMOUT_0_EN::of(1));
  w.set(VGT_STRMOUT_BUFFER_CONFIG::address(), 1).set(VGT_STRMOUT_VTX_STRIDE_0::address(), 4);
  w.set(VGT_STRMOUT_BUFFER_SIZE_0::address(), 1024);
  w.set(VGT_INSTANCE_STEP_RATE_0::address(), {2, 3});
  w.set(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_TRILIST).packet(packets::NUM_INSTANCES::opcode, {6});
  w.packet(packets::DRAW_INDEX_AUTO::opcode, {3, 2});
  w.packet(packets::NUM_INSTANCES::opcode, {1}).set(VGT_PRIMITIVEID_EN::address(), 1);
  w.set(VGT_STRMOUT_CONFIG::address(), 0).set(Two::address(), Two::USER_SGPR::of(4));
  w.packet(packets::DRAW_INDEX_AUTO::opcode, {6, 2});
  s->counters();
  s->finish();
  return s;
}

// The words of instructions, each of its encoding: the decoder makes another instruction of another value, or none.
class Instructions : public Scene {
public:
  Instructions() : Scene("the decoder of instructions") { blocks = {"SQ_UC"}; }
  bool differs(const Change& change) override {
    struct Row {
      std::string_view name;
      unsigned word;
      const char* text;
    };
    static constexpr Row rows[] = {
        {"SQ_DS_0", 0, "ds_add_u32 v1, v2 offset:8"},
        {"SQ_DS_1", 1, "ds_write2_b32 v1, v2, v3 offset0:1 offset1:2"},
        {"SQ_DS_1", 1, "ds_read_b32 v1, v2"},
        {"SQ_EXP_0", 0, "exp mrt0 v1, v2, v3, v4"},
        {"SQ_EXP_1", 1, "exp mrt0 v1, v2, v3, v4"},
        {"SQ_FLAT_0", 0, "flat_load_dword v1, v[2:3]"},
        {"SQ_FLAT_1", 1, "flat_load_dword v1, v[2:3]"},
        {"SQ_FLAT_1", 1, "flat_store_dword v[2:3], v1"},
        {"SQ_MIMG_0", 0, "image_sample v[4:7], v[0:3], s[8:15], s[16:19] dmask:0xf"},
        {"SQ_MIMG_1", 1, "image_sample v[4:7], v[0:3], s[8:15], s[16:19] dmask:0xf"},
        {"SQ_MTBUF_0", 0, "tbuffer_load_format_x v1, v2, s[4:7], s1 offen format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]"},
        {"SQ_MTBUF_1", 1, "tbuffer_load_format_x v1, v2, s[4:7], s1 offen format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]"},
        {"SQ_MUBUF_0", 0, "buffer_load_dword v1, v2, s[4:7], s1 offen"},
        {"SQ_MUBUF_1", 1, "buffer_load_dword v1, v2, s[4:7], s1 offen"},
        {"SQ_SMRD", 0, "s_load_dword s5, s[2:3], 0x8"},
        {"SQ_SOP1", 0, "s_mov_b32 s1, s2"},
        {"SQ_SOP2", 0, "s_add_u32 s1, s2, s3"},
        {"SQ_SOPC", 0, "s_cmp_eq_u32 s1, s2"},
        {"SQ_SOPK", 0, "s_movk_i32 s1, 0x123"},
        {"SQ_SOPP", 0, "s_sleep 3"},
        {"SQ_VINTRP", 0, "v_interp_p1_f32 v1, v2, attr3.y"},
        {"SQ_VOP1", 0, "v_mov_b32 v1, v2"},
        {"SQ_VOP2", 0, "v_add_f32 v1, v2, v3"},
        {"SQ_VOP3_0", 0, "v_mad_f32 v1, v2, v3, v4"},
        {"SQ_VOP3_0_SDST_ENC", 0, "v_div_scale_f32 v1, vcc, v2, v3, v4"},
        {"SQ_VOP3_1", 1, "v_mad_f32 v1, v2, v3, v4"},
        {"SQ_VOPC", 0, "v_cmp_eq_f32 vcc, v1, v2"},
        {"SQ_INST", 0, "s_mov_b32 s1, s2"}};
    const auto& entry = registers::sea_islands_tables.registers[change.register_number];
    for (const Row& row : rows) {
      if (entry.name != row.name) continue;
      auto parsed = gfx7::parse(row.text);
      if (!parsed) ADD_FAILURE() << row.text << ": " << parsed.error().message;
      auto words = *gfx7::encode(*parsed);
      auto text = [&]() -> std::string {
        std::vector<uint32_t> code(words.dwords.begin(), words.dwords.begin() + words.count);
        code.resize(4);
        auto decoded = gfx7::decode({reinterpret_cast<const uint8_t*>(code.data()), code.size() * 4});
        return decoded ? gfx7::print(*decoded) : "";
      };
      std::string before = text();
      words.dwords[row.word] = change.applied(words.dwords[row.word]);
      if (text() != before) return true;
    }
    return false;
  }
};

std::unique_ptr<Scene> instructions() { return std::make_unique<Instructions>(); }

}  // namespace

std::vector<std::unique_ptr<Scene>> sea_islands_scenes() {
  std::vector<std::unique_ptr<Scene>> all;
  all.push_back(blended_triangles());
  all.back()->blocks = {"CB", "DB", "PA", "SC", "SPI", "VGT", "GB", "CP"};
  all.push_back(polygon_modes());
  all.back()->blocks = {"DB", "PA", "SC", "SPI", "VGT"};
  all.push_back(positions_beyond_numbers<Registers, DrawScene>());
  all.back()->blocks = {"PA"};
  all.push_back(points_and_lines());
  all.back()->blocks = {"PA", "SC", "SPI", "VGT"};
  all.push_back(points_at_planes<Registers, DrawScene>());
  all.back()->blocks = {"PA"};
  all.push_back(indexed_draws());
  all.back()->blocks = {"PA", "SC", "SPI", "VGT"};
  all.push_back(wave_state());
  all.back()->blocks = {"SPI", "VGT", "PA"};
  add_stage_scenes(all);
  add_compute_scenes(all);
  add_sample_scenes(all);
  add_image_scenes(all);
  add_group_scenes(all);
  add_onchip_scenes(all);
  all.push_back(instructions());
  return all;
}

}  // namespace Atoll::ledger
