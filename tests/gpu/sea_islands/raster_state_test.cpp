// From vertices to pixels field by field, without a driver: viewports, clipping, scissors, primitives of lines and points, sizes,
// faces and polygon modes, in the forms that drivers write. Expectations are worked out here.
#include "gpu/sea_islands/raster_state.h"

#include <array>
#include <cmath>

namespace Atoll::sea_islands::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Engines, RasterState, testing::Values("interpreter", "jit"));

// --- viewports

TEST_P(RasterState, SixteenViewportsWithScissorsAndRangesOfTheirOwn) {
  const uint64_t depth = program({"v_mov_b32 v1, 1.0", "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  std::vector<Vertex> vertices;
  for (uint32_t n = 0; n < 16; n++)
    for (Vertex v : large_triangle()) v.misc[3].word = n, v.position[2] = 0.5f, vertices.push_back(v);
  for (bool by_index : {true, false})
    for (bool scissored : {true, false}) {
      Words w = begin(vertices, 1, depth);
      w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
      w.context(SPI_PS_INPUT_ENA::address(), 1 << 10).context(SPI_PS_INPUT_ADDR::address(), 1 << 10);  // POS_Z
      w.context(PA_CL_VS_OUT_CNTL::address(),
                PA_CL_VS_OUT_CNTL::VS_OUT_MISC_VEC_ENA::of(1) | PA_CL_VS_OUT_CNTL::USE_VTX_VIEWPORT_INDX::of(by_index));
      w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::VPORT_SCISSOR_ENABLE::of(scissored));
      auto low = [](unsigned n) { return n % 3 == 0 ? 0.25f : 0.0f; };
      auto high = [](unsigned n) { return n % 3 == 1 ? 0.5f : 1.0f; };
      auto scale = [](unsigned n) { return float(n) / 32; };
      auto offset = [](unsigned n) { return float(n % 5) / 8; };
      for (unsigned n = 0; n < 16; n++) {
        w.context(PA_CL_VPORT_XSCALE::address(n), number(8))
            .context(PA_CL_VPORT_XOFFSET::address(n), number(8 + 16 * float(n % 4)));
        w.context(PA_CL_VPORT_YSCALE::address(n), number(4))
            .context(PA_CL_VPORT_YOFFSET::address(n), number(4 + 8 * float(n / 4)));
        w.context(PA_CL_VPORT_ZSCALE::address(n), number(scale(n))).context(PA_CL_VPORT_ZOFFSET::address(n), number(offset(n)));
        w.context(PA_SC_VPORT_ZMIN::address(n), number(low(n))).context(PA_SC_VPORT_ZMAX::address(n), number(high(n)));
        const unsigned left = n % 4 * 16 + n % 2, top = n / 4 * 8, right = n % 4 * 16 + 16, bottom = n / 4 * 8 + 8 - n % 3;
        w.context(PA_SC_VPORT_SCISSOR_TL::address(n), 1u << 31 | left | top << 16)
            .context(PA_SC_VPORT_SCISSOR_BR::address(n), right | bottom << 16);
      }
      good(draw(w, unsigned(vertices.size())));
      for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
          // The triangle reaches twice as far as the viewport, and of several the last is seen.
          int seen = -1;
          for (unsigned n = 0; n < 16; n++) {
            const unsigned v = by_index ? n : 0;
            const double cx = (x + 0.5 - (8 + 16 * (v % 4))) / 8, cy = (y + 0.5 - (4 + 8 * (v / 4))) / 4;
            const bool inside = cx >= -1 && cy >= -1 && cx + cy <= 2;
            const bool let_through =
                x >= v % 4 * 16 + v % 2 && x < v % 4 * 16 + 16 && y >= v / 4 * 8 && y < v / 4 * 8 + 8 - v % 3;
            if (inside && (!scissored || let_through)) seen = int(v);
          }
          const unsigned v = unsigned(seen);
          const float z = seen < 0 ? 0 : std::clamp(0.5f * scale(v) + offset(v), low(v), high(v));
          const double cx = seen < 0 ? 0 : (x + 0.5 - (8 + 16 * (v % 4))) / 8,
                       cy = seen < 0 ? 0 : (y + 0.5 - (4 + 8 * (v / 4))) / 4;
          if (std::abs(cx + cy - 2) < 0.3) continue;
          const uint32_t expected = seen < 0 ? 0 : 0xffffff00 | uint32_t(std::lround(z * 255));
          if (!scissored) {
            ASSERT_EQ(pixel(x, y) != 0, seen >= 0);
            continue;
          }
          ASSERT_EQ(pixel(x, y), expected) << x << "," << y << ", viewport " << seen;
        }
    }
}

// Positions that are pixels already, as radeonsi's blits have them.
TEST_P(RasterState, PositionsInPixels) {
  std::vector<Vertex> v(3);
  const float corners[3][2] = {{10, 4}, {50, 4}, {10, 24}};
  for (unsigned n = 0; n < 3; n++) v[n].position[0] = corners[n][0], v[n].position[1] = corners[n][1], v[n].position[2] = 0.25f;
  Words w = begin(v);
  using Vte = PA_CL_VTE_CNTL;
  w.context(Vte::address(), Vte::VTX_XY_FMT::of(1) | Vte::VTX_Z_FMT::of(1));
  w.context(PA_CL_CLIP_CNTL::address(), PA_CL_CLIP_CNTL::CLIP_DISABLE::of(1));
  good(draw(w, 3, VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_RECTLIST));
  compare([](unsigned x, unsigned y) { return x >= 10 && x < 50 && y >= 4 && y < 24; });
}

// --- clipping

TEST_P(RasterState, NearAndFarPlanesOfBothClipSpaces) {
  for (bool from_zero : {false, true})
    for (bool near_off : {false, true})
      for (bool far_off : {false, true})
        for (bool off : {false, true}) {
          std::vector<Vertex> v = large_triangle();
          for (Vertex& one : v) one.position[2] = one.position[0] * 2;
          Words w = begin(v);
          using Clip = PA_CL_CLIP_CNTL;
          w.context(Clip::address(), Clip::DX_CLIP_SPACE_DEF::of(from_zero) | Clip::ZCLIP_NEAR_DISABLE::of(near_off) |
                                         Clip::ZCLIP_FAR_DISABLE::of(far_off) | Clip::CLIP_DISABLE::of(off));
          good(draw(w, 3));
          compare([&](unsigned x, unsigned) -> int {
            const double z = 2 * ((x + 0.5) / (width / 2) - 1), least = from_zero ? 0 : -1;
            if (off) return 1;
            if ((!near_off && z < least) || (!far_off && z > 1)) return 0;
            return 1;
          });
        }
}

// z that comes divided by w beside x and y that do not, and the same undivided: where the planes cut tells them apart.
TEST_P(RasterState, DepthDividedByItself) {
  constexpr float w = 3;
  for (bool divided : {false, true}) {
    std::vector<Vertex> v = large_triangle();
    for (Vertex& one : v) {
      one.position[2] = one.position[0] * 2;
      one.position[0] *= w, one.position[1] *= w, one.position[3] = w;
    }
    Words words = begin(v);
    using Vte = PA_CL_VTE_CNTL;
    words.context(PA_CL_CLIP_CNTL::address(), 0);
    words.context(Vte::address(), 0x3f | Vte::VTX_W0_FMT::of(1) | Vte::VTX_Z_FMT::of(divided));
    good(draw(words, 3));
    compare([&](unsigned x, unsigned) {
      const double z = 2 * ((x + 0.5) * 2 / width - 1) / (divided ? 1 : w);
      return z >= -1 && z <= 1;
    });
  }
}

// Attributes in perspective and, where that is switched off, evenly over the window.
TEST_P(RasterState, PerspectiveCorrection) {
  const uint64_t pixel_program =
      program({"v_interp_p1_f32 v2, v0, attr0.x", "v_interp_p2_f32 v2, v1, attr0.x", "v_mul_f32 v2, 0x42c80000, v2" /* 100 */,
               "v_mov_b32 v3, 1.0", "exp mrt0 v2, v3, v3, v3 done vm", "s_endpgm"});
  constexpr float ws[] = {1, 4, 2};
  for (bool off : {false, true}) {
    std::vector<Vertex> v = large_triangle();
    for (unsigned n = 0; n < 3; n++)
      for (float& c : v[n].position) c *= ws[n];
    Words words = begin(v, 0, pixel_program);
    words.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    words.context(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::PERSP_CORR_DIS::of(off));
    good(draw(words, 3));
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) {
        double weight[3] = {0, (x + 0.5) / (2 * width), (y + 0.5) / (2 * height)}, all = 0;
        weight[0] = 1 - weight[1] - weight[2];
        for (unsigned n = 0; n < 3; n++) all += off ? weight[n] : weight[n] /= double(ws[n]);
        ASSERT_NEAR(pixel(x, y) & 0xff, 100 * (weight[1] + 2 * weight[2]) / all, 0.6) << off << ", " << x << "," << y;
      }
  }
}

// Planes of the registers, which cut by the position.
TEST_P(RasterState, UserClipPlanes) {
  std::array<std::array<float, 4>, 6> planes;
  for (unsigned n = 0; n < 6; n++) {
    const float angle = 1.0471976f * float(n) + 0.1f;
    planes[n] = {-std::cos(angle), -std::sin(angle), 0, 0.55f + 0.05f * float(n)};
  }
  for (uint32_t enabled = 0; enabled < 64; enabled++) {
    Words w = begin(large_triangle());
    for (unsigned n = 0; n < 6; n++)
      for (unsigned c = 0; c < 4; c++) w.context(PA_CL_UCP_X::address(n) + c * 4, number(planes[n][c]));
    w.context(PA_CL_CLIP_CNTL::address(), enabled);  // UCP_ENA_0 to 5
    good(draw(w, 3));
    compare([&](unsigned x, unsigned y) -> int {
      const double px = (x + 0.5) / (width / 2) - 1, py = (y + 0.5) / (height / 2) - 1;
      int drawn = 1;
      for (unsigned n = 0; n < 6; n++) {
        if (!(enabled >> n & 1)) continue;
        const double d = px * planes[n][0] + py * planes[n][1] + planes[n][3];
        if (std::abs(d) < 0.01) return -1;
        if (d < 0) drawn = 0;
      }
      return drawn;
    });
  }
}

// Distances that a program exports, to cut and to cull by, after the miscellaneous vector or without one.
TEST_P(RasterState, ClipAndCullDistances) {
  auto plane = [](unsigned n, double x, double y) {
    const double angle = 0.785398 * n + 0.2;
    return -x * std::cos(angle) - y * std::sin(angle) + 0.6 + 0.04 * n;
  };
  for (unsigned form : {2u, 3u})
    for (uint32_t clipped = 0; clipped < 256; clipped += form == 2 ? 1 : 17)
      for (uint32_t culled : {0u, 0x01u, 0xf0u}) {
        if (clipped & culled) continue;
        std::vector<Vertex> v = large_triangle();
        for (unsigned i = 0; i < 3; i++)
          for (unsigned n = 0; n < 8; n++) {
            v[i].distance[n] = float(plane(n, v[i].position[0], v[i].position[1]));
            if (culled >> n & 1) v[i].distance[n] = i == 2 && clipped % 3 ? 1 : -1;  // all of them, or not
          }
        Words w = begin(v, form);
        using Out = PA_CL_VS_OUT_CNTL;
        w.context(Out::address(), clipped | culled << Out::CULL_DIST_ENA_0::low | Out::VS_OUT_MISC_VEC_ENA::of(form & 1) |
                                      Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::VS_OUT_CCDIST1_VEC_ENA::of(1));
        good(draw(w, 3));
        compare([&](unsigned x, unsigned y) -> int {
          if (culled && clipped % 3 == 0) return 0;
          const double px = (x + 0.5) / (width / 2) - 1, py = (y + 0.5) / (height / 2) - 1;
          int drawn = 1;
          for (unsigned n = 0; n < 8; n++) {
            if (!(clipped >> n & 1)) continue;
            const double d = plane(n, px, py);
            if (std::abs(d) < 0.01) return -1;
            if (d < 0) drawn = 0;
          }
          return drawn;
        });
      }
}

// --- scissors

TEST_P(RasterState, ScissorsAndTheirOffset) {
  struct Box {
    int left, top, right, bottom;
  };
  auto word = [](int x, int y) { return uint32_t(x) | uint32_t(y) << 16; };
  for (Box screen : {Box{0, 0, 64, 32}, Box{3, 2, 60, 31}})
    for (Box window : {Box{0, 0, 64, 32}, Box{5, 4, 40, 20}})
      for (Box generic : {Box{0, 0, 64, 32}, Box{10, 1, 50, 25}})
        for (int dx : {0, 7})
          for (bool follows : {false, true}) {
            Words w = begin(large_triangle());
            w.context(PA_SC_SCREEN_SCISSOR_TL::address(), word(screen.left, screen.top))
                .context(PA_SC_SCREEN_SCISSOR_BR::address(), word(screen.right, screen.bottom));
            const uint32_t stays = follows ? 0 : 1u << 31;
            w.context(PA_SC_WINDOW_OFFSET::address(), word(dx, dx / 2));
            w.context(PA_SC_WINDOW_SCISSOR_TL::address(), stays | word(window.left, window.top))
                .context(PA_SC_WINDOW_SCISSOR_BR::address(), word(window.right, window.bottom));
            w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31 | word(generic.left, generic.top))
                .context(PA_SC_GENERIC_SCISSOR_BR::address(), word(generic.right, generic.bottom));
            good(draw(w, 3));
            compare([&](unsigned ux, unsigned uy) -> int {
              const int x = int(ux), y = int(uy), ox = follows ? dx : 0, oy = follows ? dx / 2 : 0;
              auto in = [](const Box& b, int px, int py) { return px >= b.left && px < b.right && py >= b.top && py < b.bottom; };
              return in(screen, x, y) && in(window, x - ox, y - oy) && in(generic, x, y);
            });
          }
}

// Four rectangles and which sets of them a pixel may lie in (window rectangles of OpenGL, discard rectangles of Vulkan).
TEST_P(RasterState, ClipRectanglesByRule) {
  const unsigned boxes[4][4] = {{4, 2, 40, 20}, {20, 1, 60, 12}, {10, 10, 50, 30}, {30, 4, 36, 28}};
  std::vector<uint32_t> rules = {0, 0xaaaa, 0xcccc, 0xf0f0, 0xff00, 0xfffe, 0x0001, 0x5555, 0x3333, 0x1111, 0x8000};
  for (unsigned n = 0; n < 16; n++) rules.push_back(1u << n);
  for (unsigned n = 0; n < 40; n++) rules.push_back(n * 0x9e37u & 0xffff);
  for (uint32_t rule : rules) {
    Words w = begin(large_triangle());
    w.context(PA_SC_CLIPRECT_RULE::address(), rule);
    for (unsigned n = 0; n < 4; n++)
      w.context(PA_SC_CLIPRECT_TL::address(n), boxes[n][0] | boxes[n][1] << 16)
          .context(PA_SC_CLIPRECT_BR::address(n), boxes[n][2] | boxes[n][3] << 16);
    good(draw(w, 3));
    compare([&](unsigned x, unsigned y) -> int {
      unsigned in = 0;
      for (unsigned n = 0; n < 4; n++)
        in |= unsigned(x >= boxes[n][0] && x < boxes[n][2] && y >= boxes[n][1] && y < boxes[n][3]) << n;
      return rule >> in & 1;
    });
  }
}

// --- lines and points

// Every kind, with each index and restart, under both provoking conventions: colours are vertex numbers.
TEST_P(RasterState, LinesAndPointsOfEveryKind) {
  using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  const uint64_t flat = program({"s_mov_b32 m0, s0", "v_interp_mov_f32 v0, p0, attr0.x", "v_mov_b32 v1, 1.0",
                                 "exp mrt0 v0, v1, v1, v1 done vm", "s_endpgm"});
  Buffer indices = *space->allocate(4096);
  for (uint32_t type : {Type::DI_PT_POINTLIST, Type::DI_PT_LINELIST, Type::DI_PT_LINESTRIP, Type::DI_PT_LINELOOP})
    for (bool last : {false, true})
      for (unsigned index_bytes : {0u, 2u, 4u})
        for (bool restart : {false, true})
          for (unsigned count = 0; count <= 6; count++) {
            if (restart && !index_bytes) continue;
            std::vector<Vertex> v;
            for (unsigned n = 0; n < 8; n++) v.push_back(at_pixel(4.5 + 6 * n, 5.5));
            std::vector<uint32_t> list;
            for (unsigned n = 0; n < count; n++) {
              if (restart && n == 3) list.push_back(~0u);
              list.push_back(n);
            }
            Words w = begin(v, 0, flat);
            w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
            w.context(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::FLAT_SHADE::of(1));
            w.context(SPI_INTERP_CONTROL_0::address(), SPI_INTERP_CONTROL_0::FLAT_SHADE_ENA::of(1));
            w.context(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST::of(last));
            w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8))
                .context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(8) | PA_SU_POINT_SIZE::HEIGHT::of(8));
            w.context(PA_SU_POINT_MINMAX::address(), PA_SU_POINT_MINMAX::MAX_SIZE::of(0xffff));
            if (!index_bytes) {
              draw(w, count, type);
            } else {
              for (size_t n = 0; n < list.size(); n++) {
                if (index_bytes == 2)
                  reinterpret_cast<uint16_t*>(indices.host_pointer)[n] = uint16_t(list[n]);
                else
                  reinterpret_cast<uint32_t*>(indices.host_pointer)[n] = list[n];
              }
              w.context(VGT_MULTI_PRIM_IB_RESET_EN::address(), restart)
                  .context(VGT_MULTI_PRIM_IB_RESET_INDX::address(), index_bytes == 2 ? 0xffff : ~0u);
              w.user(VGT_PRIMITIVE_TYPE::address(), type)
                  .packet(NUM_INSTANCES::opcode, {1})
                  .packet(INDEX_TYPE::opcode, {index_bytes == 4});
              w.packet(DRAW_INDEX_2::opcode, {uint32_t(list.size()), Words::low(indices.gpu_address),
                                              Words::high(indices.gpu_address), uint32_t(list.size()), 0});
            }
            good(w);
            // Painted here one after the other.
            std::array<int, width> row;
            row.fill(-1);
            auto line = [&](unsigned from, unsigned to) {
              const int colour = int(last ? to : from), begin = int(4 + 6 * from), end = int(4 + 6 * to);
              for (int x = begin; x != end; x += end > begin ? 1 : -1) row[unsigned(x)] = colour;
            };
            std::vector<std::vector<unsigned>> runs(1);
            for (uint32_t n : list)
              if (n == ~0u)
                runs.emplace_back();
              else
                runs.back().push_back(n);
            for (auto& run : runs) {
              const size_t n = run.size();
              if (type == Type::DI_PT_POINTLIST)
                for (unsigned p : run) row[4 + 6 * p] = int(p);
              if (type == Type::DI_PT_LINELIST)
                for (size_t i = 0; i + 1 < n; i += 2) line(run[i], run[i + 1]);
              if (type == Type::DI_PT_LINESTRIP || type == Type::DI_PT_LINELOOP)
                for (size_t i = 0; i + 1 < n; i++) line(run[i], run[i + 1]);
              if (type == Type::DI_PT_LINELOOP && n > 1) line(run[n - 1], run[0]);
            }
            SCOPED_TRACE(fmt::format("type {}, {} vertices, {} bytes an index{}, {} convention", type, count, index_bytes,
                                     restart ? ", restart" : "", last ? "last" : "first"));
            for (unsigned y = 0; y < height; y++)
              for (unsigned x = 0; x < width; x++) {
                const uint32_t expected = y == 5 && row[x] >= 0 ? 0xffffff00u | uint32_t(row[x]) : 0;
                ASSERT_EQ(pixel(x, y), expected) << x << "," << y;
              }
          }
}

// Sizes of the register and of the vertex within least and most, all in halves of 1/16 pixel.
TEST_P(RasterState, PointSizes) {
  using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
  for (bool from_vertex : {false, true})
    for (float size : {0.5f, 1.0f, 2.0f, 3.5f, 8.0f, 13.0f})
      for (float least : {0.0f, 3.0f})
        for (float most : {6.0f, 100.0f}) {
          Vertex one = at_pixel(20.3125, 12.1875);
          one.misc[0].size = from_vertex ? size : 30;
          Words w = begin({one}, 1);
          w.context(PA_CL_VS_OUT_CNTL::address(),
                    PA_CL_VS_OUT_CNTL::VS_OUT_MISC_VEC_ENA::of(1) | PA_CL_VS_OUT_CNTL::USE_VTX_POINT_SIZE::of(from_vertex));
          const uint32_t half = uint32_t((from_vertex ? 30 : size) * 8);
          w.context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(half) | PA_SU_POINT_SIZE::HEIGHT::of(half));
          w.context(PA_SU_POINT_MINMAX::address(),
                    PA_SU_POINT_MINMAX::MIN_SIZE::of(uint32_t(least * 8)) | PA_SU_POINT_MINMAX::MAX_SIZE::of(uint32_t(most * 8)));
          good(draw(w, 1, Type::DI_PT_POINTLIST));
          const double s = std::clamp(size, least, most) / 2;
          SCOPED_TRACE(fmt::format("size {}, {} to {}{}", size, least, most, from_vertex ? ", from the vertex" : ""));
          compare([&](unsigned x, unsigned y) -> int {
            const double dx = x + 0.5 - 20.3125, dy = y + 0.5 - 12.1875;
            if (std::abs(std::abs(dx) - s) < 0.005 || std::abs(std::abs(dy) - s) < 0.005) return -1;
            return std::abs(dx) < s && std::abs(dy) < s;
          });
        }
}

TEST_P(RasterState, LineWidths) {
  for (unsigned w8 : {8u, 16u, 24u, 40u, 64u})
    for (bool upright : {false, true}) {
      std::vector<Vertex> v = upright ? std::vector{at_pixel(20.25, 4.5), at_pixel(20.25, 24.5)}
                                      : std::vector{at_pixel(10.5, 12.25), at_pixel(40.5, 12.25)};
      Words w = begin(v);
      w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(w8));
      good(draw(w, 2, VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_LINELIST));
      const double half = double(w8) / 8 / 2;
      SCOPED_TRACE(fmt::format("width {}, {}", double(w8) / 8, upright ? "upright" : "level"));
      compare([&](unsigned x, unsigned y) -> int {
        const double across = upright ? x + 0.5 - 20.25 : y + 0.5 - 12.25, along = upright ? y : x;
        const double begin = upright ? 4 : 10, end = upright ? 24 : 40;
        return std::abs(across) < half && along >= begin && along < end;
      });
    }
}

// Lines of several samples (here all at the centre) end along the minor axis or at right angles; their width is along the one or,
// expanded, across the other. RADV of Mesa 25 has rectangular lines of one sample too.
TEST_P(RasterState, LinesThatEndAlongAnAxisOrAtRightAngles) {
  const double ends[][4] = {{10.3, 5.2, 45.7, 22.9}, {50.1, 4.4, 40.2, 27.3}, {8.2, 20.1, 33.3, 20.1}, {44.4, 25.6, 12.1, 8.7}};
  for (unsigned form = 0; form < 24; form++)
    for (const auto& e : ends) {
      const unsigned w8 = form & 1 ? 40 : 16;
      const bool right_angles = form & 2, expanded = form & 4, several = form / 8;
      if (!right_angles && !several) continue;
      Words w = begin({at_pixel(e[0], e[1]), at_pixel(e[2], e[3])});
      w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(w8));
      w.context(PA_SC_LINE_CNTL::address(),
                PA_SC_LINE_CNTL::PERPENDICULAR_ENDCAP_ENA::of(right_angles) | PA_SC_LINE_CNTL::EXPAND_LINE_WIDTH::of(expanded));
      if (several) {
        w.context(PA_SC_AA_CONFIG::address(), PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES::of(form / 8));
        w.context(PA_SC_MODE_CNTL_0::address(), PA_SC_MODE_CNTL_0::MSAA_ENABLE::of(1));
        w.context(DB_EQAA::address(), DB_EQAA::OVERRASTERIZATION_AMOUNT::of(form / 8));
      }
      good(draw(w, 2, VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_LINELIST));
      const double length = std::hypot(e[2] - e[0], e[3] - e[1]), half = double(w8) / 16;
      const double ux = (e[2] - e[0]) / length, uy = (e[3] - e[1]) / length;
      compare([&](unsigned x, unsigned y) -> int {
        const double dx = x + 0.5 - e[0], dy = y + 0.5 - e[1], along = dx * ux + dy * uy, across = std::abs(dy * ux - dx * uy);
        const bool by_x = std::abs(ux) >= std::abs(uy);
        const double major = std::abs(by_x ? ux : uy);
        const double share = right_angles ? along / length : by_x ? dx / (e[2] - e[0]) : dy / (e[3] - e[1]);
        const double wide = right_angles || expanded ? half : half * major;
        if (std::abs(share) < 0.002 || std::abs(share - 1) < 0.002 || std::abs(across - wide) < 0.03) return -1;
        return share > 0 && share < 1 && across < wide;
      });
    }
}

// --- faces

TEST_P(RasterState, FacesAreCulledAndFilledByTheirMode) {
  using Mode = PA_SU_SC_MODE_CNTL;
  for (bool turned : {false, true})
    for (uint32_t face : {0u, 1u})
      for (unsigned cull = 0; cull < 4; cull++)
        for (unsigned fill = 0; fill < 10; fill++) {
          std::vector<Vertex> v = {at_pixel(8.5, 4.5), at_pixel(56.5, 4.5), at_pixel(8.5, 28.5)};
          if (turned) std::swap(v[1], v[2]);
          Words w = begin(v);
          const uint32_t front_mode = fill / 3, back_mode = fill % 3;
          w.context(Mode::address(),
                    Mode::FACE::of(face) | Mode::CULL_FRONT::of(cull & 1) | Mode::CULL_BACK::of(cull >> 1) |
                        (fill == 9 ? 0
                                   : Mode::POLY_MODE::of(Mode::POLY_MODE::Dual_mode) |
                                         Mode::POLYMODE_FRONT_PTYPE::of(front_mode) | Mode::POLYMODE_BACK_PTYPE::of(back_mode)));
          w.context(PA_SU_LINE_CNTL::address(), PA_SU_LINE_CNTL::WIDTH::of(8))
              .context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(8) | PA_SU_POINT_SIZE::HEIGHT::of(8));
          w.context(PA_SU_POINT_MINMAX::address(), PA_SU_POINT_MINMAX::MAX_SIZE::of(0xffff));
          good(draw(w, 3));
          // As it is given the triangle's cross product is positive with y downwards, which is a front with FACE 1.
          const bool front = (face == 1) != turned;
          const bool drawn = !(front ? cull & 1 : cull & 2);
          const uint32_t mode = fill == 9 ? 2 : front ? front_mode : back_mode;
          SCOPED_TRACE(fmt::format("{}, face {}, culled {}, mode {}", turned ? "turned" : "as it is", face, cull, mode));
          ASSERT_EQ(pixel(16, 10) != 0, drawn && mode == 2) << "inside";
          ASSERT_EQ(pixel(8, 15) != 0, drawn && mode >= 1) << "on a side";
          ASSERT_EQ(pixel(8, 4) != 0, drawn) << "at a corner";
        }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
