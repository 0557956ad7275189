// Geometry in LDS: what each stage is given there.
#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

using Lines = std::vector<std::string>;
constexpr uint32_t item = 4, max_vertices = 6, outputs = 0x400;  // dwords of a vertex; bytes of LDS before what GS leaves

std::unique_ptr<Scene> onchip() {
  auto s = std::make_unique<DrawScene>("geometry on the chip");
  const uint64_t seen = s->take(dump_bytes);
  const Lines lane = {"s_mov_b32 m0, -1", "v_mbcnt_lo_u32_b32 v9, -1, 0", "v_mbcnt_hi_u32_b32 v9, -1, v9"};
  const uint64_t es =
      s->program(dump_lines(seen, 1, 2) + lane +
                 Lines{"v_cvt_f32_u32 v1, v0", "v_mul_f32 v4, 0x3e99999a, v1", "v_sin_f32 v4, v4", "v_mul_f32 v5, 0x3e2aaaab, v1",
                       "v_cos_f32 v5, v5", "v_mov_b32 v6, 0.5", "v_mov_b32 v7, 1.0", "v_lshlrev_b32 v9, 4, v9",
                       "v_add_i32 v9, vcc, s0, v9", "ds_write_b32 v9, v4", "ds_write_b32 v9, v5 offset:4",
                       "ds_write_b32 v9, v6 offset:8", "ds_write_b32 v9, v7 offset:12", "s_endpgm"});
  // Two strips of the primitive's vertices.
  Lines gs_lines =
      lane + Lines{"v_mul_u32_u24 v9, " + std::to_string(max_vertices * item * 4) + ", v9", "v_add_i32 v9, vcc, s0, v9"};
  for (unsigned n = 0; n < max_vertices; n++) {
    gs_lines = gs_lines + Lines{std::string("v_lshlrev_b32 v10, 2, ") + (n % 3 == 0   ? "v0"
                                                                         : n % 3 == 1 ? "v1"
                                                                                      : "v3"),
                                "s_mov_b32 m0, -1"};
    for (unsigned c = 0; c < 4; c++)
      gs_lines = gs_lines + Lines{"ds_read_b32 v11, v10 offset:" + std::to_string(4 * c), "s_waitcnt lgkmcnt(0)",
                                  "ds_write_b32 v9, v11 offset:" + std::to_string(outputs + n * item * 4 + 4 * c)};
    gs_lines = gs_lines + Lines{"s_mov_b32 m0, s1", n % 3 == 2 ? "s_sendmsg 0x32" : "s_sendmsg 0x22"};
  }
  const uint64_t gs = s->program(gs_lines + Lines{"s_sendmsg 0x3", "s_endpgm"});
  Lines copy = {"s_mov_b32 m0, -1", "v_lshlrev_b32 v1, 2, v0"};
  for (unsigned c = 0; c < 4; c++)
    copy = copy + Lines{"ds_read_b32 v" + std::to_string(4 + c) + ", v1 offset:" + std::to_string(outputs + 4 * c)};
  const uint64_t vs = s->program(copy + Lines{"s_waitcnt lgkmcnt(0)", "exp pos0 v4, v5, v6, v7 done", "exp param0 v4, v5, v6, v7",
                                              "exp param1 v5, v4, v6, v7", "s_endpgm"});
  s->table = s->take(256);
  s->begin(vs, s->plain_pixel());
  Packets& w = s->stream;
  w.set(SPI_SHADER_POS_FORMAT::address(), 4).set(PA_CL_VS_OUT_CNTL::address(), 0);
  w.set(SPI_SHADER_PGM_LO_ES::address(),
        {uint32_t(es >> 8), uint32_t(es >> 40), 0x000c000f, SPI_SHADER_PGM_RSRC2_ES::LDS_SIZE::of(8)});
  w.set(SPI_SHADER_PGM_LO_GS::address(), {uint32_t(gs >> 8), uint32_t(gs >> 40), 0x000c000f, 0});
  w.set(VGT_GS_MODE::address(), VGT_GS_MODE::MODE::of(3) | VGT_GS_MODE::ONCHIP::of(3));
  using Limits = VGT_GS_ONCHIP_CNTL;
  w.set(Limits::address(), Limits::ES_VERTS_PER_SUBGRP::of(10) | Limits::GS_PRIMS_PER_SUBGRP::of(3));
  w.set(VGT_GS_OUT_PRIM_TYPE::address(), 2).set(VGT_GS_MAX_VERT_OUT::address(), max_vertices);
  w.set(VGT_ESGS_RING_ITEMSIZE::address(), {item, item * max_vertices}).set(VGT_GS_VERT_ITEMSIZE::address(), item);
  using Stages = VGT_SHADER_STAGES_EN;
  w.set(Stages::address(), Stages::ES_EN::of(2) | Stages::GS_EN::of(1) | Stages::VS_EN::of(2));
  s->draw(VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST, 30);
  s->counters();
  s->finish();
  return s;
}

}  // namespace

void add_onchip_scenes(std::vector<std::unique_ptr<Scene>>& all) {
  all.push_back(onchip());
  all.back()->blocks = {"SPI", "VGT"};
}

}  // namespace Atoll::ledger
