// Draws of vertices from a table in memory, for tests of what happens between vertices and pixels.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {

inline uint32_t number(float x) { return std::bit_cast<uint32_t>(x); }

// As the table in memory has it.
struct Vertex {
  float position[4] = {0, 0, 0, 1};
  union Misc {
    float size;
    uint32_t word;
  } misc[4] = {};  // point size, edge flag, layer, viewport
  float distance[8] = {};
};
static_assert(sizeof(Vertex) == 64);

class RasterState : public Draws {
protected:
  RasterState() : table(*space->allocate(65536, 4096)) {
    white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
    for (unsigned form = 0; form < 4; form++) {
      std::vector<std::string> lines = {"v_lshlrev_b32 v1, 6, v0", "v_mov_b32 v2, s1", "v_add_i32 v1, vcc, s0, v1",
                                        "v_addc_u32 v2, vcc, 0, v2, vcc"};
      for (unsigned n = 0; n < 4; n++) {
        lines.push_back(fmt::format("flat_load_dwordx4 v[{}:{}], v[1:2]", 4 + n * 4, 7 + n * 4));
        lines.push_back("v_add_i32 v1, vcc, 16, v1");
        lines.push_back("v_addc_u32 v2, vcc, 0, v2, vcc");
      }
      lines.push_back("s_waitcnt vmcnt(0) & lgkmcnt(0)");
      lines.push_back("exp pos0 v4, v5, v6, v7");
      unsigned next = 1;
      if (form & 1) lines.push_back(fmt::format("exp pos{} v8, v9, v10, v11", next++));
      if (form & 2) {
        lines.push_back(fmt::format("exp pos{} v12, v13, v14, v15", next));
        lines.push_back(fmt::format("exp pos{} v16, v17, v18, v19", next + 1));
      }
      lines.insert(lines.end(), {"v_cvt_f32_u32 v0, v0", "v_mul_f32 v0, 0x3b808081, v0", "v_mov_b32 v1, 1.0",
                                 "exp param0 v0, v0, v0, v1", "s_endpgm"});
      lines[lines.size() - 6] += " done";  // the last position
      programs[form] = program(lines);
    }
  }
  // `vertices` in clip space; form: bit 0 exports the miscellaneous vector, bit 1 the distances.
  Words begin(const std::vector<Vertex>& vertices, unsigned form = 0, uint64_t pixel = 0) {
    std::memcpy(table.host_pointer, vertices.data(), vertices.size() * sizeof(Vertex));
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(programs[form], pixel ? pixel : white);
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0005);
    w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2))
        .shader(SPI_SHADER_USER_DATA_VS::address(0), uint32_t(table.gpu_address))
        .shader(SPI_SHADER_USER_DATA_VS::address(1), uint32_t(table.gpu_address >> 32));
    if (!pixel) w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    using Out = PA_CL_VS_OUT_CNTL;
    w.context(Out::address(), (form & 1 ? Out::VS_OUT_MISC_VEC_ENA::of(1) : 0) |
                                  (form & 2 ? Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1) : 0));
    w.context(SPI_SHADER_POS_FORMAT::address(), 4 | (form ? 0x40 : 0) | (form & 2 ? 0x400 : 0) | (form == 3 ? 0x4000 : 0));
    return w;
  }
  static Words& draw(Words& w, unsigned count, uint32_t type = VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST) {
    return w.user(VGT_PRIMITIVE_TYPE::address(), type)
        .packet(NUM_INSTANCES::opcode, {1})
        .packet(DRAW_INDEX_AUTO::opcode, {count, 2});
  }
  static std::vector<Vertex> large_triangle() {
    std::vector<Vertex> v(3);
    v[0].position[0] = v[0].position[1] = v[1].position[1] = v[2].position[0] = -1;
    v[1].position[0] = v[2].position[1] = 3;
    return v;
  }
  // A place in pixels, in clip space.
  static Vertex at_pixel(double x, double y) {
    Vertex v;
    v.position[0] = float(x / (width / 2) - 1), v.position[1] = float(y / (height / 2) - 1);
    return v;
  }
  // expected(x, y): 1 drawn, 0 not, -1 too near to say.
  template <class Expected>
  void compare(Expected expected) {
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) {
        int e = expected(x, y);
        if (e >= 0) ASSERT_EQ(pixel(x, y) != 0, e != 0) << x << "," << y;
      }
  }

  Buffer table;
  uint64_t white = 0, programs[4] = {};
};

}  // namespace Atoll::sea_islands::test
