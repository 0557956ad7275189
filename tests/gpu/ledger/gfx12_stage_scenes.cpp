// Scenes of GFX12's other stages: geometry shaders with instances, tessellation, mesh shaders.
#include <cstring>

#include "gfx12_build.h"
#include "tests/gpu/gfx12/ngg_draw.h"

namespace Atoll::ledger {

namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Lines = Gfx12Scene::Lines;
using Stages = VGT_SHADER_STAGES_EN;
using One = SPI_SHADER_PGM_RSRC1_GS;
using Two = SPI_SHADER_PGM_RSRC2_GS;
using Config = SPI_SHADER_GS_OUT_CONFIG_PS;

// One flat colour, from attribute 0 or of the primitive.
uint64_t flat_pixel(Gfx12DrawScene& s, unsigned attribute) {
  const std::string from = "attr" + std::to_string(attribute);
  Lines lines = {"s_mov_b32 m0, s4"};
  for (unsigned c = 0; c < 4; c++) {
    const std::string to = "v" + std::to_string(10 + c);
    lines.push_back("ds_param_load v50, " + from + "." + "xyzw"[c] + " wait_va_vdst:0 wait_vm_vsrc:0");
    lines.push_back("v_interp_p10_f32 " + to + ", v50, v0, v50 wait_exp:0");
    lines.push_back("v_interp_p2_f32 " + to + ", v50, v1, " + to + " wait_exp:7");
  }
  return s.program(lines + Lines{"export mrt0 v10, v11, v12, v13 done", "s_endpgm"});
}

void plain_state(Gfx12DrawScene& s, uint32_t stages) {
  s.one_target();
  Packets& w = s.stream;
  w.set(SPI_SHADER_POS_FORMAT::address(), 4).set(PA_CL_VS_OUT_CNTL::address(), 0);
  w.set(Stages::address(), Stages::GS_W32_EN::of(1) | Stages::HS_W32_EN::of(1) | stages);
  w.set(One::address(), One::VGPRS::of(15) | One::FLOAT_MODE::of(0xc0) | One::GS_VGPR_COMP_CNT::of(2));
  w.set(Config::address(), Config::NUM_INTERP::of(1));
}

std::vector<Vertex> many_triangles() {
  std::vector<Vertex> all;
  for (unsigned n = 0; n < 36; n++) {
    Vertex v = at(float(n * 7 % 36) / 18 - 1, float(n * 5 % 12) / 6 - 1, float(n % 9) / 9);
    for (float& f : v.distance) f = float(n % 5) / 5;
    for (unsigned k = 0; k < 4; k++) v.misc[k].size = float(n * (k + 1) % 16) / 16;
    all.push_back(v);
  }
  return all;
}

// Two triangles of each primitive and invocation; `dump`: what waves start with is stored.
std::unique_ptr<Scene> geometry(const std::string& name, bool alone) {
  auto s = std::make_unique<Gfx12DrawScene>(name);
  const uint64_t dump = s->take(s->dump_bytes);
  uint64_t code = s->program(
      Lines{"s_mov_b32 exec_lo, -1"} + s->dump_lines(dump, 6, 12) +
      Lines{"s_bfe_u32 s14, s3, 0x40018", "s_lshl_b32 s15, s14, 5", "v_mbcnt_lo_u32_b32 v20, -1, s15",
            "s_pack_ll_b32_b16 s12, 0, s3", "s_lshl_b32 s13, s3, 8", "s_load_b128 s[16:19], s[8:9], 0x0",
            "s_load_b128 s[20:23], s[0:1], 0xa0", "s_bfe_u32 exec_lo, -1, s12", "s_wait_kmcnt 0x0",
            "buffer_load_b128 v[8:11], v3, s[16:19], null idxen", "buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16",
            "s_wait_loadcnt 0x0", "v_lshlrev_b32_e32 v21, 5, v20", "ds_store_b128 v21, v[8:11]",
            "ds_store_b128 v21, v[12:15] offset:16", "s_bfe_u32 exec_lo, -1, s13", "v_lshlrev_b32_e32 v22, 2, v20",
            "ds_store_b32 v22, v0 offset:8192", "s_mov_b32 exec_lo, -1", "s_wait_dscnt 0x0", "s_barrier_signal -1",
            "s_barrier_wait 0xffff",
            // s24 primitives, each two triangles of three vertices: s25 vertices, s26 triangles.
            "s_bfe_u32 s24, s2, 0x90016", "s_bfe_u32 s25, s2, 0x9000c", "s_lshl_b32 s26, s24, 1", "s_lshl_b32 s27, s26, 12",
            "s_or_b32 m0, s27, s25", "s_cmp_eq_u32 s14, 0", "s_cbranch_scc0 1", "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)",
            "v_cmpx_gt_u32_e32 s25, v20", "v_mul_hi_u32 v23, v20, 0xaaaaaaab", "v_lshrrev_b32_e32 v23, 2, v23",
            "v_mul_u32_u24_e32 v24, 6, v23", "v_sub_nc_u32_e32 v24, v20, v24", "v_mul_hi_u32 v25, v24, 0x55555556",
            "v_mul_u32_u24_e32 v26, 3, v25", "v_sub_nc_u32_e32 v26, v24, v26", "v_lshlrev_b32_e32 v27, 2, v23",
            "ds_load_b32 v27, v27 offset:8192", "v_mul_u32_u24_e32 v28, 9, v26", "s_wait_dscnt 0x0",
            "v_lshrrev_b32_e32 v29, 27, v27", "v_lshrrev_b32_e32 v28, v28, v27", "v_and_b32_e32 v28, 0xff, v28",
            "v_lshlrev_b32_e32 v28, 5, v28", "ds_load_b128 v[8:11], v28", "ds_load_b128 v[12:15], v28 offset:16",
            "v_add_nc_u32_e32 v29, 1, v29", "v_mul_u32_u24_e32 v29, v29, v25", "v_cvt_f32_u32_e32 v29, v29",
            "v_mul_f32_e32 v29, 0x3e000000, v29", "s_wait_dscnt 0x0", "v_add_f32_e32 v8, v8, v29",
            "export pos0 v8, v9, v10, v11 done", "s_or_b32 s21, s21, 0x100000", "s_and_b32 s5, s5, 0x7fff",
            "s_lshl_b32 s5, s5, 9", "buffer_store_b128 v[12:15], v20, s[20:23], s5 idxen scope:SCOPE_DEV",
            "s_mov_b32 exec_lo, -1", "v_cmpx_gt_u32_e32 s26, v20", "v_mul_u32_u24_e32 v30, 3, v20",
            "v_add_nc_u32_e32 v31, 1, v30", "v_add_nc_u32_e32 v32, 2, v30", "v_lshl_or_b32 v30, v31, 9, v30",
            "v_lshl_or_b32 v30, v32, 18, v30", "export prim v30, off, off, off done", "s_endpgm"});
  uint64_t pixel = flat_pixel(*s, 0);
  s->vertices(many_triangles());
  s->begin(code, pixel);
  plain_state(*s, Stages::GS_EN::of(1));
  Packets& w = s->stream;
  w.set(Two::address(), Two::USER_SGPR::of(4) | Two::LDS_SIZE::of(20));
  w.set(GE_CNTL::address(), GE_CNTL::VERTS_PER_SUBGRP::of(24) | GE_CNTL::PRIMS_PER_SUBGRP::of(8));
  w.set(GE_NGG_SUBGRP_CNTL::address(), 6).set(GE_MAX_OUTPUT_PER_SUBGROUP::address(), 96);
  using Instances = VGT_GS_INSTANCE_CNT;
  w.set(Instances::address(),
        Instances::CNT::of(2) | Instances::ENABLE::of(1) | Instances::EN_MAX_VERT_OUT_PER_GS_INSTANCE::of(alone));
  w.packet(packets::NUM_INSTANCES::opcode, {2});
  s->draw(Type::DI_PT_TRISTRIP, 20);
  s->counters();
  s->blocks = {"SPI", "VGT", "GE"};
  s->finish();
  return s;
}

std::unique_ptr<Scene> tessellation() {
  auto s = std::make_unique<Gfx12DrawScene>("tessellation");
  const uint64_t dump = s->take(2 * s->dump_bytes), off_chip = s->take(0x20000), factors = s->take(0x4000);
  // Three control points of a patch, as the vertices are: v1 has the patch in the group and the control point. The first control point
  // stores the patch's factors, which come from its vertex's z.
  uint64_t hull = s->program(s->dump_lines(dump, 6, 44) +
                             Lines{"v_mov_b32_e32 v40, 0x3e000000",
                                   "v_mul_f32_e32 v40, 0x00400000, v40",
                                   "global_store_b32 v60, v40, s[94:95] offset:400",
                                   "v_mov_b32_e32 v41, 0x7bff",
                                   "v_add_f16_e32 v41, v41, v41",
                                   "global_store_b32 v60, v41, s[94:95] offset:404",
                                   "v_mov_b32_e32 v42, 0x33",
                                   "scratch_store_b32 off, v42, off offset:128",
                                   "scratch_load_b32 v43, off, off offset:128",
                                   "s_wait_loadcnt 0x0",
                                   "global_store_b32 v60, v43, s[94:95] offset:408",
                                   "v_mov_b32_e32 v44, 0x1a00",
                                   "ds_store_b32 v44, v42",
                                   "ds_load_b32 v45, v44",
                                   "s_wait_dscnt 0x0",
                                   "global_store_b32 v60, v45, s[94:95] offset:412",
                                   "s_pack_ll_b32_b16 s12, 0, s3",
                                   "s_load_b128 s[16:19], s[8:9], 0x0",
                                   "s_load_b128 s[20:23], s[0:1], 0x60",
                                   "s_load_b128 s[24:27], s[0:1], 0x50",
                                   "s_bfe_u32 exec_lo, -1, s12",
                                   "s_wait_kmcnt 0x0",
                                   "buffer_load_b128 v[4:7], v2, s[16:19], null idxen",
                                   "buffer_load_b128 v[8:11], v2, s[16:19], null idxen offset:16",
                                   "v_bfe_u32 v12, v1, 8, 5",
                                   "v_and_b32_e32 v13, 0xff, v1",
                                   "v_mul_u32_u24_e32 v14, 0x60, v13",
                                   "v_lshl_add_u32 v14, v12, 5, v14",
                                   "s_wait_loadcnt 0x0",
                                   "buffer_store_b128 v[4:7], v14, s[20:23], s2 offen scope:SCOPE_DEV",
                                   "buffer_store_b128 v[8:11], v14, s[20:23], s2 offen offset:16 scope:SCOPE_DEV",
                                   "v_cmpx_eq_u32_e32 0, v12",
                                   "v_mul_f32_e32 v16, 8.0, v6",
                                   "v_mov_b32_e32 v17, 2.0",
                                   "v_mov_b32_e32 v18, 1.0",
                                   "v_mov_b32_e32 v19, v16",
                                   "v_lshlrev_b32_e32 v15, 4, v13",
                                   "buffer_store_b128 v[16:19], v15, s[24:27], s4 offen scope:SCOPE_SYS",
                                   "s_endpgm"});
  uint64_t domain = s->program(s->dump_lines(dump + s->dump_bytes, 7, 12) +
                               Lines{"s_pack_ll_b32_b16 s12, 0, s3",
                                     "s_load_b128 s[16:19], s[0:1], 0x60",
                                     "s_load_b128 s[20:23], s[0:1], 0xa0",
                                     "s_bfe_u32 exec_lo, -1, s12",
                                     "v_mul_u32_u24_e32 v7, 0x60, v5",
                                     "s_wait_kmcnt 0x0",
                                     "buffer_load_b128 v[8:11], v7, s[16:19], s4 offen scope:SCOPE_DEV",
                                     "buffer_load_b128 v[16:19], v7, s[16:19], s4 offen offset:32 scope:SCOPE_DEV",
                                     "buffer_load_b128 v[24:27], v7, s[16:19], s4 offen offset:64 scope:SCOPE_DEV",
                                     "v_add_f32_e32 v32, v3, v4",
                                     "v_sub_f32_e32 v32, 1.0, v32",
                                     "v_cvt_f32_u32_e32 v15, v6",
                                     "v_mul_f32_e32 v15, 0x3d800000, v15",
                                     "s_wait_loadcnt 0x0",
                                     "v_mul_f32_e32 v8, v8, v3",
                                     "v_fmac_f32_e32 v8, v16, v4",
                                     "v_fmac_f32_e32 v8, v24, v32",
                                     "v_mul_f32_e32 v9, v9, v3",
                                     "v_fmac_f32_e32 v9, v17, v4",
                                     "v_fmac_f32_e32 v9, v25, v32",
                                     "v_mov_b32_e32 v12, v3",
                                     "v_mov_b32_e32 v13, v4",
                                     "v_mov_b32_e32 v14, 0.5",
                                     "v_mov_b32_e32 v11, 1.0",
                                     "export pos0 v8, v9, v10, v11 done",
                                     "s_lshl_b32 s13, s3, 8",
                                     "s_bfe_u32 exec_lo, -1, s13",
                                     "export prim v0, off, off, off done",
                                     "s_bfe_u32 exec_lo, -1, s12",
                                     "s_bfe_u32 s13, s3, 0x40018",
                                     "s_lshl_b32 s13, s13, 5",
                                     "v_mbcnt_lo_u32_b32 v4, -1, s13",
                                     "s_or_b32 s21, s21, 0x100000",
                                     "s_and_b32 s5, s5, 0x7fff",
                                     "s_lshl_b32 s5, s5, 9",
                                     "buffer_store_b128 v[12:15], v4, s[20:23], s5 idxen scope:SCOPE_DEV",
                                     "s_endpgm"});
  uint64_t pixel = flat_pixel(*s, 0);
  s->vertices(many_triangles());
  auto descriptor = [&](uint64_t at, uint64_t address, uint32_t bytes) {
    const std::vector<uint32_t> words = test::buffer_words(address, 0, bytes);
    std::memcpy(s->words(at), words.data(), 16);
  };
  descriptor(s->tables + 0x50, factors, 0x4000), descriptor(s->tables + 0x60, off_chip, 0x20000);
  s->begin(domain, pixel);
  plain_state(*s, Stages::HS_EN::of(1) | Stages::PRIMGEN_PASSTHRU_NO_MSG::of(1));
  Packets& w = s->stream;
  w.set(Two::address(), Two::USER_SGPR::of(4) | Two::ES_VGPR_COMP_CNT::of(3));
  w.set(SPI_SHADER_PGM_LO_LS::address(), uint32_t(hull >> 8)).set(SPI_SHADER_PGM_HI_LS::address(), uint32_t(hull >> 40));
  w.set(SPI_SHADER_PGM_LO_HS::address(), uint32_t(s->tables)).set(SPI_SHADER_PGM_HI_HS::address(), uint32_t(s->tables >> 32));
  using HullOne = SPI_SHADER_PGM_RSRC1_HS;
  using HullTwo = SPI_SHADER_PGM_RSRC2_HS;
  w.set(HullOne::address(), HullOne::VGPRS::of(15) | HullOne::FLOAT_MODE::of(0xc0));
  w.set(HullTwo::address(), HullTwo::USER_SGPR::of(16) | HullTwo::LDS_SIZE::of(8) | HullTwo::SCRATCH_EN::of(1));
  w.set(SPI_TMPRING_SIZE::address(), SPI_TMPRING_SIZE::WAVES::of(32) | SPI_TMPRING_SIZE::WAVESIZE::of(64));
  for (uint32_t n = 2; n < 32; n++) w.set(SPI_SHADER_USER_DATA_HS::address(n), 0x300 + n);
  const uint64_t of_table = s->tables + 0x800;
  w.set(SPI_SHADER_USER_DATA_HS::address(0), {uint32_t(of_table), uint32_t(of_table >> 32)});
  using Groups = VGT_LS_HS_CONFIG;
  w.set(Groups::address(), Groups::NUM_PATCHES::of(5) | Groups::HS_NUM_OUTPUT_CP::of(3));
  using Param = VGT_TF_PARAM;
  w.set(VGT_HOS_MAX_TESS_LEVEL::address(), {number(5), number(1.5f)});
  using Offchip = VGT_HS_OFFCHIP_PARAM;
  w.set(Offchip::address(), Offchip::OFFCHIP_BUFFERING::of(2) | Offchip::OFFCHIP_GRANULARITY::of(1));
  w.set(VGT_TF_RING_SIZE::address(), VGT_TF_RING_SIZE::SIZE::of(60)).set(VGT_TF_MEMORY_BASE::address(), uint32_t(factors >> 8));
  w.set(VGT_TF_MEMORY_BASE_HI::address(), uint32_t(factors >> 40));
  w.set(VGT_GS_OUT_PRIM_TYPE::address(), VGT_GS_OUTPRIM_TYPE::TRISTRIP);
  w.set(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_PATCH | VGT_PRIMITIVE_TYPE::NUM_INPUT_CP::of(3));
  for (uint32_t topology : {2u, 3u}) {
    w.set(Param::address(), Param::TYPE::of(1) | Param::PARTITIONING::of(2) | Param::TOPOLOGY::of(topology));
    w.packet(packets::DRAW_INDEX_AUTO::opcode, {36, 2});
  }
  s->counters();
  s->blocks = {"SPI", "VGT", "GE"};
  s->finish();
  return s;
}

// A row of vertices and one of primitives; attribute 0 of the vertex, 1 of the primitive.
std::unique_ptr<Scene> mesh() {
  auto s = std::make_unique<Gfx12DrawScene>("mesh shaders");
  const uint64_t dump = s->take(s->dump_bytes);
  uint64_t code = s->program(Lines{"s_mov_b32 exec_lo, -1"} + s->dump_lines(dump, 4, 12) +
                             Lines{"s_bfe_u32 s14, s3, 0x40018",
                                   "s_lshl_b32 s15, s14, 5",
                                   "v_mbcnt_lo_u32_b32 v1, -1, s15",
                                   "s_load_b128 s[16:19], s[8:9], 0x0",
                                   "s_load_b128 s[20:23], s[0:1], 0xa0",
                                   "s_bfe_u32 s12, s4, 0x100000",
                                   "s_mul_i32 s12, s12, 6",
                                   "s_and_b32 s5, s5, 0x7fff",
                                   "s_lshl_b32 s5, s5, 9",
                                   "s_wait_kmcnt 0x0",
                                   "s_or_b32 s21, s21, 0x200000",
                                   "s_mov_b32 m0, 0x8018",
                                   "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)",
                                   "v_add_nc_u32_e32 v3, s12, v1",
                                   "buffer_load_b128 v[8:11], v3, s[16:19], null idxen",
                                   "buffer_load_b128 v[12:15], v3, s[16:19], null idxen offset:16",
                                   "s_wait_loadcnt 0x0",
                                   "s_mov_b32 m0, 0",
                                   "export pos0 v8, v9, v10, v11 done row_en",
                                   "buffer_store_b128 v[12:15], v1, s[20:23], s5 idxen scope:SCOPE_DEV",
                                   "v_mul_u32_u24_e32 v4, 3, v1",
                                   "v_add_nc_u32_e32 v5, 1, v4",
                                   "v_add_nc_u32_e32 v6, 2, v4",
                                   "v_lshl_or_b32 v4, v5, 9, v4",
                                   "v_lshl_or_b32 v4, v6, 18, v4",
                                   "v_mov_b32_e32 v7, 0x20",
                                   "export prim v4, v7, off, off done row_en",
                                   "buffer_store_b128 v[8:11], v1, s[20:23], s5 idxen offset:16 scope:SCOPE_DEV",
                                   "s_endpgm"});
  uint64_t of_vertex = flat_pixel(*s, 0), own = flat_pixel(*s, 1);
  s->vertices(many_triangles());
  s->begin(code, of_vertex);
  plain_state(*s, Stages::GS_FAST_LAUNCH::of(1));
  Packets& w = s->stream;
  w.set(Two::address(), Two::USER_SGPR::of(4));
  using Size = SPI_SHADER_GS_MESHLET_DIM;
  w.set(Size::address(), Size::MESHLET_NUM_THREAD_X::of(3) | Size::MESHLET_NUM_THREAD_Y::of(3) |
                             Size::MESHLET_NUM_THREAD_Z::of(1) | Size::MESHLET_THREADGROUP_SIZE::of(31));
  using Room = SPI_SHADER_GS_MESHLET_EXP_ALLOC;
  w.set(Room::address(), Room::MAX_EXP_VERTS::of(24) | Room::MAX_EXP_PRIMS::of(8));
  w.set(SPI_SHADER_IDX_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_2COMP);
  w.set(Config::address(), Config::NUM_INTERP::of(1) | Config::PRIM_EXPORT_COUNT::of(1) | Config::NUM_PRIM_INTERP::of(1));
  w.set(SPI_PS_INPUT_CNTL::address(1), 1 | SPI_PS_INPUT_CNTL::PRIM_ATTR::of(1));
  w.set(VGT_GS_OUT_PRIM_TYPE::address(), VGT_GS_OUTPRIM_TYPE::TRISTRIP);
  w.packet(packets::DISPATCH_MESH_DIRECT::opcode, {3, 2, 1, 2});
  s->pixel_program(own);
  w.packet(packets::DISPATCH_MESH_DIRECT::opcode, {2, 1, 1, 2});
  s->counters();
  s->blocks = {"SPI", "VGT", "GE"};
  s->finish();
  return s;
}

}  // namespace

void add_stage_scenes(Gfx12Scenes& all) {
  all.push_back(geometry("geometry shaders with instances", false));
  all.push_back(geometry("geometry shaders, an instance a subgroup", true));
  all.push_back(tessellation());
  all.push_back(mesh());
}

}  // namespace Atoll::ledger
