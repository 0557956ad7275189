// Draws whose pixels wait for those of later ones (pipeline/tiles/scene.h): what they read is what it was when they were asked for, who
// asks for what they leave finds it, and what goes wrong is said of the first of them.
#include <fmt/format.h>

#include "gpu/sea_islands/draws.h"
#include "pipeline/tiles/scene.h"

namespace Atoll::sea_islands::test {
namespace {

using namespace packets;

class WaitingDraws : public Draws {
protected:
  static constexpr uint32_t quarter = 0x3e800000, half = 0x3f000000, one = 0x3f800000;  // floats
  static constexpr uint32_t red = 1, green = 2, blue = 4;                               // of CB_TARGET_MASK

  void TearDown() override { pipeline::scene_limits() = {}; }

  // All channels have the float that stands at the address in s[0:1], plus v5 and what `before` makes of it.
  uint64_t reading(std::initializer_list<const char*> before = {}) {
    std::vector<std::string> lines(before.begin(), before.end());
    for (const char* line : {"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v0, s4",
                             "v_cvt_pkrtz_f16_f32 v0, v0, v0", "exp mrt0 v0, v0, v0, v0 done compr vm", "s_endpgm"})
      lines.emplace_back(line);
    return program(lines);
  }
  // Writes s2 to the address, and draws it.
  uint64_t writing() {
    return program({"v_mov_b32 v2, s0", "v_mov_b32 v3, s1", "v_mov_b32 v0, s2", "flat_store_dword v[2:3], v0",
                    "s_waitcnt vmcnt(0) & lgkmcnt(0)", "v_cvt_pkrtz_f16_f32 v0, v0, v0", "exp mrt0 v0, v0, v0, v0 done compr vm",
                    "s_endpgm"});
  }
  Words begin(uint64_t pixel) { return addressed(state(big_triangle(), pixel), at(0)); }
  static Words& use(Words& w, uint64_t pixel) {
    return w.shader(SPI_SHADER_PGM_LO_PS::address(), uint32_t(pixel >> 8))
        .shader(SPI_SHADER_PGM_HI_PS::address(), uint32_t(pixel >> 40));
  }
  static Words addressed(Words w, uint64_t address, uint32_t third = 0) {
    w.shader(SPI_SHADER_PGM_RSRC2_PS::address(), SPI_SHADER_PGM_RSRC2_PS::USER_SGPR::of(3));
    w.shader(SPI_SHADER_USER_DATA_PS::address(0), uint32_t(address));
    w.shader(SPI_SHADER_USER_DATA_PS::address(1), uint32_t(address >> 32));
    w.shader(SPI_SHADER_USER_DATA_PS::address(2), third);
    return w;
  }
  static Words& draw(Words& w, uint32_t mask) {
    w.context(CB_TARGET_MASK::address(), mask);
    return triangle(w);
  }
  uint32_t channel(unsigned n) { return pixel(width - 1, height - 1) >> 8 * n & 0xff; }
};
INSTANTIATE_TEST_SUITE_P(Engines, WaitingDraws, testing::Values("interpreter", "jit"));

TEST_P(WaitingDraws, StateIsTheirOwn) {
  Words w = begin(reading());
  dword(0) = quarter, dword(64) = half, dword(128) = one;
  draw(w, red);
  draw(w = addressed(w, at(64)), green);
  draw(w = addressed(w, at(128)), blue);
  good(w);
  EXPECT_EQ(channel(0), 0x40u);
  EXPECT_EQ(channel(1), 0x80u);
  EXPECT_EQ(channel(2), 0xffu);
}

// Every packet that writes memory comes behind the pixels that were asked for before, and before those that come later.
TEST_P(WaitingDraws, PacketsThatWriteWhatPixelsRead) {
  auto each = [&](auto add) {
    dword(0) = quarter;
    dword(256) = one;
    Words w = begin(reading());
    draw(w, red);
    add(w);
    draw(w, green);
    good(w);
    return std::pair(channel(0), channel(1));
  };
  const std::pair ordered(0x40u, 0xffu);
  const uint32_t low = Words::low(at(0)), high = Words::high(at(0)), from_low = Words::low(at(256)),
                 from_high = Words::high(at(256));
  EXPECT_EQ(each([](Words&) {}), std::pair(0x40u, 0x40u));
  EXPECT_EQ(each([&](Words& w) { w.write(at(0), one); }), ordered);
  EXPECT_EQ(each([&](Words& w) { w.packet(DMA_DATA::opcode, {2u << 29, one, 0, low, high, 4}); }), ordered);
  EXPECT_EQ(each([&](Words& w) { w.packet(CP_DMA::opcode, {from_low, from_high, low, high, 4}); }), ordered);
  EXPECT_EQ(each([&](Words& w) { w.packet(COPY_DATA::opcode, {1 | 5u << 8, from_low, from_high, low, high}); }), ordered);
  EXPECT_EQ(each([&](Words& w) {
              w.packet(EVENT_WRITE_EOP::opcode, {EVENT_TYPE::BOTTOM_OF_PIPE_TS | 5u << 8, low, high | 1u << 29, one, 0});
            }),
            ordered);
  EXPECT_EQ(each([&](Words& w) {
              w.packet(WRITE_CONST_RAM::opcode, {0, one});
              w.packet(DUMP_CONST_RAM::opcode, {0, 1, low, high});
            }),
            ordered);
  EXPECT_EQ(each([&](Words& w) { w.packet(ATOMIC_MEM::opcode, {7, low, high, one, 0, 0, 0, 0}); }), ordered);
  EXPECT_EQ(
      each([&](Words& w) { w.packet(COND_WRITE::opcode, {1u << 8 | 3 | 1u << 4, low, high, quarter, ~0u, low, high, one}); }),
      ordered);
}

// Statistics are those of the draws between a start and a stop, whenever their pixels are drawn.
TEST_P(WaitingDraws, StatisticsOfDrawsThatWait) {
  auto events = [](Words& w, uint32_t type) { w.packet(EVENT_WRITE::opcode, {type}); };
  dword(0) = quarter;
  Words w = begin(reading());
  for (uint32_t type : {EVENT_TYPE::PIPELINESTAT_STOP, EVENT_TYPE::PIPELINESTAT_START, EVENT_TYPE::PIPELINESTAT_STOP}) {
    events(w, type);
    draw(w, red);
  }
  w.packet(EVENT_WRITE::opcode, {EVENT_TYPE::SAMPLE_PIPELINESTAT | 2 << 8, Words::low(at(512)), Words::high(at(512))});
  good(w);
  EXPECT_EQ(qword(512), uint64_t(width) * height) << "pixels";
  EXPECT_EQ(qword(512 + 6 * 8), 1u) << "primitives";
  EXPECT_EQ(qword(512 + 7 * 8), 3u) << "vertices";
}

// Layers that a later one covers are not drawn, but counted as if they were; a program that kills pixels covers nothing.
TEST_P(WaitingDraws, LayersThatAreCovered) {
  const std::vector<const char*> ways[] = {{},
                                           {"s_mov_b64 s[6:7], exec", "s_wqm_b64 exec, exec", "s_mov_b64 exec, s[6:7]"},
                                           {"v_cmp_gt_f32 vcc, 0x3e800000, v0", "s_and_b64 exec, exec, vcc"}};
  for (size_t way = 0; way < std::size(ways); way++) {
    const bool kills = way == 2;
    dword(0) = quarter, dword(64) = half, dword(128) = one;
    std::ranges::fill(std::span(static_cast<uint8_t*>(colour.host_pointer), width * height * 4), uint8_t(0));
    std::vector<std::string> lines(ways[way].begin(), ways[way].end());
    for (const char* line : {"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v0, s4",
                             "v_cvt_pkrtz_f16_f32 v0, v0, v0", "exp mrt0 v0, v0, v0, v0 done compr vm", "s_endpgm"})
      lines.emplace_back(line);
    auto hidden = [&] {
      const auto ways_now = queue(gpu::QueueKind::graphics).statistics().pixel_paths;
      const auto found = ways_now.find("hidden");
      return found == ways_now.end() ? 0 : found->second;
    };
    const uint64_t before = hidden();
    Words w = begin(reading());
    w.context(DB_COUNT_CONTROL::address(), DB_COUNT_CONTROL::ZPASS_ENABLE::of(1) | DB_COUNT_CONTROL::PERFECT_ZPASS_COUNTS::of(1) |
                                               DB_COUNT_CONTROL::SLICE_EVEN_ENABLE::of(0xf) |
                                               DB_COUNT_CONTROL::SLICE_ODD_ENABLE::of(0xf));
    using Control = DB_SHADER_CONTROL;
    const uint32_t early = Control::Z_ORDER::of(Control::Z_ORDER::EARLY_Z_THEN_LATE_Z);
    w.context(Control::address(), early);
    auto counts = [&](uint32_t to) {
      w.packet(EVENT_WRITE::opcode, {EVENT_TYPE::SAMPLE_PIPELINESTAT | 2 << 8, Words::low(at(to)), Words::high(at(to))});
      w.packet(EVENT_WRITE::opcode, {EVENT_TYPE::ZPASS_DONE | 1 << 8, Words::low(at(to + 128)), Words::high(at(to + 128))});
    };
    counts(512);
    draw(w, 0xf);
    draw(w = addressed(w, at(64)), 0xf);
    w = addressed(w, at(128));
    w.context(Control::address(), early | Control::KILL_ENABLE::of(kills));
    draw(use(w, program(lines)), 0xf);
    counts(1024);
    good(w);
    EXPECT_EQ(hidden() - before, (kills ? 1ull : 2ull) * width * height) << way;
    unsigned last = 0, others = 0;
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) last += pixel(x, y) == ~0u, others += pixel(x, y) == 0x80808080;
    EXPECT_EQ(last + others, width * height) << way;
    EXPECT_EQ(others > 0, kills) << way;
    EXPECT_EQ(qword(1024) - qword(512), 3ull * width * height) << "pixels, " << way;
    EXPECT_EQ(qword(1024 + 128) - qword(512 + 128), kills ? 2ull * width * height + last : 3ull * width * height)
        << "samples, " << way;
  }
}

// Shaders that store are drawn at once, behind what waits, and what is asked for later sees what they stored.
TEST_P(WaitingDraws, PixelShadersThatStore) {
  dword(0) = quarter;
  const uint64_t reads = reading(), writes = writing();
  Words w = begin(reads);
  // Two tiles; only the second one's pixels store.
  w.context(CB_COLOR_PITCH::address(0), 2 * width / 8 - 1).context(CB_COLOR_SLICE::address(0), 2 * width * height / 64 - 1);
  for (uint32_t corner : {PA_SC_WINDOW_SCISSOR_BR::address(), PA_SC_SCREEN_SCISSOR_BR::address()})
    w.context(corner, 2 * width | height << 16);
  for (uint32_t place : {PA_CL_VPORT_XSCALE::address(0), PA_CL_VPORT_XOFFSET::address(0)})
    w.context(place, std::bit_cast<uint32_t>(float(width)));
  draw(w, red);
  w.context(PA_SC_WINDOW_SCISSOR_TL::address(), width);
  draw(w = addressed(use(w, writes), at(0), one), blue);
  w.context(PA_SC_WINDOW_SCISSOR_TL::address(), 0);
  draw(use(w, reads), green);
  good(w);
  EXPECT_EQ(pixel(0, 0), 0x0000ff40u);
  EXPECT_EQ(pixel(0, 1), 0x00ffff40u);  // beside it
  EXPECT_EQ(dword(0), one);
}

TEST_P(WaitingDraws, VertexShadersThatStore) {
  dword(0) = quarter;
  Words w = begin(reading());
  draw(w, red);
  const uint64_t vertex =
      program({"v_mov_b32 v8, s0", "v_mov_b32 v9, s1", "v_mov_b32 v10, 1.0", "flat_store_dword v[8:9], v10",
               "s_waitcnt vmcnt(0) & lgkmcnt(0)", "v_mov_b32 v1, -1.0", "v_mov_b32 v2, 0x40400000", "v_cmp_eq_u32 vcc, 1, v0",
               "v_cndmask_b32 v3, v1, v2, vcc", "v_cmp_eq_u32 vcc, 2, v0", "v_cndmask_b32 v4, v1, v2, vcc", "v_mov_b32 v5, 0",
               "v_mov_b32 v6, 1.0", "exp pos0 v3, v4, v5, v6 done", "exp param0 v3, v4, v6, v6", "s_endpgm"});
  w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(vertex >> 8))
      .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(vertex >> 40));
  w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2));
  w.shader(SPI_SHADER_USER_DATA_VS::address(0), Words::low(at(0)))
      .shader(SPI_SHADER_USER_DATA_VS::address(1), Words::high(at(0)));
  draw(w, green);
  good(w);
  EXPECT_EQ(channel(0), 0x40u);
  EXPECT_EQ(channel(1), 0xffu);
}

// A program's words are those that stood there.
TEST_P(WaitingDraws, CountersThatAreRead) {
  dword(0) = one;
  Words w = begin(reading());
  for (unsigned n = 0; n < 4; n++) {
    w.store(CP_SC_PSINVOC_COUNT_LO::address(0), at(64 + 8 * n)).store(CP_VGT_IAVERT_COUNT_LO::address(), at(68 + 8 * n));
    draw(w, red);
  }
  good(w);
  for (unsigned n = 0; n < 4; n++) {
    EXPECT_EQ(dword(64 + 8 * n), n * width * height);
    EXPECT_EQ(dword(68 + 8 * n), n * 3);
  }
  EXPECT_EQ(queue(gpu::QueueKind::graphics).statistics().pixels, 4u * width * height);
  EXPECT_EQ(queue(gpu::QueueKind::graphics).statistics().draws, 4u);
}

TEST_P(WaitingDraws, WhoLooksAfterEachDraw) {
  dword(0) = quarter, dword(64) = one;
  std::vector<uint32_t> seen;
  device->after_draw = [&](uint64_t, gpu::DrawnInto&) { seen.push_back(pixel(3, 3)); };
  Words w = begin(reading());
  draw(w, red);
  draw(w = addressed(w, at(64)), green);
  good(w);
  EXPECT_EQ(seen, (std::vector<uint32_t>{0x40, 0xff40}));
}

// The first draw of a stream that loads from nowhere, as its report has it: packet and its place, program.
class WaitingFaults : public WaitingDraws {
protected:
  std::string place(const Words& w) const { return fmt::format("DRAW_INDEX_AUTO at {:#x}: ", first + w.size() * 4 - 12); }
  // Runs the stream where its place is known.
  std::string bad_there(const Words& w) {
    std::memcpy(stream.host_pointer, w.data(), w.size() * 4);
    const gpu::CommandBuffer one{stream.gpu_address, uint32_t(w.size())};
    auto done = queue(gpu::QueueKind::graphics).run(std::span(&one, 1));
    EXPECT_FALSE(done);
    return done ? "" : done.error().message;
  }
  void SetUp() override {
    stream = *space->allocate(0x10000);
    first = stream.gpu_address;
  }
  Buffer stream;
  uint64_t first = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, WaitingFaults, testing::Values("interpreter", "jit"));

TEST_P(WaitingFaults, TheFirstDrawIsNamed) {
  for (unsigned limit : {1u, 64u}) {
    pipeline::scene_limits().draws = limit;
    queues[0] = *device->make_queue(gpu::QueueKind::graphics, *space);
    dword(0) = quarter;
    const uint64_t fails = reading({"s_nop 0"}), fails_too = reading({"s_nop 1"});
    Words w = begin(reading());
    draw(w, red);
    w = addressed(use(w, fails), nowhere);
    draw(w, green);
    const std::string expected = place(w) + fmt::format("pixel shader at 0x{:x}: scalar load", fails);
    draw(use(w, fails_too), blue);
    const std::string report = bad_there(w);
    EXPECT_EQ(report.substr(0, expected.size()), expected) << report;
    EXPECT_EQ(channel(0), 0x40u);  // the draw before is there
    const auto fault = queue(gpu::QueueKind::graphics).fault();
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault ? fault->address : 0, nowhere);
  }
}

// A packet behind it that is wrong as well comes later; one that says that all is done is not executed.
TEST_P(WaitingFaults, WhatComesBehindIsNotReached) {
  const uint64_t fails = reading({"s_nop 0"});
  Words w = addressed(begin(fails), nowhere);
  draw(w, green);
  const std::string expected = place(w);
  Words with_fence = w, with_wrong_packet = w;
  dword(64) = 0;
  with_fence.packet(EVENT_WRITE_EOP::opcode,
                    {EVENT_TYPE::BOTTOM_OF_PIPE_TS | 5u << 8, Words::low(at(64)), Words::high(at(64)) | 1u << 29, 5, 0});
  with_fence.write(at(64), 6);
  std::string report = bad_there(with_fence);
  EXPECT_EQ(report.substr(0, expected.size()), expected) << report;
  EXPECT_EQ(dword(64), 0u);
  queues[0] = *device->make_queue(gpu::QueueKind::graphics, *space);
  with_wrong_packet.packet(SET_CONTEXT_REG::opcode, {0});  // a packet that is too short
  with_wrong_packet.push_back(3u << 30 | 100u << 16);
  report = bad_there(with_wrong_packet);
  EXPECT_EQ(report.substr(0, expected.size()), expected) << report;
}

TEST_P(WaitingFaults, VerticesThatFailComeBehindPixelsThatFail) {
  const uint64_t fails = reading({"s_nop 0"});
  Words w = addressed(begin(fails), nowhere);
  draw(w, green);
  const std::string expected = place(w);
  const uint64_t vertex = program({"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_endpgm"});
  w.shader(SPI_SHADER_PGM_LO_VS::address(), uint32_t(vertex >> 8))
      .shader(SPI_SHADER_PGM_HI_VS::address(), uint32_t(vertex >> 40));
  w.shader(SPI_SHADER_PGM_RSRC2_VS::address(), SPI_SHADER_PGM_RSRC2_VS::USER_SGPR::of(2));
  w.shader(SPI_SHADER_USER_DATA_VS::address(0), Words::low(nowhere))
      .shader(SPI_SHADER_USER_DATA_VS::address(1), Words::high(nowhere));
  draw(w, red);
  const std::string report = bad_there(w);
  EXPECT_EQ(report.substr(0, expected.size()), expected) << report;
}

// Things that are not modelled are reported at the place of the draw that met them.
TEST_P(WaitingFaults, ReportsAreOfTheirDraw) {
  const uint64_t unknown =
      program({"s_mov_b32 s8, 0", "s_mov_b32 s9, 0x7f00000", "s_mov_b32 s10, 0", "s_mov_b32 s11, 0x90000fac", "s_mov_b32 s12, 0",
               "s_mov_b32 s13, 0", "s_mov_b32 s14, 0", "s_mov_b32 s15, 0", "v_mov_b32 v0, 0", "v_mov_b32 v1, 0",
               "image_load v[0:3], v[0:1], s[8:15] dmask:0xf unorm", "s_waitcnt vmcnt(0)", "v_cvt_pkrtz_f16_f32 v0, v0, v0",
               "exp mrt0 v0, v0, v0, v0 done compr vm", "s_endpgm"});
  dword(0) = quarter;
  Words w = begin(reading());
  draw(w, red);
  draw(use(w, unknown), green);
  std::string where = place(w);
  where.resize(where.size() - 2);
  draw(w, blue);
  std::memcpy(stream.host_pointer, w.data(), w.size() * 4);
  const gpu::CommandBuffer one{stream.gpu_address, uint32_t(w.size())};
  ASSERT_TRUE(queue(gpu::QueueKind::graphics).run(std::span(&one, 1)));
  const auto reports = queue(gpu::QueueKind::graphics).statistics().unknown;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].where, where) << reports[0].what;
}

}  // namespace
}  // namespace Atoll::sea_islands::test
