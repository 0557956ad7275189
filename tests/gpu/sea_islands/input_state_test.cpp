// Assembly's use of registers and packets, field by field, without a driver: the order of indices' bytes, primitives' numbers,
// and vertices whose program kills them; and the scissors that the window moves. Vertex n of instance i is drawn at pixel n, i,
// or n, i + 8 where n is odd.
#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;

class InputState : public Draws {
protected:
  InputState() : indices(*space->allocate(4096)) {
    const std::vector<std::string> places = {"v_and_b32 v4, 1, v0",
                                             "v_lshlrev_b32 v4, 3, v4",
                                             "v_add_i32 v5, vcc, v1, v4",
                                             "v_cvt_f32_u32 v5, v5",
                                             "v_mul_f32 v5, 0x3d800000, v5",
                                             "v_add_f32 v5, 0xbf780000, v5",
                                             "v_cvt_f32_u32 v4, v0",
                                             "v_mul_f32 v4, 0x3d000000, v4",
                                             "v_add_f32 v4, 0xbf7c0000, v4",
                                             "v_cvt_f32_u32 v6, v2",
                                             "v_mul_f32 v6, 0x3b808081, v6",
                                             "v_mov_b32 v7, 0",
                                             "v_mov_b32 v8, 1.0",
                                             "v_mov_b32 v10, s0",
                                             "v_lshrrev_b32 v9, v0, v10",
                                             "v_and_b32 v9, 1, v9",
                                             "exp pos0 v4, v5, v7, v8",
                                             "exp pos1 v7, v7, v9, v7 done",
                                             "exp param0 v6, v6, v6, v8",
                                             "s_endpgm"};
    vertex = program(places);
    flat = program({"s_mov_b32 m0, s0", "v_interp_mov_f32 v0, p0, attr0.x", "v_mov_b32 v1, 1.0",
                    "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  }
  // Red is the number of the primitive that the vertex program was given; bit n of `killed`: vertex n's flag.
  Words begin(uint32_t killed = 0) {
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(vertex, flat);
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0003 | SPI_SHADER_PGM_RSRC1_VS::VGPR_COMP_CNT::of(2));
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), killed);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(SPI_SHADER_POS_FORMAT::address(), 0x44);
    w.context(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::FLAT_SHADE::of(1));
    w.context(SPI_INTERP_CONTROL_0::address(), SPI_INTERP_CONTROL_0::FLAT_SHADE_ENA::of(1));
    w.context(PA_CL_VS_OUT_CNTL::address(), PA_CL_VS_OUT_CNTL::VS_OUT_MISC_VEC_ENA::of(1));
    w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8))
        .context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(8) | PA_SU_POINT_SIZE::HEIGHT::of(8))
        .context(PA_SU_POINT_MINMAX::address(), PA_SU_POINT_MINMAX::MAX_SIZE::of(0xffff));
    return w;
  }
  static Words& draw(Words& w, uint32_t type, unsigned count, unsigned instances = 1) {
    return w.user(VGT_PRIMITIVE_TYPE::address(), type)
        .packet(NUM_INSTANCES::opcode, {instances})
        .packet(DRAW_INDEX_AUTO::opcode, {count, 2});
  }
  bool column_drawn(unsigned x) {
    for (unsigned y = 0; y < height; y++)
      if (pixel(x, y)) return true;
    return false;
  }

  Buffer indices;
  uint64_t vertex = 0, flat = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, InputState, testing::Values("interpreter", "jit"));

// The dwords of the buffer by the manual's line of each mode (VGT_DMA_INDEX_TYPE.SWAP_MODE), first index anywhere in a dword.
TEST_P(InputState, BytesOfIndicesAreSwappedByDwords) {
  auto swapped = [](uint32_t mode, uint32_t d) {
    const uint32_t a = d >> 24, b = d >> 16 & 255, c = d >> 8 & 255, e = d & 255;
    return mode == 1   ? b << 24 | a << 16 | e << 8 | c
           : mode == 2 ? e << 24 | c << 16 | b << 8 | a
           : mode == 3 ? c << 24 | e << 16 | a << 8 | b
                       : d;
  };
  const std::vector<unsigned> places = {3, 60, 17, 4, 41, 22, 9};
  for (uint32_t mode = 0; mode < 4; mode++)
    for (unsigned bytes : {2u, 4u})
      for (unsigned first = 0; first < 4; first++) {
        std::array<uint32_t, 16> dwords{};
        auto* list = reinterpret_cast<uint8_t*>(dwords.data());
        for (unsigned n = 0; n < places.size(); n++) std::memcpy(list + (first + n) * bytes, &places[n], bytes);
        for (unsigned n = 0; n < dwords.size(); n++)
          reinterpret_cast<uint32_t*>(indices.host_pointer)[n] = swapped(mode, dwords[n]);
        Words w = begin();
        const uint64_t address = indices.gpu_address + first * bytes;
        const auto count = uint32_t(places.size());
        w.user(VGT_PRIMITIVE_TYPE::address(), Type::DI_PT_POINTLIST)
            .packet(NUM_INSTANCES::opcode, {1})
            .packet(INDEX_TYPE::opcode, {uint32_t(bytes == 4) | VGT_DMA_INDEX_TYPE::SWAP_MODE::of(mode)})
            .packet(DRAW_INDEX_2::opcode, {count, Words::low(address), Words::high(address), count, 0});
        good(w);
        for (unsigned x = 0; x < width; x++)
          ASSERT_EQ(column_drawn(x), std::ranges::count(places, x) == 1)
              << "mode " << mode << ", " << bytes << " bytes, first " << first << ", column " << x;
      }
}

TEST_P(InputState, PrimitivesAreCountedFromTheirRegisterInEachInstanceOrOn) {
  for (uint32_t reset : {0u, 7u, 100u})
    for (bool go_on : {false, true}) {
      Words w = begin();
      using Enable = VGT_PRIMITIVEID_EN;
      w.context(Enable::address(), Enable::PRIMITIVEID_EN::of(1) | Enable::DISABLE_RESET_ON_EOI::of(go_on));
      w.context(VGT_PRIMITIVEID_RESET::address(), reset);
      constexpr unsigned count = 5, instances = 4;
      good(draw(w, Type::DI_PT_POINTLIST, count, instances));
      for (unsigned i = 0; i < instances; i++)
        for (unsigned n = 0; n < count; n++)
          ASSERT_EQ(pixel(n, i + n % 2 * 8) & 255, reset + n + (go_on ? i * count : 0))
              << "reset " << reset << ", goes on " << go_on << ", instance " << i << ", point " << n;
    }
}

// A viewport's scissor moves with the window, or stays.
TEST_P(InputState, ScissorsOfViewportsFollowTheWindowsOffset) {
  const uint64_t all = big_triangle(), white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  for (int dx : {0, 7, -5})
    for (int dy : {0, 3, -2})
      for (bool stays : {false, true}) {
        std::memset(colour.host_pointer, 0, width * height * 4);
        Words w = state(all, white);
        w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
        w.context(PA_SC_WINDOW_OFFSET::address(), (uint32_t(dx) & 0xffff) | uint32_t(dy) << 16);
        w.context(PA_SC_WINDOW_SCISSOR_TL::address(), 1u << 31);
        w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE::of(1));
        w.context(PA_SC_VPORT_SCISSOR_TL::address(0), uint32_t(stays) << 31 | 8 | 3 << 16)
            .context(PA_SC_VPORT_SCISSOR_BR::address(0), 52 | 28 << 16);
        good(draw(w, Type::DI_PT_TRILIST, 3));
        for (unsigned uy = 0; uy < height; uy++)
          for (unsigned ux = 0; ux < width; ux++) {
            const int x = int(ux) - (stays ? 0 : dx), y = int(uy) - (stays ? 0 : dy);
            ASSERT_EQ(pixel(ux, uy) != 0, x >= 8 && x < 52 && y >= 3 && y < 28)
                << ux << "," << uy << " offset " << dx << "," << dy << ", stays " << stays;
          }
      }
}

// Each set of killed vertices of a primitive: dropped where all are, or where one is.
TEST_P(InputState, KilledVerticesDropPrimitives) {
  struct Kind {
    uint32_t type;
    unsigned vertices;
  };
  for (Kind kind : {Kind{Type::DI_PT_POINTLIST, 1}, Kind{Type::DI_PT_LINELIST, 2}, Kind{Type::DI_PT_TRILIST, 3}})
    for (bool used : {false, true})
      for (bool any : {false, true}) {
        const unsigned sets = 1u << kind.vertices;
        uint32_t killed = 0;
        for (unsigned set = 0; set < sets; set++) killed |= set << set * kind.vertices;
        Words w = begin(killed);
        using Out = PA_CL_VS_OUT_CNTL;
        w.context(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_KILL_FLAG::of(used));
        w.context(PA_CL_CLIP_CNTL::address(), PA_CL_CLIP_CNTL::VTX_KILL_OR::of(any));
        good(draw(w, kind.type, sets * kind.vertices));
        for (unsigned set = 0; set < sets; set++) {
          bool drawn = false;
          for (unsigned n = 0; n < kind.vertices; n++) drawn |= column_drawn(set * kind.vertices + n);
          ASSERT_EQ(drawn, !used || (any ? set == 0 : set != sets - 1))
              << "type " << kind.type << ", vertices killed " << set << ", used " << used << ", any " << any;
        }
      }
}

// Points beyond a part of the window are dropped; a band as wide as the window or wider drops none that is seen.
TEST_P(InputState, PrimitivesBeyondAPartOfTheWindow) {
  for (float horizontal : {1.0f, 2.0f, 0.5f, 0.25f})
    for (float vertical : {1.0f, 0.7f, 0.3f})
      for (bool clipped : {true, false}) {
        Words w = begin();
        w.context(PA_CL_GB_HORZ_DISC_ADJ::address(), std::bit_cast<uint32_t>(horizontal))
            .context(PA_CL_GB_VERT_DISC_ADJ::address(), std::bit_cast<uint32_t>(vertical));
        w.context(PA_CL_CLIP_CNTL::address(), PA_CL_CLIP_CNTL::CLIP_DISABLE::of(!clipped));
        good(draw(w, Type::DI_PT_POINTLIST, width));
        for (unsigned n = 0; n < width; n++) {
          const float x = (float(n) + 0.5f) / (width * 0.5f) - 1, y = (float(n % 2 * 8) + 0.5f) / (height * 0.5f) - 1;
          const bool inside = std::abs(x) <= horizontal && std::abs(y) <= vertical;
          ASSERT_EQ(pixel(n, n % 2 * 8) != 0, !clipped || inside)
              << n << ", band " << horizontal << ", " << vertical << ", " << clipped;
        }
      }
}

// A channel from 0.1 at the left to 0.9 at twice the window's width, or the short way round: down to -0.1.
TEST_P(InputState, AttributesGoTheShortWayRound) {
  const uint64_t from_left =
      program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc",
               "v_cmp_eq_u32 vcc, 1, v0", "v_cndmask_b32 v3, v1, v2, vcc", "v_mov_b32 v5, 0", "v_mov_b32 v6, 1.0",
               "exp pos0 v3, v4, v5, v6 done", "v_mov_b32 v1, 0x3dcccccd", "v_mov_b32 v2, 0x3f666666",
               "v_cndmask_b32 v3, v1, v2, vcc", "exp param0 v3, v3, v3, v3", "s_endpgm"});
  std::vector<std::string> all = {"s_mov_b32 m0, s0"};
  for (unsigned c = 0; c < 4; c++)
    for (const char* part : {"p1_f32 v{}, v0", "p2_f32 v{}, v1"})
      all.push_back(fmt::format("v_interp_{}, attr0.{}", fmt::format(fmt::runtime(part), 2 + c), "xyzw"[c]));
  all.insert(all.end(), {"exp mrt0 v2, v3, v4, v5 done vm", "s_endpgm"});
  const uint64_t shown = program(all);
  for (uint32_t wrapped = 0; wrapped < 16; wrapped++) {
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(from_left, shown);
    w.shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0x000c0003);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::CYL_WRAP::of(wrapped));
    good(draw(w, Type::DI_PT_TRILIST, 3));
    for (unsigned x = 0; x < width; x += 5)
      for (unsigned c = 0; c < 4; c++) {
        const double way = (x + 0.5) / (2 * width), value = 0.1 + (wrapped >> c & 1 ? -0.2 : 0.8) * way;
        ASSERT_NEAR(pixel(x, height / 2) >> 8 * c & 255, 255 * value, 1)
            << "CYL_WRAP " << wrapped << ", channel " << c << ", x " << x;
      }
  }
}

// A line's pattern from its lowest bit on, or from its highest.
TEST_P(InputState, StippleFromEitherEnd) {
  const uint64_t along = program({"v_cvt_f32_u32 v3, v0", "v_mul_f32 v3, 2.0, v3", "v_add_f32 v3, -1.0, v3",
                                  "v_mov_b32 v4, 0x3c800000" /* 1/64: the middle of a row */, "v_mov_b32 v5, 0",
                                  "v_mov_b32 v6, 1.0", "exp pos0 v3, v4, v5, v6 done", "s_endpgm"}),
                 white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  for (uint32_t pattern : {0x1333u, 0x8001u, 0x00ffu})
    for (bool turned : {false, true}) {
      std::memset(colour.host_pointer, 0, width * height * 4);
      Words w = state(along, white);
      w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
      w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8));
      w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::LINE_STIPPLE_ENABLE::of(1));
      w.context(PA_SC_LINE_STIPPLE::address(), pattern | PA_SC_LINE_STIPPLE::REPEAT_COUNT::of(1) |
                                                   PA_SC_LINE_STIPPLE::PATTERN_BIT_ORDER::of(turned) |
                                                   PA_SC_LINE_STIPPLE::AUTO_RESET_CNTL::of(1));
      good(draw(w, Type::DI_PT_LINELIST, 2));
      for (unsigned x = 0; x < width; x++) {
        const unsigned bit = x / 2 % 16;
        ASSERT_EQ(column_drawn(x), pattern >> (turned ? 15 - bit : bit) & 1)
            << std::hex << pattern << ", " << turned << ", x " << x;
      }
    }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
