// Task shaders on a compute queue and the mesh shaders that they ask for on the graphics queue beside it: rings of every length, directly
// and by rows in memory, more groups than the ring has entries, packets that ask for nothing. Each group of mesh shaders counts itself where
// its payload says. The words of the ring: Mesa 25.0.7 ac_nir_lower_taskmesh_io_to_mem.c; PAL gfx12ShaderRing.h.
#include <thread>

#include "gpu/gfx12/stream.h"

namespace Atoll::gfx12::test {
namespace {

using namespace packets;

class TaskTest : public Gfx12Test, public testing::WithParamInterface<gpu::Engine> {
protected:
  TaskTest() : Gfx12Test("gfx1201", {.engine = GetParam(), .threads = 2, .max_still_seconds = 20}) {}

  static constexpr uint32_t control = 0, entries = 0x100, payloads = 0x1000, rows = 0x2000, counts = 0x4000;

  void ring(uint32_t length) {
    std::memset(memory.host_pointer, 0, 0x10000);
    for (uint32_t n : {0u, 8u, 16u}) qword(n) = length;
    dword(24) = length, dword(28) = low(at(entries)), dword(32) = high(at(entries));
    length_ = length;
  }
  // Group n of a draw: payload = 1,000 * draw + n, and n % 4 groups of mesh shaders.
  Words tasks() {
    const std::string shift = std::to_string(std::countr_zero(length_)), mask = std::to_string(length_ - 1);
    std::string bit = std::to_string(1u << 16 | uint32_t(std::countr_zero(length_)));
    const uint64_t code = program(
        "s_and_b32 s9, ttmp7, 0xffff\ns_mul_i32 s9, s9, s4\ns_add_co_i32 s8, s9, ttmp9\n"
        "s_add_co_i32 s9, s6, s8\ns_and_b32 s10, s9, " +
            mask + "\ns_bfe_u32 s11, s9, " + bit +
            "\ns_lshl_b32 s12, s10, 2\nv_mov_b32_e32 v1, s12\ns_mul_i32 s13, s7, 0x3e8\n"
            "s_add_co_i32 s13, s13, s8\nv_mov_b32_e32 v2, s13\nglobal_store_b32 v1, v2, s[2:3]\n"
            "s_lshl_b32 s12, s10, 4\nv_mov_b32_e32 v1, s12\ns_and_b32 s14, s8, 3\nv_mov_b32_e32 v2, s14\n"
            "v_mov_b32_e32 v3, 1\nv_mov_b32_e32 v4, 1\ns_wait_storecnt 0x0\n"
            "global_store_b96 v1, v[2:4], s[0:1]\ns_wait_storecnt 0x0\nv_mov_b32_e32 v5, s11\n"
            "global_store_b8 v1, v5, s[0:1] offset:12\ns_endpgm\n",
        32);
    Words w;
    w.shader(COMPUTE_PGM_LO::address(), uint32_t(code >> 8)).shader(COMPUTE_PGM_HI::address(), uint32_t(code >> 40));
    w.shader(COMPUTE_PGM_RSRC1::address(), 1);
    w.shader(COMPUTE_PGM_RSRC2::address(), 8 << 1 | 7 << 7);
    for (uint32_t address : {COMPUTE_NUM_THREAD_X::address(), COMPUTE_NUM_THREAD_Y::address(), COMPUTE_NUM_THREAD_Z::address()})
      w.shader(address, 1);
    const uint32_t user[] = {low(at(entries)), high(at(entries)), low(at(payloads)), high(at(payloads))};
    for (uint32_t n = 0; n < 4; n++) w.shader(COMPUTE_USER_DATA::address(n), user[n]);
    w.packet(DISPATCH_TASK_STATE_INIT::opcode, {low(at(control)), high(at(control))}, 2);
    return w;
  }
  static uint32_t user(uint32_t n) { return (COMPUTE_USER_DATA::address(n) - 0xb000) / 4; }
  static constexpr uint32_t initiator = 1 | 1 << 15;  // COMPUTE_SHADER_EN, CS_W32_EN
  void direct(Words& w, uint32_t number, uint32_t x, uint32_t y) {
    w.shader(COMPUTE_USER_DATA::address(4), x).shader(COMPUTE_USER_DATA::address(5), y);
    w.shader(COMPUTE_USER_DATA::address(7), number);
    w.packet(DISPATCH_TASKMESH_DIRECT_ACE::opcode, {x, y, 1, initiator, user(6)}, 2);
  }

  Words meshes(uint32_t packets) {
    const uint64_t code = program("s_and_b32 s14, s8, " + std::to_string(length_ - 1) +
                                      "\ns_lshl_b32 s14, s14, 2\ns_load_b32 s15, s[10:11], s14 offset:0x0\n"
                                      "s_and_b32 s16, s4, 0xffff\ns_wait_kmcnt 0x0\ns_lshl_b32 s15, s15, 2\n"
                                      "s_add_co_i32 s15, s15, s16\ns_lshl_b32 s15, s15, 2\nv_mov_b32_e32 v1, s15\n"
                                      "v_mov_b32_e32 v2, 1\nglobal_atomic_add_u32 v1, v2, s[12:13]\ns_mov_b32 m0, 0\n"
                                      "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\ns_endpgm\n",
                                  32),
                   pixels = program("s_endpgm", 32);
    Words w;
    w.shader(SPI_SHADER_PGM_LO_ES::address(), uint32_t(code >> 8)).shader(SPI_SHADER_PGM_HI_ES::address(), uint32_t(code >> 40));
    w.shader(SPI_SHADER_PGM_LO_PS::address(), uint32_t(pixels >> 8));
    w.shader(SPI_SHADER_PGM_HI_PS::address(), uint32_t(pixels >> 40));
    w.shader(SPI_SHADER_PGM_RSRC1_GS::address(), 1);
    w.shader(SPI_SHADER_PGM_RSRC2_GS::address(), SPI_SHADER_PGM_RSRC2_GS::USER_SGPR::of(6));
    using Stages = VGT_SHADER_STAGES_EN;
    w.context(Stages::address(), Stages::GS_FAST_LAUNCH::of(1) | Stages::GS_W32_EN::of(1));
    w.shader(SPI_SHADER_GS_OUT_CONFIG_PS::address(), SPI_SHADER_GS_OUT_CONFIG_PS::NO_PC_EXPORT::of(1));
    w.context(SPI_SHADER_IDX_FORMAT::address(), SPI_SHADER_FORMAT::SPI_SHADER_1COMP);
    w.user(VGT_GS_OUT_PRIM_TYPE::address(), 2);
    w.shader(SPI_SHADER_GS_MESHLET_DIM::address(), 0).shader(SPI_SHADER_GS_MESHLET_EXP_ALLOC::address(), 0);
    w.context(SPI_PS_IN_CONTROL::address(), SPI_PS_IN_CONTROL::PS_W32_EN::of(1));
    w.context(SPI_PS_INPUT_ENA::address(), 2).context(SPI_PS_INPUT_ADDR::address(), 2);
    const uint32_t user[] = {0, 0, low(at(payloads)), high(at(payloads)), low(at(counts)), high(at(counts))};
    for (uint32_t n = 0; n < 6; n++) w.shader(SPI_SHADER_USER_DATA_GS::address(n), user[n]);
    w.packet(DISPATCH_TASK_STATE_INIT::opcode, {low(at(control)), high(at(control))});
    using Location = DISPATCH_TASKMESH_GFX::CONTROL;
    for (uint32_t n = 0; n < packets; n++)
      w.packet(DISPATCH_TASKMESH_GFX::opcode,
               {Location::RING_ENTRY_LOC::of((SPI_SHADER_USER_DATA_GS::address(0) - 0xb000) / 4), 0, 2});
    return w;
  }
  void both(const Words& compute, const Words& graphics) {
    std::thread beside([&] { good(compute, gpu::QueueKind::compute); });
    std::thread([&] { good(graphics); }).join();
    beside.join();
  }
  // `groups` of a draw ran, each with the mesh shaders that it asked for.
  void expect_draw(uint32_t number, uint32_t groups) {
    for (uint32_t n = 0; n < groups + 4; n++)
      for (uint32_t x = 0; x < 4; x++)
        EXPECT_EQ(dword(counts + ((number * 1000 + n) * 4 + x) * 4), uint32_t(n < groups && x < n % 4))
            << number << ", " << n << ", " << x;
  }
  void expect_numbers(uint32_t taken) {
    for (uint32_t n : {0u, 8u, 16u}) EXPECT_EQ(qword(n), length_ + taken) << n;
  }
  uint32_t length_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, TaskTest, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& info) { return info.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

TEST_P(TaskTest, PacketsOneAfterTheOther) {
  for (uint32_t length : {1u, 2u, 16u, 64u}) {
    ring(length);
    Words w = tasks();
    direct(w, 0, 7, 9), direct(w, 1, 1, 1), direct(w, 2, 5, 3);
    both(w, meshes(3));
    expect_draw(0, 63), expect_draw(1, 1), expect_draw(2, 15);
    expect_numbers(63 + 1 + 15 + 3);
  }
}

TEST_P(TaskTest, RowsInMemory) {
  for (uint32_t most : {3u, 2u, 0u}) {
    ring(16);
    const uint32_t sizes[3][3] = {{3, 4, 1}, {0, 5, 1}, {20, 1, 1}};
    for (uint32_t n = 0; n < 3; n++)
      for (uint32_t axis = 0; axis < 3; axis++) dword(rows + n * 20 + axis * 4) = sizes[n][axis];
    dword(rows + 0x100) = most;
    Words w = tasks();
    using Mode = DISPATCH_TASKMESH_INDIRECT_MULTI_ACE::THREAD_TRACE_MARKER_ENABLE;
    w.packet(DISPATCH_TASKMESH_INDIRECT_MULTI_ACE::opcode,
             {low(at(rows)), high(at(rows)), user(6),
              Mode::COUNT_INDIRECT_ENABLE::of(1) | Mode::DRAW_INDEX_ENABLE::of(1) | Mode::COMPUTE_XYZ_DIM_ENABLE::of(1) |
                  Mode::DISPATCH_INDEX_LOC::of(user(7)),
              user(4), 5, low(at(rows + 0x100)), high(at(rows + 0x100)), 20, initiator},
             2);
    // (The z size goes to a register that the program does not read, where the entry's number comes afterwards.)
    both(w, meshes(1));
    expect_draw(0, most ? 12 : 0), expect_draw(1, 0), expect_draw(2, most == 3 ? 20 : 0);
    expect_numbers(1 + (most ? 12 : 0) + (most == 3 ? 20 : 0));
  }
}

TEST_P(TaskTest, WhatIsRefused) {
  ring(16);
  Words w;
  direct(w, 0, 1, 1);
  EXPECT_NE(bad(w, gpu::QueueKind::compute).find("without DISPATCH_TASK_STATE_INIT"), std::string::npos);
}

TEST_P(TaskTest, RingsOfLengthsThatThereAreNot) {
  ring(16);
  dword(24) = 12;
  Words w;
  w.packet(DISPATCH_TASK_STATE_INIT::opcode, {low(at(control)), high(at(control))});
  w.packet(DISPATCH_TASKMESH_GFX::opcode, {0, 0, 2});
  EXPECT_NE(bad(w).find("a ring of 12 entries"), std::string::npos);
}

TEST_P(TaskTest, QueuesOfTheOtherKind) {
  ring(16);
  Words w;
  w.packet(DISPATCH_TASKMESH_GFX::opcode, {0, 0, 2});
  ASSERT_TRUE(run(w, gpu::QueueKind::compute));
  EXPECT_EQ(unknown(gpu::QueueKind::compute), "DISPATCH_TASKMESH_GFX on a queue that does not draw (1)");
  Words other;
  direct(other, 0, 1, 1);
  ASSERT_TRUE(run(other));
  EXPECT_EQ(unknown(), "DISPATCH_TASKMESH_DIRECT_ACE on a queue that is none of compute (1)");
}

}  // namespace
}  // namespace Atoll::gfx12::test
