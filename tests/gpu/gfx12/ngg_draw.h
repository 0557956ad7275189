// The registers of a draw through NGG without a driver, as tests set them: waves of 32 lanes, one viewport over the whole of what is drawn
// into, nothing cut, tested or blended.
#pragma once
#include <bit>
#include <utility>
#include <vector>

#include "registers/gfx12.h"

namespace Atoll::gfx12::test {

struct NggDraw {
  uint64_t vertex = 0, pixel = 0;  // programs
  uint64_t tables = 0;             // what s[0:1] of vertices' waves have
  uint64_t user_data = 0;          // what their s[8:9] have
  uint64_t ring = 0;               // of attributes, at a multiple of 64 KiB
  unsigned ring_bytes = 0x10000;   // of each engine
  unsigned attributes = 1;
  unsigned pixel_user_sgprs = 4;
  unsigned width = 64, height = 16;
};

inline std::vector<std::pair<uint32_t, uint32_t>> registers_of(const NggDraw& d) {
  std::vector<std::pair<uint32_t, uint32_t>> all;
  auto set = [&](uint32_t address, uint32_t value) { all.emplace_back(address, value); };
  auto number = [](float x) { return std::bit_cast<uint32_t>(x); };
  set(SPI_SHADER_PGM_LO_ES::address(), uint32_t(d.vertex >> 8)), set(SPI_SHADER_PGM_HI_ES::address(), uint32_t(d.vertex >> 40));
  set(SPI_SHADER_PGM_LO_GS::address(), uint32_t(d.tables)), set(SPI_SHADER_PGM_HI_GS::address(), uint32_t(d.tables >> 32));
  using One = SPI_SHADER_PGM_RSRC1_GS;
  using Two = SPI_SHADER_PGM_RSRC2_GS;
  set(One::address(), One::VGPRS::of(15) | One::FLOAT_MODE::of(0xc0) | One::GS_VGPR_COMP_CNT::of(2));
  set(Two::address(), Two::USER_SGPR::of(4) | Two::ES_VGPR_COMP_CNT::of(1) | Two::LDS_SIZE::of(2));
  set(SPI_SHADER_USER_DATA_GS::address(0), uint32_t(d.user_data));
  set(SPI_SHADER_USER_DATA_GS::address(1), uint32_t(d.user_data >> 32));
  set(GE_CNTL::address(), GE_CNTL::VERTS_PER_SUBGRP::of(32) | GE_CNTL::PRIMS_PER_SUBGRP::of(32));
  set(GE_NGG_SUBGRP_CNTL::address(), 1), set(GE_MAX_OUTPUT_PER_SUBGROUP::address(), 32);
  set(SPI_SHADER_IDX_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_1COMP);
  set(SPI_SHADER_POS_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_4COMP);
  set(SPI_ATTRIBUTE_RING_BASE::address(), uint32_t(d.ring >> 16));
  set(SPI_ATTRIBUTE_RING_SIZE::address(), SPI_ATTRIBUTE_RING_SIZE::MEM_SIZE::of((d.ring_bytes >> 16) - 1));
  using Stages = VGT_SHADER_STAGES_EN;
  set(Stages::address(), Stages::GS_W32_EN::of(1) | Stages::HS_W32_EN::of(1) | Stages::PRIMGEN_PASSTHRU_NO_MSG::of(1));
  using Config = SPI_SHADER_GS_OUT_CONFIG_PS;
  set(Config::address(), Config::VS_EXPORT_COUNT::of(d.attributes - 1) | Config::NUM_INTERP::of(d.attributes));
  for (uint32_t n = 0; n < d.attributes; n++) set(SPI_PS_INPUT_CNTL::address(n), n);
  set(GE_MAX_VTX_INDX::address(), ~0u);
  set(SPI_SHADER_PGM_RSRC1_PS::address(), SPI_SHADER_PGM_RSRC1_PS::VGPRS::of(15) | SPI_SHADER_PGM_RSRC1_PS::FLOAT_MODE::of(0xc0));
  set(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(d.pixel_user_sgprs));
  set(SPI_SHADER_PGM_LO_PS::address(), uint32_t(d.pixel >> 8)), set(SPI_SHADER_PGM_HI_PS::address(), uint32_t(d.pixel >> 40));
  set(SPI_PS_IN_CONTROL::address(), SPI_PS_IN_CONTROL::PS_W32_EN::of(1));
  const uint32_t corner = (d.width - 1) | (d.height - 1) << 16, far = 0x7fff | 0x7fffu << 16;
  set(PA_SC_WINDOW_SCISSOR_BR::address(), corner), set(PA_SC_SCREEN_SCISSOR_BR::address(), corner);
  set(PA_SC_GENERIC_SCISSOR_BR::address(), far), set(PA_SC_CLIPRECT_RULE::address(), 0xffff);
  set(PA_SC_AA_MASK_X0Y0_X1Y0::address(), ~0u), set(PA_SC_AA_MASK_X0Y1_X1Y1::address(), ~0u);
  set(PA_SU_VTX_CNTL::address(), 0x2d), set(PA_CL_VTE_CNTL::address(), 0x43f), set(PA_SC_EDGERULE::address(), 0xaa99aaaa);
  const float half_width = float(d.width) / 2, half_height = float(d.height) / 2;
  set(PA_CL_VPORT_XSCALE::address(0), number(half_width)), set(PA_CL_VPORT_XOFFSET::address(0), number(half_width));
  set(PA_CL_VPORT_YSCALE::address(0), number(half_height)), set(PA_CL_VPORT_YOFFSET::address(0), number(half_height));
  set(PA_CL_VPORT_ZSCALE::address(0), number(0.5f)), set(PA_CL_VPORT_ZOFFSET::address(0), number(0.5f));
  set(PA_SC_VPORT_ZMAX::address(0), number(1));
  set(PA_CL_GB_HORZ_CLIP_ADJ::address(), number(8)), set(PA_CL_GB_VERT_CLIP_ADJ::address(), number(8));
  set(PA_CL_GB_HORZ_DISC_ADJ::address(), number(1)), set(PA_CL_GB_VERT_DISC_ADJ::address(), number(1));
  return all;
}

// VGT_GS_OUT_PRIM_TYPE of the primitives of a VGT_PRIMITIVE_TYPE without stages between.
inline uint32_t output_of(uint32_t type) {
  using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  using Output = VGT_GS_OUTPRIM_TYPE;
  const bool lines = type == Type::DI_PT_LINELIST || type == Type::DI_PT_LINESTRIP || type == Type::DI_PT_LINELOOP;
  return type == Type::DI_PT_POINTLIST  ? Output::POINTLIST
         : type == Type::DI_PT_RECTLIST ? Output::RECTLIST
         : lines                        ? Output::LINESTRIP
                                        : Output::TRISTRIP;
}

// The attribute ring's descriptor (Mesa 25.0.7 ac_descriptors.c, ac_build_attr_ring_descriptor): elements of 16 bytes, an index stride of
// 32; programs put in how many attributes there are.
inline std::vector<uint32_t> ring_words(uint64_t ring, uint32_t bytes) {
  return {uint32_t(ring), uint32_t(ring >> 32) | 3u << 30, bytes, 0x0043'ffac};
}
// A buffer of records of so many bytes, or of bytes.
inline std::vector<uint32_t> buffer_words(uint64_t address, uint32_t stride, uint32_t records) {
  return {uint32_t(address), uint32_t(address >> 32) | stride << 16, records,
          63u << 12 | 4 | 5 << 3 | 6 << 6 | 7 << 9 | (stride ? 1u : 3u) << 28};
}

}  // namespace Atoll::gfx12::test
