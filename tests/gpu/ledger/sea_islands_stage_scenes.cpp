// Scenes with geometry and tessellation stages and stream-out: every stage stores what its waves were given.
#include "sea_islands_build.h"

namespace Atoll::ledger {

namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
using Lines = std::vector<std::string>;

// v10 and v11: an address and the offset in `of`, four bytes a lane more.
Lines address_lines(uint64_t base, const std::string& of) {
  return {"v_add_i32 v10, vcc, " + literal(uint32_t(base)) + ", " + of, "v_mov_b32 v11, " + literal(uint32_t(base >> 32))};
}

constexpr uint32_t max_vertices = 4, item = 4, stream_dwords = item * max_vertices;

std::unique_ptr<Scene> stages(const std::string& name, bool tessellation, bool geometry) {
  auto s = std::make_unique<DrawScene>(name);
  const uint64_t factors = s->take(4096), esgs = s->take(0x8000), gsvs = s->take(0x10000), out = s->take(2048);
  uint64_t dumps[6];
  for (uint64_t& d : dumps) d = s->take(dump_bytes);
  // (Who comes back from a trap handler is privileged no more.)
  const Lines begin = {"s_getreg_b32 s97, hwreg(HW_REG_STATUS)", "s_trap 5"};
  // A triangle of corners by the vertex's number, into v3 and v4.
  const Lines corner = {
      "v_and_b32 v7, 3, v0",           "v_mov_b32 v1, -0.5",      "v_mov_b32 v2, 0x3f400000",     "v_cmp_eq_u32 vcc, 1, v7",
      "v_cndmask_b32 v3, v1, v2, vcc", "v_cmp_eq_u32 vcc, 2, v7", "v_cndmask_b32 v4, v1, v2, vcc"};
  const Lines domain_corner = {"v_mad_f32 v3, v0, 2.0, -1.0", "v_mad_f32 v4, v1, 2.0, -1.0"};
  const Lines lane = {"v_mbcnt_lo_u32_b32 v9, -1, 0", "v_mbcnt_hi_u32_b32 v9, -1, v9"};

  uint64_t ls = s->program(begin + dump_lines(dumps[0], 4, 20) +
                           Lines{"s_mov_b32 m0, -1", "v_lshlrev_b32 v5, 2, v1", "ds_write_b32 v5, v0 offset:1280", "s_endpgm"});
  uint64_t hs = s->program(begin + dump_lines(dumps[1], 2, 22) +
                           Lines{"s_mov_b32 m0, -1", "v_mov_b32 v5, 0", "ds_read_b32 v6, v5 offset:1280", "s_waitcnt lgkmcnt(0)",
                                 "v_and_b32 v8, 0xff, v1", "v_lshlrev_b32 v8, 4, v8", "v_add_i32 v8, vcc, s4, v8"} +
                           address_lines(factors + 4, "v8") +
                           Lines{"v_mov_b32 v12, 2.0", "v_mov_b32 v13, 0x40600000", "v_mov_b32 v14, 4.0",
                                 "v_mov_b32 v15, 0x40200000", "flat_store_dwordx4 v[10:11], v[12:15]"} +
                           address_lines(factors + 2048, "v5") + Lines{"flat_store_dword v[10:11], v6", "s_endpgm"});
  // ES: the position's components, 64 lanes of each one after the other.
  const std::string es_offset = tessellation ? "s4" : "s2";
  Lines es_lines = begin + dump_lines(dumps[2], 4, 22) + (tessellation ? domain_corner : corner) + lane +
                   Lines{"v_lshlrev_b32 v9, 2, v9", "v_add_i32 v9, vcc, " + es_offset + ", v9"} + address_lines(esgs, "v9") +
                   Lines{"v_mov_b32 v5, 0.5", "v_mov_b32 v6, 1.0"};
  for (const char* v : {"v3", "v4", "v5", "v6"})
    es_lines = es_lines + Lines{std::string("flat_store_dword v[10:11], ") + v, "v_add_i32 v10, vcc, 0x100, v10"};
  uint64_t es = s->program(es_lines + Lines{"s_endpgm"});
  // GS: the three vertices as they are, to all streams.
  Lines gs_lines = begin + dump_lines(dumps[3], 8, 22) + lane +
                   Lines{"v_lshrrev_b32 v20, 4, v9",
                         "v_lshlrev_b32 v20, 10, v20",
                         "v_and_b32 v9, 15, v9",
                         "v_lshlrev_b32 v9, 2, v9",
                         "v_add_i32 v20, vcc, v9, v20",
                         "v_add_i32 v20, vcc, s2, v20",
                         "v_add_i32 v20, vcc, " + literal(uint32_t(gsvs)) + ", v20",
                         "v_mov_b32 v21, " + literal(uint32_t(gsvs >> 32)),
                         "s_mov_b32 m0, s3"};
  unsigned place = 0;
  for (const char* v : {"v0", "v1", "v3"}) {
    gs_lines = gs_lines + Lines{std::string("v_lshlrev_b32 v8, 2, ") + v} + address_lines(esgs, "v8");
    for (unsigned c = 0; c < 4; c++)
      gs_lines = gs_lines + Lines{"flat_load_dword v12, v[10:11]",
                                  "v_add_i32 v10, vcc, 0x100, v10",
                                  "s_waitcnt vmcnt(0)",
                                  "v_add_i32 v22, vcc, " + literal((c * max_vertices + place) * 64) + ", v20",
                                  "v_mov_b32 v23, v21",
                                  "flat_store_dword v[22:23], v12"};
    gs_lines = gs_lines + Lines{"s_sendmsg 0x22", "s_sendmsg 0x122", "s_sendmsg 0x222", "s_sendmsg 0x322"};
    place++;
  }
  uint64_t gs = s->program(gs_lines + Lines{"s_sendmsg 0x12", "s_sendmsg 0x3", "s_endpgm"});
  // The sum of all vertices' numbers too.
  Lines vs_lines = begin + dump_lines(dumps[4], 4, 22) + Lines{"v_mov_b32 v9, 0"} + address_lines(out + 1024, "v9") +
                   Lines{"flat_atomic_add v[10:11], v0"};
  if (geometry) {
    vs_lines = vs_lines + Lines{"v_lshlrev_b32 v8, 2, v0"} + address_lines(gsvs, "v8");
    for (unsigned c = 0; c < 4; c++)
      vs_lines = vs_lines + Lines{"flat_load_dword v" + std::to_string(3 + c) + ", v[10:11]",
                                  "v_add_i32 v10, vcc, " + literal(max_vertices * 64) + ", v10"};
  } else {
    vs_lines = vs_lines + domain_corner + Lines{"v_mov_b32 v5, 0.5", "v_mov_b32 v6, 1.0"};
  }
  uint64_t vs = s->program(vs_lines + Lines{"exp pos0 v3, v4, v5, v6 done", "exp param0 v3, v4, v0, v6", "s_endpgm"});
  uint64_t ps =
      s->program({"s_mov_b32 m0, s0", "v_interp_p1_f32 v10, v0, attr0.x", "v_interp_p2_f32 v10, v1, attr0.x",
                  "v_interp_mov_f32 v11, p0, attr0.z", "v_mov_b32 v12, 1.0", "exp mrt0 v10, v11, v12, v12 done vm", "s_endpgm"});
  s->table = s->take(256);
  s->begin(vs, ps);
  Packets& w = s->stream;
  w.set(SPI_SHADER_POS_FORMAT::address(), 4).set(PA_CL_VS_OUT_CNTL::address(), 0).set(SPI_VS_OUT_CONFIG::address(), 0);
  w.set(SPI_PS_INPUT_ENA::address(), {2, 2}).set(SPI_SHADER_COL_FORMAT::address(), 9).set(CB_SHADER_MASK::address(), 15);
  struct Stage {
    uint32_t low, data, tba, rsrc1, rsrc2;
    uint64_t program;
  };
  constexpr uint32_t two = SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2) | SPI_SHADER_PGM_RSRC2_VS::TRAP_PRESENT::of(1),
                     offchip = SPI_SHADER_PGM_RSRC2_VS::OC_LDS_EN::of(1);
  std::vector<Stage> all;
  if (tessellation) {
    all.push_back({SPI_SHADER_PGM_LO_LS::address(), SPI_SHADER_USER_DATA_LS::address(0), SPI_SHADER_TBA_LO_LS::address(),
                   0x030c000f, two | SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE::of(4), ls});
    all.push_back({SPI_SHADER_PGM_LO_HS::address(), SPI_SHADER_USER_DATA_HS::address(0), SPI_SHADER_TBA_LO_HS::address(),
                   0x000c000f,
                   two | SPI_SHADER_PGM_RSRC2_HS::OC_LDS_EN::of(1) | SPI_SHADER_PGM_RSRC2_HS::TG_SIZE_EN::of(1) |
                       SPI_SHADER_PGM_RSRC2_HS::SCRATCH_EN::of(1),
                   hs});
  }
  if (geometry) {
    all.push_back({SPI_SHADER_PGM_LO_ES::address(), SPI_SHADER_USER_DATA_ES::address(0), SPI_SHADER_TBA_LO_ES::address(),
                   0x030c000f, two | (tessellation ? offchip : 0), es});
    all.push_back({SPI_SHADER_PGM_LO_GS::address(), SPI_SHADER_USER_DATA_GS::address(0), SPI_SHADER_TBA_LO_GS::address(),
                   0x000c000f, two, gs});
  }
  using Two = SPI_SHADER_PGM_RSRC2_VS;
  all.push_back(
      {SPI_SHADER_PGM_LO_VS::address(), SPI_SHADER_USER_DATA_VS::address(0), SPI_SHADER_TBA_LO_VS::address(), 0x030c000f,
       two | Two::SO_EN::of(1) | Two::SO_BASE0_EN::of(1) | Two::SO_BASE2_EN::of(1) | (tessellation && !geometry ? offchip : 0),
       vs});
  for (const Stage& stage : all) {
    w.set(stage.low, {uint32_t(stage.program >> 8), uint32_t(stage.program >> 40), stage.rsrc1, stage.rsrc2});
    for (uint32_t n = 0; n < 16; n++) w.set(stage.data + n * 4, 0x1000 + n);
    s->trap(stage.tba);
  }
  w.set(SPI_TMPRING_SIZE::address(), SPI_TMPRING_SIZE::WAVES::of(32) | SPI_TMPRING_SIZE::WAVESIZE::of(1));
  if (tessellation) {
    w.set(VGT_LS_HS_CONFIG::address(), VGT_LS_HS_CONFIG::NUM_PATCHES::of(24) | VGT_LS_HS_CONFIG::HS_NUM_INPUT_CP::of(3) |
                                           VGT_LS_HS_CONFIG::HS_NUM_OUTPUT_CP::of(3));
    w.set(VGT_TF_PARAM::address(), VGT_TF_PARAM::TYPE::of(1) | VGT_TF_PARAM::TOPOLOGY::of(2) | VGT_TF_PARAM::PARTITIONING::of(2));
    w.set(VGT_HOS_MAX_TESS_LEVEL::address(), {number(3.7f), number(0)});
    w.set(VGT_HS_OFFCHIP_PARAM::address(), 2).set(VGT_TF_MEMORY_BASE::address(), uint32_t(factors >> 8));
    w.set(VGT_TF_RING_SIZE::address(), 256);
  }
  if (geometry) {
    w.set(VGT_GS_MODE::address(), 3)
        .set(VGT_GS_OUT_PRIM_TYPE::address(), 1u << 31 | 2 | 2 << 8 | 1 << 16 | 2 << 22)
        .set(VGT_GS_MAX_VERT_OUT::address(), max_vertices);
    w.set(VGT_ESGS_RING_ITEMSIZE::address(), {4, stream_dwords * 4});
    w.set(VGT_GS_VERT_ITEMSIZE::address(), {item, item, item, item});
    w.set(VGT_GSVS_RING_OFFSET_1::address(), {stream_dwords, 2 * stream_dwords, 3 * stream_dwords});
    w.set(VGT_GS_INSTANCE_CNT::address(), 1 | VGT_GS_INSTANCE_CNT::CNT::of(2));
    w.set(VGT_ESGS_RING_SIZE::address(), {0x80, 0x100});
  }
  using Stages = VGT_SHADER_STAGES_EN;
  w.set(Stages::address(), (tessellation ? Stages::LS_EN::of(1) | Stages::HS_EN::of(1) : 0) |
                               (geometry ? Stages::GS_EN::of(1) | Stages::ES_EN::of(tessellation ? 1 : 2) | Stages::VS_EN::of(2)
                                         : Stages::VS_EN::of(1)));
  // Two streams are drawn, or the one that the register numbers.
  using Config = VGT_STRMOUT_CONFIG;
  const uint32_t drawn = geometry && !tessellation ? Config::USE_RAST_STREAM_MASK::of(1) | Config::RAST_STREAM_MASK::of(3) : 0;
  w.set(Config::address(), geometry ? 0xf | drawn : 1).set(VGT_STRMOUT_BUFFER_CONFIG::address(), 0x8421);
  for (uint32_t n = 0; n < 4; n++) {
    w.set(VGT_STRMOUT_BUFFER_SIZE_0::address() + n * 16, {2000 + n, 2 + n});
    w.packet(packets::STRMOUT_BUFFER_UPDATE::opcode, {n << 8, 0, 0, n, 0});
  }
  if (tessellation) w.packet(packets::NUM_INSTANCES::opcode, {3});
  s->draw(tessellation ? Type::DI_PT_PATCH : Type::DI_PT_TRILIST, tessellation ? 144 : 150);
  for (uint32_t n = 0; n < 4; n++)
    w.packet(packets::STRMOUT_BUFFER_UPDATE::opcode, {1 | 3 << 1 | n << 8, uint32_t(out + n * 4), uint32_t(out >> 32), 0, 0});
  for (uint32_t n = 1; n < 4; n++)
    w.packet(packets::EVENT_WRITE::opcode, {n | 3 << 8, uint32_t(out + 64 * n), uint32_t(out >> 32)});
  if (!tessellation) {
    // The stream's output is drawn, without programs of geometry.
    w.packet(packets::COPY_DATA::opcode,
             {1, uint32_t(out), uint32_t(out >> 32), VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE::address() / 4, 0});
    w.set(VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE::address(), 2).set(VGT_STRMOUT_DRAW_OPAQUE_OFFSET::address(), 1);
    w.set(VGT_STRMOUT_CONFIG::address(), 0).set(Stages::address(), 0);
    w.packet(packets::DRAW_INDEX_AUTO::opcode,
             {0, VGT_DRAW_INITIATOR::SOURCE_SELECT::of(2) | VGT_DRAW_INITIATOR::USE_OPAQUE::of(1)});
  }
  s->counters();
  s->finish();
  return s;
}

}  // namespace

void add_stage_scenes(std::vector<std::unique_ptr<Scene>>& all) {
  all.push_back(stages("geometry stages and stream-out", false, true));
  all.push_back(stages("tessellation stages", true, false));
  all.push_back(stages("tessellation and geometry stages", true, true));
  for (size_t n = all.size() - 3; n < all.size(); n++) all[n]->blocks = {"SPI", "VGT"};
}

}  // namespace Atoll::ledger
