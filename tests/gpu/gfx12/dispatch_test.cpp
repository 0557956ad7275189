// Dispatches: what compute waves of either width begin with (RDNA4 ISA 3.5.5, tables 12 to 14), partial groups, grids in threads, LDS and
// barriers, on both engines. Each thread stores what it found where its number says.
#include "gpu/gfx12/stream.h"

namespace Atoll::gfx12::test {
namespace {

using namespace packets;

struct Dispatch {
  uint32_t groups[3] = {1, 1, 1}, threads[3] = {1, 1, 1}, partial[3] = {0, 0, 0}, start[3] = {0, 0, 0};
  uint32_t initiator = 0, resource2 = 0, lds_blocks = 0;
};

class DispatchTest : public Gfx12Test, public testing::WithParamInterface<gpu::Engine> {
protected:
  DispatchTest() : Gfx12Test("gfx1201", {.engine = GetParam(), .threads = 3}) {}

  Words stream(uint64_t entry, const Dispatch& r, unsigned lanes) {
    Words w;
    w.shader(COMPUTE_PGM_LO::address(), uint32_t(entry >> 8));
    w.shader(COMPUTE_PGM_HI::address(), uint32_t(entry >> 40));
    w.shader(COMPUTE_PGM_RSRC1::address(), 7);  // 64 or 32 VGPRs
    w.shader(COMPUTE_PGM_RSRC2::address(), 4 << 1 | 7 << 7 | 2 << 11 | r.lds_blocks << 15 | r.resource2);
    w.shader(COMPUTE_USER_DATA::address(0), low(at(0)));
    w.shader(COMPUTE_USER_DATA::address(1), high(at(0)));
    w.shader(COMPUTE_USER_DATA::address(2), 1234);
    const uint32_t sizes[3] = {COMPUTE_NUM_THREAD_X::address(), COMPUTE_NUM_THREAD_Y::address(), COMPUTE_NUM_THREAD_Z::address()};
    const uint32_t starts[3] = {COMPUTE_START_X::address(), COMPUTE_START_Y::address(), COMPUTE_START_Z::address()};
    for (unsigned axis = 0; axis < 3; axis++) {
      w.shader(sizes[axis], r.threads[axis] | r.partial[axis] << 16);
      w.shader(starts[axis], r.start[axis]);
    }
    w.packet(DISPATCH_DIRECT::opcode, {r.groups[0], r.groups[1], r.groups[2], 1 | r.initiator | (lanes == 32 ? 1u << 15 : 0)}, 2);
    return w;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, DispatchTest, testing::Values(gpu::Engine::Interpreter, gpu::Engine::Jit),
                         [](const auto& info) { return info.param == gpu::Engine::Jit ? "jit" : "interpreter"; });

// dword[thread of the grid] = its place in the group | group x << 16 | y << 20 | z << 24, for grids of 8 x 2 x 2 groups at most of
// 40 x 2 x 1 threads.
std::string places() {
  std::string text;
  auto add = [&](std::string_view line) { (text += line) += '\n'; };
  add("s_and_b32 s8, ttmp7, 0xffff");  // y
  add("s_lshr_b32 s9, ttmp7, 16");     // z
  add("v_and_b32 v1, 0x3ff, v0");      // x in the group
  add("v_bfe_u32 v2, v0, 10, 10");     // y in the group
  add("s_mul_i32 s10, ttmp9, 40");
  add("v_add_nc_u32 v3, s10, v1");  // x in the grid
  add("s_lshl_b32 s11, s8, 1");
  add("v_add_nc_u32 v4, s11, v2");  // y in the grid
  add("s_mul_i32 s12, s9, 1280");   // z: 4 rows of 320
  add("v_mul_u32_u24 v4, 0x140, v4");
  add("v_add_nc_u32 v3, v3, v4");
  add("v_add_nc_u32 v3, s12, v3");
  add("v_lshlrev_b32 v3, 2, v3");
  add("s_lshl_b32 s13, ttmp9, 16");
  add("s_lshl_b32 s14, s8, 20");
  add("s_lshl_b32 s15, s9, 24");
  add("s_or_b32 s13, s13, s14");
  add("s_or_b32 s13, s13, s15");
  add("v_and_b32 v5, 0xffff, v0");
  add("v_or_b32 v5, s13, v5");
  add("global_store_b32 v3, v5, s[0:1]");
  add("s_endpgm");
  return text;
}

TEST_P(DispatchTest, ThreadsKnowTheirPlaces) {
  for (unsigned lanes : {32u, 64u})
    for (int form = 0; form < 3; form++) {
      std::memset(memory.host_pointer, 0, 0x4000);
      Dispatch r{.groups = {3, 2, 2}, .threads = {40, 2, 1}};
      uint32_t width = 120, rows = 4;
      if (form == 1)
        r.groups[0] = 90, r.groups[1] = 3, r.groups[2] = 2, r.initiator = 1 << 5, width = 90, rows = 3;  // in threads
      if (form == 2) r.start[0] = 1, r.initiator = 0;                                                    // from group 1 on
      if (form != 2) r.initiator |= 1 << 2;                                                              // FORCE_START_AT_000
      good(stream(program(places(), lanes), r, lanes), gpu::QueueKind::compute);
      for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 4; y++)
          for (uint32_t x = 0; x < 320; x++) {
            const bool runs = x < width && y < rows && !(form == 2 && x < 40);
            const uint32_t wanted = runs ? x % 40 | (y % 2) << 10 | x / 40 << 16 | y / 2 << 20 | z << 24 : 0;
            ASSERT_EQ(dword((z * 1280 + y * 320 + x) * 4), wanted)
                << lanes << ": " << x << ", " << y << ", " << z << ", form " << form;
          }
    }
}

// INTERLEAVE_BITS of 1 and 1: lanes 4 n to 4 n + 3 are a square of threads, and squares follow each other in rows (GL_NV_compute_shader_derivatives,
// derivative_group_quadsNV; Mesa 25.0.7 si_compute.c asks for it then). dword[z, y, x] = lane + 1 | wave << 8.
TEST_P(DispatchTest, FourLanesAreASquareOfThreads) {
  std::string text;
  for (auto line : {"v_and_b32 v1, 0x3ff, v0", "v_bfe_u32 v2, v0, 10, 10", "v_bfe_u32 v3, v0, 20, 10",
                    "v_lshl_add_u32 v2, v3, 4, v2", "v_lshl_add_u32 v1, v2, 4, v1", "v_lshlrev_b32 v1, 2, v1",
                    "v_mbcnt_lo_u32_b32 v4, -1, 1", "v_mbcnt_hi_u32_b32 v4, WAVE_MASK, v4", "s_bfe_u32 s8, ttmp8, 0x50019",
                    "s_lshl_b32 s8, s8, 8", "v_or_b32 v4, s8, v4", "global_store_b32 v1, v4, s[0:1]", "s_endpgm"})
    (text += line) += '\n';
  for (unsigned lanes : {32u, 64u})
    for (uint32_t interleave : {1u, 0u}) {
      std::memset(memory.host_pointer, 0, 0x4000);
      std::string own = text;
      own.replace(own.find("WAVE_MASK"), 9, lanes == 64 ? "-1" : "0");
      Dispatch r{.threads = {6 | interleave << 13, 4 | interleave << 13, 3}, .initiator = 1 << 2};
      good(stream(program(own, lanes), r, lanes), gpu::QueueKind::compute);
      uint32_t thread = 0;
      auto expect = [&](uint32_t x, uint32_t y, uint32_t z) {
        ASSERT_EQ(dword((z * 256 + y * 16 + x) * 4), thread % lanes + 1 | thread / lanes << 8)
            << lanes << ": " << x << ", " << y << ", " << z << ", interleave " << interleave;
        thread++;
      };
      for (uint32_t z = 0; z < 3; z++)
        for (uint32_t row = 0; row < (interleave ? 2 : 4); row++)
          for (uint32_t column = 0; column < (interleave ? 3 : 6); column++)
            if (interleave)
              expect(column * 2, row * 2, z), expect(column * 2 + 1, row * 2, z), expect(column * 2, row * 2 + 1, z),
                  expect(column * 2 + 1, row * 2 + 1, z);
            else
              expect(column, row, z);
    }
}

// A group of 100 threads: each leaves 3 * its number in LDS, waits for the others, and takes what thread 99 - n left; the number of waves
// is in the SGPR behind the user data, the wave's own in TTMP8[29:25].
TEST_P(DispatchTest, GroupsShareLdsAndBarriers) {
  for (unsigned lanes : {32u, 64u}) {
    std::memset(memory.host_pointer, 0, 0x4000);
    std::string text;
    for (auto line : {"v_and_b32 v1, 0x3ff, v0", "v_lshlrev_b32 v2, 2, v1", "v_mul_u32_u24 v3, 3, v1", "ds_store_b32 v2, v3",
                      "s_wait_dscnt 0x0", "s_barrier_signal -1", "s_barrier_wait -1", "v_sub_nc_u32 v4, 0x63, v1",
                      "v_lshlrev_b32 v4, 2, v4", "ds_load_b32 v5, v4", "s_wait_dscnt 0x0", "s_bfe_u32 s8, ttmp8, 0x50019",
                      "s_and_b32 s9, s4, 63", "s_lshl_b32 s8, s8, 16", "s_lshl_b32 s9, s9, 24", "s_or_b32 s8, s8, s9",
                      "v_or_b32 v5, s8, v5", "global_store_b32 v2, v5, s[0:1]", "s_endpgm"})
      (text += line) += '\n';
    Dispatch r{.threads = {100, 1, 1}, .initiator = 1 << 2, .resource2 = 1 << 10, .lds_blocks = 1};
    good(stream(program(text, lanes), r, lanes), gpu::QueueKind::compute);
    const uint32_t waves = (100 + lanes - 1) / lanes;
    for (uint32_t n = 0; n < 100; n++)
      ASSERT_EQ(dword(n * 4), 3 * (99 - n) | n / lanes << 16 | waves << 24) << lanes << ": " << n;
  }
}

TEST_P(DispatchTest, ByMemory) {
  const uint64_t entry = program(places(), 64);
  Dispatch r{.threads = {40, 2, 1}, .initiator = 1 << 2};
  r.groups[0] = 0;
  Words w = stream(entry, r, 64);
  dword(0x8000) = 2, dword(0x8004) = 1, dword(0x8008) = 1;
  w.packet(DISPATCH_INDIRECT::opcode, {low(at(0x8000)), high(at(0x8000)), 1 | 1 << 2}, 2);
  good(w, gpu::QueueKind::compute);
  EXPECT_EQ(dword(79 * 4), 39u | 1 << 16);
  EXPECT_EQ(dword(80 * 4), 0u);
}

TEST_P(DispatchTest, WhatIsRefused) {
  auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const uint64_t entry = program("s_endpgm\n", 64);
  const std::string many = bad(stream(entry, {.threads = {64, 32, 1}}, 64), gpu::QueueKind::compute);
  EXPECT_TRUE(has(many, "work-groups of more than 1024 threads")) << many;
  queues[size_t(gpu::QueueKind::compute)] = *device->make_queue(gpu::QueueKind::compute, *space);
  const std::string gone = bad(stream(nowhere, {.threads = {64, 1, 1}}, 64), gpu::QueueKind::compute);
  EXPECT_TRUE(has(gone, "compute shader")) << gone;
}

// RADV's nodes of acceleration structures have ones above 48 bits, also where memory lies in the lower half. (Others are no addresses.)
TEST_P(DispatchTest, AddressesWithASign) {
  const auto stored = [&](const char* upper) {
    return program("v_mov_b32_e32 v1, s0\nv_mov_b32_e32 v2, s1\nv_or_b32 v2, " + std::string(upper) +
                       ", v2\nglobal_load_b32 v3, v[1:2], off offset:4\ns_wait_loadcnt 0x0\nv_add_nc_u32_e32 v3, 1, v3\n"
                       "global_store_b32 v[1:2], v3, off\ns_endpgm\n",
                   32);
  };
  dword(4) = 41;
  good(stream(stored("0xffff0000"), {}, 32));
  EXPECT_EQ(dword(0), 42u);
  EXPECT_NE(bad(stream(stored("0x7fff0000"), {}, 32)).find("load of 4 bytes"), std::string::npos);
}

}  // namespace
}  // namespace Atoll::gfx12::test
