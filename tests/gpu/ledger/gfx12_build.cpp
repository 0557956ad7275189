#include "gfx12_build.h"

#include <gtest/gtest.h>

#include <cstring>

#include "isa/rdna4/encode.h"
#include "isa/rdna4/parse.h"
#include "tests/gpu/gfx12/ngg_draw.h"

namespace Atoll::ledger {

namespace {

std::vector<uint32_t> encode(const std::string& line, const std::string& where) {
  auto parsed = rdna4::parse(line, {32});
  EXPECT_TRUE(parsed) << where << ": " << line << ": " << (parsed ? "" : parsed.error().message);
  if (!parsed) return {};
  auto encoded = rdna4::encode(parsed->main, {32});
  EXPECT_TRUE(encoded) << line;
  if (!encoded) return {};
  return {encoded->dwords.begin(), encoded->dwords.begin() + encoded->count};
}

std::string v(unsigned n) { return "v" + std::to_string(n); }

constexpr uint32_t ring_bytes = 0x10000;

}  // namespace

const Pm4Family& gfx12_family() {
  static constexpr Pm4Family::Range ranges[] = {{packets::SET_SH_REG::opcode, 0xb000, 0xc000},
                                                {packets::SET_CONTEXT_REG::opcode, 0x28000, 0x30000},
                                                {packets::SET_UCONFIG_REG::opcode, 0x30000, 0x40000}};
  static constexpr uint32_t draws[] = {packets::DRAW_INDEX_AUTO::opcode, packets::DRAW_INDEX_2::opcode,
                                       packets::DISPATCH_MESH_DIRECT::opcode};
  static const Pm4Family family{.tables = registers::gfx12_tables,
                                .chip = "gfx1201",
                                .make_device = make_device,
                                .ranges = ranges,
                                .copy_data = packets::COPY_DATA::opcode,
                                .draws = draws,
                                .starts_work = {},
                                .no_draw_reads = COMPUTE_RESOURCE_LIMITS::address(),
                                .from_reset = {},
                                .encode = encode};
  return family;
}

Gfx12Scene::Lines Gfx12Scene::dump_lines(uint64_t to, unsigned vgprs, unsigned sgprs) {
  Lines lines = {"v_mbcnt_lo_u32_b32 v60, -1, 0", "v_mbcnt_hi_u32_b32 v60, -1, v60", "v_lshlrev_b32_e32 v60, 9, v60",
                 "s_mov_b32 s94, " + literal(uint32_t(to)), "s_mov_b32 s95, " + literal(uint32_t(to >> 32))};
  unsigned offset = 0;
  auto store = [&](const std::string& what) {
    lines.push_back("global_store_b32 v60, " + what + ", s[94:95] offset:" + std::to_string(offset));
    offset += 4;
  };
  for (unsigned n = 0; n < vgprs; n++) store(v(n));
  auto scalar = [&](const std::string& what) {
    lines.push_back("v_mov_b32_e32 v62, " + what);
    store("v62");
  };
  for (unsigned n = 0; n < sgprs; n++) scalar("s" + std::to_string(n));
  for (unsigned number : {1, 2, 6}) {  // MODE, STATUS, LDS_ALLOC
    lines.push_back("s_getreg_b32 s96, hwreg(" + std::to_string(number) + ")");
    scalar("s96");
  }
  return lines;
}

Gfx12DrawScene::Gfx12DrawScene(std::string name) : Gfx12Scene(std::move(name)) {
  ring = take(ring_bytes, ring_bytes);
  colour = take(width * height * 16), second = take(width * height * 16);
  depth = take(width * height * 4), stencil = take(width * height * 4), tables = take(0x1000);
  for (uint64_t target : {colour, second})
    for (unsigned n = 0; n < width * height * 4; n++) words(target)[n] = 0x40c08020 + n * 0x01030507;
  for (unsigned n = 0; n < width * height; n++) words(depth)[n] = number(float(n % 97) / 97);
  for (unsigned n = 0; n < width * height; n++) words(stencil)[n] = 0x01020304;
  const std::vector<uint32_t> of_ring = test::ring_words(ring, ring_bytes);
  std::memcpy(words(tables + 0xa0), of_ring.data(), 16);
}

Gfx12Scene::Lines Gfx12DrawScene::table_lines() {
  return {"s_pack_ll_b32_b16 s12, 0, s3", "s_load_b128 s[16:19], s[8:9], 0x0", "s_load_b128 s[20:23], s[0:1], 0xa0",
          "s_bfe_u32 exec_lo, -1, s12", "s_wait_kmcnt 0x0", "buffer_load_b128 v[8:11], v3, s[16:19], null idxen",
          "buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16",
          "buffer_load_b128 v[16:19], v3, s[16:19], null idxen offset:32",
          "buffer_load_b128 v[20:23], v3, s[16:19], null idxen offset:48", "s_wait_loadcnt 0x0", "export pos0 v8, v9, v10, v11",
          "export pos1 v12, v13, v14, v15", "export pos2 v16, v17, v18, v19", "export pos3 v20, v21, v22, v23 done",
          "s_lshl_b32 s13, s3, 8", "s_bfe_u32 exec_lo, -1, s13", "export prim v0, off, off, off done",
          "s_bfe_u32 exec_lo, -1, s12", "s_bfe_u32 s13, s3, 0x40018", "s_lshl_b32 s13, s13, 5", "v_mbcnt_lo_u32_b32 v5, -1, s13",
          // (0.05 n, 0.5, 0.05 n, 1), (x, y, z, 0.5), (y, x, w, 0.05 n), n with the instance
          "v_add_nc_u32_e32 v3, v3, v4", "v_cvt_f32_u32_e32 v24, v3", "v_mul_f32_e32 v24, 0x3d4ccccd, v24",
          "v_mov_b32_e32 v25, 0.5", "v_mov_b32_e32 v26, v24", "v_mov_b32_e32 v27, 1.0", "v_mov_b32_e32 v28, v9",
          "v_mov_b32_e32 v29, v8", "v_mov_b32_e32 v30, v11", "v_mov_b32_e32 v31, v24", "v_mov_b32_e32 v11, 0.5",
          "s_or_b32 s21, s21, 0x300000", "s_and_b32 s5, s5, 0x7fff", "s_lshl_b32 s5, s5, 9",
          "buffer_store_b128 v[24:27], v5, s[20:23], s5 idxen scope:SCOPE_DEV",
          "buffer_store_b128 v[8:11], v5, s[20:23], s5 idxen offset:16 scope:SCOPE_DEV",
          "buffer_store_b128 v[28:31], v5, s[20:23], s5 idxen offset:32 scope:SCOPE_DEV", "s_endpgm"};
}

Gfx12Scene::Lines Gfx12DrawScene::interpolated(unsigned to, unsigned attribute, char channel, unsigned i) {
  return {"ds_param_load v50, attr" + std::to_string(attribute) + "." + channel + " wait_va_vdst:0 wait_vm_vsrc:0",
          "v_interp_p10_f32 " + v(to) + ", v50, " + v(i) + ", v50 wait_exp:0",
          "v_interp_p2_f32 " + v(to) + ", v50, " + v(i + 1) + ", " + v(to) + " wait_exp:7"};
}

uint64_t Gfx12DrawScene::plain_pixel() {
  // v0, v1: perspective; v2 to v5: position; v6: face.
  return program(Lines{"s_mov_b32 m0, s4"} + interpolated(10, 0, 'x') + interpolated(11, 0, 'y') + interpolated(12, 1, 'x') +
                 interpolated(14, 1, 'w') + interpolated(13, 2, 'x') +
                 Lines{"v_mul_f32_e32 v2, 0x3c800000, v2", "v_mul_f32_e32 v3, 0x3d800000, v3",
                       "v_cvt_pk_rtz_f16_f32_e32 v16, v10, v11", "v_cvt_pk_rtz_f16_f32_e32 v17, v12, v14",
                       "v_add_f32_e32 v4, v4, v6", "export mrt0 v16, v17, off, off", "export mrt1 v2, v3, v4, v13 done",
                       "s_endpgm"});
}

// Layers and viewports are one word here (Mesa 25.0.7 ac_nir_lower_ngg.c: the viewport from bit 16 up).
void Gfx12DrawScene::vertices(const std::vector<Vertex>& all) {
  if (!table) table = take(8192);
  for (size_t n = 0; n < all.size(); n++) {
    Vertex v = all[n];
    v.misc[2].word |= v.misc[3].word << 16;
    std::memcpy(words(table) + n * 16, &v, sizeof v);
  }
  const std::vector<uint32_t> words_of_table = test::buffer_words(table, 64, uint32_t(all.size()));
  std::memcpy(words(tables + 0x800), words_of_table.data(), 16);
}

void Gfx12DrawScene::pixel_program(uint64_t address) {
  stream.set(SPI_SHADER_PGM_LO_PS::address(), {uint32_t(address >> 8), uint32_t(address >> 40)});
}

void Gfx12DrawScene::one_target(uint32_t format) {
  stream.set(SPI_SHADER_COL_FORMAT::address(), format).set(CB_SHADER_MASK::address(), 15);
}

void Gfx12DrawScene::bind_colour(unsigned n, uint64_t address, uint32_t format, uint32_t number, unsigned across, unsigned down,
                                 uint32_t log_samples, uint32_t mode) {
  Packets& w = stream;
  using Info = CB_COLOR_INFO;
  w.set(CB_COLOR_BASE::address(n), uint32_t(address >> 8)).set(CB_COLOR_BASE_EXT::address(n), uint32_t(address >> 40));
  w.set(Info::address(n), Info::FORMAT::of(format) | Info::NUMBER_TYPE::of(number) |
                              (number ? Info::SIMPLE_FLOAT::of(1) : Info::BLEND_CLAMP::of(1)));
  w.set(CB_COLOR_VIEW::address(n), 0).set(CB_COLOR_VIEW2::address(n), 0);
  w.set(CB_COLOR_ATTRIB::address(n), CB_COLOR_ATTRIB::NUM_FRAGMENTS::of(log_samples));
  w.set(CB_COLOR_ATTRIB2::address(n), (down - 1) | (across - 1) << 16);
  w.set(CB_COLOR_ATTRIB3::address(n), CB_COLOR_ATTRIB3::COLOR_SW_MODE::of(mode) | CB_COLOR_ATTRIB3::RESOURCE_TYPE::of(1));
}

void Gfx12DrawScene::begin(uint64_t vertex, uint64_t pixel) {
  Packets& w = stream;
  for (auto [address, value] : test::registers_of({.vertex = vertex,
                                                   .pixel = pixel,
                                                   .tables = tables,
                                                   .user_data = tables + 0x800,
                                                   .ring = ring,
                                                   .attributes = 3,
                                                   .width = width,
                                                   .height = height}))
    w.set(address, value);
  w.set(SPI_SHADER_POS_FORMAT::address(), 0x4444);
  w.set(SPI_SHADER_COL_FORMAT::address(),
        SPI_SHADER_EX_FORMAT::SPI_SHADER_FP16_ABGR | SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR << 4);
  constexpr uint32_t inputs = 0x1f02;
  w.set(SPI_PS_INPUT_ENA::address(), {inputs, inputs});
  w.set(CB_SHADER_MASK::address(), 0xff).set(CB_TARGET_MASK::address(), 0xff);
  w.set(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
  bind_colour(0, colour, CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8, 0),
      bind_colour(1, second, CB_COLOR_INFO::FORMAT::COLOR_16_16_16_16, 7);
  // Another viewport, for what has its number.
  w.set(PA_CL_VPORT_XSCALE::address(1), number(width / 2)).set(PA_CL_VPORT_XOFFSET::address(1), number(width / 2 - 8));
  w.set(PA_CL_VPORT_YSCALE::address(1), number(height / 2)).set(PA_CL_VPORT_YOFFSET::address(1), number(height / 2));
  w.set(PA_CL_VPORT_ZSCALE::address(1), number(0.5f)).set(PA_CL_VPORT_ZOFFSET::address(1), number(0.5f));
  w.set(PA_SC_VPORT_ZMAX::address(1), number(1));
  for (unsigned n = 0; n < 2; n++) w.set(PA_SC_VPORT_SCISSOR_BR::address(n), 0x7fff | 0x7fffu << 16);
  using Out = PA_CL_VS_OUT_CNTL;
  w.set(Out::address(),
        Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1));
  w.set(PA_SU_POINT_SIZE::address(), 0x00180018).set(PA_SU_POINT_MINMAX::address(), 0xffff0000);
  w.set(PA_SU_LINE_CNTL::address(), 16);
  w.packet(packets::NUM_INSTANCES::opcode, {1});
}

void Gfx12DrawScene::bind_depth(uint32_t format, bool with_stencil) {
  Packets& w = stream;
  w.set(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(format) | DB_Z_INFO::SW_MODE::of(1));
  w.set(DB_DEPTH_SIZE_XY::address(), (width - 1) | (height - 1) << 16);
  for (uint32_t base : {DB_Z_READ_BASE::address(), DB_Z_WRITE_BASE::address()})
    w.set(base, {uint32_t(depth >> 8), uint32_t(depth >> 40)});
  if (!with_stencil) return;
  w.set(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::FORMAT::of(1) | DB_STENCIL_INFO::SW_MODE::of(1));
  for (uint32_t base : {DB_STENCIL_READ_BASE::address(), DB_STENCIL_WRITE_BASE::address()})
    w.set(base, {uint32_t(stencil >> 8), uint32_t(stencil >> 40)});
}

void Gfx12DrawScene::output_of(uint32_t type) {
  stream.set(VGT_PRIMITIVE_TYPE::address(), type).set(VGT_GS_OUT_PRIM_TYPE::address(), test::output_of(type));
}

void Gfx12DrawScene::draw(uint32_t type, uint32_t count) {
  output_of(type);
  stream.packet(packets::DRAW_INDEX_AUTO::opcode, {count, 2});
}

void Gfx12DrawScene::draw_indexed(uint32_t type, const std::vector<uint16_t>& indices) {
  uint64_t at = take(uint32_t(indices.size() * 2 + 64));
  std::memcpy(words(at), indices.data(), indices.size() * 2);
  output_of(type);
  stream.set(VGT_INDEX_TYPE::address(), VGT_INDEX_TYPE::INDEX_TYPE::VGT_INDEX_16);
  stream.packet(packets::DRAW_INDEX_2::opcode,
                {uint32_t(indices.size()), uint32_t(at), uint32_t(at >> 32), uint32_t(indices.size()), 0});
}

void Gfx12DrawScene::counters() {
  uint64_t at = take(512);
  stream.packet(packets::EVENT_WRITE_ZPASS::opcode, {uint32_t(at), uint32_t(at >> 32)});
  stream.packet(packets::EVENT_WRITE::opcode, {30 | 2 << 8, uint32_t(at + 256), uint32_t((at + 256) >> 32)});
}

}  // namespace Atoll::ledger
