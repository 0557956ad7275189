// State of draws, field by field, without a driver: each class in full, against what is worked out here.
#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu/sea_islands/draw/geometry_stage.h"
#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

class DrawState : public Draws {
protected:
  // As big_triangle(), with depth s0 + s1 * x in clip space.
  uint64_t sloped_triangle() {
    return program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0", "v_cndmask_b32 v3, v1, v2, vcc",
                    "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc", "v_mov_b32 v5, s0", "v_mac_f32 v5, s1, v3",
                    "v_mov_b32 v6, 1.0", "exp pos0 v3, v4, v5, v6 done", "exp param0 v3, v4, v5, v6", "s_endpgm"});
  }
  static Words& depth_position(Words& w, float at, float slope) {
    return w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2))
        .shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(at))
        .shader(SPI_SHADER_USER_DATA_VS::address(1), std::bit_cast<uint32_t>(slope));
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, DrawState, testing::Values("interpreter", "jit"));

// --- colour exports and targets

// Every set of targets that a program writes, in two formats of exports, under write masks: the n-th export is the n-th of them.
TEST_P(DrawState, ExportsGoToTheTargetsThatTheMaskNames) {
  constexpr unsigned bytes = 8 * 8 * 4;
  Buffer targets = *space->allocate(8 * 4096, 4096);
  for (bool halves : {false, true})
    for (unsigned exports = 0; exports <= 8; exports++) {
      std::vector<std::string> lines;
      for (unsigned n = 0; n < exports; n++) {
        // (n + 1) / 16 in red, 1 in the others
        lines.push_back(fmt::format("v_mov_b32 v0, 0x{:08x}", std::bit_cast<uint32_t>(float(n + 1) / 16)));
        lines.push_back("v_mov_b32 v1, 1.0");
        const char* done = n + 1 == exports ? " done vm" : "";
        if (halves) {
          lines.push_back("v_cvt_pkrtz_f16_f32 v2, v0, v1");
          lines.push_back("v_cvt_pkrtz_f16_f32 v3, v1, v1");
          lines.push_back(fmt::format("exp mrt{} v2, v2, v3, v3{}{}", n, n + 1 == exports ? " done compr vm" : " compr", ""));
        } else {
          lines.push_back(fmt::format("exp mrt{} v0, v1, v1, v1{}", n, done));
        }
      }
      if (!exports) lines.push_back("exp null off, off, off, off done vm");
      lines.push_back("s_endpgm");
      uint64_t pixel = program(lines);
      uint32_t formats = 0;
      for (unsigned n = 0; n < exports; n++)
        formats |= uint32_t(halves ? SPI_SHADER_EX_FORMAT::SPI_SHADER_FP16_ABGR : SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR)
                   << n * 4;
      Words w = state(big_triangle(), pixel);
      w.context(SPI_SHADER_COL_FORMAT::address(), formats);
      w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31).context(PA_SC_GENERIC_SCISSOR_BR::address(), 8 | 8 << 16);
      for (unsigned t = 0; t < 8; t++) {
        w.context(CB_COLOR_BASE::address(t), uint32_t((targets.gpu_address + t * 4096) >> 8));
        w.context(CB_COLOR_PITCH::address(t), 0).context(CB_COLOR_SLICE::address(t), 0);
        w.context(CB_COLOR_INFO::address(t),
                  CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8) | CB_COLOR_INFO::BLEND_CLAMP::of(1));
        w.context(CB_COLOR_ATTRIB::address(t), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
      }
      for (unsigned written = 0; written < 256; written++) {
        if (unsigned(std::popcount(written)) != exports) continue;
        SCOPED_TRACE(fmt::format("targets {:08b}{}", written, halves ? ", halves" : ""));
        for (unsigned t = 0; t < 8; t++) std::memset(targets.host_pointer + t * 4096, 0x77, bytes);
        uint32_t shader_mask = 0;
        for (unsigned t = 0; t < 8; t++) shader_mask |= written >> t & 1 ? 0xfu << t * 4 : 0;
        uint32_t target_mask = 0xf3f5ffffu ^ written * 0x1001u;  // among them such as let nothing through
        Words one = w;
        one.context(CB_SHADER_MASK::address(), shader_mask).context(CB_TARGET_MASK::address(), target_mask);
        good(triangle(one));
        unsigned rank = 0;
        for (unsigned t = 0; t < 8; t++) {
          uint32_t texel;
          std::memcpy(&texel, targets.host_pointer + t * 4096 + 36, 4);
          uint32_t expected = 0x77777777;
          if (written >> t & 1) {
            uint32_t colour = 0xffffff00u | uint32_t(std::lround(float(++rank) / 16 * 255));
            for (unsigned c = 0; c < 4; c++)
              if (target_mask >> (t * 4 + c) & 1) expected = (expected & ~(0xffu << c * 8)) | (colour & 0xffu << c * 8);
          }
          ASSERT_EQ(texel, expected) << "target " << t;
        }
      }
    }
}

// A target of several slices: the vertices' index counts from the first of the view, and beyond its last is the first again.
TEST_P(DrawState, LayersBeyondTheLastAreTheFirst) {
  uint64_t vertex = program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0",
                             "v_cndmask_b32 v3, v1, v2, vcc", "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc",
                             "v_mov_b32 v5, 0.5", "v_mov_b32 v6, 1.0", "v_mov_b32 v7, s0", "exp pos0 v3, v4, v5, v6",
                             "exp pos1 v5, v5, v7, v5 done", "exp param0 v3, v4, v5, v6", "s_endpgm"});
  uint64_t pixel = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0 done vm", "s_endpgm"});
  constexpr unsigned slices = 4, words = width * height;
  Buffer target = *space->allocate(words * 4 * slices, 4096);
  for (unsigned first = 0; first < slices; first++)
    for (unsigned last = first; last < slices; last++)
      for (unsigned index : {0u, 1u, 2u, 3u, 4u, 9u, 2047u}) {
        SCOPED_TRACE(fmt::format("index {} of slices {} to {}", index, first, last));
        std::memset(target.host_pointer, 0, words * 4 * slices);
        Words w = state(vertex, pixel);
        w.shader(SPI_SHADER_USER_DATA_VS::address(0), index);
        w.context(SPI_SHADER_POS_FORMAT::address(), 0x44)
            .context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR);
        w.context(PA_CL_VS_OUT_CNTL::address(),
                  PA_CL_VS_OUT_CNTL::USE_VTX_RENDER_TARGET_INDX::of(1) | PA_CL_VS_OUT_CNTL::VS_OUT_MISC_VEC_ENA::of(1));
        w.context(CB_COLOR_BASE::address(0), uint32_t(target.gpu_address >> 8));
        w.context(CB_COLOR_VIEW::address(0), CB_COLOR_VIEW::SLICE_START::of(first) | CB_COLOR_VIEW::SLICE_MAX::of(last));
        good(triangle(w));
        for (unsigned slice = 0; slice < slices; slice++) {
          uint32_t texel;
          std::memcpy(&texel, target.host_pointer + (slice * words + 100) * 4, 4);
          EXPECT_EQ(texel != 0, slice == (first + index <= last ? first + index : first)) << "slice " << slice;
        }
      }
}

// Targets of two and of four slices at once: each has its own.
TEST_P(DrawState, TargetsOfSeveralLayersMayHaveDifferentNumbers) {
  uint64_t vertex = program({"v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0",
                             "v_cndmask_b32 v3, v1, v2, vcc", "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc",
                             "v_mov_b32 v5, 0.5", "v_mov_b32 v6, 1.0", "v_mov_b32 v7, s0", "exp pos0 v3, v4, v5, v6",
                             "exp pos1 v5, v5, v7, v5 done", "exp param0 v3, v4, v5, v6", "s_endpgm"});
  uint64_t pixel = program({"v_mov_b32 v0, 1.0", "exp mrt0 v0, v0, v0, v0", "exp mrt1 v0, v0, v0, v0 done vm", "s_endpgm"});
  constexpr unsigned slices[2] = {2, 4}, words = width * height;
  for (bool swapped : {false, true}) {
    Buffer target[2] = {*space->allocate(words * 4 * 4, 4096), *space->allocate(words * 4 * 4, 4096)};
    for (unsigned index = 0; index < 4; index++) {
      Words w = state(vertex, pixel);
      w.shader(SPI_SHADER_USER_DATA_VS::address(0), index);
      w.context(SPI_SHADER_POS_FORMAT::address(), 0x44);
      w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR * 0x11u);
      w.context(CB_SHADER_MASK::address(), 0xff).context(CB_TARGET_MASK::address(), 0xff);
      w.context(PA_CL_VS_OUT_CNTL::address(),
                PA_CL_VS_OUT_CNTL::USE_VTX_RENDER_TARGET_INDX::of(1) | PA_CL_VS_OUT_CNTL::VS_OUT_MISC_VEC_ENA::of(1));
      for (unsigned t = 0; t < 2; t++) {
        w.context(CB_COLOR_BASE::address(t), uint32_t(target[t].gpu_address >> 8));
        w.context(CB_COLOR_PITCH::address(t), width / 8 - 1).context(CB_COLOR_SLICE::address(t), width * height / 64 - 1);
        w.context(CB_COLOR_INFO::address(t),
                  CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_8_8_8_8) | CB_COLOR_INFO::BLEND_CLAMP::of(1));
        w.context(CB_COLOR_ATTRIB::address(t), CB_COLOR_ATTRIB::TILE_MODE_INDEX::of(8));
        w.context(CB_COLOR_VIEW::address(t), CB_COLOR_VIEW::SLICE_MAX::of(slices[t ^ unsigned(swapped)] - 1));
      }
      for (Buffer& b : target) std::memset(b.host_pointer, 0, words * 4 * 4);
      good(triangle(w));
      for (unsigned t = 0; t < 2; t++) {
        unsigned count = slices[t ^ unsigned(swapped)];
        if (index >= count) continue;
        for (unsigned slice = 0; slice < 4; slice++) {
          uint32_t texel;
          std::memcpy(&texel, target[t].host_pointer + (slice * words + 100) * 4, 4);
          EXPECT_EQ(texel != 0, slice == index) << "target " << t << " of " << count << ", slice " << slice;
        }
      }
    }
  }
}

// The second source is export 1, whatever the mask says of target 1.
TEST_P(DrawState, TheSecondSourceIsNoTarget) {
  uint64_t pixel = program({"v_mov_b32 v0, 1.0", "v_mov_b32 v1, 0", "v_mov_b32 v2, 0.5", "exp mrt0 v0, v0, v0, v0",
                            "exp mrt1 v2, v1, v1, v0 done vm", "s_endpgm"});
  for (uint32_t mask : {0xffu, 0xfu}) {
    Words w = state(big_triangle(), pixel);
    w.context(SPI_SHADER_COL_FORMAT::address(), SPI_SHADER_EX_FORMAT::SPI_SHADER_32_ABGR * 0x11u);
    w.context(CB_SHADER_MASK::address(), mask);
    using Blend = CB_BLEND_CONTROL;
    w.context(Blend::address(0), Blend::ENABLE::of(1) | Blend::COLOR_SRCBLEND::of(BlendOp::BLEND_SRC1_COLOR) |
                                     Blend::COLOR_DESTBLEND::of(BlendOp::BLEND_ZERO));
    good(triangle(w));
    EXPECT_NEAR(this->pixel(5, 5) & 255, 127.5, 1) << mask;
    EXPECT_EQ(this->pixel(5, 5) >> 8 & 0xffff, 0u) << mask;
  }
}

// --- polygon offset

TEST_P(DrawState, PolygonOffsetCountsInTheUnitsOfItsRegister) {
  struct FormatRow {
    uint32_t format;
    int bits;
    bool floating;
  };
  const FormatRow formats[] = {{DB_Z_INFO::FORMAT::Z_16, -16, false},
                               {2 /* Z_24, a public value */, -24, false},
                               {DB_Z_INFO::FORMAT::Z_32_FLOAT, -23, true}};
  Buffer depth = *space->allocate(width * height * 4, 4096);
  uint64_t vertex = sloped_triangle(), pixel = interpolating();
  auto number = [](float x) { return std::bit_cast<uint32_t>(x); };
  unsigned cases = 0, moved = 0;
  for (const FormatRow& f : formats)
    for (float slope : {0.0f, 0.0625f, -0.0625f})
      for (float units : {0.0f, 1.0f, -3.0f, 1000.0f})
        for (float scale : {0.0f, 16.0f, -40.0f})
          for (float clamp : {0.0f, 0.0004f, -0.0004f})
            for (unsigned enabled : {0u, 1u, 2u, 3u})
              for (bool front : {false, true}) {
                Words w = state(vertex, pixel);
                depth_position(bind_depth(w, depth, f.format), 0, slope);
                using Mode = PA_SU_SC_MODE_CNTL;
                // With FACE 1 the triangle shows its front.
                w.context(Mode::address(), Mode::FACE::of(front ? 1 : 0) | Mode::POLY_OFFSET_FRONT_ENABLE::of(enabled & 1) |
                                               Mode::POLY_OFFSET_BACK_ENABLE::of(enabled >> 1));
                using Format = PA_SU_POLY_OFFSET_DB_FMT_CNTL;
                w.context(Format::address(), Format::POLY_OFFSET_NEG_NUM_DB_BITS::of(uint32_t(f.bits) & 0xff) |
                                                 Format::POLY_OFFSET_DB_IS_FLOAT_FMT::of(f.floating));
                // Values of the other face, which must not be seen.
                w.context(PA_SU_POLY_OFFSET_FRONT_SCALE::address(), number(front ? scale : 500))
                    .context(PA_SU_POLY_OFFSET_FRONT_OFFSET::address(), number(front ? units : 5000));
                w.context(PA_SU_POLY_OFFSET_BACK_SCALE::address(), number(front ? 500 : scale))
                    .context(PA_SU_POLY_OFFSET_BACK_OFFSET::address(), number(front ? 5000 : units));
                w.context(PA_SU_POLY_OFFSET_CLAMP::address(), number(clamp));
                good(triangle(w));
                double texel = 0, least = 0;
                if (f.bits == -16) {
                  texel = *reinterpret_cast<uint16_t*>(depth.host_pointer) / 65535.0, least = 1 / 65535.0;
                } else if (f.bits == -24) {
                  texel = (*reinterpret_cast<uint32_t*>(depth.host_pointer) & 0xffffff) / 16777215.0, least = 1 / 16777215.0;
                } else {
                  texel = *reinterpret_cast<float*>(depth.host_pointer), least = 0x1p-24;
                }
                double at = 0.5 + 0.5 * slope * (0.5 / (width / 2) - 1), offset = 0;
                if (enabled & (front ? 1 : 2)) {
                  // The greatest depth of the corners has the exponent that a float's unit follows: from 0.5 on, -1.
                  double greatest = 0.5 + 0.5 * std::max(slope * 3, -slope);
                  double unit = std::ldexp(1, f.bits) * (f.floating ? std::exp2(std::floor(std::log2(greatest))) : 1);
                  offset = scale / 16 * std::abs(0.5 * slope / (width / 2)) + units * unit;
                  if (clamp > 0) offset = std::min(offset, double(clamp));
                  if (clamp < 0) offset = std::max(offset, double(clamp));
                }
                cases++, moved += std::abs(offset) > 2 * least;
                ASSERT_NEAR(texel, at + offset, 0.75 * least + 1e-9)
                    << f.bits << " bits, slope " << slope << ", units " << units << ", scale " << scale << ", clamp " << clamp
                    << ", enabled " << enabled << (front ? ", front" : ", back") << ", offset " << offset;
              }
  EXPECT_EQ(cases, 3u * 3 * 4 * 3 * 3 * 8);
  EXPECT_GT(moved, cases / 5);
}

// --- planes that are not compressed

TEST_P(DrawState, DrawsIntoPlanesThatStayUncompressed) {
  Buffer depth = *space->allocate(width * height * 4, 4096), htile = *space->allocate(16384, 4096);
  uint64_t vertex = big_triangle(), pixel = interpolating();
  for (bool has_htile : {false, true})
    for (unsigned plain : {0u, 1u, 2u, 3u})
      for (bool writes_colour : {false, true}) {
        SCOPED_TRACE(fmt::format("HTILE {}, compression disabled of {}, colour {}", has_htile, plain, writes_colour));
        std::memset(colour.host_pointer, 0, width * height * 4);
        std::fill_n(reinterpret_cast<float*>(depth.host_pointer), width * height, 0.25f);
        std::memset(htile.host_pointer, 0, 16384);  // cleared tiles
        Words w = state(vertex, pixel);
        bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT);
        using Info = DB_Z_INFO;
        w.context(Info::address(), Info::FORMAT::of(Info::FORMAT::Z_32_FLOAT) | Info::TILE_SURFACE_ENABLE::of(has_htile));
        w.context(DB_STENCIL_INFO::address(), DB_STENCIL_INFO::TILE_STENCIL_DISABLE::of(1));
        w.context(DB_HTILE_DATA_BASE::address(), uint32_t(htile.gpu_address >> 8));
        w.context(DB_DEPTH_CLEAR::address(), std::bit_cast<uint32_t>(0.125f));
        w.context(DB_DEPTH_CONTROL::address(), DB_DEPTH_CONTROL::Z_ENABLE::of(1) | DB_DEPTH_CONTROL::Z_WRITE_ENABLE::of(1) |
                                                   DB_DEPTH_CONTROL::ZFUNC::of(CompareFrag::FRAG_GREATER));
        using Render = DB_RENDER_CONTROL;
        w.context(Render::address(),
                  Render::DEPTH_COMPRESS_DISABLE::of(plain & 1) | Render::STENCIL_COMPRESS_DISABLE::of(plain >> 1));
        w.context(CB_TARGET_MASK::address(), writes_colour ? 0xf : 0);
        w.context(PA_SC_GENERIC_SCISSOR_TL::address(), 1u << 31).context(PA_SC_GENERIC_SCISSOR_BR::address(), 1 | 1 << 16);
        w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.5f));  // z: 0.75 on the screen
        good(triangle(w));
        auto* z = reinterpret_cast<float*>(depth.host_pointer);
        EXPECT_EQ(z[0], 0.75f) << "the draw is dropped";
        EXPECT_EQ(this->pixel(0, 0) != 0, writes_colour);
        // The rest of the surface in memory: if tiles were cleared, their value where they were expanded.
        EXPECT_EQ(z[1], has_htile ? 0.125f : 0.25f);
        EXPECT_EQ(z[width * height - 1], has_htile && plain & 1 ? 0.125f : 0.25f);
      }
}

// Radeonsi takes too little memory for the HTILE of arrays with levels: tiles behind its end are as memory has them.
TEST_P(DrawState, HtileMayEndBeforeTheSurfaceDoes) {
  constexpr unsigned slices = 3, htile_slice = 8192, there = 12288;  // a cache line a pipe describes 512x256 pixels
  Buffer depth = *space->allocate(width * height * 4 * slices, 4096), htile = *space->allocate(there, 4096);
  std::memset(htile.host_pointer, 0, there);  // cleared
  for (unsigned layer = 0; layer < slices; layer++) {
    std::fill_n(reinterpret_cast<float*>(depth.host_pointer), width * height * slices, 0.25f);
    Words w = state(big_triangle(), interpolating());
    bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT, CompareFrag::FRAG_GREATER);
    w.context(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(DB_Z_INFO::FORMAT::Z_32_FLOAT) | DB_Z_INFO::TILE_SURFACE_ENABLE::of(1));
    w.context(DB_DEPTH_VIEW::address(), DB_DEPTH_VIEW::SLICE_START::of(layer) | DB_DEPTH_VIEW::SLICE_MAX::of(layer));
    w.context(DB_HTILE_DATA_BASE::address(), uint32_t(htile.gpu_address >> 8));
    w.context(DB_DEPTH_CLEAR::address(), std::bit_cast<uint32_t>(0.875f));
    w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.5f));  // z: 0.75 on the screen
    good(triangle(w));
    // If the tile is cleared, 0.75 is not greater.
    bool has_htile = layer * htile_slice < there;
    EXPECT_EQ(reinterpret_cast<float*>(depth.host_pointer)[layer * width * height], has_htile ? 0.25f : 0.75f) << layer;
  }
}

// A pass for the surface alone: no test, no colour. It expands, and the shader does not run.
TEST_P(DrawState, APassThatOnlyExpands) {
  Buffer depth = *space->allocate(width * height * 4, 4096), htile = *space->allocate(16384, 4096);
  Words w = state(big_triangle(), interpolating());
  bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT);
  w.context(DB_Z_INFO::address(), DB_Z_INFO::FORMAT::of(DB_Z_INFO::FORMAT::Z_32_FLOAT) | DB_Z_INFO::TILE_SURFACE_ENABLE::of(1));
  w.context(DB_HTILE_DATA_BASE::address(), uint32_t(htile.gpu_address >> 8));
  w.context(DB_DEPTH_CLEAR::address(), std::bit_cast<uint32_t>(0.125f)).context(DB_DEPTH_CONTROL::address(), 0);
  w.context(DB_RENDER_CONTROL::address(), DB_RENDER_CONTROL::DEPTH_COMPRESS_DISABLE::of(1)).context(CB_TARGET_MASK::address(), 0);
  good(triangle(w));
  auto* z = reinterpret_cast<float*>(depth.host_pointer);
  EXPECT_EQ(std::count(z, z + width * height, 0.125f), width * height);
  EXPECT_EQ(queue(gpu::QueueKind::graphics).statistics().waves, 0u);
}

// --- the vertex whose colour a flat primitive has

struct FlatRow {
  uint32_t type;
  const char* name;
  unsigned vertices;
  std::vector<unsigned> first, last;  // by primitive, under either convention
};
// OpenGL 4.6 compatibility profile, table 13.2, counted from 0.
const FlatRow flat_rows[] = {
    {VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRILIST, "triangles", 6, {0, 3}, {2, 5}},
    {VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRISTRIP, "triangle strip", 5, {0, 1, 2}, {2, 3, 4}},
    {VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_TRIFAN, "triangle fan", 5, {1, 2, 3}, {2, 3, 4}},
    {VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_QUADLIST, "quads", 8, {0, 4}, {3, 7}},
    {VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_QUADSTRIP, "quad strip", 6, {0, 2}, {3, 5}},
    {VGT_PRIMITIVE_TYPE::PRIM_TYPE::DI_PT_POLYGON, "polygon", 5, {0}, {0}},
};

// Each primitive covers the window; the last one drawn is seen. Colours are vertex numbers.
TEST_P(DrawState, FlatColoursComeFromTheProvokingVertex) {
  // Corners of a fan around the window, by the vertex's number modulo what a primitive takes: positions from a table in memory.
  Buffer table = *space->allocate(4096, 256);
  uint64_t vertex =
      program({"v_lshlrev_b32 v1, 3, v0", "v_mov_b32 v2, s1", "v_add_i32 v1, vcc, s0, v1", "v_addc_u32 v2, vcc, 0, v2, vcc",
               "flat_load_dwordx2 v[3:4], v[1:2]", "v_cvt_f32_u32 v7, v0", "v_mul_f32 v7, 0x3d800000, v7", "v_mov_b32 v5, 0",
               "v_mov_b32 v6, 1.0", "s_waitcnt vmcnt(0) & lgkmcnt(0)", "exp pos0 v3, v4, v5, v6 done",
               "exp param0 v7, v7, v7, v6", "s_endpgm"});
  for (const FlatRow& row : flat_rows)
    for (bool last : {false, true})
      for (unsigned index_bytes : {0u, 2u, 4u})
        for (bool restart : {false, true}) {
          if (restart && !index_bytes) continue;
          SCOPED_TRACE(fmt::format("{}, {} convention, {} bytes an index{}", row.name, last ? "last" : "first", index_bytes,
                                   restart ? ", restart" : ""));
          const auto& provoking = last ? row.last : row.first;
          for (unsigned primitive = 0; primitive < provoking.size(); primitive++) {
            // Only this primitive has an area: its corners are spread, every other vertex sits on one of them.
            unsigned kind = row.type;
            using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
            std::vector<unsigned> corners;
            if (kind == Type::DI_PT_TRILIST) corners = {primitive * 3, primitive * 3 + 1, primitive * 3 + 2};
            if (kind == Type::DI_PT_TRISTRIP) corners = {primitive, primitive + 1, primitive + 2};
            if (kind == Type::DI_PT_TRIFAN) corners = {0, primitive + 1, primitive + 2};
            if (kind == Type::DI_PT_QUADLIST) corners = {primitive * 4, primitive * 4 + 1, primitive * 4 + 2, primitive * 4 + 3};
            if (kind == Type::DI_PT_QUADSTRIP) corners = {primitive * 2, primitive * 2 + 1, primitive * 2 + 3, primitive * 2 + 2};
            if (kind == Type::DI_PT_POLYGON) corners = {0, 1, 2, 3, 4};
            auto* position = reinterpret_cast<float*>(table.host_pointer);
            static constexpr float around[5][2] = {{-1, -1}, {3, -1}, {3, 3}, {1, 3.5f}, {-1, 3}};
            for (unsigned v = 0; v < row.vertices; v++) {
              unsigned corner = *std::ranges::max_element(corners);
              for (unsigned c : corners)
                if (c >= v) corner = std::min(corner, c);
              size_t n = size_t(std::ranges::find(corners, corner) - corners.begin());
              size_t place = corners.size() < 5 && n + 1 == corners.size() ? 4 : n;
              position[v * 2] = around[place][0], position[v * 2 + 1] = around[place][1];
            }
            std::memset(colour.host_pointer, 0, width * height * 4);
            Words w = state(vertex, interpolating());
            w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2))
                .shader(SPI_SHADER_USER_DATA_VS::address(0), uint32_t(table.gpu_address))
                .shader(SPI_SHADER_USER_DATA_VS::address(1), uint32_t(table.gpu_address >> 32));
            w.context(SPI_PS_INPUT_CNTL::address(0), SPI_PS_INPUT_CNTL::FLAT_SHADE::of(1));
            w.context(SPI_INTERP_CONTROL_0::address(), SPI_INTERP_CONTROL_0::FLAT_SHADE_ENA::of(1));
            w.context(PA_SU_SC_MODE_CNTL::address(), PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST::of(last));
            w.user(VGT_PRIMITIVE_TYPE::address(), row.type).packet(NUM_INSTANCES::opcode, {1});
            if (!index_bytes) {
              w.packet(DRAW_INDEX_AUTO::opcode, {row.vertices, 2});
            } else {
              std::vector<uint32_t> list;
              if (restart) list = {0, 1, ~0u};  // a piece of a primitive, which is none
              for (unsigned n = 0; n < row.vertices; n++) list.push_back(n);
              for (size_t n = 0; n < list.size(); n++) {
                if (index_bytes == 2)
                  reinterpret_cast<uint16_t*>(table.host_pointer + 2048)[n] = uint16_t(list[n]);
                else
                  reinterpret_cast<uint32_t*>(table.host_pointer + 2048)[n] = list[n];
              }
              w.context(VGT_MULTI_PRIM_IB_RESET_EN::address(), restart)
                  .context(VGT_MULTI_PRIM_IB_RESET_INDX::address(), index_bytes == 2 ? 0xffff : ~0u);
              w.packet(INDEX_TYPE::opcode, {index_bytes == 4});
              uint64_t at = table.gpu_address + 2048;
              w.packet(DRAW_INDEX_2::opcode, {uint32_t(list.size()), Words::low(at), Words::high(at), uint32_t(list.size()), 0});
            }
            good(w);
            unsigned expected = unsigned(std::lround(float(provoking[primitive]) / 16 * 255));
            ASSERT_EQ(pixel(20, 10) & 0xff, expected) << "primitive " << primitive;
          }
        }
}

// --- strips of a geometry shader

TEST(StripPrimitives, AreCountedStripByStrip) {
  struct Kind {
    pipeline::Topology topology;
    unsigned shared;
  };
  for (Kind kind :
       {Kind{pipeline::Topology::points, 0}, {pipeline::Topology::line_strip, 1}, {pipeline::Topology::triangle_strip, 2}})
    for (unsigned a = 0; a <= 5; a++)
      for (unsigned b = 0; b <= 5; b++)
        for (unsigned c = 0; c <= 5; c++)
          for (bool ended : {false, true}) {
            std::vector<uint32_t> emitted;
            uint64_t expected = 0;
            for (unsigned length : {a, b, c}) {
              emitted.insert(emitted.end(), length, 0u);
              emitted.push_back(strip_end);
              expected += length > kind.shared ? length - kind.shared : 0;
            }
            if (!ended) emitted.pop_back();
            ASSERT_EQ(primitives_in(emitted, kind.topology), expected) << a << " " << b << " " << c;
          }
}

}  // namespace
}  // namespace Atoll::sea_islands::test
