// The formats of exported positions (Sea Islands 3D/Compute Register Reference, SPI_SHADER_POS_FORMAT): how many components of
// each vector arrive, and as what.
#include <fmt/format.h>

#include <cmath>

#include "draws.h"

namespace Atoll::sea_islands::test {
namespace {

using Format = SPI_SHADER_FORMAT;
using Out = PA_CL_VS_OUT_CNTL;

class PositionExport : public Draws {
protected:
  PositionExport() { white = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"}); }
  // Points in a row, one a column: x, y, z and w of each are v2 to v5.
  static std::vector<std::string> position() {
    return {"v_cvt_f32_u32 v1, v0",
            "v_mul_f32 v2, 0x3d000000, v1" /* 1/32 */,
            "v_add_f32 v2, 0xbf7c0000 /* -63/64 */, v2",
            "v_mov_b32 v3, 0x3e900000" /* 9/32 */,
            "v_mov_b32 v4, 0.5",
            "v_mov_b32 v5, 2.0"};
  }
  Words begin(std::vector<std::string> lines, uint32_t formats) {
    for (auto& line : lines)
      if (size_t at = line.find(" /*"); at != std::string::npos) line.erase(at, line.find("*/") + 2 - at);
    lines.push_back("s_endpgm");
    std::memset(colour.host_pointer, 0, width * height * 4);
    Words w = state(program(lines), white);
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0003);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
    w.context(SPI_SHADER_POS_FORMAT::address(), formats);
    w.context(PA_SU_POINT_SIZE::address(), PA_SU_POINT_SIZE::WIDTH::of(8) | PA_SU_POINT_SIZE::HEIGHT::of(8));
    w.context(PA_SU_POINT_MINMAX::address(), PA_SU_POINT_MINMAX::MAX_SIZE::of(0xffff));
    return w.user(VGT_PRIMITIVE_TYPE::address(), VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_POINTLIST);
  }
  void draw(Words& w) { good(w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {width, 2})); }
  unsigned drawn() {
    unsigned n = 0;
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) n += pixel(x, y) != 0;
    return n;
  }
  static std::vector<std::string> with(std::vector<std::string> lines, std::initializer_list<const char*> more) {
    lines.insert(lines.end(), more.begin(), more.end());
    return lines;
  }
  uint64_t white = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, PositionExport, testing::Values("interpreter", "jit"));

// Components that do not arrive are 0, w is 1.
TEST_P(PositionExport, ComponentsOfThePosition) {
  const auto whole = with(position(), {"exp pos0 v2, v3, v4, v5 done"}),
             halves = with(position(), {"v_cvt_pkrtz_f16_f32 v6, v2, v3", "v_cvt_pkrtz_f16_f32 v7, v4, v5",
                                        "exp pos0 v6, v6, v7, v7 compr done"});
  for (uint32_t format = 0; format <= 4; format++) {
    Words w = begin(format == Format::SPI_SHADER_4COMPRESS ? halves : whole, format);
    draw(w);
    const bool has_w = format >= Format::SPI_SHADER_4COMPRESS, has_y = format >= Format::SPI_SHADER_2COMP, has_x = format >= 1;
    std::vector<bool> expected(width * height);
    for (unsigned n = 0; n < width; n++) {
      const double w_of = has_w ? 2 : 1, x = has_x ? (n / 32.0 - 63.0 / 64) / w_of : 0, y = has_y ? 9.0 / 32 / w_of : 0;
      // The pixel whose middle a square of one pixel has, its left and upper edges with it.
      auto in_pixels = [](double place, unsigned size) { return size_t(std::ceil((place + 1) * size / 2) - 1); };
      expected[in_pixels(y, height) * width + in_pixels(x, width)] = true;
    }
    for (unsigned n = 0; n < width * height; n++)
      ASSERT_EQ(pixel(n % width, n / width) != 0, expected[n]) << "format " << format << ", " << n % width << "," << n / width;
  }
}

// A depth that does not arrive is 0: in front of what z is 1/2 is behind of.
TEST_P(PositionExport, DepthIsTheThirdComponent) {
  const Buffer depth = *space->allocate(width * height * 4, 4096);
  for (uint32_t format : {2u, 4u}) {
    std::memset(depth.host_pointer, 0, width * height * 4);
    Words w = begin(with(position(), {"v_mov_b32 v5, 1.0", "exp pos0 v2, v3, v4, v5 done"}), format);
    bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT);
    draw(w);
    w.clear();
    float most = 0;
    for (unsigned n = 0; n < width * height; n++) most = std::max(most, reinterpret_cast<const float*>(depth.host_pointer)[n]);
    EXPECT_EQ(most, format == 2 ? 0.5f : 0.75f);
  }
}

// The vectors after the first have formats of their own, by the place in which they are exported.
TEST_P(PositionExport, OtherVectors) {
  // Distances: the first cuts half of the points off, the second the other half.
  const auto distances = with(
      position(), {"v_mov_b32 v5, 1.0", "exp pos0 v2, v3, v4, v5", "v_mul_f32 v6, -1.0, v2", "exp pos1 v2, v6, v6, v6 done"});
  for (uint32_t format = 0; format <= 4; format++) {
    if (format == Format::SPI_SHADER_4COMPRESS) continue;
    Words w = begin(distances, 4 | format << 4);
    w.context(Out::address(), Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::CLIP_DIST_ENA_0::of(1) | Out::CLIP_DIST_ENA_1::of(1));
    draw(w);
    EXPECT_EQ(drawn(), format == 0 ? width : format == 1 ? width / 2 : 0) << "format " << format;
  }
  // As halves: only the fourth of a second vector cuts.
  const auto packed = with(
      position(), {"v_mov_b32 v5, 1.0", "exp pos0 v2, v3, v4, v5", "v_mov_b32 v6, 1.0", "exp pos1 v6, v6, v6, v6",
                   "v_cvt_pkrtz_f16_f32 v7, v6, v6", "v_cvt_pkrtz_f16_f32 v8, v6, v2", "exp pos2 v7, v7, v8, v8 compr done"});
  for (uint32_t format : {0u, 3u}) {
    Words w = begin(packed, 0x44 | format << 8);
    w.context(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::VS_OUT_CCDIST0_VEC_ENA::of(1) | Out::CLIP_DIST_ENA_3::of(1));
    draw(w);
    EXPECT_EQ(drawn(), format ? width / 2 : width) << "format " << format;
  }
  // The fourth of the other vector: a viewport that all comes to a corner of.
  const auto elsewhere =
      with(position(), {"v_mov_b32 v5, 1.0", "exp pos0 v2, v3, v4, v5", "v_mov_b32 v6, 5", "exp pos1 v6, v6, v6, v6 done"});
  for (uint32_t format : {1u, 2u, 4u}) {
    Words w = begin(elsewhere, 4 | format << 4);
    w.context(Out::address(), Out::VS_OUT_MISC_VEC_ENA::of(1) | Out::USE_VTX_VIEWPORT_INDX::of(1));
    draw(w);
    EXPECT_EQ(drawn(), format == 4 ? 0u : width) << "format " << format;
  }
}

TEST_P(PositionExport, UnknownFormatsAreSaid) {
  Words w = begin(with(position(), {"exp pos0 v2, v3, v4, v5 done"}), 9);
  w.packet(NUM_INSTANCES::opcode, {1}).packet(DRAW_INDEX_AUTO::opcode, {width, 2});
  ASSERT_TRUE(run(w));
  EXPECT_NE(unknown().find("POS0_EXPORT_FORMAT 9"), std::string::npos) << unknown();
}

}  // namespace
}  // namespace Atoll::sea_islands::test
