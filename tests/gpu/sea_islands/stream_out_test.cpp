// Stream-out of vertex programs: which primitives are written, where, and what is counted.
#include "gpu/sea_islands/stream.h"
#include "isa/gfx7/encode.h"
#include "isa/gfx7/parse.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

class StreamOut : public SeaIslandsTest {
protected:
  static constexpr uint32_t stride = 2, offset = 3;  // dwords
  Buffer buffer_ = *space->allocate(4096, 4096);

  uint64_t program(std::initializer_list<const char*> lines) {
    Buffer b = *space->allocate(4096, 4096);
    uint32_t* at = reinterpret_cast<uint32_t*>(b.host_pointer);
    for (const char* line : lines) {
      auto i = gfx7::parse(line);
      EXPECT_TRUE(i) << line << ": " << (i ? "" : i.error().message);
      auto encoded = gfx7::encode(*i);
      for (unsigned n = 0; n < encoded->count; n++) *at++ = encoded->dwords[n];
    }
    return b.gpu_address;
  }
  // Stores the vertex's number. s[0:3] describe the buffer, s4 says how many vertices to write, s5 the first one's place, s6 the
  // buffer's offset.
  Words state() {
    uint64_t vertex =
        program({"v_mbcnt_lo_u32_b32 v2, -1, 0", "v_mbcnt_hi_u32_b32 v2, -1, v2", "s_bfe_u32 s4, s4, 0x70010",
                 "v_cmp_gt_u32 vcc, s4, v2", "s_and_b64 exec, exec, vcc", "v_add_i32 v2, vcc, s5, v2", "v_lshlrev_b32 v2, 3, v2",
                 "s_lshl_b32 s6, s6, 2", "v_add_i32 v2, vcc, s6, v2", "buffer_store_dword v0, v2, s[0:3], 0 offen", "s_endpgm"});
    uint64_t pixel = program({"s_endpgm"});
    Words w;
    w.packet(CLEAR_STATE::opcode, {0});
    using Two = SPI_SHADER_PGM_RSRC2_VS;
    w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(vertex >> 8))
        .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(vertex >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_VS::address(), 0x000c0002);
    w.shader(Two::address(), Two::USER_SGPR::of(4) | Two::SO_EN::of(1) | Two::SO_BASE0_EN::of(1));
    w.shader(SPI_SHADER_PGM_LO_PS::address(), uint32_t(pixel >> 8))
        .shader(SPI_SHADER_PGM_HI_PS::address(), uint32_t(pixel >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_PS::address(), 0).shader(SPI_SHADER_PGM_RSRC2_PS::address(), 0);
    const uint32_t descriptor[4] = {w.low(buffer_.gpu_address), w.high(buffer_.gpu_address), 4096, 0x24fac};
    for (unsigned n = 0; n < 4; n++) w.shader(SPI_SHADER_USER_DATA_VS::address(n), descriptor[n]);
    w.context(CB_TARGET_MASK::address(), 0);
    w.context(PA_CL_CLIP_CNTL::address(), PA_CL_CLIP_CNTL::DX_RASTERIZATION_KILL::of(1));
    w.context(VGT_STRMOUT_CONFIG::address(), VGT_STRMOUT_CONFIG::STREAMOUT_0_EN::of(1));
    w.context(VGT_STRMOUT_BUFFER_CONFIG::address(), 1);
    w.context(VGT_STRMOUT_VTX_STRIDE_0::address(), stride);
    w.packet(NUM_INSTANCES::opcode, {1});
    return w;
  }
  Words& begin(Words& w, uint32_t size) {
    w.context(VGT_STRMOUT_BUFFER_SIZE_0::address(), size);
    return w.packet(STRMOUT_BUFFER_UPDATE::opcode, {0, 0, 0, offset, 0});
  }
  Words& draw(Words& w, uint32_t type, uint32_t count) {
    w.user(VGT_PRIMITIVE_TYPE::address(), type);
    return w.packet(DRAW_INDEX_AUTO::opcode, {count, 2});
  }
  Words& finish(Words& w) {
    w.packet(EVENT_WRITE::opcode, {32 | 3 << 8, w.low(at(0)), w.high(at(0))});
    return w.packet(STRMOUT_BUFFER_UPDATE::opcode, {1 | 3 << 1, w.low(at(16)), w.high(at(16)), 0, 0});
  }
  uint32_t written(uint32_t vertex) { return reinterpret_cast<uint32_t*>(buffer_.host_pointer)[offset + vertex * stride]; }
  static constexpr uint64_t there = uint64_t(1) << 63;
  using Type = VGT_PRIMITIVE_TYPE::PRIM_TYPE;
};

TEST_F(StreamOut, PrimitivesAreWrittenInOrderAndCounted) {
  std::memset(buffer_.host_pointer, 0xff, 4096);
  Words w = state();
  begin(w, 1024);
  draw(w, Type::DI_PT_TRILIST, 150);  // more than a wave
  draw(w, Type::DI_PT_TRILIST, 8);    // two triangles; appended
  good(finish(w));
  for (uint32_t n = 0; n < 150; n++) ASSERT_EQ(written(n), n);
  for (uint32_t n = 0; n < 6; n++) ASSERT_EQ(written(150 + n), n);
  EXPECT_EQ(written(156), ~0u);
  EXPECT_EQ(qword(0), there | 52) << "needed";
  EXPECT_EQ(qword(8), there | 52) << "written";
  EXPECT_EQ(dword(16), offset + 156 * stride);
}

// A driver's own work in the midst of a query is not counted (piglit's ext_transform_feedback-generatemipmap).
TEST_F(StreamOut, StoppedStatisticsCountNothing) {
  constexpr uint32_t start = 25, stop = 26;  // PIPELINESTAT_START, _STOP
  std::memset(buffer_.host_pointer, 0xff, 4096);
  Words w = state();
  begin(w, 1024);
  draw(w, Type::DI_PT_TRILIST, 6);
  w.packet(EVENT_WRITE::opcode, {stop});
  draw(w, Type::DI_PT_TRILIST, 9);
  w.packet(EVENT_WRITE::opcode, {start});
  draw(w, Type::DI_PT_TRILIST, 3);
  good(finish(w));
  EXPECT_EQ(qword(0), there | 3) << "needed";
  EXPECT_EQ(qword(8), there | 3) << "written";
  EXPECT_EQ(dword(16), offset + 18 * stride) << "all is written";
}

TEST_F(StreamOut, OnlyWholePrimitivesThatFit) {
  std::memset(buffer_.host_pointer, 0xff, 4096);
  Words w = state();
  begin(w, offset + 8 * stride + 1);  // eight vertices: two triangles
  draw(w, Type::DI_PT_TRISTRIP, 6);
  good(finish(w));
  EXPECT_EQ(written(0), 0u);
  EXPECT_EQ(written(1) + written(2), 3u);
  EXPECT_EQ(written(3) + written(4) + written(5), 1u + 2 + 3);
  EXPECT_EQ(written(6), ~0u);
  EXPECT_EQ(qword(0), there | 4);
  EXPECT_EQ(qword(8), there | 2);
  EXPECT_EQ(dword(16), offset + 6 * stride);
}

// Every set of the four buffers, each with a size, stride and offset of its own: whole primitives go where all have room.
TEST_F(StreamOut, EverySetOfFourBuffers) {
  constexpr uint32_t strides[] = {2, 5, 1, 16}, offsets[] = {3, 0, 7, 32},
                     sizes[] = {3 + 2 * 31, 5 * 20 + 4, 7 + 26, 32 + 16 * 23};
  struct Kind {
    uint32_t type, corners;
    uint32_t (*primitives)(uint32_t vertices);
  };
  const Kind kinds[] = {{Type::DI_PT_POINTLIST, 1, [](uint32_t n) { return n; }},
                        {Type::DI_PT_LINESTRIP, 2, [](uint32_t n) { return n - 1; }},
                        {Type::DI_PT_TRILIST, 3, [](uint32_t n) { return n / 3; }},
                        {Type::DI_PT_TRIFAN, 3, [](uint32_t n) { return n - 2; }}};
  for (const Kind& kind : kinds)
    for (uint32_t set = 0; set < 16; set++)
      for (uint32_t count : {4u, 9u, 30u, 100u}) {
        Words w = state();
        w.context(VGT_STRMOUT_BUFFER_CONFIG::address(), set);
        constexpr uint32_t step = 16;  // bytes from one buffer's registers to the next one's
        for (uint32_t n = 0; n < 4; n++) {
          w.context(VGT_STRMOUT_BUFFER_SIZE_0::address() + n * step, sizes[n])
              .context(VGT_STRMOUT_VTX_STRIDE_0::address() + n * step, strides[n]);
          w.packet(STRMOUT_BUFFER_UPDATE::opcode, {n << 8, 0, 0, offsets[n], 0});
        }
        // (What is written is another test's: this program stores nothing.)
        const uint64_t nothing = program({"s_endpgm"});
        w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(nothing >> 8))
            .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(nothing >> 40));
        w.write(at(0), 0).write(at(8), 0);
        // Counts go on from draw to draw: a difference.
        w.packet(EVENT_WRITE::opcode, {32 | 3 << 8, w.low(at(32)), w.high(at(32))});
        draw(w, kind.type, count);
        w.packet(EVENT_WRITE::opcode, {32 | 3 << 8, w.low(at(0)), w.high(at(0))});
        for (uint32_t n = 0; n < 4; n++)
          w.packet(STRMOUT_BUFFER_UPDATE::opcode, {1 | 3 << 1 | n << 8, w.low(at(64 + n * 4)), w.high(at(64 + n * 4)), 0, 0});
        for (uint32_t n = 0; n < 4; n++) dword(64 + n * 4) = 0xdddd;
        good(w);
        const uint32_t needed = kind.primitives(count);
        uint32_t vertices = set ? ~0u : 0;
        for (uint32_t n = 0; n < 4; n++)
          if (set >> n & 1) vertices = std::min(vertices, (sizes[n] - offsets[n]) / strides[n]);
        const uint32_t written = std::min(needed, vertices / kind.corners);
        SCOPED_TRACE(fmt::format("type {}, buffers {:04b}, {} vertices", kind.type, set, count));
        ASSERT_EQ(qword(0) - qword(32), needed);
        ASSERT_EQ(qword(8) - qword(40), written);
        for (uint32_t n = 0; n < 4; n++)
          if (set >> n & 1) ASSERT_EQ(dword(64 + n * 4), offsets[n] + written * kind.corners * strides[n]) << "buffer " << n;
      }
}

TEST_F(StreamOut, WithoutBuffersPrimitivesAreStillNeeded) {
  std::memset(buffer_.host_pointer, 0xff, 4096);
  Words w = state();
  w.context(VGT_STRMOUT_BUFFER_CONFIG::address(), 0);
  begin(w, 1024);
  draw(w, Type::DI_PT_LINELIST, 7);
  good(finish(w));
  EXPECT_EQ(written(0), ~0u);
  EXPECT_EQ(qword(0), there | 3);
  EXPECT_EQ(qword(8), there);
}

// A draw whose count is what stream-out has left, in the unit of the stride.
TEST_F(StreamOut, ItsResultCanBeDrawn) {
  Words w = state();
  begin(w, 1024);
  draw(w, Type::DI_PT_TRILIST, 9);
  finish(w);
  w.packet(COPY_DATA::opcode, {1, w.low(at(16)), w.high(at(16)), VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE::address() / 4, 0});
  w.context(VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE::address(), stride);
  w.context(VGT_STRMOUT_DRAW_OPAQUE_OFFSET::address(), offset);
  w.context(VGT_STRMOUT_CONFIG::address(), 0);
  w.packet(DRAW_INDEX_AUTO::opcode, {0, VGT_DRAW_INITIATOR::SOURCE_SELECT::of(2) | VGT_DRAW_INITIATOR::USE_OPAQUE::of(1)});
  w.packet(EVENT_WRITE::opcode, {30 | 2 << 8, w.low(at(32)), w.high(at(32))});
  good(w);
  EXPECT_EQ(qword(32 + 7 * 8), 9u + 9) << "vertices read by both draws";
}

}  // namespace
}  // namespace Atoll::sea_islands::test
