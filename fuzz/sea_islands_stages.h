// A draw through tessellation or geometry stages, or both, whose registers, programs and memory the fuzzer changes.
#pragma once
#include <algorithm>
#include <bit>

#include "gpu/sea_islands/packets/command_processor.h"
#include "sea_islands_world.h"

namespace Atoll::sea_islands::fuzz {

// The stages of the draw that the fuzzer's bytes make; the rest works.
struct Stages {
  bool tessellation, geometry;
};

// The layout of the world's memory.
namespace place {
constexpr uint32_t ls = 0x0000, hs = 0x0400, es = 0x0800, gs = 0x0c00, vs = 0x1000, ps = 0x1400;  // programs
constexpr uint32_t descriptor = 0x1800;                                                           // of the whole memory
constexpr uint32_t indices = 0x2000, streams = 0x3000, factors = 0x4000, esgs = 0x8000, gsvs = 0xc000, offchip = 0x10000;
constexpr uint32_t colour = 0x18000, end = 0x20000;
constexpr unsigned width = 64, height = 32;
}  // namespace place

inline const std::vector<std::vector<uint32_t>>& stage_instructions() {
  static const auto all = assembled({
      "v_mov_b32 v4, 1.0",
      "v_mov_b32 v5, v0",
      "v_mov_b32 v6, 0",
      "v_add_i32 v6, vcc, v0, v1",
      "v_lshlrev_b32 v6, 2, v0",
      "v_lshlrev_b32 v6, 4, v1",
      "v_and_b32 v6, 63, v0",
      "v_cvt_f32_u32 v4, v0",
      "v_rcp_f32 v5, v4",
      "v_mul_f32 v4, 4.0, v4",
      "buffer_store_dword v4, v6, s[0:3], 0 offen",
      "buffer_store_dword v4, v6, s[0:3], s8 offen glc slc",
      "buffer_store_dwordx4 v[4:7], v6, s[0:3], s9 offen",
      "buffer_load_dword v7, v6, s[0:3], s8 offen",
      "buffer_load_dwordx4 v[8:11], v6, s[0:3], 0 offen",
      "buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen",
      "buffer_store_format_xyzw v[4:7], v0, s[0:3], s10 idxen",
      "ds_write_b32 v6, v4",
      "ds_read_b32 v7, v6",
      "ds_write_b128 v6, v[4:7]",
      "ds_read_b128 v[8:11], v6",
      "ds_add_u32 v6, v5",
      "ds_append v7 offset:65535",
      "s_barrier",
      "s_mov_b32 m0, s4",
      "s_mov_b32 m0, s6",
      "s_mov_b32 m0, -1",
      "s_mov_b64 exec, -1",
      "s_mov_b64 exec, 0",
      "v_cmp_lt_u32 vcc, 3, v0",
      "s_and_b64 exec, exec, vcc",
      "s_cmp_lg_u32 s9, 0",
      "s_sub_u32 s9, s9, 1",
      "s_cbranch_scc1 0xfffb",
      "s_cbranch_execz 0x2",
      "s_load_dwordx4 s[0:3], s[4:5], 0x0",
      "s_buffer_load_dword s6, s[0:3], 0x4",
      "s_mov_b32 s8, s4",
      "s_mov_b32 s8, s5",
      "s_mov_b32 s9, s6",
      "v_mov_b32 v6, s4",
      "v_mov_b32 v6, s6",
      "exp pos0 v4, v5, v6, v4 done",
      "exp pos1 v4, v5, v6, v7",
      "exp param0 v4, v5, v6, v7",
      "exp param31 v4, v5, v6, v7",
      "exp mrt0 v4, v5, v6, v7 done vm",
      "v_interp_p1_f32 v2, v0, attr0.x",
      "v_interp_p2_f32 v2, v1, attr0.x",
      "flat_store_dword v[10:11], v4",
      "flat_load_dword v4, v[10:11]",
      "v_movrels_b32 v5, v6",
      "v_movreld_b32 v5, v6",
      "v_readlane_b32 s6, v0, s7",
      "v_writelane_b32 v4, 1, s7",
      "s_sendmsg 0x22",
      "s_sendmsg 0x32",
      "s_sendmsg 0x12",
      "s_sendmsg 0x3",
      "image_load v[8:11], v[0:3], s[0:7] dmask:0xf",
      "image_store v[4:7], v[0:3], s[0:7] dmask:0xf",
      "image_sample v[8:11], v[0:3], s[0:7], s[8:11] dmask:0xf",
      "s_sleep 1",
      "s_setprio 3",
      "s_getreg_b32 s6, 0xf801",
      "s_movrels_b32 s6, s8",
      "v_cndmask_b32 v4, v4, v5, vcc",
      "tbuffer_store_format_xyzw v[4:7], v6, s[0:3], s8 offen",
  });
  return all;
}

inline void common_settings(std::vector<Setting>& all, const World& w) {
  auto number = [](float x) { return std::bit_cast<uint32_t>(x); };
  auto program = [&](uint32_t low, uint32_t high, uint32_t offset) {
    all.push_back({low, uint32_t(w.address(offset) >> 8)}), all.push_back({high, uint32_t(w.address(offset) >> 40)});
  };
  program(SPI_SHADER_PGM_LO_VS::address(), SPI_SHADER_PGM_HI_VS::address(), place::vs);
  program(SPI_SHADER_PGM_LO_PS::address(), SPI_SHADER_PGM_HI_PS::address(), place::ps);
  const uint32_t eight = SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(8);
  for (uint32_t address : {SPI_SHADER_PGM_RSRC1_VS::address(), SPI_SHADER_PGM_RSRC1_PS::address()})
    all.push_back({address, 0x030c0006});
  for (uint32_t address : {SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_PS::address()})
    all.push_back({address, eight});
  for (Setting s : std::initializer_list<Setting>{
           {SPI_SHADER_POS_FORMAT::address(), 4},
           {SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR},
           {SPI_PS_INPUT_ENA::address(), 2},
           {SPI_PS_INPUT_ADDR::address(), 2},
           {SPI_PS_IN_CONTROL::address(), 1},
           {SPI_PS_INPUT_CNTL::address(0), 0},
           {SPI_TMPRING_SIZE::address(), 0},
           {CB_SHADER_MASK::address(), 0xf},
           {CB_TARGET_MASK::address(), 0xf},
           {CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc)},
           {CB_COLOR_BASE::address(0), uint32_t(w.address(place::colour) >> 8)},
           {CB_COLOR_PITCH::address(0), place::width / 8 - 1},
           {CB_COLOR_SLICE::address(0), place::width * place::height / 64 - 1},
           {CB_COLOR_INFO::address(0), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8)},
           {CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8)},
           {PA_SC_WINDOW_SCISSOR_BR::address(), place::width | place::height << 16},
           {PA_SC_SCREEN_SCISSOR_BR::address(), place::width | place::height << 16},
           {PA_SU_VTX_CNTL::address(), 0x2d},
           {PA_CL_VTE_CNTL::address(), 0x43f},
           {PA_CL_VS_OUT_CNTL::address(), 0},
           {PA_CL_VPORT_XSCALE::address(0), number(place::width / 2)},
           {PA_CL_VPORT_XOFFSET::address(0), number(place::width / 2)},
           {PA_CL_VPORT_YSCALE::address(0), number(place::height / 2)},
           {PA_CL_VPORT_YOFFSET::address(0), number(place::height / 2)},
           {PA_CL_VPORT_ZSCALE::address(0), number(0.5f)},
           {PA_CL_VPORT_ZOFFSET::address(0), number(0.5f)},
           {PA_CL_GB_HORZ_CLIP_ADJ::address(), number(8)},
           {PA_CL_GB_VERT_CLIP_ADJ::address(), number(8)},
           {VGT_MULTI_PRIM_IB_RESET_EN::address(), 0},
           {VGT_MULTI_PRIM_IB_RESET_INDX::address(), 0xffff},
           {VGT_INDX_OFFSET::address(), 0},
           {VGT_MAX_VTX_INDX::address(), ~0u},
           {VGT_STRMOUT_CONFIG::address(), 0},
           {VGT_STRMOUT_BUFFER_CONFIG::address(), 0x8421},
           {VGT_STRMOUT_BUFFER_SIZE_0::address(), 1024},
           {VGT_STRMOUT_VTX_STRIDE_0::address(), 4},
           {VGT_STRMOUT_BUFFER_SIZE_1::address(), 1024},
           {VGT_STRMOUT_VTX_STRIDE_1::address(), 4},
       })
    all.push_back(s);
}

inline void tessellation_settings(std::vector<Setting>& all, const World& w) {
  auto low = [&](uint32_t offset) { return uint32_t(w.address(offset) >> 8); };
  const uint32_t high = uint32_t(w.address(0) >> 40), eight = SPI_SHADER_PGM_RSRC2_HS::USER_SGPR::of(8);
  for (Setting s : std::initializer_list<Setting>{
           {SPI_SHADER_PGM_LO_LS::address(), low(place::ls)},
           {SPI_SHADER_PGM_HI_LS::address(), high},
           {SPI_SHADER_PGM_RSRC1_LS::address(), 0x030c0006},
           {SPI_SHADER_PGM_RSRC2_LS::address(), eight | SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE::of(8)},
           {SPI_SHADER_PGM_LO_HS::address(), low(place::hs)},
           {SPI_SHADER_PGM_HI_HS::address(), high},
           {SPI_SHADER_PGM_RSRC1_HS::address(), 0x000c0006},
           {SPI_SHADER_PGM_RSRC2_HS::address(), eight | SPI_SHADER_PGM_RSRC2_HS::OC_LDS_EN::of(1)},
           {VGT_LS_HS_CONFIG::address(), VGT_LS_HS_CONFIG::NUM_PATCHES::of(4) | VGT_LS_HS_CONFIG::HS_NUM_INPUT_CP::of(3) |
                                             VGT_LS_HS_CONFIG::HS_NUM_OUTPUT_CP::of(3)},
           {VGT_TF_PARAM::address(), VGT_TF_PARAM::TYPE::of(1) | VGT_TF_PARAM::TOPOLOGY::of(2)},
           {VGT_HOS_MAX_TESS_LEVEL::address(), std::bit_cast<uint32_t>(64.0f)},
           {VGT_HS_OFFCHIP_PARAM::address(), 8},
           {VGT_TF_MEMORY_BASE::address(), low(place::factors)},
           {VGT_TF_RING_SIZE::address(), 0x400},
       })
    all.push_back(s);
}

inline void geometry_settings(std::vector<Setting>& all, const World& w) {
  auto low = [&](uint32_t offset) { return uint32_t(w.address(offset) >> 8); };
  const uint32_t high = uint32_t(w.address(0) >> 40), eight = SPI_SHADER_PGM_RSRC2_GS::USER_SGPR::of(8);
  for (Setting s : std::initializer_list<Setting>{
           {SPI_SHADER_PGM_LO_ES::address(), low(place::es)},
           {SPI_SHADER_PGM_HI_ES::address(), high},
           {SPI_SHADER_PGM_RSRC1_ES::address(), 0x030c0006},
           {SPI_SHADER_PGM_RSRC2_ES::address(), eight},
           {SPI_SHADER_PGM_LO_GS::address(), low(place::gs)},
           {SPI_SHADER_PGM_HI_GS::address(), high},
           {SPI_SHADER_PGM_RSRC1_GS::address(), 0x000c0006},
           {SPI_SHADER_PGM_RSRC2_GS::address(), eight},
           {VGT_GS_MODE::address(), 3},
           {VGT_ESGS_RING_ITEMSIZE::address(), 4},
           {VGT_GSVS_RING_ITEMSIZE::address(), 32},
           {VGT_GS_VERT_ITEMSIZE::address(), 8},
           {VGT_GS_VERT_ITEMSIZE_1::address(), 4},
           {VGT_GS_VERT_ITEMSIZE_2::address(), 4},
           {VGT_GS_VERT_ITEMSIZE_3::address(), 4},
           {VGT_GSVS_RING_OFFSET_1::address(), 8},
           {VGT_GSVS_RING_OFFSET_2::address(), 16},
           {VGT_GSVS_RING_OFFSET_3::address(), 24},
           {VGT_GS_MAX_VERT_OUT::address(), 4},
           {VGT_GS_INSTANCE_CNT::address(), 0},
           {VGT_ESGS_RING_SIZE::address(), 0x40},
           {VGT_GSVS_RING_SIZE::address(), 0x40},
           {VGT_GS_OUT_PRIM_TYPE::address(), 2},
       })
    all.push_back(s);
}

// Up to three draws; the first byte of `in` chooses more than one, and the chip.
inline void run_stages(World& w, Bytes in, Stages stages) {
  w.fill();
  uint8_t mode = in.byte();
  // A descriptor of the memory from 0x2000 on: dwords, add-thread-id and swizzling only where the fuzzer sets them.
  const uint32_t descriptor[4] = {uint32_t(w.address(place::indices)), uint32_t(w.address(place::indices) >> 32) | 16u << 16,
                                  place::end - place::indices, 0x24fac};
  for (unsigned n = 0; n < 4; n++) w.put(place::descriptor + n * 4, descriptor[n]);
  std::vector<Setting> settings;
  common_settings(settings, w);
  if (stages.tessellation) tessellation_settings(settings, w);
  if (stages.geometry) geometry_settings(settings, w);
  settings.push_back(
      {VGT_SHADER_STAGES_EN::address(),
       (stages.tessellation ? VGT_SHADER_STAGES_EN::LS_EN::of(1) | VGT_SHADER_STAGES_EN::HS_EN::of(1) : 0) |
           (stages.geometry ? VGT_SHADER_STAGES_EN::GS_EN::of(1) | VGT_SHADER_STAGES_EN::ES_EN::of(stages.tessellation ? 1 : 2) |
                                  VGT_SHADER_STAGES_EN::VS_EN::of(2)
                            : VGT_SHADER_STAGES_EN::VS_EN::of(1))});
  const uint32_t type =
      stages.tessellation ? VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_PATCH : VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST;
  settings.push_back({VGT_PRIMITIVE_TYPE::address(), type});

  auto& instructions = stage_instructions();
  if (stages.tessellation) {
    put_program(w, in, place::ls, instructions), put_program(w, in, place::hs, instructions);
    // Factors as they may be left in memory.
    const float numbers[] = {0, 1, 2.5f, 3, 7.99f, 16, 63.5f, 64, 65, -1, 1e30f, 1e-30f, INFINITY, -INFINITY, NAN, 0.5f};
    for (uint32_t n = 0; n < 24; n++) {
      uint8_t which = in.byte();
      uint32_t value = which < 240 ? std::bit_cast<uint32_t>(numbers[which & 15]) : in.dword();
      for (uint32_t again = n * 4; again < 0x1000; again += 24 * 4) w.put(place::factors + again, value);
    }
  }
  if (stages.geometry) put_program(w, in, place::es, instructions), put_program(w, in, place::gs, instructions);
  put_program(w, in, place::vs, instructions), put_program(w, in, place::ps, instructions);
  for (uint32_t n = 0; n < 64; n++) w.put(place::indices + n * 2 / 4 * 4, uint32_t(in.left ? in.byte() % 24 : n % 24) * 0x10001);

  Words words;
  words.packet(0x12, {0});  // CLEAR_STATE
  for (uint32_t base :
       {SPI_SHADER_USER_DATA_LS::address(0), SPI_SHADER_USER_DATA_HS::address(0), SPI_SHADER_USER_DATA_ES::address(0),
        SPI_SHADER_USER_DATA_GS::address(0), SPI_SHADER_USER_DATA_VS::address(0), SPI_SHADER_USER_DATA_PS::address(0)}) {
    for (unsigned n = 0; n < 4; n++) words.set(base + n * 4, descriptor[n]);
    words.set(base + 16, uint32_t(w.address(place::descriptor))), words.set(base + 20, uint32_t(w.address(0) >> 32));
    words.set(base + 24, in.byte()), words.set(base + 28, in.byte() & 1 ? in.dword() : in.byte());
  }
  for (unsigned draws = 1 + (mode & 3) % 3; draws > 0; draws--) {
    put_settings(words, in, settings);
    uint8_t how = in.byte();
    words.packet(0x2f, {how & 1 ? 1 + (in.byte() & 7u) : 1});  // NUM_INSTANCES
    uint32_t count = how & 2 ? in.byte() : 3 + (in.byte() & 15u);
    if (how & 4) {
      words.packet(0x2a, {how >> 3 & 1u});  // INDEX_TYPE
      words.packet(0x27, {how & 16 ? in.byte() : 256u, uint32_t(w.address(place::indices)), uint32_t(w.address(0) >> 32), count,
                          0});  // DRAW_INDEX_2
    } else {
      words.packet(0x2d, {count, 2});  // DRAW_INDEX_AUTO
    }
  }
  w.queue(mode & 4 ? "kabini" : "bonaire", gpu::QueueKind::graphics, nullptr,
          [&](Context& c) { return CommandProcessor(c).run(w.memory.gpu_address, words); });
}

}  // namespace Atoll::sea_islands::fuzz
