// Draws for tests: programs from text, the state of a plain triangle, what is left in the colour buffer.
#pragma once
#include <bit>

#include "gpu/sea_islands/stream.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"

namespace Atoll::sea_islands::test {

using namespace packets;

inline constexpr unsigned width = 64, height = 32;

class Draws : public SeaIslandsTest, public testing::WithParamInterface<const char*> {
protected:
  explicit Draws() : SeaIslandsTest("bonaire", {.engine = *gpu::parse_engine(GetParam()), .threads = 2}) {
    colour = *space->allocate(width * height * 4 * 4, 4096);
  }
  Buffer colour;

  // The GPU address of a program, which is a multiple of 256.
  uint64_t program(std::initializer_list<const char*> lines) {
    return program(std::vector<std::string>(lines.begin(), lines.end()));
  }
  uint64_t program(const std::vector<std::string>& lines) {
    std::vector<uint32_t> words;
    for (const std::string& line : lines) {
      auto i = gfx7::parse(line);
      EXPECT_TRUE(i) << line << ": " << (i ? "" : i.error().message);
      if (!i) continue;
      auto encoded = gfx7::encode(*i);
      EXPECT_TRUE(encoded) << line;
      if (encoded) words.insert(words.end(), encoded->dwords.begin(), encoded->dwords.begin() + encoded->count);
    }
    Buffer b = *space->allocate(std::max<size_t>(words.size() * 4, 256), 256);
    std::memcpy(b.host_pointer, words.data(), words.size() * 4);
    return b.gpu_address;
  }
  // One large triangle around the window; parameter 0 is the position in clip space, then 0.25 and 1.
  uint64_t big_triangle() {
    return program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0", "v_cndmask_b32 v3, v1, v2, vcc",
                    "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc", "v_mov_b32 v5, s0", "v_mov_b32 v6, 1.0",
                    "exp pos0 v3, v4, v5, v6 done", "v_mov_b32 v7, 0x3e800000", "exp param0 v3, v4, v7, v6", "s_endpgm"});
  }
  // Red and green from parameter 0's x and y.
  uint64_t interpolating() {
    return program({"s_mov_b32 m0, s0", "v_interp_p1_f32 v2, v0, attr0.x", "v_interp_p2_f32 v2, v1, attr0.x",
                    "v_interp_p1_f32 v3, v0, attr0.y", "v_interp_p2_f32 v3, v1, attr0.y", "v_interp_mov_f32 v4, p0, attr0.z",
                    "v_mov_b32 v5, 1.0", "v_cvt_pkrtz_f16_f32 v2, v2, v3", "v_cvt_pkrtz_f16_f32 v4, v4, v5",
                    "exp mrt0 v2, v2, v4, v4 done compr vm", "s_endpgm"});
  }

  // State for a triangle into a 64 x 32 colour buffer of 8-bit unorms, linear, without depth.
  Words state(uint64_t vertex, uint64_t pixel) {
    Words w;
    w.packet(CLEAR_STATE::opcode, {0});
    w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(vertex >> 8))
        .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(vertex >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0002)
        .shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(1));
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), 0);
    w.shader(SPI_SHADER_PGM_LO_PS::address(), uint32_t(pixel >> 8))
        .shader(SPI_SHADER_PGM_HI_PS::address(), uint32_t(pixel >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c0002).shader(SPI_SHADER_PGM_RSRC2_PS::address(), 0);
    w.context(SPI_SHADER_POS_FORMAT::address(), 4)
        .context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_FP16_ABGR);
    w.context(SPI_PS_INPUT_ENA::address(), 2).context(SPI_PS_INPUT_ADDR::address(), 2).context(SPI_PS_IN_CONTROL::address(), 1);
    w.context(SPI_PS_INPUT_CNTL::address(0), 0);
    w.context(CB_SHADER_MASK::address(), 0xf).context(CB_TARGET_MASK::address(), 0xf);
    w.context(CB_COLOR_CONTROL::address(), CB_COLOR_CONTROL::MODE::of(1) | CB_COLOR_CONTROL::ROP3::of(0xcc));
    w.context(CB_COLOR_BASE::address(0), uint32_t(colour.gpu_address >> 8));
    w.context(CB_COLOR_PITCH::address(0), width / 8 - 1).context(CB_COLOR_SLICE::address(0), width * height / 64 - 1);
    w.context(PA_SC_LINE_CNTL::address(), 0);  // OpenGL's lines, as drivers ask for them
    w.context(CB_COLOR_INFO::address(0),
              CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8) | CB_COLOR_INFO::BLEND_CLAMP::of(1));
    w.context(CB_COLOR_ATTRIB::address(0), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
    w.context(PA_SC_WINDOW_SCISSOR_BR::address(), width | height << 16);
    w.context(PA_SC_SCREEN_SCISSOR_BR::address(), width | height << 16);
    w.context(PA_SU_VTX_CNTL::address(), 0x2d).context(PA_CL_VTE_CNTL::address(), 0x43f);
    auto number = [](float x) { return std::bit_cast<uint32_t>(x); };
    w.context(PA_CL_VPORT_XSCALE::address(0), number(width / 2)).context(PA_CL_VPORT_XOFFSET::address(0), number(width / 2));
    w.context(PA_CL_VPORT_YSCALE::address(0), number(height / 2)).context(PA_CL_VPORT_YOFFSET::address(0), number(height / 2));
    w.context(PA_CL_VPORT_ZSCALE::address(0), number(0.5f)).context(PA_CL_VPORT_ZOFFSET::address(0), number(0.5f));
    w.context(PA_CL_GB_HORZ_CLIP_ADJ::address(), number(8)).context(PA_CL_GB_VERT_CLIP_ADJ::address(), number(8));
    w.user(VGT_PRIMITIVE_TYPE::address(), VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST);
    return w;
  }
  // A depth buffer in 1D tiles, tested and written.
  static Words& bind_depth(Words& w, const Buffer& depth, uint32_t format, uint32_t function = CompareFrag::FRAG_ALWAYS) {
    w.context(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(format));
    w.context(DB_DEPTH_INFO::address(), DB_DEPTH_INFO::ARRAY_MODE::of(ArrayMode::ARRAY_1D_TILED_THIN1) |
                                            DB_DEPTH_INFO::PIPE_CONFIG::of(sea_islands::PipeConfig::ADDR_SURF_P4_16x16));
    w.context(DB_DEPTH_SIZE::address(),
              DB_DEPTH_SIZE::PITCH_TILE_MAX::of(width / 8 - 1) | DB_DEPTH_SIZE::HEIGHT_TILE_MAX::of(height / 8 - 1));
    w.context(DB_DEPTH_SLICE::address(), width * height / 64 - 1);
    w.context(DB_Z_READ_BASE::address(), uint32_t(depth.gpu_address >> 8))
        .context(DB_Z_WRITE_BASE::address(), uint32_t(depth.gpu_address >> 8));
    return w.context(DB_DEPTH_CONTROL::address(), DB_DEPTH_CONTROL::Z_ENABLE::of(1) | DB_DEPTH_CONTROL::Z_WRITE_ENABLE::of(1) |
                                                      DB_DEPTH_CONTROL::ZFUNC::of(function));
  }
  static Words& triangle(Words& w) { return w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {3, 2}); }
  uint32_t pixel(unsigned x, unsigned y) { return reinterpret_cast<uint32_t*>(colour.host_pointer)[y * width + x]; }
};

}  // namespace Atoll::sea_islands::test
