#include "sea_islands_build.h"

#include <cstring>

namespace Atoll::ledger {

std::vector<std::string> dump_lines(uint64_t to, unsigned vgprs, unsigned sgprs) {
  std::vector<std::string> lines = {"v_mbcnt_lo_u32_b32 v60, -1, 0", "v_mbcnt_hi_u32_b32 v60, -1, v60",
                                    "v_lshlrev_b32 v60, 9, v60", "v_add_i32 v60, vcc, " + literal(uint32_t(to)) + ", v60",
                                    "v_mov_b32 v61, " + literal(uint32_t(to >> 32))};
  auto store = [&](const std::string& what) {
    lines.push_back("v_mov_b32 v62, " + what);
    lines.push_back("flat_store_dword v[60:61], v62");
    lines.push_back("v_add_i32 v60, vcc, 4, v60");
  };
  for (unsigned n = 0; n < vgprs; n++) store("v" + std::to_string(n));
  for (unsigned n = 0; n < sgprs; n++) store("s" + std::to_string(n));
  for (const char* hw : {"HW_REG_MODE", "HW_REG_STATUS", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC"}) {
    lines.push_back(std::string("s_getreg_b32 s96, hwreg(") + hw + ")");
    store("s96");
  }
  store("s97");
  return lines;
}

DrawScene::DrawScene(std::string name) : SeaIslandsScene(std::move(name)) {
  colour = take(width * height * 16), second = take(width * height * 16);
  depth = take(width * height * 4), stencil = take(width * height * 4);
  for (uint64_t target : {colour, second})
    for (unsigned n = 0; n < width * height * 4; n++) words(target)[n] = 0x40c08020 + n * 0x01030507;
  for (unsigned n = 0; n < width * height; n++) words(depth)[n] = number(float(n % 97) / 97);
  for (unsigned n = 0; n < width * height; n++) words(stencil)[n] = 0x01020304;
}

std::vector<std::string> DrawScene::table_lines() {
  std::vector<std::string> lines = {"v_lshlrev_b32 v1, 6, v0", "v_mov_b32 v2, s1", "v_add_i32 v1, vcc, s0, v1",
                                    "v_addc_u32 v2, vcc, 0, v2, vcc"};
  for (unsigned n = 0; n < 4; n++) {
    lines.push_back("flat_load_dwordx4 v[" + std::to_string(4 + n * 4) + ":" + std::to_string(7 + n * 4) + "], v[1:2]");
    lines.push_back("v_add_i32 v1, vcc, 16, v1");
    lines.push_back("v_addc_u32 v2, vcc, 0, v2, vcc");
  }
  return lines + std::vector<std::string>{"s_waitcnt vmcnt(0) & lgkmcnt(0)",
                                          "exp pos0 v4, v5, v6, v7",
                                          "exp pos1 v8, v9, v10, v11",
                                          "exp pos2 v12, v13, v14, v15",
                                          "exp pos3 v16, v17, v18, v19 done",
                                          "v_cvt_f32_u32 v0, v0",
                                          "v_mul_f32 v0, 0x3d4ccccd, v0",
                                          "v_mov_b32 v1, 1.0",
                                          "v_mov_b32 v3, 0.5",
                                          "exp param0 v0, v3, v0, v1",
                                          "exp param1 v4, v5, v6, v3",
                                          "exp param2 v5, v4, v7, v0",
                                          "s_endpgm"};
}

uint64_t DrawScene::plain_pixel() {
  // v0, v1: perspective; v2 to v5: position; v6: face.
  return program({"s_mov_b32 m0, s0", "v_interp_p1_f32 v10, v0, attr0.x", "v_interp_p2_f32 v10, v1, attr0.x",
                  "v_interp_p1_f32 v11, v0, attr0.y", "v_interp_p2_f32 v11, v1, attr0.y", "v_interp_p1_f32 v12, v0, attr1.x",
                  "v_interp_p2_f32 v12, v1, attr1.x", "v_interp_mov_f32 v13, p0, attr1.y", "v_interp_p1_f32 v14, v0, attr1.w",
                  "v_interp_p2_f32 v14, v1, attr1.w", "v_mul_f32 v2, 0x3c800000, v2", "v_mul_f32 v3, 0x3d800000, v3",
                  "v_cvt_pkrtz_f16_f32 v16, v10, v11", "v_cvt_pkrtz_f16_f32 v17, v12, v14",
                  "exp mrt0 v16, v16, v17, v17 compr vm", "exp mrt1 v2, v3, v4, v13 done vm", "s_endpgm"});
}

void DrawScene::vertices(const std::vector<Vertex>& all) {
  if (!table) table = take(8192);
  std::memcpy(words(table), all.data(), all.size() * sizeof(Vertex));
}

void DrawScene::begin(uint64_t vertex, uint64_t pixel) {
  Packets& w = stream;
  w.packet(packets::CLEAR_STATE::opcode, {0});
  w.set(SPI_SHADER_PGM_LO_VS::address(),
        {uint32_t(vertex >> 8), uint32_t(vertex >> 40), 0x000c000f, SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2)});
  w.set(SPI_SHADER_USER_DATA_VS::address(0), {uint32_t(table), uint32_t(table >> 32)});
  w.set(SPI_SHADER_PGM_LO_PS::address(), {uint32_t(pixel >> 8), uint32_t(pixel >> 40), 0x000c000f, 0});
  w.set(SPI_SHADER_POS_FORMAT::address(), 0x4444);
  w.set(SPI_SHADER_COL_FORMAT::address(),
        SPI_SHADER_EX_FORMAT::SPI_SHADER_FP16_ABGR | SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR << 4);
  w.set(SPI_VS_OUT_CONFIG::address(), SPI_VS_OUT_CONFIG::VS_EXPORT_COUNT::of(2));
  constexpr uint32_t inputs = 0x1f02;
  w.set(SPI_PS_INPUT_ENA::address(), {inputs, inputs}).set(SPI_PS_IN_CONTROL::address(), 3);
  for (uint32_t n = 0; n < 3; n++) w.set(SPI_PS_INPUT_CNTL::address(n), n);
  w.set(CB_SHADER_MASK::address(), 0xff).set(CB_TARGET_MASK::address(), 0xff);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  const uint64_t targets[] = {colour, second};
  const uint32_t formats[] = {CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, CB_COLOR_INFO::FORMAT::COLOR_16_16_16_16};
  for (unsigned n = 0; n < 2; n++) {
    w.set(CB_COLOR_BASE::address(n), uint32_t(targets[n] >> 8));
    w.set(CB_COLOR_PITCH::address(n), width / 8 - 1).set(CB_COLOR_SLICE::address(n), width * height / 64 - 1);
    w.set(CB_COLOR_INFO::address(n),
          CB_COLOR_INFO::FORMAT::of(formats[n]) |
              (n ? CB_COLOR_INFO::NUMBER_TYPE::of(7) | CB_COLOR_INFO::SIMPLE_FLOAT::of(1) : CB_COLOR_INFO::BLEND_CLAMP::of(1)));
    w.set(CB_COLOR_ATTRIB::address(n), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
  }
  w.set(PA_SC_WINDOW_SCISSOR_BR::address(), width | height << 16).set(PA_SC_SCREEN_SCISSOR_BR::address(), width | height << 16);
  w.set(PA_SU_VTX_CNTL::address(), 0x2d).set(PA_CL_VTE_CNTL::address(), 0x43f);
  const float half_width = float(width) / 2, half_height = float(height) / 2;
  for (unsigned n = 0; n < 2; n++) {
    w.set(PA_CL_VPORT_XSCALE::address(n), {number(half_width), number(half_width - 8 * float(n))});
    w.set(PA_CL_VPORT_YSCALE::address(n), {number(half_height), number(half_height)});
    w.set(PA_CL_VPORT_ZSCALE::address(n), {number(0.5f), number(0.5f)});
  }
  w.set(PA_CL_GB_HORZ_CLIP_ADJ::address(), number(8)).set(PA_CL_GB_VERT_CLIP_ADJ::address(), number(8));
  using Out = PA_CL_VS_OUT_CNTL;
  w.set(Out::address(),
        Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1));
  w.packet(packets::NUM_INSTANCES::opcode, {1});
}

void DrawScene::bind_depth(uint32_t format, bool with_stencil) {
  Packets& w = stream;
  w.set(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(format));
  w.set(DB_DEPTH_INFO::address(),
        DB_DEPTH_INFO::ARRAY_MODE::of(2) | DB_DEPTH_INFO::PIPE_CONFIG::of(PipeConfig::ADDR_SURF_P4_16x16));
  w.set(DB_DEPTH_SIZE::address(),
        DB_DEPTH_SIZE::PITCH_TILE_MAX::of(width / 8 - 1) | DB_DEPTH_SIZE::HEIGHT_TILE_MAX::of(height / 8 - 1));
  w.set(DB_DEPTH_SLICE::address(), width * height / 64 - 1);
  w.set(DB_Z_READ_BASE::address(), uint32_t(depth >> 8)).set(DB_Z_WRITE_BASE::address(), uint32_t(depth >> 8));
  if (with_stencil) {
    w.set(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1));
    w.set(DB_STENCIL_READ_BASE::address(), uint32_t(stencil >> 8)).set(DB_STENCIL_WRITE_BASE::address(), uint32_t(stencil >> 8));
  }
}

void DrawScene::draw(uint32_t type, uint32_t count) {
  stream.set(VGT_PRIMITIVE_TYPE::address(), type);
  stream.packet(packets::DRAW_INDEX_AUTO::opcode, {count, 2});
}

void DrawScene::draw_indexed(uint32_t type, const std::vector<uint16_t>& indices) {
  uint64_t at = take(uint32_t(indices.size() * 2 + 64));
  std::memcpy(words(at), indices.data(), indices.size() * 2);
  stream.set(VGT_PRIMITIVE_TYPE::address(), type);
  stream.packet(packets::INDEX_TYPE::opcode, {0});
  stream.packet(packets::DRAW_INDEX_2::opcode,
                {uint32_t(indices.size()), uint32_t(at), uint32_t(at >> 32), uint32_t(indices.size()), 0});
}

void DrawScene::counters() {
  uint64_t at = take(512);
  auto event = [&](uint32_t type, uint32_t index, uint64_t to) {
    stream.packet(packets::EVENT_WRITE::opcode, {type | index << 8, uint32_t(to), uint32_t(to >> 32)});
  };
  event(21, 1, at), event(30, 2, at + 128), event(32, 3, at + 256);
  for (uint32_t n = 0; n < 4; n++) stream.store(VGT_STRMOUT_BUFFER_FILLED_SIZE_0::address() + n * 4, at + 300 + n * 4);
}

void DrawScene::trap(uint32_t tba_lo) {
  uint64_t to = take(256);
  uint64_t handler = program({"v_mov_b32 v50, tma_lo", "v_mov_b32 v51, tma_hi", "v_mov_b32 v52, " + literal(uint32_t(to)),
                              "v_mov_b32 v53, " + literal(uint32_t(to >> 32)), "flat_store_dwordx2 v[52:53], v[50:51]",
                              "s_add_u32 ttmp0, ttmp0, 4", "s_addc_u32 ttmp1, ttmp1, 0", "s_and_b32 ttmp1, ttmp1, 0xffff",
                              "s_rfe_b64 ttmp[0:1]"});
  stream.set(tba_lo, {uint32_t(handler >> 8), uint32_t(handler >> 40), 0x12345, 0x12});
}

}  // namespace Atoll::ledger
