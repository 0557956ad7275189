// Drawn pixels are in memory when a packet looks at it or changes it, and when the submission ends.
#include "gpu/sea_islands/draws.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

class WriteBack : public Draws {
protected:
  static constexpr uint32_t drawn = 0xff4080ff;
  // A triangle of one colour around the window.
  Words drawing() {
    Words w = state(big_triangle(), program({"v_mov_b32 v0, 0x38083c00", "v_mov_b32 v1, 0x3c003404",
                                             "exp mrt0 v0, v0, v1, v1 done compr vm", "s_endpgm"}));
    return triangle(w);
  }
  uint64_t there() const { return colour.gpu_address; }
};
INSTANTIATE_TEST_SUITE_P(Engines, WriteBack, testing::Values("interpreter"));

// A packet of which nothing is said writes back; those that only set state and draw do not.
TEST_P(WriteBack, EveryPacketButThoseOfStateAndDraws) {
  const std::vector<uint32_t> open = {NOP::opcode,
                                      SET_BASE::opcode,
                                      CLEAR_STATE::opcode,
                                      INDEX_BUFFER_SIZE::opcode,
                                      DRAW_INDIRECT::opcode,
                                      DRAW_INDEX_INDIRECT::opcode,
                                      INDEX_BASE::opcode,
                                      DRAW_INDEX_2::opcode,
                                      CONTEXT_CONTROL::opcode,
                                      INDEX_TYPE::opcode,
                                      DRAW_INDIRECT_MULTI::opcode,
                                      DRAW_INDEX_AUTO::opcode,
                                      NUM_INSTANCES::opcode,
                                      DRAW_INDEX_OFFSET_2::opcode,
                                      DRAW_PREAMBLE::opcode,
                                      DRAW_INDEX_INDIRECT_MULTI::opcode,
                                      PREAMBLE_CNTL::opcode,
                                      CONTEXT_REG_RMW::opcode,
                                      SET_CONFIG_REG::opcode,
                                      SET_CONTEXT_REG::opcode,
                                      SET_SH_REG::opcode,
                                      SET_UCONFIG_REG::opcode};
  const std::vector<uint32_t> body(16);
  for (uint32_t opcode = 0; opcode < 256; opcode++) {
    const PacketRow* row = find_packet_row(opcode);
    if (!row || opcode == DMA_DATA::opcode) continue;
    EXPECT_EQ(!row->writes_back || row->writes_back(body), std::ranges::find(open, opcode) == open.end()) << opcode;
  }
  // A fetch into a cache moves nothing.
  const PacketRow* dma = find_packet_row(DMA_DATA::opcode);
  const uint32_t copy[] = {3u << 29 | 3u << 20, 0x1000, 1, 0x2000, 1, 0x60},
                 fetch[] = {3u << 29 | 3u << 20, 0x1000, 1, 0x1000, 1, 0x60};
  const uint32_t fill[] = {2u << 29, 0x1000, 1, 0x1000, 1, 0x60}, from_register[] = {0, 0x1000, 1, 0x1000, 1, 0x60 | 1u << 26};
  EXPECT_TRUE(dma->writes_back(copy));
  EXPECT_FALSE(dma->writes_back(fetch));
  EXPECT_TRUE(dma->writes_back(fill));
  EXPECT_TRUE(dma->writes_back(from_register));
}

TEST_P(WriteBack, PacketsThatReadMemory) {
  Words w = drawing();
  w.packet(COPY_DATA::opcode, {1 | 5u << 8, w.low(there()), w.high(there()), w.low(at(0)), w.high(at(0))});
  triangle(w).packet(DMA_DATA::opcode, {0, w.low(there()), w.high(there()), w.low(at(4)), w.high(at(4)), 4});
  triangle(w).packet(CP_DMA::opcode, {w.low(there()), w.high(there()), w.low(at(8)), w.high(at(8)), 4});
  triangle(w).packet(COND_WRITE::opcode,
                     {3 | 1u << 4 | 1u << 8, w.low(there()), w.high(there()), drawn, ~0u, w.low(at(12)), w.high(at(12)), 77});
  triangle(w).packet(WAIT_REG_MEM::opcode, {3 | 1u << 4, w.low(there()), w.high(there()), drawn, ~0u, 4});
  good(w);
  EXPECT_EQ(dword(0), drawn);
  EXPECT_EQ(dword(4), drawn);
  EXPECT_EQ(dword(8), drawn);
  EXPECT_EQ(dword(12), 77u);
}

TEST_P(WriteBack, EachPacketThatReadsSeesTheDrawBefore) {
  auto each = [&](auto add) {
    std::fill_n(reinterpret_cast<uint32_t*>(colour.host_pointer), width * height, 0);
    dword(0) = 0;
    Words w = drawing();
    add(w);
    good(w);
    return dword(0);
  };
  EXPECT_EQ(
      each([&](Words& w) { w.packet(DMA_DATA::opcode, {0, w.low(there()), w.high(there()), w.low(at(0)), w.high(at(0)), 4}); }),
      drawn);
  EXPECT_EQ(each([&](Words& w) { w.packet(CP_DMA::opcode, {w.low(there()), w.high(there()), w.low(at(0)), w.high(at(0)), 4}); }),
            drawn);
  // A condition: the packet behind it is passed over where the dword is 0.
  EXPECT_EQ(each([&](Words& w) {
              w.packet(COND_EXEC::opcode, {w.low(there()), w.high(there()), 0, 5});
              w.write(at(0), 5);
            }),
            5u);
  EXPECT_EQ(each([&](Words& w) {
              const uint32_t base = uint32_t(SCRATCH_REG::address(0) - 0x30000);
              w.packet(LOAD_UCONFIG_REG::opcode, {w.low(there() - base), w.high(there() - base), base / 4, 1});
              w.store(SCRATCH_REG::address(0), at(0));
            }),
            drawn);
}

// A value written after a draw is not drawn over by it, and later draws blend with it.
TEST_P(WriteBack, PacketsThatWriteMemory) {
  auto each = [&](auto add) {
    std::fill_n(reinterpret_cast<uint32_t*>(colour.host_pointer), width * height, 0);
    Words w = drawing();
    add(w);
    // Both are added: one plus one.
    w.context(CB_BLEND_CONTROL::address(0), CB_BLEND_CONTROL::ENABLE::of(1) | CB_BLEND_CONTROL::COLOR_SRCBLEND::of(1) |
                                                CB_BLEND_CONTROL::COLOR_DESTBLEND::of(1));
    w.context(CB_TARGET_MASK::address(), 2);
    triangle(w);
    good(w);
    return pixel(0, 0);
  };
  EXPECT_EQ(each([](Words&) {}), drawn + 0x8000 - 0x100);
  EXPECT_EQ(each([&](Words& w) { w.write(there(), 0x01020304); }), 0x01028304u);
  EXPECT_EQ(each([&](Words& w) { w.packet(DMA_DATA::opcode, {2u << 29, 0x01020304, 0, w.low(there()), w.high(there()), 16}); }),
            0x01028304u);
  EXPECT_EQ(each([&](Words& w) {
              w.packet(EVENT_WRITE_EOP::opcode,
                       {EVENT_TYPE::BOTTOM_OF_PIPE_TS | 5u << 8, w.low(there()), w.high(there()) | 1u << 29, 0x01020304, 0});
            }),
            0x01028304u);
  EXPECT_EQ(each([&](Words& w) {
              w.packet(WRITE_CONST_RAM::opcode, {0, 0x01020304});
              w.packet(DUMP_CONST_RAM::opcode, {0, 1, w.low(there()), w.high(there())});
            }),
            0x01028304u);
  EXPECT_EQ(each([&](Words& w) { w.packet(ATOMIC_MEM::opcode, {16, w.low(there()), w.high(there()), 0x1000, 0, 0, 0, 0}); }),
            drawn - 0x1000 + 0x8000);
}

TEST_P(WriteBack, ThePixelBelowIsTheLastDrawsInOtherFormatsAndPlacesToo) {
  // The same memory as one number of 32 bits a pixel: another surface over it.
  Words w = drawing();
  w.context(CB_COLOR_INFO::address(0), CB_COLOR_INFO::FORMAT::of(CB_COLOR_INFO::FORMAT::COLOR_2_10_10_10));
  w.context(CB_TARGET_MASK::address(), 8);
  triangle(w);
  good(w);
  EXPECT_EQ(pixel(5, 5), (drawn & 0x3fffffff) | 3u << 30);
  EXPECT_NE(pixel(5, 5), 0u);
}

TEST_P(WriteBack, DepthThatAShaderReadsAfterTheCachesWereFlushed) {
  Buffer depth = *space->allocate(width * height * 4, 4096);
  std::memset(depth.host_pointer, 0, width * height * 4);
  // Draws depth, then the dword at the depth buffer's start as colour.
  const uint64_t vertex = big_triangle();
  Words w = state(vertex, interpolating());
  bind_depth(w, depth, DB_Z_INFO::FORMAT::Z_32_FLOAT);
  w.context(CB_TARGET_MASK::address(), 0);
  w.shader(SPI_SHADER_USER_DATA_VS::address(0), std::bit_cast<uint32_t>(0.5f));  // depth 0.75
  triangle(w);
  w.packet(EVENT_WRITE::opcode, {EVENT_TYPE::DB_CACHE_FLUSH_AND_INV});
  const uint64_t reader = program({"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v0, s4", "v_mov_b32 v1, 0",
                                   "v_cvt_pkrtz_f16_f32 v0, v0, v1", "exp mrt0 v0, v0, v0, v0 done compr vm", "s_endpgm"});
  w.shader(SPI_SHADER_PGM_LO_PS::address(), uint32_t(reader >> 8))
      .shader(SPI_SHADER_PGM_HI_PS::address(), uint32_t(reader >> 40));
  w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(2));
  w.shader(SPI_SHADER_USER_DATA_PS::address(0), uint32_t(depth.gpu_address))
      .shader(SPI_SHADER_USER_DATA_PS::address(1), uint32_t(depth.gpu_address >> 32));
  w.context(CB_TARGET_MASK::address(), 0xf);
  w.context(DB_DEPTH_CONTROL::address(),
            DB_DEPTH_CONTROL::Z_ENABLE::of(1) | DB_DEPTH_CONTROL::ZFUNC::of(CompareFrag::FRAG_ALWAYS));
  triangle(w);
  good(w);
  EXPECT_EQ(pixel(9, 9) & 0xff, 0xbfu);
}

TEST_P(WriteBack, AQueueThatIsLostHasDrawnBefore) {
  Words w = drawing();
  w.write(nowhere, 1);
  bad(w);
  EXPECT_EQ(pixel(63, 31), drawn);
}

TEST_P(WriteBack, EachBufferOfASubmission) {
  Words first = drawing();
  gpu::CommandBuffer buffers[2] = {
      buffer(first), buffer(Words().packet(COPY_DATA::opcode, {1 | 5u << 8, Words::low(there()), Words::high(there()),
                                                               Words::low(at(0)), Words::high(at(0))}))};
  ASSERT_TRUE(queue(gpu::QueueKind::graphics).run(buffers));
  EXPECT_EQ(dword(0), drawn);
  EXPECT_EQ(pixel(0, 0), drawn);
}

TEST_P(WriteBack, WhoLooksAfterEachDraw) {
  std::vector<uint32_t> seen, shown;
  device->after_draw = [&](uint64_t, gpu::DrawnInto& into) {
    seen.push_back(pixel(3, 3));
    auto pictures = into.pictures();
    ASSERT_EQ(pictures.size(), 1u);
    shown.push_back(pictures[0].rgba[0]);
  };
  Words w = drawing();
  w.context(CB_TARGET_MASK::address(), 2);
  triangle(w);
  good(w);
  EXPECT_EQ(seen, (std::vector<uint32_t>{drawn, drawn}));
  EXPECT_EQ(shown, (std::vector<uint32_t>{0xff, 0xff}));
}

}  // namespace
}  // namespace Atoll::sea_islands::test
